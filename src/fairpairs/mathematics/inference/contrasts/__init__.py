"""The difference of two rates or means, tested against any value, and against a margin."""
