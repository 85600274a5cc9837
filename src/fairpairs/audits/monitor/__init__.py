"""The monitor: an audit of a stream of rows that may be looked at after every batch.

It goes in one direction: read, bet, write.

read
    settings.py (what a caller names), batches.py (files and tables in blocks, in the order of their
    rows), coding.py (how columns are coded, which the first batch decides), rows.py and
    compared.py (the items of a block: of rows, of judgments),
    interface.py (the arguments of Python).
bet
    plan.py (what is monitored, and a measure on an attribute: what is kept of it, and what it
    shows), state.py (all that is kept), storage.py (its file), monitor.py (start
    and append), look.py (the lines and their verdicts). The mathematics is in
    fairpairs.mathematics.sequential.
write
    result.py (the answer, which all begins with), tables.py and figures.py (the table, the verdict,
    all else), fields.py (columns and keys of the JSON).
"""
