"""`fairpairs table`: the city's example to the digit, scores, unknown values, forms, refusals."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import binomtest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.audits.table.form import names, read_form
from fairpairs.base.errors import InputError
from fairpairs.cli import app

#: 6 RCNY § 5-301(b), example: sex and intersections as printed there, of 250 people unknown more.
EXAMPLE = yaml.safe_load(Path(__file__).with_name("nyc_example.yaml").read_text("utf-8"))
SEXES, RACES, BOTH = (EXAMPLE[name] for name in ("sexes", "races", "both"))
NYC = "--form", "nyc-ll144", "--sensitive", "sex,race"


@pytest.fixture
def applicants(tmp_path):
    """The counts of the city's example, with 250 people of unknown race or sex."""
    rows = [("", "White", 1, 100), ("Male", "Unknown", 0, 150)]
    for group, (items, selected, *_) in BOTH.items():
        sex, race = group.split(", ")
        rows += [(sex, race, 1, selected), (sex, race, 0, items - selected)]
    path = tmp_path / "applicants.csv"
    pd.DataFrame(rows, columns=["sex", "race", "selected", "n"]).to_csv(path, index=False)
    return path


def printed(value, digits):
    """A number as the example prints it."""
    if digits.endswith("%"):
        return f"{100 * value:.{len(digits.partition('.')[2].rstrip('%'))}f}%"
    return f"{value:.{len(digits.partition('.')[2])}f}".removeprefix("0")


def check(rows, expected):
    rows = rows.set_index("group")
    assert set(rows.index) == set(expected)
    for group, (items, selected, rate, ratio) in expected.items():
        row = rows.loc[group]
        assert (row["items"], row["selected"]) == (items, selected)
        assert (printed(row["rate"], rate), printed(row["ratio"], ratio)) == (rate, ratio)
        assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"] <= 1


def test_the_example_of_the_city_comes_out_to_the_digit(ran, applicants, tmp_path):
    out = tmp_path / "out"
    text = ran("table", applicants, *NYC, "--prediction", "selected", "--weight", "n", "--out", out)
    rows = pd.read_csv(out / "table.csv")
    check(rows[rows["attribute"] == "sex"], SEXES)
    check(rows[rows["attribute"] == "sex,race"], BOTH)
    assert "left out, as a value of theirs is unknown: 250." in text
    small = rows[rows["small"]]["group"].tolist()
    assert small == [
        "Native American or Alaska Native",
        "Female, Native American or Alaska Native", "Female, Native Hawaiian or Pacific Islander",
        "Male, Native American or Alaska Native",
    ]  # fmt: skip
    # the example's table of races counts 13 Hispanic people more than its other tables
    races = pd.DataFrame(
        [(race, x, n if x else m - n) for race, (m, n, *_) in RACES.items() for x in (1, 0)],
        columns=["race", "selected", "n"],
    )
    races.to_csv(tmp_path / "races.csv", index=False)
    ran("table", tmp_path / "races.csv", "--form", "four-fifths", "--prediction", "selected",
        "--weight", "n", "--sensitive", "race", "--out", out)  # fmt: skip
    check(pd.read_csv(out / "table.csv"), RACES)


def test_markdown_and_page_have_the_cells_of_the_terminal(ran, applicants, tmp_path):
    out = tmp_path / "out"
    ran("table", applicants, *NYC, "--prediction", "selected", "--weight", "n", "--out", out)
    markdown = (out / "table.md").read_text("utf-8")
    assert "| Female | 1,181 | 555 | 47.0 % | 0.979 | 0.902 to 1.000 |  |" in markdown
    page = (out / "table.html").read_text("utf-8")
    for word in ("Impact ratio", "0.979", "Female, Native American or Alaska Native", "<main"):
        assert word in page


