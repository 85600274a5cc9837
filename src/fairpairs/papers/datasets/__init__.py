"""Data sets: the card, the raw files, the prepared table."""
