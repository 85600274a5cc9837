"""The audit of one model: every test that applies to its predictions, and a page that says it."""
