"""What the functions take besides arrays: hypotheses, the design of a sample."""
