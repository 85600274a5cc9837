"""The rule compare_models: two files of the user's, with roles from the config."""

import json

import numpy as np
import pandas as pd
import pytest

from fairpairs import compare
from fairpairs.audits.lines.files import FILES

COMPARISON = {
    "old": "old.csv",
    "new": "new.parquet",
    "item": "id",
    "label": "repaid",
    "prediction": "approved",
    "sensitive": ["sex"],
    "positive": "yes",
    "alpha": 0.1,
    "margin": 0.1,
}


def predictions():
    rng = np.random.default_rng(0)
    n = 240
    repaid, sex = rng.choice(["yes", "no"], n), rng.choice(["male", "female"], n)
    old = np.where(rng.random(n) < 0.5 + 0.3 * (sex == "male"), "yes", "no")
    new = np.where(rng.random(n) < 0.1, repaid, old)
    return pd.DataFrame({"id": np.arange(n), "repaid": repaid, "sex": sex, "old": old, "new": new})


@pytest.fixture(scope="module")
def compared(new_project):
    project = new_project("compared", audits={"loans": COMPARISON})
    frame = predictions()
    old = frame.rename(columns={"old": "approved"}).drop(columns="new")
    new = frame.drop(columns="old").rename(columns={"new": "approved"})[["id", "approved"]]
    old.to_csv(project / "old.csv", index=False)
    new.sample(frac=1, random_state=0).to_parquet(project / "new.parquet")
    project.snakemake("audits").check()
    return project


def test_the_comparison_is_that_of_the_package(compared):
    assert compared.files() == sorted(f"results/audits/loans/{name}" for name in FILES["compare"])
    frame = predictions()
    expected = compare(
        frame["repaid"], frame["old"], frame["new"], sensitive_features={"sex": frame["sex"]},
        positive="yes", alpha=0.1, margin=0.1,
    )  # fmt: skip
    written = pd.read_csv(compared / "results/audits/loans/compare.csv", keep_default_na=False)
    assert list(written["verdict"]) == list(expected.tests["verdict"])
    changes = written["change"].astype(float).to_numpy()
    assert changes == pytest.approx(expected.tests["change"].to_numpy())
    about = json.loads(compared.text("results/audits/loans/compare.json"))["about"]
    assert about["alpha"] == 0.1
    assert about["source"]["old"] == "old.csv"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"item": None}, "`item` is missing (the column that names the item, in both files)"),
        ({"old": None}, "`old` is missing (the file of the old model)"),
        ({"file": "a.csv"}, "nothing, as `old` and `new` are the files"),
        ({"permutations": 99}, "`old` and `new` are compared without shuffles"),
    ],
)
def test_a_comparison_that_lacks_or_has_too_much_is_refused(small, change, sentence):
    entry = {key: value for key, value in {**COMPARISON, **change}.items() if value is not None}
    small.configure(lambda config: config.update(audits={"mine": entry}))
    assert sentence in small.refusal()
