"""Labels of a few whole numbers, such as story points, which are numbers where that is said."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("no_pages")

POINTS = {3: [1, 2, 3], 9: [0, 1, 2, 3, 5, 8, 13, 20, 40]}
ROLES = ("--label", "points", "--sensitive", "team")
NUMBER = ("--label-kind", "number")


@pytest.fixture(params=POINTS)
def tasks(request, tmp_path, monkeypatch):
    """A file of tasks, whose estimates are numbers or points again, too high for one team."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(request.param)
    points = np.array(POINTS[request.param])
    n = 600
    place, team = rng.integers(0, len(points), n), rng.choice(["a", "b"], n)
    guess = points[np.clip(place + rng.integers(-1, 2, n), 0, len(points) - 1)]
    table = pd.DataFrame({"id": range(n), "points": points[place], "guess": guess, "team": team})
    table["estimate"] = (table["points"] + rng.normal(0, 1, n) + 2 * (team == "b")).round(2)
    table.to_csv("tasks.csv", index=False)
    return table


def content(command):
    return json.loads(Path(f"out/{command}.json").read_text("utf-8"))


def mean_error(table, column):
    errors = (table[column] - table["points"]).groupby(table["team"]).mean()
    return abs(errors["b"] - errors["a"])


@pytest.mark.slow
@pytest.mark.parametrize("prediction", ["estimate", "guess"])
def test_an_audit_of_files_and_of_counts_takes_them_for_numbers(ran, tasks, prediction):
    roles = (*ROLES, "--prediction", prediction)
    ran("count", "tasks.csv", *roles, "--out", "tasks.counts")
    for files in (("tasks.csv", *roles), ("tasks.counts",)):
        ran("audit", *files, *NUMBER, "--out", "out")
        audit = content("audit")
        assert (audit["about"]["label"], audit["about"]["prediction"]) == ("real", "real")
        lines = {row["measure"]: row for row in audit["tests"]}
        assert abs(lines["mean error"]["estimate"]) == pytest.approx(mean_error(tasks, prediction))
        assert lines["mean absolute error"]["pvalue"] is not None


def test_unsaid_they_are_refused_with_the_option(refused, tasks):
    roles = (*ROLES, "--prediction", "estimate")
    for command in (("audit", "tasks.csv"), ("monitor", "s.state", "tasks.csv")):
        assert "--label-kind number" in refused(*command, *roles)
