"""Items that are sampled in clusters or with unequal weights, and estimates that share items."""
