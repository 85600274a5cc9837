"""More than two groups: on a card, in contrasts with the reference, in tests and measures."""

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.testing import assert_array_equal

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_json, write_parquet, write_text
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.prepared import Levels, PreparedDataset, read_prepared
from fairpairs.papers.experiments.measures import measure_of, measure_predictions
from fairpairs.papers.experiments.predictions import Settings, run_tests
from fairpairs.papers.experiments.train import train_repeats
from tests.synthetic_loans import write_synthetic_dataset

PURPOSE = {
    "column": "purpose",
    "groups": {"on wheels": ["car"], "at home": ["house"], "else": "others"},
    "reference": "at home",
}
#: Code of each group of PURPOSE.
CODES = {"car": 0, "house": 1, "tools": 2}


@pytest.fixture
def prepared(tmp_path, root):
    """A function that prepares the loans with these changes of the card: data set and roles."""

    def run(**changes):
        card = write_synthetic_dataset(tmp_path)
        sensitive = {**card["sensitive"], "purpose": {**PURPOSE, **changes.pop("purpose", {})}}
        features = {**card["features"], "purpose": "sensitive"}
        text = yaml.safe_dump(
            {**card, "sensitive": sensitive, "features": features, **changes}, sort_keys=False
        )
        write_text(tmp_path / "config/datasets/loans.yaml", text)
        schema = root / "workflow/schemas/dataset.schema.yaml"
        card = read_card(tmp_path / "config/datasets/loans.yaml", schema)
        frame, roles = prepare(tmp_path / "mirror/loans/loans.csv", card, name="loans")
        write_parquet(tmp_path / "a.parquet", frame)
        write_json(tmp_path / "a.json", roles)
        raw = pd.read_csv(tmp_path / "mirror/loans/loans.csv")
        return read_prepared(tmp_path / "a.parquet", tmp_path / "a.json"), roles, raw

    return run


def test_each_group_is_compared_with_the_reference(prepared):
    dataset, roles, raw = prepared()
    assert_array_equal(dataset.frame["sensitive_purpose"], raw["purpose"].map(CODES))
    assert dataset.attributes == ("sex", "region", "purpose")
    assert dataset.kinds["sensitive_purpose"] == "categorical"
    sex, region, wheels, other = dataset.contrasts
    assert (sex.name, wheels.name, other.name) == ("sex", "purpose: on wheels", "purpose: else")
    assert_array_equal(sex.group, raw["sex"] == "male")
    assert region.names == ("Elsewhere", "North")
    assert_array_equal(wheels.group, raw["purpose"].map({"car": 0, "house": 1, "tools": -1}))
    assert_array_equal(other.group, raw["purpose"].map({"car": -1, "house": 1, "tools": 0}))
    assert roles["sensitive"]["purpose: else"] == {"zero": "else", "one": "at home"}
    assert roles["counts"]["sensitive.purpose: else"] == (raw["purpose"] == "house").sum()
    assert roles["counts"]["sensitive.purpose: else.zero"] == (raw["purpose"] == "tools").sum()


def test_intersections_are_compared_with_that_of_the_references(prepared):
    dataset, _, raw = prepared(intersections=[["sex", "purpose"]])
    found = {c.name: c for c in dataset.contrasts if c.name.startswith("sex ×")}
    assert len(found) == 5
    women = found["sex × purpose: Female, else"]
    assert women.names[1] == "Male, at home"
    expected = np.full(len(raw), -1)
    expected[(raw["sex"] == "male") & (raw["purpose"] == "house")] = 1
    expected[(raw["sex"] == "female") & (raw["purpose"] == "tools")] = 0
    assert_array_equal(women.group, expected)


def test_tests_and_measures_see_all_groups(prepared):
    dataset, _, raw = prepared()
    predictions = train_repeats(
        dataset, model="logistic_regression", treatment="fairbalance", repeats=[0, 1], seed=1,
        test_fraction=0.5,
    )  # fmt: skip
    settings = Settings(1, 0.05, 2)
    names = ["separation", "comparative_separation_all_pairs", "xauc"]
    rows = run_tests(names, predictions, dataset, treatment="fairbalance", settings=settings)
    assert set(rows["attribute"]) == {contrast.name for contrast in dataset.contrasts}
    # each contrast is the test of a data set of the two groups
    of_two = raw["purpose"].isin(["house", "tools"]).to_numpy()
    kept = predictions[of_two[predictions["item"]]]
    frame = dataset.frame.assign(sensitive_of=(raw["purpose"] == "house").astype(np.int8))
    alone = PreparedDataset("loans", frame[of_two], dataset.kinds, ("of",))
    for name in names:
        ours = rows[(rows["attribute"] == "purpose: else") & (rows["test"] == name)]
        one = run_tests([name], kept, alone, treatment="fairbalance", settings=settings)
        pd.testing.assert_frame_equal(
            ours.drop(columns="attribute").reset_index(drop=True), one.drop(columns="attribute")
        )
    measured = measure_predictions(
        predictions, dataset, [measure_of("tpr_gap")], model="m", treatment="t"
    )
    gap = measured[(measured["attribute"] == "purpose") & (measured["repeat"] == 1)]["value"]
    part = predictions[predictions["repeat"] == 1]
    items = raw.iloc[part["item"]].assign(decision=part["prediction"].to_numpy())
    rates = items[items["repaid"] == "yes"].groupby("purpose")["decision"].mean()
    assert gap.item() == pytest.approx(rates.max() - rates.min())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"purpose": {"reference": "home"}}, r"reference is `home` .did you mean `at home`"),
        ({"purpose": {"groups": {"at home": ["car"], "b": ["car"]}}},
         "sensitive.purpose has `car` in two groups"),
        ({"purpose": {"groups": {"at home": "others", "b": "others"}}}, "two groups of `others`"),
        ({"purpose": {"groups": {"at home": ["house"], "b": ["car"]}}}, "lists in no group"),
        ({"purpose": {"groups": {"at home": ["hut"], "b": "others"}}}, "has only one group, 1"),
        ({"intersections": [["sex", "age"]]}, "`intersections` names `age`, which is no sensit"),
        ({"purpose": {"one": ["car"]}}, "sensitive.purpose"),
    ],
)  # fmt: skip
def test_a_wrong_card_is_explained(prepared, changes, words):
    with pytest.raises(InputError, match=words):
        prepared(**changes)


def test_a_group_without_tested_items_is_refused():
    group = np.array([0, 1, 2] + [1, 2] * 20)
    frame = pd.DataFrame({"item": np.arange(43), "sensitive_a": group, "label": group % 2})
    dataset = PreparedDataset(
        "d", frame, {}, ("a",), levels={"a": Levels(("rare", "most", "some"), 1)}
    )
    item = np.arange(20, 40)
    predictions = pd.DataFrame(
        {"repeat": np.int32(0), "item": item, "score": 0.5, "prediction": np.int8(1)}
    )
    rows = run_tests(
        ["separation"], predictions, dataset, treatment="none", settings=Settings(1, 0.05, 2)
    )
    assert rows[rows["attribute"] == "a: rare"]["p_value"].isna().all()
    rest = predictions[group[item] == 2]
    with pytest.raises(InputError, match=r"no tested item of a: rare or its reference in repeat 0"):
        run_tests(["separation"], rest, dataset, treatment="none", settings=Settings(1, 0.05, 2))
