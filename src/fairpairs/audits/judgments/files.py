"""The names of the files of an audit of judgments, which a plan of the workflow reads alone."""

from fairpairs.base.plain_values import Content

FILES = ("judgments.html", "judgments.json", "hypotheses.csv", "rates.csv", "report.txt")


def files_read(settings: Content) -> list[str]:
    """Return the files that an audit in the config reads.

    >>> files_read({"judgments": "a.csv", "predictions": "b.csv"})
    ['a.csv', 'b.csv']
    """
    named = [settings.get("judgments"), settings.get("predictions")]
    return [*filter(None, named), *settings.get("group", {}).values()]
