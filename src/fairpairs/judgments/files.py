"""The names of the files of an audit of judgments, which a plan of the workflow reads alone."""

FILES = ("judgments.html", "judgments.json", "hypotheses.csv", "rates.csv", "report.txt")
