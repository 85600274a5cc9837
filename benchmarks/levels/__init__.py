"""Whether every test keeps its level, the coverage of its intervals and its planned power."""
