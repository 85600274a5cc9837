"""The commands that list what a config can use."""
