"""The names of the files of a comparison, which a plan of the workflow reads without it."""

FILES = ("compare.html", "compare.json", "compare.csv", "decisions.csv", "changed.csv")
