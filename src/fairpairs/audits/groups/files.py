"""The names of the files of an audit of many groups."""

FILES = ("groups.html", "groups.json", "groups.csv")
