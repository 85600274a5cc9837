"""Which rows to label next, of those that have a cheap label."""
