"""What comparative judgments bring beside their items: judges, clusters, order, ties, strata."""
