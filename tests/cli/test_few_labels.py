"""`fairpairs audit --cheap-label`: the command says what Python does."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from tests.audits.judgments.synthetic import half_judged

pytestmark = pytest.mark.usefixtures("no_pages")

ROLES = (
    "--label", "human", "--cheap-label", "judge", "--prediction", "approved", "--sensitive", "sex",
)  # fmt: skip


@pytest.fixture
def table(folder):
    """Rows of which a tenth have a human label, in the working folder."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 2_000)
    rows = pd.DataFrame({
        "human": pd.Series(label, dtype="Int64").where(rng.random(2_000) < 0.1),
        "judge": np.where(rng.random(2_000) < 0.9, label, 1 - label),
        "approved": np.where(rng.random(2_000) < 0.8, label, 1 - label),
        "sex": rng.choice(["f", "m"], 2_000), "truth": label, "chance": 0.1,
    })  # fmt: skip
    rows.to_csv("rows.csv", index=False)
    rows.to_parquet("rows.parquet")
    return rows


@pytest.mark.slow
def test_command_says_what_python_does(table, ran):
    results = []
    for name in ("rows.csv", "rows.parquet"):
        text = ran("audit", name, *ROLES, "--out", "report")
        assert "human labels and 2,000 cheap ones are worth" in text
        results.append(json.loads(Path("report/audit.json").read_text("utf-8")))
    assert results[0]["tests"] == results[1]["tests"]
    assert results[0]["about"]["source"]["cheap_label"] == "judge"
    python = fp.audit(
        "human", "approved", sensitive_features="sex", cheap_label="judge", data="rows.csv"
    )
    assert json.loads(json.dumps(python.to_dict()))["tests"] == results[0]["tests"]


@pytest.mark.slow
def test_counts_files_give_the_lines_of_the_rows(table, ran, refused):
    ran("audit", "rows.csv", *ROLES, "--out", "report")
    expected = json.loads(Path("report/audit.json").read_text("utf-8"))
    table.iloc[:700].to_csv("a.csv", index=False)
    table.iloc[700:].to_csv("b.csv", index=False)
    table.iloc[:5].assign(human=None).to_csv("nobody.csv", index=False)
    for name in ("a", "b"):
        ran("count", f"{name}.csv", *ROLES, "--out", f"{name}.counts")
    ran("count", "rows.parquet", *ROLES, "--out", "all.counts")
    for files in (["a.counts", "b.counts"], ["all.counts"]):
        text = ran("audit", *files, "--out", "counted")
        assert "human labels and 2,000 cheap ones are worth" in text
        found = json.loads(Path("counted/audit.json").read_text("utf-8"))
        for one, other in zip(found["tests"], expected["tests"], strict=True):
            numbers = [name for name, value in other.items() if isinstance(value, float)]
            assert_allclose(
                [one[name] for name in numbers], [other[name] for name in numbers], rtol=1e-12
            )
        assert found["about"]["few_labels"]["human"] == expected["about"]["few_labels"]["human"]
    ran("count", "nobody.csv", *ROLES, "--out", "nobody.counts")
    assert "2,005 cheap ones" in ran("audit", "a.counts", "b.counts", "nobody.counts")
    ran("count", "a.counts", "b.counts", "nobody.counts", *ROLES, "--out", "more.counts")
    assert "2,005 cheap ones" in ran("audit", "more.counts")


def test_counts_files_hold_no_chances(table, ran, refused):
    ran("count", "rows.csv", *ROLES, "--out", "rows.counts")
    for option in (("--chance", "chance"), ("--drawn-within", "sex")):
        message = refused("audit", "rows.counts", *option)
        assert f"{option[0]} names chances, which counts files do not hold" in message
    ran("count", "rows.csv", "--label", "truth", *ROLES[4:], "--out", "truth.counts")
    message = refused("audit", "truth.counts", "--cheap-label", "judge")
    assert "--cheap-label does not go with counts files" in message
    table.assign(chosen=0).to_csv("chosen.csv", index=False)
    message = refused("count", "chosen.csv", *ROLES, "--out", "chosen.counts")
    assert "rows with a label were chosen by chances, which counts files do not hold" in message
    table.assign(judge=np.arange(2_000)).to_csv("numbers.csv", index=False)
    message = refused("count", "numbers.csv", *ROLES, "--out", "numbers.counts")
    assert "column `judge` has more than 100 values" in message