def test_scores_above_the_median_of_all_count_as_selected(ran, tmp_path):
    rng = np.random.default_rng(3)
    people = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m", "unknown"], 501, p=[0.4, 0.5, 0.1]),
            "score": rng.integers(0, 40, 501),
            "n": rng.integers(0, 4, 501),
        }
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    each = people.loc[people.index.repeat(people["n"])]
    above = each["score"] > each["score"].median()
    text = ran("table", tmp_path / "people.csv", "--form", "four-fifths", "--score", "score",
               "--weight", "n", "--sensitive", "sex", "--out", tmp_path)  # fmt: skip
    rows = pd.read_csv(tmp_path / "table.csv").set_index("group")
    for group in ("f", "m"):
        assert rows.loc[group, "rate"] == pytest.approx(above[each["sex"] == group].mean())
    assert f"above the median of all, {each['score'].median():g}, " in text
    assert f"unknown: sex {(each['sex'] == 'unknown').sum()}." in text


def test_small_groups_may_be_left_out_of_the_ratios(ran, tmp_path):
    rows = [("a", 1, 50), ("a", 0, 50), ("b", 1, 40), ("b", 0, 60), ("c", 1, 2), ("c", 0, 0)]
    rows += [("declined", 1, 5)]
    pd.DataFrame(rows, columns=["g", "hired", "n"]).to_csv(tmp_path / "x.csv", index=False)
    columns = "--prediction", "hired", "--weight", "n", "--sensitive", "g", "--unknown", "declined"
    command = ["table", tmp_path / "x.csv", "--form", "four-fifths", *columns, "--out", tmp_path]
    ran(*command)
    assert pd.read_csv(tmp_path / "table.csv")["ratio"].tolist() == [0.5, 0.4, 1]
    ran(*command, "--leave-out-small")
    rows = pd.read_csv(tmp_path / "table.csv")
    assert rows["ratio"].fillna(-1).tolist() == [1, 0.8, -1]
    assert rows["rate"].tolist() == [0.5, 0.4, 1]


@pytest.mark.parametrize("name", names())
def test_a_form_of_the_package_is_read(name):
    assert read_form(name).name == name


MINE = """
title: t
source: s
attributes: [sex]
intersections: false
unknown: each
small: 0.02
headings: {attribute: a, intersections: b}
notes: []
columns: [{value: group, words: g}]
"""


def test_counts_of_those_selected_are_those_of_people(ran, refused, applicants, tmp_path):
    rows = pd.read_csv(applicants).assign(chosen=lambda rows: rows["n"] * rows["selected"])
    few = rows.groupby(["sex", "race"], dropna=False)[["chosen", "n"]].sum().reset_index()
    few.to_csv(tmp_path / "few.csv", index=False)
    tables = []
    for name, options in (
        (applicants, ("--prediction", "selected", "--weight", "n")),
        (tmp_path / "few.csv", ("--selected", "chosen", "--of", "n")),
    ):
        ran("table", name, *NYC, *options, "--out", tmp_path / "out")
        rows = pd.read_csv(tmp_path / "out" / "table.csv")
        tables.append(rows.sort_values(["attribute", "group"], ignore_index=True))
    pd.testing.assert_frame_equal(*tables)
    arrays = {"sensitive_features": few[["sex"]].fillna("unknown")}
    result = fp.table(selected=few["chosen"], of=few["n"], form="four-fifths", **arrays)
    assert np.isclose(result.by_group.loc["Male", "rate"], result.to_frame()["rate"].iloc[1])
    few.assign(chosen=few["n"] + 1).to_csv(tmp_path / "more.csv", index=False)
    both = ("--selected", "chosen", "--of", "n")
    assert "no more can be selected" in refused("table", tmp_path / "more.csv", *NYC, *both)
    people = few[["chosen", "n"]].sum()
    total = pd.concat([few, people.to_frame().T.assign(sex="all", race="all")])
    total.to_csv(tmp_path / "total.csv", index=False)
    said = refused("table", tmp_path / "total.csv", *NYC, *both)
    assert f"row {len(total)} is the sum of all others" in said and "would count twice" in said
    for options in (both[:2], (*both, "--weight", "n"), (*both, "--prediction", "n")):
        assert "--of" in refused("table", tmp_path / "few.csv", *NYC, *options)


