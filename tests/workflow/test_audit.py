"""The rule audit: a file of the user's, with roles from the config."""

import json

import pandas as pd
import pytest

from fairpairs import audit

AUDIT = {
    "file": "predictions.csv",
    "label": "repaid",
    "prediction": "approved",
    "sensitive": ["sex"],
    "positive": "yes",
    "reference": {"sex": "female"},
    "alpha": 0.1,
    "criterion": ["demographic_parity"],
}


def predictions():
    return pd.DataFrame(
        {
            "repaid": ["yes", "no"] * 60,
            "approved": ["yes", "no", "no", "no", "yes", "yes"] * 20,
            "sex": ["male", "male", "female"] * 40,
        }
    )


@pytest.fixture(scope="module")
def project(new_project):
    project = new_project("audits", audits={"my_loans": AUDIT})
    predictions().to_csv(project / "predictions.csv", index=False)
    return project


@pytest.fixture(scope="module")
def audited(project):
    project.snakemake("audits").check()
    return project


def test_the_audit_is_that_of_the_package(audited):
    assert audited.files() == [
        f"results/audits/my_loans/{name}"
        for name in ("audit.csv", "audit.html", "audit.json", "rates.csv")
    ]
    frame = predictions()
    expected = audit(
        frame["repaid"], frame["approved"], sensitive_features=frame["sex"], positive="yes",
        reference={"sex": "female"}, alpha=0.1, random_state=7,
    ).to_frame()  # fmt: skip
    written = pd.read_csv(audited / "results/audits/my_loans/audit.csv", keep_default_na=False)
    assert list(written["verdict"]) == list(expected["verdict"])
    assert set(written["reference"]) == {"female"}
    about = json.loads(audited.text("results/audits/my_loans/audit.json"))["about"]
    assert about["alpha"] == 0.1
    assert about["gate"]["criteria"] == ["demographic_parity"]
    assert about["source"]["file"] == "predictions.csv"


def test_a_run_of_everything_audits_too_and_nothing_is_done_twice(audited):
    jobs = audited.snakemake("--dry-run").check().jobs
    assert "report" in jobs
    assert "audit" not in jobs


def test_bad_predictions_are_one_sentence(audited):
    path = audited / "predictions.csv"
    good = path.read_text("utf-8")
    path.write_text(good + ",yes,male\n", "utf-8")
    try:
        run = audited.snakemake("audits")
    finally:
        path.write_text(good, "utf-8")
    assert run.returncode != 0
    (sentence,) = run.sentences
    assert sentence == (
        "fairpairs: predictions.csv: column `repaid` has 1 missing value(s), the first in row 121: "
        "fill in or drop such rows."
    )


def test_an_audit_without_its_columns_is_refused(small):
    small.configure(lambda config: config.update(audits={"mine": {"file": "a.csv"}}))
    assert "key `audits.mine`: `label` is missing (the column of the label" in small.refusal()
