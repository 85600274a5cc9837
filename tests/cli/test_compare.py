"""`fairpairs compare`: two files of the same items, good ones and badly made ones."""

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.audits.lines.files import FILES
from fairpairs.cli import app
from tests.cli.results import output_of, sentence_of

ROLES = ("--item", "id", "--label", "y", "--prediction", "yhat", "--sensitive", "sex")


def made(n=400, moved=0.1):
    """The old model predicts men positive more often; the new one mends some of it."""
    rng = np.random.default_rng(0)
    sex, y = rng.choice(["female", "male"], n), rng.integers(0, 2, n)
    s = (0.5 * y + 0.5 * rng.random(n) + 0.2 * (sex == "male")).round(3)
    new = np.where((sex == "male") & (rng.random(n) < 3 * moved), s - 0.3, s).round(3)
    old = pd.DataFrame({"id": np.arange(n) + 100, "y": y, "yhat": (s > 0.6).astype(int), "s": s})
    old = old.assign(sex=sex, person=np.arange(n) // 2, w=1.5)
    return old, old.assign(yhat=(new > 0.6).astype(int), s=new)


@pytest.fixture
def write(folder):
    """A function that writes old.csv and new.csv to the working folder, changed or not."""

    def written(old=lambda frame: frame, new=lambda frame: frame):
        for name, frame, change in zip(("old", "new"), made(), (old, new), strict=True):
            change(frame).to_csv(f"{name}.csv", index=False)
        return made()

    return written


def run(*arguments, files=("old.csv", "new.csv"), roles=ROLES):
    return CliRunner().invoke(app, ["compare", *files, *roles, *arguments, "--details"])


def ran(*arguments, status=0, **options):
    return output_of(run(*arguments, **options), status)


def refused(*arguments, **options):
    before = sorted(Path().rglob("*"))
    sentence = sentence_of(run(*arguments, **options))
    assert sorted(Path().rglob("*")) == before
    return sentence.removeprefix("fairpairs: ").strip()


@pytest.mark.slow
def test_what_is_written_is_what_the_function_returns(write):
    old, new = write(new=lambda frame: frame.sample(frac=1, random_state=1))
    out = ran("--score", "s", "--margin", "0.1", "--out", "report")
    assert max(map(len, out.splitlines())) <= 100
    assert "\nnew.csv (new) against old.csv (old): the same 400 rows" in out
    assert sorted(path.name for path in Path("report").iterdir()) == sorted(FILES["compare"])
    expected = fp.compare(
        old["y"], old["yhat"], new["yhat"], y_score_old=old["s"], y_score_new=new["s"],
        sensitive_features={"sex": old["sex"]}, items=old["id"], margin=0.1,
    )  # fmt: skip
    for name, table in (("compare", expected.tests), ("decisions", expected.decisions)):
        written = pd.read_csv(f"report/{name}.csv", keep_default_na=False, na_values=[""])
        for column in written.drop(columns="note", errors="ignore").select_dtypes("number"):
            ours = table[column].astype(float)
            np.testing.assert_allclose(written[column], ours, rtol=1e-9, atol=1e-12)
    content = json.loads(Path("report/compare.json").read_text("utf-8"))
    jsonschema.validate(content, fp.ComparisonResult.SCHEMA)
    assert content["worse"] == expected.worse
    assert content["about"]["source"]["new_prediction"] == "yhat"
    changed = pd.read_csv("report/changed.csv")
    differs = (old["yhat"] != new["yhat"]).to_numpy()
    assert list(changed["item"]) == list(old["id"][differs])
    assert set(changed.columns) == {"item", "label", "old", "new", "sex"}
    page = Path("report/compare.html").read_text("utf-8")
    assert "new.csv against old.csv" in page
    assert "Changed decisions: number" in page
    assert page.count("<figure") == 1


@pytest.mark.slow
def test_parquet_and_csv_and_columns_of_one_file_only_are_read_alike(write):
    _, new = write()
    first = ran()
    new[["id", "yhat"]].sample(frac=1, random_state=2).to_parquet("part.parquet")
    second = ran(files=("old.csv", "part.parquet"))
    assert first.replace("new.csv", "").split() == second.replace("part.parquet", "").split()
    both = made()[0].assign(other=new["yhat"])
    both.to_csv("both.csv", index=False)
    third = ran("--new-prediction", "other", files=("both.csv", "both.csv"))
    first, third = (re.sub("both.csv|old.csv|new.csv", "", text).split() for text in (first, third))
    assert first == third


def test_groups_may_be_in_the_new_file_only(write):
    write(old=lambda frame: frame.drop(columns=["y", "sex"]))
    assert "sex: female minus male" in ran() or "sex: male minus female" in ran()


@pytest.mark.slow
def test_the_exit_status_tells_what_was_found(write):
    write()
    ran("--fail-on-worse")
    ran("--margin", "0.9", "--fail-unless-shown")
    swapped = ("new.csv", "old.csv")
    assert ran("--fail-on-worse", files=swapped, status=1).startswith("WORSE: the gap in TPR ")
    ran("--margin", "0.01", "--fail-unless-shown", files=swapped, status=1)
    ran(files=swapped)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (None, lambda f: f[:-3], "new.csv: 3 id(s) of old.csv are missing, such as `id` '497'"),
        (lambda f: f[1:], None, "old.csv: 1 id(s) of new.csv are missing, such as `id` '100'"),
        (None, lambda f: pd.concat([f, f[4:5]]),
         "new.csv: column `id` has the id '104' in the rows 5 and 401: keep one row"),
        (lambda f: f.assign(id=7), lambda f: f.assign(id=7),
         "old.csv: column `id` has the id '7' in the rows 1 and 2"),
        (None, lambda f: f.assign(sex=f["sex"].where(f["id"] != 103, "other")),
         "new.csv: column `sex` differs from that of old.csv in 1 row(s): for the id '103' "
         "it is 'other', and was"),
        (None, lambda f: f.assign(y=1 - f["y"]), "column `y` differs from that of old.csv"),
        (None, lambda f: f.drop(columns="yhat"), "new.csv: there is no column `yhat`"),
        (None, lambda f: f.assign(yhat=f["s"]),
         "old.csv: column `yhat` holds decisions of two values and new.csv: column `yhat` holds "
         "numbers"),
    ],
)  # fmt: skip
def test_files_that_do_not_match_are_one_sentence(write, old, new, sentence):
    write(*(change or (lambda frame: frame) for change in (old, new)))
    assert sentence in refused()


