import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

import fairpairs
from fairpairs.cli import app
from tests.cli.frames import at
from tests.cli.results import output_of, sentence_of

FIRST, SECOND = "first.csv", "second.csv"
OPTIONS = ("--decision", "score", "--sensitive", "sex")


def made(seed, n=120, bias=0.0):
    """People with grades from two cities; the score favours men by `bias`."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["female", "male"], n)
    grade = rng.normal(size=n)
    city = rng.choice(["Ash", "Birk", "Cole"], n)
    score = grade + 0.5 * (city == "Ash") + bias * (sex == "male") + rng.normal(size=n) / 2
    return pd.DataFrame({"sex": sex, "grade": grade, "city": city, "score": score})


@pytest.fixture
def files(folder):
    """A function that writes first.csv and second.csv to the working folder, changed or not."""

    def write(first=lambda frame: frame, second=lambda frame: frame, bias=(1.0, 0.0), n=120):
        for name, change, seed in ((FIRST, first, 0), (SECOND, second, 1)):
            made(seed, n, bias[seed]).pipe(change).to_csv(name, index=False)
        return folder

    return write


def run(*arguments, first=FIRST, second=SECOND):
    return CliRunner().invoke(app, ["bridge", first, second, *arguments])


def ran(*arguments, **files):
    return output_of(run(*arguments, "--details", **files))


def refused(*arguments, **files):
    return sentence_of(run(*arguments, **files))


@pytest.mark.slow
def test_the_numbers_are_those_of_the_functions(files):
    files()
    ran(*OPTIONS, "--seed", "3", "--folds", "4", "--alpha", "0.1", "--output", "result.csv")
    written = pd.read_csv("result.csv")
    x, r, a = zip(
        *(
            (frame[["grade", "city"]], frame["score"], frame["sex"])
            for frame in map(pd.read_csv, (FIRST, SECOND))
        ),
        strict=True,
    )
    arrays = (x[0], r[0], x[1], r[1])
    biased = fairpairs.biased_bridge(
        *arrays, sensitive_features_0=a[0], sensitive_features_1=a[1],
        folds=4, random_state=3, alpha=0.1,
    )  # fmt: skip
    unbiased = fairpairs.unbiased_bridge(*arrays, sensitive_features_1=a[1], alpha=0.1)
    assert list(written["bridge"]) == ["biased", "unbiased"]
    for i, expected in enumerate((biased, unbiased)):
        frame = expected.to_frame()
        assert list(written.columns) == ["bridge", *frame.columns]
        numbers = list(frame.select_dtypes("number"))
        assert_allclose(
            written.loc[i, numbers].astype(float), frame.loc[0, numbers].astype(float), rtol=1e-9
        )
        assert written.loc[i, "hypothesis"] == frame.loc[0, "hypothesis"]
        assert written.loc[i, "magnitude"] == frame.loc[0, "magnitude"]


@pytest.mark.parametrize("errors", ["held-out", "fitting"])
def test_the_errors_may_come_from_elsewhere(files, errors):
    files()
    out = ran(*OPTIONS, "--features", "grade", "--errors", errors, "--output", "result.csv")
    assert ("the test finds too much" in out) == (errors == "fitting")
    first, second = map(pd.read_csv, (FIRST, SECOND))
    expected = fairpairs.biased_bridge(
        first[["grade"]], first["score"], second[["grade"]], second["score"],
        sensitive_features_0=first["sex"], sensitive_features_1=second["sex"],
        errors=errors, random_state=0,
    )  # fmt: skip
    assert_allclose(
        pd.read_csv("result.csv")["estimate"][0], expected.difference.estimate[0], rtol=1e-9
    )


def test_the_report_says_whom_the_first_decisions_favour(files):
    files()
    out = ran(*OPTIONS)
    sizes = made(0)["sex"].value_counts()
    assert f"first.csv: 120 rows ({sizes['female']} female, {sizes['male']} male)" in out
    assert "Features: grade, city\n" in out
    words = " ".join(out.split())
    assert "DIFFERENCE FOUND: the decisions in first.csv favour male over female by" in words
    assert "more than those in second.csv do (" in words and ", p < 0.001)." in words
    assert "- If the model errs equally in both groups (not checked), the decisions" in words
    assert "Next: if the right decisions are known, fairpairs audit tells who errs." in words
    assert " effect" not in out


def test_the_answer_is_short_and_the_page_begins_with_it(files):
    folder = files()
    result = run(*OPTIONS, "--out", "o")
    lines = result.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert lines[-1] == "Written to o: bridge.html, bridge.json, bridge.csv"
    answer = json.loads((folder / "o/bridge.json").read_text("utf-8"))["answer"]
    assert answer["verdict"] == "DIFFERENCE FOUND" and len(answer["reasons"]) == 3
    page = (folder / "o/bridge.html").read_text("utf-8")
    assert answer["sentence"] in page[: page.index("<table")]
    assert page.count("<svg") == 2 and page.index("<svg") < page.index("<details")


@pytest.mark.slow
def test_the_other_way_round_the_words_turn_and_the_interval_stays_positive(files):
    files(bias=(0.0, 1.0))
    ran(*OPTIONS, "--output", "result.csv")
    row = pd.read_csv("result.csv").loc[0]
    assert row["estimate"] < 0
    assert (
        f"decisions in first.csv favour female over male by {-row['estimate']:.3f} more than "
        f"those in second.csv do ({-row['ci_high']:.3f} to {-row['ci_low']:.3f}, "
    ) in " ".join(ran(*OPTIONS).split())


def test_what_the_model_explains_is_cross_validated(files):
    files()
    out = ran(*OPTIONS, "--features", "grade", "--seed", "5")
    frame = pd.read_csv(FIRST)
    x, r, predicted = frame[["grade"]].to_numpy(), frame["score"].to_numpy(), np.zeros(120)
    for fitting, own in KFold(5, shuffle=True, random_state=5).split(x):
        scaler = StandardScaler().fit(x[fitting])
        ridge = RidgeCV(np.logspace(-3, 5, 17)).fit(scaler.transform(x[fitting]), r[fitting])
        predicted[own] = ridge.predict(scaler.transform(x[own]))
    r2 = r2_score(r, predicted)
    assert f"explains {100 * r2:.0f} % of the variance" in out
    assert f"(cross-validated R² {r2:.2f})" in out


def test_a_model_that_explains_nothing_is_named(files):
    files(lambda f: f.assign(noise=1), lambda f: f.assign(noise=2))
    out = ran(*OPTIONS, "--features", "noise")
    assert "explains 0 % of the variance" in out
    assert "- The model explains little of the decisions" in out


@pytest.mark.slow
def test_the_group_is_a_feature_only_if_named(files):
    files()
    assert "Features: grade, city\n" in ran(*OPTIONS)
    assert "Features: sex, grade; not used: city\n" in ran(*OPTIONS, "--features", "sex, grade")


@pytest.mark.slow
def test_the_decision_may_have_another_name_in_the_second_file(files):
    files()
    expected = ran(*OPTIONS, "--output", "one.csv").replace("`score`", "")
    files(second=lambda f: f.rename(columns={"score": "mark"}))
    assert "first.csv: there is no column" not in expected
    ran(*OPTIONS, "--decision-2", "mark", "--output", "two.csv")
    pd.testing.assert_frame_equal(pd.read_csv("one.csv"), pd.read_csv("two.csv"))
    words = refused(*OPTIONS)
    assert "second.csv: there is no column `score`; it has sex, grade, city, mark: " in words
    assert "--decision-2" in words


def test_dropped_columns_and_those_without_a_name_are_no_features(files):
    folder = files(*[lambda f: f.assign(name=[f"p{i}" for i in f.index])] * 2)
    for name in (FIRST, SECOND):
        pd.read_csv(name).to_csv(name)  # with the index, as pandas does by default
    assert (folder / FIRST).read_text("utf-8").startswith(",sex,")
    assert "Features: grade, city; not used: name\n" in ran(*OPTIONS, "--drop", "name")


@pytest.mark.parametrize("form", ["{:.1f}%", "€{:.2f}", "{:,.0f}", "+-{:.1f}"])
def test_numbers_with_signs_are_no_categories(files, form):
    def write(frame):
        texts = (frame["grade"].round(1) * 1000 + 50_000).map(form.format)
        return frame.assign(grade=texts.str.replace(",", " "))

    files(write, write)
    assert "write numbers alone, or leave the column out (--drop grade)" in refused(*OPTIONS)


def test_small_groups_and_odd_columns_are_noted(files):
    def odd(frame):
        return frame.assign(
            person=np.arange(len(frame)) + 100,
            age=["unknown", *["30", "40"] * (len(frame) // 2)][: len(frame)],
        )

    files(odd, lambda f: odd(f).assign(city="Elsewhere"), n=40)
    out = " ".join(ran(*OPTIONS).split())
    assert "Check: second.csv: column `city` holds what first.csv never has in 100 % of rows" in out
    assert "column `grade` holds" not in out
    assert "- `person` has a different whole number in each row: if it is an id, " in out
    assert "(--drop person)" in out
    assert "- `age` holds numbers and words, such as 'unknown'" in out
    assert "- `city`: 40 row(s) of second.csv have a word that first.csv never has" in out
    assert "- The smallest group has" in out


def test_the_same_items_in_both_files_need_no_bridge(files):
    folder = files()
    pd.read_csv(FIRST).assign(score=lambda f: f["score"] * 2).to_csv(folder / SECOND, index=False)
    out = " ".join(ran(*OPTIONS).split())
    assert "Check: Both files have the same features in the same order" in out
    assert "fairpairs.differential_parity_test compares the decisions" in out


@pytest.mark.parametrize("name", ["grade", "score"])
def test_numbers_in_other_units_are_told(files, name):
    files(second=lambda frame: frame.assign(**{name: 100 + 100 * frame[name]}))
    out = " ".join(ran(*OPTIONS).split())
    assert f"Check: second.csv: column `{name}` holds what first.csv never has in" in out


def ids(frame):
    return frame.assign(id=[f"p{i}" for i in frame.index])


@pytest.mark.parametrize(
    ("first", "second", "more", "words"),
    [
        (None, at("grade", 6, "NA"), (),
         "second.csv: column `grade` has 1 missing value(s), the first in row 7: fill in or drop "
         "such rows, or leave the column out (--drop grade)."),
        (at("sex", 0, "other"), None, (),
         "first.csv: column `sex` has 3 group(s), 'female', 'male', 'other': "),
        (None, lambda f: f.assign(sex="male"), (),
         "second.csv: column `sex` has 1 group(s), 'male': "),
        (None, lambda f: f.assign(sex=f["sex"].str[0]), (),
         "second.csv: column `sex` has the groups 'f', 'm', and first.csv has 'female', 'male': "
         "give them the same names."),
        (lambda f: f[["sex", "grade", "score"]], lambda f: f[["sex", "city", "score"]], (),
         "they have no feature in common; first.csv has sex, grade, score, second.csv has sex"),
        (None, None, ("--drop", "grade,city"), "they have no feature in common"),
        (None, at("grade", 2, "A+"), (),
         "second.csv: column `grade` holds 'A+' in row 3, where first.csv has numbers only: "),
        (lambda f: f.assign(grade="A"), None, (),
         "first.csv: column `grade` holds 'A' in row 1, where second.csv has numbers only: "),
        (at("grade", 2, "1e60"), None, (),
         "first.csv: column `grade` holds 1e+60 in row 3, and numbers may be as large as 1e+50: "
         "correct it, or divide the column"),
        (lambda f: f.assign(score=3), None, (), "first.csv: every decision in `score` is 3: "),
        (None, lambda f: f.assign(score=0.5), (), "second.csv: every decision in `score` is 0.5: "),
        (ids, ids, (),
         "first.csv: column `id` has a different word in each row, like an id or a name: leave "
         "the column out (--drop id)."),
        (lambda f: f.groupby("sex").head(4), None, (),
         "first.csv: the group 'female' has 4 row(s), fewer than 5: add rows, or take fewer "
         "--folds."),
        (None, lambda f: f.groupby("sex").head(1), (),
         "second.csv: the group 'female' has 1 row(s), fewer than 2: add rows."),
        (None, None, ("--features", "grade,City"), "no column `City`; it has sex, grade, city, "
         "score: did you mean `city`?"),
        (None, None, ("--drop", "grad"), "did you mean `grade`?"),
        (None, None, ("--features", "grade,score"),
         "--features: `score` is a decision, which the model is to predict: leave it out."),
        (None, None, ("--sensitive", "gender"), "first.csv: there is no column `gender`; it has "),
        (None, None, ("--sensitive", "score"), "--sensitive: `score` is the decision too: "),
        (None, None, ("--decision", "SCORES"), "did you mean `score`?"),
        (lambda f: pd.concat([f[f["sex"] == "male"], f[f["sex"] == "female"].head(2)]), None,
         ("--errors", "held-out", "--folds", "2"),
         "The held-out part of X_0 has rows of one group only: take "),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(files, first, second, more, words):
    changes = {"first": first, "second": second}
    folder = files(**{name: change for name, change in changes.items() if change})
    before = sorted(folder.iterdir())
    assert words in refused(*OPTIONS, *more, "--output", "result.csv")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("again", [FIRST, "./first.csv", "link.csv"])
def test_the_same_file_twice_is_refused(files, again):
    (files() / "link.csv").symlink_to(FIRST)
    words = refused(*OPTIONS, second=again)
    assert "the same file twice" in words
    assert "differential_parity_test" in words


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--decision", "score"), "Error: "),
        ((*OPTIONS, "--folds", "1"), "fairpairs: --folds: '1' is too small: give 2 or more.\n"),
        ((*OPTIONS, "--errors", "x"), "fairpairs: --errors: 'x' is not one of 'cross-fitted', "),
    ],
)
def test_a_wrong_call_is_explained(files, arguments, said):
    files()
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_an_option_as_it_was_called_is_refused_with_its_name(files):
    files()
    result = run("--decision", "score", "--group", "sex")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: There is no option --group: use --sensitive.\n")


def test_the_version_and_the_commands_are_listed():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"fairpairs {fairpairs.__version__}\n")
    assert "bridge" in CliRunner().invoke(app, ["--help"]).stdout
