"""How many labels, or how many judgments, are needed to find a violation."""
