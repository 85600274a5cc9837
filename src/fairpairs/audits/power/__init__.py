"""How many labels, or judgments, are needed to find a violation, or to show that there is none."""
