"""The audit of one model: every test that applies to its predictions, and a page of the results.

It goes in one direction: read, test, write.

read
    roles.py (label, prediction, score), groups.py (attributes, reference groups, intersections),
    margins.py (the largest difference that does not matter, by criterion). read.py chooses: up to a
    million items are held in memory; of more, counted.py has what passes.py adds up and draws while
    they pass by (`fairpairs.audits.counting` reads them).
test
    audit.py runs the criteria, of which `criteria/__init__.py` has the list, each on a
    comparison.Comparison of a group with the reference group, two groups of attribute_items.py
    (with counted_items.py), and gives rows.py. adjustment.py adjusts the p-values and gives the
    verdicts, whose words are in lines/verdicts.py. rates.py has the rates of each group, sweep.py
    the gaps over all thresholds of a score.
write
    tables.py (the tables, the verdict), effects.py (which lines matter most, the sentences at the
    top), headline.py (the joint verdict in words), text.py (the terminal), page.py and figures.py
    with templates/audit.html.j2 (the page), result.py (all of it, as lines/outcome.py writes it).

A message stands in the file that raises it; messages.py has those of several files and says where
the other words are.
"""
