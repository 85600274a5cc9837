"""The audit of many groups: which ones does the model treat worst, compared with everyone else.

It goes in one direction: read, test, write.

read
    interface.py (the arguments of Python), read.py (files, tables and arrays, as counts of items by
    groups, label and prediction; settings.py has what else a caller names).
test
    audit.py compares each group with its complement. The mathematics is in fairpairs.mathematics:
    estimates/subgroups.py and inference/many_tables.py.
write
    result.py (the table, the verdict, the answer, all else), fields.py (columns and keys of the
    JSON).
"""
