"""The comparison of two models on the same items: what a new one changes for each group.

It goes in one direction: read, test, write.

read
    read.py (two files, matched by the column of the items). Roles, groups, clusters and weights are
    read as in an audit (fairpairs.audits.items).
test
    compare.py sets each line of the audit of one model against that of the other, and tells which
    items are decided otherwise; lines.py has the change of a gap, its p-values, and the verdict
    (lines/verdicts.py). The mathematics is in sampling/changes.py and contrasts/equivalence.py
    of fairpairs.mathematics.inference.
write
    result.py (the answer, which all begins with), tables.py and figures.py (the tables, the
    verdict, all else), fields.py (columns and keys of the JSON).
"""
