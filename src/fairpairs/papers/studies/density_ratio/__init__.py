"""The paper on density-ratio estimates of fairness measures."""