def test_clusters_and_weights_that_differ_are_refused(write):
    write(new=lambda frame: frame.assign(person=frame["person"] + (frame["id"] == 105)))
    assert "column `person` differs" in refused("--cluster", "person")
    write(new=lambda frame: frame.assign(w=frame["w"] + (frame["id"] == 105)))
    assert "column `w` differs" in refused("--weight", "w")
    assert "it is '2.5', and was '1.5'" in refused("--weight", "w")


def test_one_file_twice_needs_two_columns(write):
    write()
    said = refused(files=("old.csv", "old.csv"))
    assert "named as the prediction of both models" in said
    assert "--new-prediction" in said


def test_a_column_in_two_roles_is_refused(write):
    write()
    assert "`sex` is named by --cluster and by --sensitive" in refused("--cluster", "sex")
    label = refused("--new-prediction", "y")
    assert label == "`y` is named by --label and by --new-prediction: name another column."
    assert "`sex` is named by --new-score and by --sensitive" in refused(
        "--score", "s", "--new-score", "sex"
    )


def test_a_threshold_decides_by_the_scores_of_both_models(write):
    old, new = (frame.assign(d=(frame["s"] >= 0.5).astype(int)) for frame in write())
    roles = ("--item", "id", "--label", "y", "--sensitive", "sex", "--score", "s")
    out = ran("--threshold", "0.5", roles=roles)
    changed = (old["d"] != new["d"]).sum()
    assert f"threshold 0.5, {changed} decisions changed" in " ".join(out.split())
    write(lambda _: old, lambda _: new)
    by_name = ran("--prediction", "d", roles=roles)
    assert out.split("\n\n")[1:3] == by_name.split("\n\n")[1:3] != []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "--prediction is not named: give it, or --score and --threshold."),
        (("--threshold", "0.5"), "--threshold makes decisions of a score: give --score, and"),
        (("--threshold", "9", "--score", "s"), "--threshold 9: no score reaches it"),
        (("--threshold", "0.5", "--score", "s", "--new-prediction", "yhat"), "leave out --pred"),
    ],
)
def test_a_threshold_that_decides_nothing_is_refused(write, options, sentence):
    write()
    roles = ("--item", "id", "--label", "y", "--sensitive", "sex")
    assert sentence in refused(*options, roles=roles)


def test_scores_of_two_scales_have_no_threshold_in_common(write):
    roles = ("--item", "id", "--label", "y", "--sensitive", "sex", "--score", "s")
    percent = {"s": lambda frame: 100 * frame["s"].clip(0, 1)}
    write(lambda old: old.assign(s=old["s"].clip(0, 1)), lambda new: new.assign(**percent))
    said = refused("--threshold", "0.5", roles=roles)
    assert "to 1 and new.csv: column `s` from 0 to 100: one threshold is for scores of one" in said


def test_what_one_model_lacks_or_no_gap_has_is_refused(write):
    write()
    sentence = (
        "--new-score: the old model has no score: give --score too, or leave --new-score out."
    )
    assert refused("--new-score", "s") == sentence
    said = refused("--criterion", "information_separation")
    assert "information_separation cannot be compared between two models" in said


def test_the_headline_leads_with_the_worst_line_and_counts_the_worse_ones(write):
    write()
    out = ran(files=("new.csv", "old.csv"))
    assert out.startswith("WORSE: the gap in TPR between female and male grew from 10 to 20 points")
    assert "- True positives (TPR): female was 10 points " in out
    assert ran().startswith(("BETTER: ", "UNDECIDED: no gap was found to be larger"))
