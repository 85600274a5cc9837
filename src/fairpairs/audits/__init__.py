"""The audits of a user's own models and judgments, and their commands."""
