"""What all audits read: columns, labels, groups, strata, and how items were sampled."""
