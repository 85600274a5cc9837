"""How tests behave under repeated looks.

`python -m benchmarks.repeated_looks --help` names what is measured, and
prints the tables of docs/explanation/calibration.md.

streams.py, worlds.py
    Streams of items of a group and its reference, many at once, drawn row by row or block by block.
bets.py
    The wealth of `RateBets` on many streams at once.
repeated.py
    Audits, which are made for one look, that are repeated every week.
levels.py
    How often a statement on rates is false at any look.
estimates.py
    The same of AUC, xAUC and means.
weeks.py
    The figure of a year of weekly audits.
"""
