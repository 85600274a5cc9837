"""The comparison of two models on the same items: what a new one changes for each group.

It goes in one direction: read, test, write.

read
    read.py (two files, matched by the column of the items). Roles, groups, clusters and weights are
    read as in an audit (fairpairs.audits.audit).
test
    compare.py sets each line of the audit of one model against that of the other; lines.py has the
    change of a gap, its p-values, and the verdict (lines/verdicts.py). decisions.py tells which
    items are decided otherwise. The mathematics is in sampling/changes.py and
    contrasts/noninferiority.py of fairpairs.mathematics.inference.
write
    tables.py (the tables, the verdict), answer.py (what all begins with), details.py and figures.py
    (all else), fields.py (columns and keys of the JSON), result.py (all of it).
"""
