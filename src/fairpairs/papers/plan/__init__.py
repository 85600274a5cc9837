"""The plan of a run: its results and their files, from a config."""
