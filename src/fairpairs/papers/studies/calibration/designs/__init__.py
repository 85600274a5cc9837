"""Simulated designs: how often the tests of pairs reject, by number of items and of pairs."""