def test_low_scores_and_other_thresholds():
    scores, groups = np.arange(40.0), ["a", "b"] * 20
    options = {"form": "four-fifths", "sensitive_features": groups}
    low = fp.table(y_score=scores, lower_is_better=True, threshold=0.95, **options)
    same = fp.table(y_score=-scores, **options)
    pd.testing.assert_frame_equal(low.to_frame(), same.to_frame())
    assert "scores below the median" in str(low) and "Ratio and 0.95" in str(low)
    assert "Ratio and 0.8" not in str(low) and "Ratio and 0.8" in str(same)
    with pytest.raises(fp.InputError, match="threshold 80: give a ratio above 0 and at most 1"):
        fp.table(y_score=scores, threshold=80, **options)
    with pytest.raises(fp.InputError, match="no score above its median, 1: give decisions"):
        fp.table(y_score=[0, 1, 1, 1] * 10, **options)
    with pytest.raises(fp.InputError, match="lower_is_better is for a y_score"):
        fp.table([0, 1] * 20, lower_is_better=True, **options)


@pytest.mark.parametrize("role", ["--prediction", "--score"])
def test_counts_of_those_selected_are_neither_decisions_nor_scores(refused, tmp_path, role):
    """As a score of all people of a row, these would give women the ratio 0."""
    counts = pd.DataFrame({"sex": ["f", "m", "x"], "applied": [290, 310, 20], "hired": [84, 96, 7]})
    counts.to_csv(tmp_path / "counts.csv", index=False)
    told = refused(
        "table", tmp_path / "counts.csv", "--form", "four-fifths", "--sensitive", "sex",
        "--weight", "applied", role, "hired",
    )  # fmt: skip
    assert "if it counts those selected, name it by --selected, and the column of all" in told
    assert "by --score" not in told


