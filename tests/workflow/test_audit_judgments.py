"""The rule audit_judgments: files of the user's, with roles from the config."""

import json

import numpy as np
import pandas as pd
import pytest

from fairpairs import audit_judgments
from fairpairs.audits.judgments.interface import ARGUMENTS
from fairpairs.audits.lines.files import FILES

TWO = {
    "judgments": "judgments.csv",
    "predictions": "items.csv",
    "left": "i",
    "right": "j",
    "outcome": "winner",
    "item": "id",
    "score": ["one", "two"],
    "sensitive": ["dialect"],
    "alpha": 0.1,
}
GROUPS = {"group": {"plain": "plain.csv", "dialect": "dialect.csv"}}


def tables():
    rng = np.random.default_rng(0)
    i = rng.integers(40, size=200)
    j = (i + rng.integers(1, 40, size=200)) % 40
    items = pd.DataFrame({"id": range(40), "dialect": ["plain", "dialect"] * 20})
    scores = items.assign(one=items["id"] % 7, two=items["id"])
    judgments = pd.DataFrame({"i": i, "j": j, "winner": np.maximum(i, j)})
    chosen = pd.DataFrame(rng.normal([1, 0], 1, (60, 2)), columns=["chosen", "rejected"])
    return {
        "judgments": judgments,
        "items": scores,
        "plain": chosen,
        "dialect": chosen - 0.1 * chosen**2,
    }


@pytest.fixture(scope="module")
def project(new_project):
    project = new_project("judgments", judgments={"rewards": TWO, "dialects": GROUPS})
    for name, frame in tables().items():
        frame.to_csv(project / f"{name}.csv", index=False)
    return project


@pytest.fixture(scope="module")
def audited(project):
    project.snakemake("audits").check()
    return project


def test_the_audit_is_that_of_the_package(audited):
    assert audited.files() == sorted(
        f"results/judgments/{name}/{file}"
        for name in ("rewards", "dialects")
        for file in FILES["audit-judgments"]
    )
    frames = tables()
    columns = {name: of for name, of in TWO.items() if name not in ("judgments", "predictions")}
    columns = {ARGUMENTS.get(name, name): of for name, of in columns.items()}
    expected = audit_judgments(frames["judgments"], frames["items"], **columns)
    written = pd.read_csv(
        audited / "results/judgments/rewards/hypotheses.csv", keep_default_na=False
    )
    assert list(written["verdict"]) == list(expected.to_frame()["verdict"])
    about = json.loads(audited.text("results/judgments/rewards/judgments.json"))["about"]
    assert (about["alpha"], list(about["models"])) == (0.1, ["one", "two"])
    about = json.loads(audited.text("results/judgments/dialects/judgments.json"))["about"]
    assert [file["file"] for file in about["files"]] == ["plain.csv", "dialect.csv"]


def test_a_run_of_everything_audits_too_and_nothing_is_done_twice(audited):
    jobs = audited.snakemake("--dry-run").check().jobs
    assert "report" in jobs
    assert "audit_judgments" not in jobs


def test_bad_judgments_are_one_sentence(audited):
    path = audited / "judgments.csv"
    good = path.read_text("utf-8")
    path.write_text(good + "1,2,9\n", "utf-8")
    try:
        run = audited.snakemake("audits")
    finally:
        path.write_text(good, "utf-8")
    assert run.returncode != 0
    (sentence,) = run.sentences
    assert sentence.startswith("fairpairs: judgments.csv: column `winner` holds '9' in row 201")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"judgments": "a.csv"}, "`sensitive` is missing (the columns of the groups"),
        ({"sensitive": ["g"]}, "`judgments` is missing (a CSV, JSON lines or Parquet file"),
    ],
)
def test_judgments_without_their_columns_are_refused(small, settings, words):
    small.configure(lambda config: config.update(judgments={"mine": settings}))
    assert f"key `judgments.mine`: {words}" in small.refusal()
