"""Tables and figures as files."""
