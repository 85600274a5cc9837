"""From a data set to predictions, and the tests that run on them; the simulations."""
