"""The names of the files of an audit, which a plan of the workflow reads without the audit."""

FILES = ("audit.html", "audit.json", "audit.csv", "rates.csv")
