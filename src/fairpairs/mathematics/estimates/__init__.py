"""Numbers of items, pairs and groups, before any inference."""
