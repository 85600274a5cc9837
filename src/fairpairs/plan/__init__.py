"""What a run makes of a config, and from which files."""
