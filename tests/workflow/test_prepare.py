"""The rule prepare: one row an item, and only what the card names."""

import json

import numpy as np
import pandas as pd

TABLE, ROLES = "data/prepared/loans.parquet", "data/prepared/loans.json"
COLUMNS = {
    "item": "int32",
    "income": "float64",
    "debt": "float64",
    "purpose": "str",
    "label": "int8",
    "sensitive_sex": "int8",
    "sensitive_region": "int8",
}


def test_the_table_has_the_features_the_label_and_the_attributes(done):
    frame = done.frame(TABLE)
    assert {column: str(kind) for column, kind in frame.dtypes.items()} == COLUMNS


def test_the_rows_are_those_of_the_raw_file(done):
    raw, frame = done.frame("data/raw/loans/loans.csv"), done.frame(TABLE)
    assert len(frame) == len(raw) == 1200
    expected = pd.DataFrame(
        {
            "item": range(1200),
            "income": raw["income"],
            "debt": raw["debt"],
            "purpose": raw["purpose"],
            "label": raw["repaid"] == "yes",
            "sensitive_sex": raw["sex"] == "male",
            "sensitive_region": raw["region"] == "north",
        }
    )
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_the_roles_say_what_the_columns_are(done):
    about, frame = json.loads(done.text(ROLES)), done.frame(TABLE)
    assert about["dataset"] == "loans"
    assert about["features"] == {
        "income": "numeric",
        "debt": "numeric",
        "purpose": "categorical",
        "sensitive_sex": "numeric",
        "sensitive_region": "numeric",
    }
    assert about["label"] == {"one": "Repaid", "zero": "Not repaid"}
    assert about["sensitive"]["sex"] == {"one": "Male", "zero": "Female"}
    assert about["counts"] == {
        "rows": 1200,
        "label": np.count_nonzero(frame["label"]),
        "features": 2 + 3 + 2,  # numbers, levels of the purpose, attributes
        "sensitive.sex": np.count_nonzero(frame["sensitive_sex"]),
        "sensitive.region": np.count_nonzero(frame["sensitive_region"]),
    }


def test_columns_that_the_card_does_not_name_are_left_out(small):
    def add_people(text):
        header, *rows = text.splitlines()
        people = [f"Person {i},{row},{1900 + i % 100}" for i, row in enumerate(rows)]
        return "\n".join([f"name,{header},born", *people]) + "\n"

    small.change_raw(add_people)
    small.snakemake(TABLE).check()
    assert list(small.frame(TABLE)) == list(COLUMNS)
    assert b"Person" not in (small / TABLE).read_bytes()
    assert "Person" not in small.text(ROLES)


def test_a_changed_card_prepares_again_without_fetching(copy):
    copy.change_card(lambda card: card["features"].update(income="categorical"))
    jobs = copy.snakemake("--dry-run").check().jobs
    assert jobs["prepare"] == 1
    assert "fetch" not in jobs
    assert "simulate" not in jobs


def test_a_card_that_no_experiment_names_is_prepared_when_it_is_asked_for(small):
    small.copy_card("spare")
    jobs = small.snakemake("data/prepared/spare.parquet").check().jobs
    assert jobs == {"fetch": 1, "prepare": 1}
    assert json.loads(small.text("data/prepared/spare.json"))["dataset"] == "spare"
    assert small.snakemake("--dry-run").check().jobs["prepare"] == 1  # of the loans alone


def test_a_data_set_without_a_card_is_named(small):
    run = small.snakemake("data/prepared/lones.parquet")
    assert run.returncode == 1
    sentence = "There is no data set `lones`: write its card config/datasets/lones.yaml, or use one"
    assert f"{sentence} of loans, adult, " in run.stderr
    assert small.files() == []
