"""How often the tests reject on simulated data."""
