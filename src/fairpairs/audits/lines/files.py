"""The files that each command writes, which a plan of the workflow reads alone."""

#: Command → a page, the JSON, CSV tables and, at last, the text.
FILES = {
    "audit": ("audit.html", "audit.json", "audit.csv", "rates.csv"),
    "compare": ("compare.html", "compare.json", "compare.csv", "decisions.csv", "changed.csv"),
    "audit-groups": ("groups.html", "groups.json", "groups.csv"),
    "audit-judgments": (
        "judgments.html",
        "judgments.json",
        "hypotheses.csv",
        "rates.csv",
        "report.txt",
    ),
    "bridge": ("bridge.html", "bridge.json", "bridge.csv"),
    "power": ("power.html", "power.json", "power.csv"),
    "table": ("table.html", "table.md", "table.csv"),
    "monitor": ("monitor.html", "monitor.json", "monitor.csv", "history.csv"),
}