@pytest.mark.parametrize(
    ("options", "form", "message"),
    [
        (["--prediction", "selected", "--sensitive", "sex"], "nyc-ll144",
         "the form nyc-ll144 asks for 2 column(s), sex and race or ethnicity, and 1 are named"),
        (["--prediction", "chosen", "--sensitive", "sex,race"], "nyc-ll144",
         "there is no column `chosen`"),
        (["--prediction", "selected", "--sensitive", "sex,race"], "nyc-ll14",
         "there is no such form (did you mean `nyc-ll144`?)"),
        (["--sensitive", "sex,race"], "nyc-ll144", "name the column of the decisions, or that of"),
        (["--prediction", "n", "--sensitive", "sex,race"], "nyc-ll144",
         "has more than two values: name the one that is a selection by --positive"),
        (["--score", "n", "--positive", "1", "--sensitive", "sex,race"], "nyc-ll144",
         "--positive is the value of a --prediction"),
        (["--prediction", "selected", "--sensitive", "one,sex"], "four-fifths",
         "`one`: fewer than two known groups have people"),
        (["--prediction", "selected", "--sensitive", "sex"], MINE.replace("group,", "grup,"),
         "columns"),
        (["--prediction", "selected", "--sensitive", "sex"], MINE.replace("group,", "threshold,"),
         "a column shows the `threshold`, and the form has none"),
        (["--prediction", "selected", "--sensitive", "sex"], MINE.replace("title: t", ""), "title"),
        (["--prediction", "selected", "--sensitive", "sex", "--weight", "none"], "four-fifths",
         "sums to 0"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(refused, applicants, tmp_path, options, form, message):
    pd.read_csv(applicants).assign(one="x", none=0).to_csv(applicants, index=False)
    if "\n" in form:
        (tmp_path / "mine.yaml").write_text(form, "utf-8")
        form = tmp_path / "mine.yaml"
    out = tmp_path / "out"
    assert message in refused("table", applicants, "--form", form, *options, "--out", out)
    assert not out.exists()


def test_python_gives_the_table_of_the_command(ran, applicants, tmp_path):
    ran("table", applicants, *NYC, "--prediction", "selected", "--weight", "n", "--out", tmp_path)
    people = pd.read_csv(applicants)
    attributes = {"sex": people["sex"], "race": people["race"]}
    of_arrays = fp.table(
        people["selected"], form="nyc-ll144", sensitive_features=attributes,
        sample_weight=people["n"],
    )  # fmt: skip
    of_data = fp.table(
        "selected", form="nyc-ll144", sensitive_features=["sex", "race"], sample_weight="n",
        data=people,
    )  # fmt: skip
    expected = pd.read_csv(tmp_path / "table.csv")
    for result in (of_arrays, of_data):
        pd.testing.assert_frame_equal(result.to_frame(), expected, check_dtype=False)
    assert "Intersectional categories" in str(of_arrays)
    with pytest.raises(InputError, match="y_pred, y_score: name the column"):
        fp.table(form="four-fifths", sensitive_features={"sex": people["sex"]})


def test_intervals_of_people_in_clusters_are_wider_and_those_of_one_person_each_are_not():
    """The people of an office are all selected, or none: 30 people in effect, in place of 600."""
    office = np.repeat(np.arange(30), 20)
    group, selected = np.where(office % 2, "a", "b"), office // 2 % 2

    def limits(clusters):
        options = {"form": "four-fifths", "sensitive_features": {"group": group}}
        return fp.table(selected, clusters=clusters, **options).to_frame()["ratio_low"][0]

    alone = limits(None)
    assert limits(np.arange(600)) == pytest.approx(alone, rel=0.02)
    of_30 = fp.table(
        selected[::20], form="four-fifths", sensitive_features={"group": group[::20]}
    ).to_frame()  # fmt: skip
    assert limits(office) == pytest.approx(of_30["ratio_low"][0], rel=0.1)
    assert limits(office) < 0.8 * alone


@pytest.fixture(scope="module")
def frauds():
    """FPR of 0.03 and 0.09, and a few rows of isles; none of rocks has label 0."""
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(
        {"region": rng.choice(["north", "south", "isles"], 4000, p=[0.6, 0.37, 0.03])}
    )
    rows["fraud"] = rng.integers(0, 2, len(rows))
    rate = np.where(rows["fraud"] == 1, 0.85, np.where(rows["region"] == "south", 0.09, 0.03))
    rows["flagged"] = (rng.random(len(rows)) < rate).astype(int)
    rocks = pd.DataFrame({"region": ["rocks"] * 3, "fraud": [1] * 3, "flagged": [1] * 3})
    return pd.concat([rows, rocks], ignore_index=True)


@pytest.mark.parametrize(
    ("rate", "at_most", "value", "groups", "verdict"),
    [
        ("FPR", True, 0.05, ["north", "south"], "FAIL: the FPR of south ("),
        ("FPR", True, 0.05, ["north"], "PASS: the FPR of each group is at most 5 %."),
        ("FPR", True, 0.05, ["north", "isles"], "UNDECIDED: too few rows to tell whether the FPR "),
        ("FPR", True, 0.05, ["isles", "rocks"], "of isles and rocks is at most 5 %."),
        ("TPR", False, 0.8, ["north", "south"], "PASS: the TPR of each group is at least 80 %."),
        ("precision", False, 0.99, ["north", "south"], "FAIL: the precision of "),
        ("selection rate", True, 0.5, ["north", "south"], "PASS: the selection rate of each"),
    ],
)
def test_a_rate_is_tested_against_a_limit_by_exact_tests(
    ran, frauds, tmp_path, rate, at_most, value, groups, verdict
):
    rows = frauds[frauds["region"].isin(groups)]
    name = "at_most" if at_most else "at_least"
    label = {} if rate == "selection rate" else {"y_true": rows["fraud"]}
    limit = {name: {rate: value}}
    options = {"sensitive_features": rows[["region"]]}
    result = fp.table(rows["flagged"], **label, **limit, **options)
    text = str(result).split("\n")[0]
    assert verdict in text and text.startswith(verdict[:4].strip() if ":" in verdict else "UNDEC")
    assert result.passed is {"P": True, "F": False, "U": None}[text[0]]
    axes = result.plot()
    assert axes.get_xlabel().startswith(f"{rate} and its interval")
    assert value in [line.get_xdata()[0] for line in axes.lines]
    among = {
        "FPR": rows["fraud"] == 0,
        "TPR": rows["fraud"] == 1,
        "precision": rows["flagged"] == 1,
    }
    hits = rows["fraud" if rate == "precision" else "flagged"]
    table, sides = result.to_frame().set_index("group"), ("less", "greater")
    tests = {}
    for group in set(groups) - {"rocks"}:
        one = hits[among.get(rate, True) & (rows["region"] == group)]
        tests[group] = [
            binomtest(int(one.sum()), len(one), value, alternative=side) for side in sides
        ]
        bound = tests[group][1 - at_most].proportion_ci(0.95)
        assert table.loc[group, "bound"] == pytest.approx(bound.high if at_most else bound.low)
    kept, beyond = (
        np.array([one[side].pvalue for one in tests.values()])
        for side in ((0, 1) if at_most else (1, 0))
    )
    here = table.loc[list(tests)]
    if "rocks" not in groups:
        # both pass by Hochberg where the larger p is below the level, and one by Bonferroni
        expected = np.minimum(np.minimum(len(kept) * kept, kept.max()), 1)
        assert here["pvalue_within"].to_numpy() == pytest.approx(expected)
        assert here["pvalue_beyond"].min() == pytest.approx(min(len(beyond) * beyond.min(), 1))
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    command = ["table", path, f"--{name.replace('_', '-')}", f"{rate}={value}"]
    command += ["--label", "fraud"] * bool(label)
    command += ["--prediction", "flagged", "--sensitive", "region"]
    assert ran(*command).split("\n")[0] == text
    fails = "--fail-on-violation", "--fail-unless-shown"
    statuses = [CliRunner().invoke(app, [*map(str, command), fail]).exit_code for fail in fails]
    assert statuses == [int(result.passed is False), int(not result.passed)]


def test_a_limit_honours_clusters_and_refuses_what_is_none():
    """People of a shop are all flagged or none: the bound is that of the shops."""
    shop = np.repeat(np.arange(60), 20)
    flagged, region = (shop % 20 == 0).astype(int), ["a"] * len(shop)
    options = {"sensitive_features": {"region": region}, "at_most": 0.08}
    alone, linked = (
        fp.table(flagged, clusters=clusters, **options).to_frame().iloc[0]
        for clusters in (None, shop)
    )
    exact = binomtest(3, 60, 0.08, alternative="less").proportion_ci(0.95).high
    assert alone["verdict"] == "PASS" and linked["verdict"] == "UNDECIDED"
    assert linked["bound"] == pytest.approx(exact, abs=0.03)
    assert "at most 8 %" in fp.table(flagged, **options).to_markdown()
    for wrong, message in (
        ({"at_most": 5}, "at_most: 5 is no limit of a rate: give a number above 0 and below 1"),
        ({"at_most": {"FPX": 0.1}}, r"'FPX' is no rate \(did you mean `FPR`\?\)"),
        ({"at_most": {"FPR": 0.1}}, "y_true: name its column for at_most or at_least"),
        ({"at_least": 0.1}, "at_most, at_least: give one of the two"),
        ({"form": "four-fifths"}, "give a form, one of four-fifths, nyc-ll144, or a limit"),
        ({"leave_out_small": True}, "leave_out_small: a limit has no ratios to leave groups out"),
    ):
        with pytest.raises(InputError, match=message):
            fp.table(flagged, **options | wrong)
