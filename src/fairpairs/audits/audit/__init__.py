"""The audit of one model: every test that applies to its predictions, and a page of the results.

It goes in one direction: read, test, write.

read
    In `fairpairs.audits.items`: coding.py (kinds of columns, the positive value) gives roles.py
    (label, prediction, score); groups.py has attributes, reference groups and intersections,
    strata.py what is controlled for. files.py reads files and tables of any size.
test
    audit.py runs the criteria of `fairpairs.audits.criteria`, each on a comparison.Comparison of a
    group with the reference group, and gets rows.py. adjustment.py adjusts the p-values, by which
    the ladder of lines/verdicts.py gives the verdicts. rates.py has the rates of each group, and
    the gaps over all thresholds of a score.
write
    result.py (what the terminal and the page begin with), tables.py and figures.py (the tables, the
    verdict, all else), fields.py (columns and keys of the JSON); lines/outcome.py writes all of it.

A message stands in the file that raises it; messages.py has those of several files.
"""
