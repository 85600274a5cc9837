"""The names of the files of a monitor."""

FILES = ("monitor.html", "monitor.json", "monitor.csv", "history.csv")
