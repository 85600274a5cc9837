"""Kinds of simulated data on which tests must keep their promises, one module per kind."""
