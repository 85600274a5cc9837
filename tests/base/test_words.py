"""Names of values: the same from any form, and those that look alike."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.reading.table import Table
from fairpairs.base.words import alike, check_alike, initials, word, words
from fairpairs.cli import app

#: Values of a column → their names.
COLUMNS = {
    "whole": (pa.array([1, 20, None]), ["1", "20"]),
    "long codes": (pa.array([2**60, 2**60 + 1, None]), [str(2**60), str(2**60 + 1)]),
    "unsigned": (pa.array([2**64 - 1, 0], pa.uint64()), [str(2**64 - 1), "0"]),
    "whole floats": (pa.array([1.0, 2.0, None]), ["1", "2"]),
    "floats": (pa.array([1.0, 2.5, 1e6]), ["1", "2.5", "1000000"]),
    "floats of 32 bits": (pa.array([0.1, 2.0, None], pa.float32()), ["0.1", "2"]),
    "true and false": (pa.array([True, False, None]), ["True", "False"]),
    "dates": (pa.array([datetime.date(2026, 1, 2)]), ["2026-01-02"]),
    "midnights": (pa.array([datetime.datetime(2026, 1, 2)]), ["2026-01-02"]),
    "times": (
        pa.array([datetime.datetime(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5)]),
        ["2026-01-02 00:00:00", "2026-01-02 03:04:05"],
    ),
    "decimals": (pa.array([Decimal("1.50"), Decimal("2.00")]), ["1.50", "2.00"]),
    "texts": (pa.array(["a", " b ", "NA", "007"]), ["a", "b", "007"]),
    "versions": (pa.array(["1.10", "1.1", "2.0"]), ["1.10", "1.1", "2.0"]),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("form", ["parquet", "arrow", "csv", "pandas", "json"])
def test_names_are_the_same_from_any_form(tmp_path, name, form):
    values, expected = COLUMNS[name]
    given = pa.table({"a": values, "row": np.arange(len(values))})
    path = tmp_path / f"t.{form}"
    if form == "parquet":
        pq.write_table(given, path)
        table = Table(path)
    elif form == "csv":
        if name == "floats of 32 bits":  # pandas writes those of Arrow by their 64 bits
            return
        given.to_pandas(types_mapper=pd.ArrowDtype).to_csv(path, index=False)
        table = Table(path)
    elif form == "json":
        if name in ("decimals", "dates", "midnights", "times", "floats of 32 bits"):
            return
        given.to_pandas(types_mapper=pd.ArrowDtype).to_json(path, orient="records", lines=True)
        table = Table(path)
    else:
        table = Table.of(
            given if form == "arrow" else given.to_pandas(types_mapper=pd.ArrowDtype), "t"
        )
    found = table.categories_in_part("a").dropna().astype(str).tolist()
    assert found == expected
    coded = table.coded_with_missing("a")
    every = coded.of_items(np.array(words(coded.kinds, "a"), dtype=object)).tolist()
    assert [text for text in every if text != "missing"] == expected
    assert every.count("missing") == values.null_count + ("NA" in values.to_pylist())
    if form == "pandas" and pa.types.is_timestamp(values.type):
        array = values.to_numpy().astype("datetime64[ns]")
        assert words(one_dimensional(array, "a"), "a") == expected


def test_whole_numbers_that_floats_may_have_joined_are_refused(tmp_path):
    frame = pd.DataFrame({"a": [2.0**60, 2.0**60 + 1, np.nan]})
    with pytest.raises(InputError, match=r"`a` holds floats such as 1.152921504606847e\+18 as"):
        Table.of(frame, "data").categories_in_part("a")


@pytest.mark.parametrize("form", ["frame", "csv", "array"])
def test_floats_that_a_table_stands_for_are_no_names(tmp_path, form):
    frame = pd.DataFrame({"y": [0, 1, 1], "a": [2.0**60, np.nan, 2.0**60 + 512]})
    given = frame
    if form == "csv":
        given = tmp_path / "t.csv"
        frame.to_csv(given, index=False)
    with pytest.raises(InputError, match=r"holds floats such as 1.152921504606847e\+18 as names"):
        if form == "array":
            fp.audit(frame["y"], frame["y"], sensitive_features=frame["a"], missing_group=True)
        table = Table(given) if form == "csv" else Table.of(given, "data")
        table.coded_in_part("a")


def test_a_cluster_that_floats_may_have_joined_is_refused():
    frame = pd.DataFrame({"y": [0, 1] * 9, "p": [1, 0] * 9, "a": list("fm") * 9, "k": 2.0**60})
    with pytest.raises(InputError, match=r"column `k` holds floats such as 1\.15"):
        fp.audit("y", "p", sensitive_features="a", clusters="k", data=frame)


@pytest.mark.parametrize("values", [[2**60, 2**60 + 1], [str(2**60), str(2**60 + 1)]])
def test_whole_numbers_that_a_float_joins_are_no_numbers(values):
    with pytest.raises(InputError, match=r"column `a` holds numbers above 2\^53 that differ, but"):
        Table.of(pd.DataFrame({"a": values}), "data").numbers("a", "")
    table = Table.of(pd.DataFrame({"a": [*values[:1], *values[:1], values[0]]}), "data")
    assert table.numbers("a", "").tolist() == [2.0**60] * 3


@pytest.mark.parametrize("values", [["True", "False"], ["TRUE", "FALSE"], ["true", "false"]])
def test_true_and_false_are_one_and_zero(values):
    table = Table.of(pd.DataFrame({"a": values, "b": ["True", "yes"]}), "data")
    assert table.numbers("a", "").tolist() == [1.0, 0.0]
    with pytest.raises(InputError, match="`b` must hold finite numbers and holds 'True'"):
        table.numbers("b", "write 1 and 0")


TRUE_FALSE = [
    (["true", "false", ""], ["True", "False"]),
    (["TRUE", " FALSE "], ["True", "False"]),
    (["true", "True"], ["True", "true"]),
    (["true", "maybe"], ["maybe", "true"]),
    (["truefalse", "true"], ["true", "truefalse"]),
]


@pytest.mark.parametrize(("texts", "names"), TRUE_FALSE)
def test_true_and_false_of_other_programs_are_those_of_parquet(tmp_path, texts, names):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{text},1\n" for text in texts * 20))
    found = Table(path).categories_in_part("a")
    assert sorted(found.cat.categories) == sorted(names)
    cells = Rows.of_files([path]).cells(["a"], [], missing_group=["a"])
    assert {*cells.columns["a"].kinds} - {"missing"} == {*names}
    assert Table(path).frame()["a"].dropna().tolist() == [text for text in texts if text] * 20


def test_options_name_true_and_false_as_they_are_written(tmp_path):
    rows = {"y": ["true", "false"] * 60, "p": ["true", "true", "false"] * 40,
            "a": ["true"] * 30 + ["false"] * 90}  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)
    for true in ("true", "True"):
        given = {"positive": true, "favourable": true, "reference": {"a": true}}
        found = fp.audit("y", "p", sensitive_features="a", data=tmp_path / "t.csv", **given)
        assert found.about["attributes"]["a"]["reference"] == "True"
        assert (found.about["positive"], found.about["favourable"]) == ("True", "True")


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["2026-01-01T12:00:00Z", "2026-01-01 14:00:00.50+0200"],
         ["2026-01-01 12:00:00+00:00", "2026-01-01 14:00:00.5+02:00"]),
        (["2026-01-01 12:00:00+00"], ["2026-01-01 12:00:00+00:00"]),
        (["12:00:00.000", "00:00:00"], ["12:00:00", "00:00:00"]),
        (["00:00:00"], ["00:00:00"]),
        (["2026-01-01T00:00:00.000", "2026-01-02T00:00:00"], ["2026-01-01", "2026-01-02"]),
        (["2026-01-01T00:00:00", "noon"], ["2026-01-01T00:00:00", "noon"]),
    ],
)  # fmt: skip
def test_times_have_one_name(texts, names):
    assert words(np.array(texts), "a") == names


def test_a_word_of_a_number_is_that_of_no_other():
    numbers = [0.1, 1 / 3, 1e-5, 1e16, 123456789.0, 0.1 + 0.2, 5e-324]
    assert [float(word(number)) for number in numbers] == numbers


@pytest.mark.parametrize(
    ("texts", "same"),
    [
        (["Yes", "yes", "no"], [["Yes", "yes"]]),
        (["caf\u00e9", "cafe\u0301"], [["cafe\u0301", "caf\u00e9"]]),
        (["a", "a\u200b", "b"], [["a", "a\u200b"]]),
        (["new  york", "new york", "New York"], [["New York", "new  york", "new york"]]),
        (["x", "y"], []),
    ],
)
def test_values_that_look_alike_are_found(texts, same):
    assert alike(texts) == same
    if same:
        with pytest.raises(InputError, match=r"y writes one value as '.*', '.*': write it in one"):
            check_alike(texts, "y")


@pytest.mark.parametrize(
    ("texts", "same"),
    [
        (["African-American", "African American"], [["African American", "African-American"]]),
        (["non_white", "Non-White", "nonwhite"], [["Non-White", "non_white", "nonwhite"]]),
        (["México", "Mexico", "Peru"], [["Mexico", "México"]]),
        (["A+", "A-", "A"], []),
        (["18-25", "1825", "-1", "1"], []),
        (["18-25", "18–25", "26-30"], [["18-25", "18–25"]]),
        (["1", "2", "1.0", "01", "10"], [["01", "1", "1.0"]]),
        (["1,5", "1.50", "15"], [["1,5", "1.50"]]),
        (["1152921504606846976", "1152921504606846977"], []),
        (["<50K", ">50K", "C", "C#"], []),
    ],
)
def test_groups_that_differ_in_what_joins_words_look_alike(texts, same, tmp_path):
    assert alike(texts, letters=True) == same
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.integers(0, 2, 300), "g": rng.choice(texts, 300)})
    frame["p"] = rng.integers(0, 2, 300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    given = ["--label", "y", "--prediction", "p", "--sensitive", "g"]
    told = CliRunner().invoke(app, ["audit", str(tmp_path / "t.csv"), *given]).output
    result = fp.audit("y", "p", sensitive_features="g", data=frame)
    for text in (" ".join(told.split()), " ".join(result.about["checks"])):
        assert ("Column `g` has values that look alike" in text) == bool(same)


@pytest.mark.parametrize(
    ("texts", "same"),
    [
        (["F", "Female", "Male", "m"], [["F", "Female"], ["m", "Male"]]),
        (["f", "Female", "female", "m"], [["f", "Female", "female"]]),
        (["F", "M", "Missing", "U"], []),
        (["A", "B", "Asian", "Arab"], []),
        (["A", "AB", "O"], []),
        (["1", "1000"], []),
    ],
)
def test_a_letter_is_short_for_one_longer_name(texts, same):
    assert initials(texts) == same


def test_values_that_look_alike_are_refused_for_labels_and_noted_for_groups(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y,a,b\nYes,f,F\nyes,F,Female\nno,m,M\n")
    table = Table(path)
    with pytest.raises(InputError, match=r"column `y` writes one value as 'Yes', 'yes'"):
        table.coded("y", number=True)
    table.coded("a")
    table.coded("b")
    assert table.notes == {
        "a": "Column `a` has values that look alike and count as different: 'F', 'f'.",
        "b": "Column `b` has values that look alike and count as different: 'F', 'Female'.",
    }
