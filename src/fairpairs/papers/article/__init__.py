"""The article on a finished run: its text, and the numbers that it takes from the results."""
