"""fairpairs audit-groups."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from fairpairs.audits.lines.files import FILES
from fairpairs.cli import app
from tests.audits.groups.test_audit import people

pytestmark = pytest.mark.usefixtures("no_pages")

NAMED = ("--label", "y", "--prediction", "p", "--sensitive", "sex,area,age")


@pytest.fixture(autouse=True)
def files(folder):
    people().to_csv("p.csv", index=False)


def test_the_worst_groups_are_printed_and_written(ran):
    out = ran("audit-groups", "p.csv", *NAMED, "--depth", "3", "--out", "o")
    lines = out.splitlines()
    what = "71 groups of sex, area, age, and intersections of up to 3"
    assert f"p.csv: 3,000 rows, {what}" in lines
    first = lines[next(i for i, line in enumerate(lines) if line.startswith("-------")) + 1]
    assert first.startswith("TPR ") and " violated " in first
    assert first.endswith(" sex=b & area=north")
    assert "groups.csv has 120 more comparisons." in lines
    assert lines[-1] == f"Written to o: {', '.join(FILES['audit-groups'])}"
    content = json.loads(Path("o/groups.json").read_text("utf-8"))
    assert content["about"]["source"]["file"] == "p.csv" and content["violated"] is True
    assert len(pd.read_csv("o/groups.csv")) == 140


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--fail-on-violation",), 1),
        (("--fail-on-violation", "--margin", "0.8"), 0),
        (("--fail-unless-shown", "--margin", "0.8"), 0),
        (("--fail-unless-shown", "--margin", "0.1"), 1),
        (("--fail-on-violation", "--margin", "0.05"), 1),
    ],
)
def test_the_exit_status_is_that_of_what_is_found(ran, options, status):
    out = ran("audit-groups", "p.csv", *NAMED, "--depth", "1", "--smallest", "500", *options,
              status=0 if status == 0 else 1)  # fmt: skip
    assert "Together:" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("p.csv",), "p.csv: the columns are not named: give --prediction, --sensitive and"),
        (("p.csv", *NAMED, "--sensitive", "y"), "`y` is named by --label and by --sensitive"),
        (("p.csv", *NAMED, "--smallest", "9999"), "compared: lower --smallest, join the values"),
        (("p.csv", "--label", "y", "--prediction", "s", "--sensitive", "sex"), "holds numbers"),
        (("p.parquet", "--label", "s", "--prediction", "p", "--sensitive", "sex"), "3,000 values"),
        (("p.parquet", "q.parquet", *NAMED), "one.parquet"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(refused, options, message):
    frame = people().assign(s=lambda rows: rows["y"] + rows.index / 7000)
    frame.to_csv("p.csv", index=False)
    pd.concat([frame] * 40).to_parquet("p.parquet")
    frame.drop(columns="sex").to_parquet("q.parquet")
    if message == "one.parquet":
        message = "has no column `sex`"
    assert message in refused("audit-groups", *options, "--out", "o")
    assert not Path("o").exists()


def test_nothing_that_can_be_tested_does_not_pass(ran):
    rows = pd.DataFrame({"y": [1] * 20 + [0] * 20, "p": [0, 1] * 20, "g": ["a"] * 20 + ["b"] * 20})
    rows.to_csv("q.csv", index=False)
    named = ("audit-groups", "q.csv", "--label", "y", "--prediction", "p", "--sensitive", "g")
    assert "Together: cannot be tested." in ran(*named)
    result = CliRunner().invoke(app, [*named, "--fail-on-violation"])
    assert result.exit_code == 2
    assert "--fail-on-violation: no group can be tested" in result.stderr


def test_the_audit_names_this_command_for_many_groups(refused):
    people().assign(age=lambda rows: rows.index % 40).to_csv("p.csv", index=False)
    assert "or take `fairpairs audit-groups` for many groups." in refused("audit", "p.csv", *NAMED)


def test_counts_of_those_selected_are_those_of_people_one_by_one(ran, refused):
    rows = people()
    names = [name for name in rows if name not in ("y", "p", "s")]
    rows.to_csv("p.csv", index=False)
    rows.groupby(names)["p"].agg(["sum", "count"]).reset_index().to_csv("few.csv", index=False)
    attributes = "--sensitive", ",".join(names), "--out", "out"
    tables, counts = [], ("--selected", "sum", "--of", "count")
    for options in (("p.csv", "--prediction", "p"), ("few.csv", *counts)):
        ran("audit-groups", *options, *attributes)
        tables.append(pd.read_csv("out/groups.csv"))
    pd.testing.assert_frame_equal(*tables)
    for options in (counts[:2], (*counts, "--label", names[0])):
        assert "give --selected, --of and --sensitive, and no --label" in refused(
            "audit-groups", "few.csv", *options, *attributes
        )