def test_rows_are_chosen_in_two_rounds(table, ran, refused):
    roles = ("--cheap-label", "judge", "--prediction", "approved", "--sensitive", "sex")
    text = ran("choose", "rows.csv", "-n", "100", *roles, "--out", "next.csv")
    assert text.startswith("100 of 2,000 rows are chosen.")
    rows = pd.read_csv("next.csv")
    assert rows["chosen"].sum() == 100
    again = (*roles, "--label", "human", "-n", "50", "--out", "more.csv")
    rows.assign(human=None).to_csv("unlabelled.csv", index=False)
    message = refused("choose", "unlabelled.csv", *again)
    assert "100 rows that were chosen have no `human` yet" in message
    rows["human"] = rows["truth"].where(rows["chosen"] == 1).astype("Int64")
    rows.to_csv("labelled.csv", index=False)
    ran("choose", "labelled.csv", *again)
    more = pd.read_csv("more.csv")
    assert more["chosen"].sum() == 50
    assert (more["chance"] > rows["chance"]).all()
    more["human"] = more["truth"].where((more["chosen"] == 1) | more["human"].notna())
    more.to_csv("all.csv", index=False)
    answer = ran("audit", "all.csv", *ROLES, "--chance", "chance")
    assert "150 human labels and 2,000 cheap ones" in answer
    lost = refused("audit", "all.csv", *ROLES)
    assert "were chosen by chances: give --chance chance" in lost


def test_choose_refuses_other_outputs(table, refused):
    roles = ("--cheap-label", "judge", "--prediction", "approved", "--sensitive", "sex")
    message = refused("choose", "rows.csv", "-n", "9", *roles, "--out", "next")
    assert "next: --out names a CSV file: end it in .csv" in message
    message = refused("choose", "rows.csv", "-n", "9", *roles, "--out", "rows.csv")
    assert "would overwrite its input" in message
    Path("next.csv").write_text("chosen,human\n1,yes\n")
    message = refused("choose", "rows.csv", "-n", "9", *roles, "--out", "next.csv")
    assert "next.csv is there, and may hold labels by people: name another --out." in message
    assert Path("next.csv").read_text() == "chosen,human\n1,yes\n"


def test_judgments_by_a_cheap_judge_in_both_forms(folder, ran):
    judgments, items = half_judged()
    judgments.to_csv("judgments.csv", index=False)
    items.to_csv("items.csv", index=False)
    text = ran(
        "audit-judgments", "judgments.csv", "items.csv", "--left", "i", "--right", "j",
        "--outcome", "winner", "--item", "id", "--score", "partial", "--sensitive", "area",
        "--cheap-outcome", "gpt", "--out", "audit",
    )  # fmt: skip
    assert "300 human judgments and 1,500 cheap ones are worth " in text
    command = json.loads(Path("audit/judgments.json").read_text("utf-8"))
    named = {"left": "i", "right": "j", "outcome": "winner", "y_score": "partial"}
    named |= {"sensitive_features": "area", "cheap_outcome": "gpt"}
    python = fp.audit_judgments("judgments.csv", "items.csv", item="id", **named)
    assert json.loads(json.dumps(python.to_dict()))["tests"] == command["tests"]
    sides = {
        f"{name}_{side}": items.set_index("id")[name].loc[judgments[column]].to_numpy()
        for name in ("partial", "area")
        for side, column in (("a", "i"), ("b", "j"))
    }
    other = fp.audit_judgments(judgments.assign(**sides), **named)
    assert_allclose(other.tests["pvalue"], python.tests["pvalue"])
