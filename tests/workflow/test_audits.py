"""The rules of audits: files of the user's, with roles from the config."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from fairpairs import audit, audit_judgments, compare
from fairpairs.audits.judgments.interface import ARGUMENTS
from fairpairs.audits.lines.files import FILES

ASKED = yaml.safe_load(Path(__file__).with_name("audits.yaml").read_text("utf-8"))
COMPARISON, JUDGED = ASKED["audits"]["models"], ASKED["judgments"]["rewards"]


def predictions():
    rng = np.random.default_rng(0)
    n = 240
    repaid, sex = rng.choice(["yes", "no"], n), rng.choice(["male", "female"], n)
    old = np.where(rng.random(n) < 0.5 + 0.3 * (sex == "male"), "yes", "no")
    new = np.where(rng.random(n) < 0.1, repaid, old)
    return pd.DataFrame({"id": np.arange(n), "repaid": repaid, "sex": sex, "old": old, "new": new})


def tables():
    rng = np.random.default_rng(0)
    i = rng.integers(40, size=200)
    j = (i + rng.integers(1, 40, size=200)) % 40
    items = pd.DataFrame({"id": range(40), "dialect": ["plain", "dialect"] * 20})
    chosen = pd.DataFrame(rng.normal([1, 0], 1, (60, 2)), columns=["chosen", "rejected"])
    frame = predictions()
    old = frame.rename(columns={"old": "approved"}).drop(columns="new")
    return {
        "judgments": pd.DataFrame({"i": i, "j": j, "winner": np.maximum(i, j)}),
        "items": items.assign(one=items["id"] % 7, two=items["id"]),
        "plain": chosen,
        "dialect": chosen - 0.1 * chosen**2,
        "old": old,
        "predictions": old,
    }


@pytest.fixture(scope="module")
def audited(new_project):
    project = new_project("audits", **ASKED)
    for name, frame in tables().items():
        frame.to_csv(project / f"{name}.csv", index=False)
    new = predictions().rename(columns={"new": "approved"})[["id", "approved"]]
    new.sample(frac=1, random_state=0).to_parquet(project / "new.parquet")
    project.snakemake("audits").check()
    return project


def test_there_are_the_files_of_each_audit(audited):
    audit_files = ("audit.csv", "audit.html", "audit.json", "rates.csv")
    folders = {
        "audits/my_loans": audit_files, "audits/models": FILES["compare"],
        **dict.fromkeys(("judgments/rewards", "judgments/dialects"), FILES["audit-judgments"]),
    }  # fmt: skip
    assert audited.files() == sorted(
        f"results/{folder}/{file}" for folder, files in folders.items() for file in files
    )


def test_each_audit_is_that_of_the_package(audited):
    frame, frames = predictions(), tables()
    columns = {name: of for name, of in JUDGED.items() if name not in ("judgments", "predictions")}
    columns = {ARGUMENTS.get(name, name): of for name, of in columns.items()}
    same = {"sensitive_features": frame["sex"], "positive": "yes", "alpha": 0.1}
    expected = {
        "audits/my_loans/audit": audit(
            frame["repaid"], frame["old"], reference={"sex": "female"}, random_state=7, **same
        ).to_frame(),
        "audits/models/compare": compare(
            frame["repaid"], frame["old"], frame["new"], margin=0.1, **same
        ).tests,
        "judgments/rewards/hypotheses": audit_judgments(
            frames["judgments"], frames["items"], **columns
        ).to_frame(),
    }
    for path, lines in expected.items():
        found = pd.read_csv(audited / f"results/{path}.csv", keep_default_na=False)
        assert list(found["verdict"]) == list(lines["verdict"])
    one, models, judged, scored = (
        json.loads(audited.text(f"results/{path}.json"))["about"]
        for path in ("audits/my_loans/audit", "audits/models/compare",
                     "judgments/rewards/judgments", "judgments/dialects/judgments")
    )  # fmt: skip
    assert (one["source"]["file"], one["gate"]["criteria"]) == (
        "predictions.csv", ["demographic_parity"]
    )  # fmt: skip
    assert (models["source"]["old"], list(judged["models"])) == ("old.csv", ["one", "two"])
    assert [about["alpha"] for about in (one, models, judged)] == [0.1] * 3
    assert [file["file"] for file in scored["files"]] == ["plain.csv", "dialect.csv"]


def test_a_run_of_everything_audits_too_and_nothing_is_done_twice(audited):
    jobs = audited.snakemake("--dry-run").check().jobs
    assert "report" in jobs
    assert not {"audit", "compare_models", "audit_judgments"} & set(jobs)


def test_bad_rows_of_each_kind_are_one_sentence(audited):
    files = {"predictions.csv": "241,,male,yes\n", "judgments.csv": "1,2,9\n"}
    good = {file: audited.text(file) for file in files}
    try:
        for file, row in files.items():
            (audited / file).write_text(good[file] + row, "utf-8")
        run = audited.snakemake("audits", "--keep-going")
    finally:
        for file, text in good.items():
            (audited / file).write_text(text, "utf-8")
    assert run.returncode != 0
    judged, audit = sorted(run.sentences)
    assert audit == (
        "fairpairs: predictions.csv: column `repaid` has 1 missing value(s), the first in row 241: "
        "fill in or drop such rows."
    )
    assert judged.startswith("fairpairs: judgments.csv: column `winner` holds '9' in row 201")


def changed(**keys):
    return {key: value for key, value in {**COMPARISON, **keys}.items() if value is not None}


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("audits", {"file": "a.csv"}, "key `audits.mine`: `label` is missing (the column of the"),
        ("audits", changed(item=None), "`item` is missing (the column that names the item, in"),
        ("audits", changed(old=None), "`old` is missing (the file of the old model)"),
        ("audits", changed(file="a.csv"), "nothing, as `old` and `new` are the files"),
        ("audits", changed(permutations=99), "`old` and `new` are compared without shuffles"),
        ("judgments", {"judgments": "a.csv"}, "key `judgments.mine`: `sensitive` is missing (the"),
        ("judgments", {"sensitive": ["g"]}, "`judgments` is missing (a CSV, JSON lines or Parquet"),
    ],
)
def test_an_audit_that_lacks_or_has_too_much_is_refused(small, kind, settings, words):
    small.configure(lambda config: config.update({kind: {"mine": settings}}))
    assert words in small.refusal()
