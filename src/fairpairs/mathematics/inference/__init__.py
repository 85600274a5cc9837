"""Intervals and p-values of differences: one method per file."""
