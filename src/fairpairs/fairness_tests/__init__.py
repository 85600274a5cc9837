"""The tests that run on kept predictions, each a file that registers itself."""
