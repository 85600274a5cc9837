"""Treatments of the training data, as sample weights."""
