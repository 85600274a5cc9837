"""The tests that run on saved predictions, one file each (see `fairpairs.papers.registry`)."""
