"""The audit of one model: every test that applies to its predictions, and a page of the results.

It goes in one direction: read, test, write.

read
    roles.py (label, prediction, score), groups.py (attributes, reference groups, intersections).
test
    audit.py runs the criteria, of which `criteria/__init__.py` has the list, each on a
    comparison.Comparison of a group with the reference group. adjustment.py adjusts the p-values
    and gives the verdicts, whose words are in verdicts.py. rates.py has the rates of each group.
write
    tables.py (the tables, the verdict), text.py (the terminal), page.py and figures.py with
    templates/audit.html.j2 (the page), result.py (all of it, and the files).

To change a message or a note, see messages.py, which also says where the other words are.
"""
