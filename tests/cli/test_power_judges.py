"""`fairpairs power` where judges and clusters share judgments."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fairpairs import power

pytestmark = pytest.mark.usefixtures("few_sets", "no_pages")
RATES = ("power", "--tpr", "0.8,0.7", "--fpr", "0.2")
ITEMS = power.items_from_rates(tpr=(0.8, 0.7), fpr=0.2)
PILOT = (
    "power", "items.csv", "--judgments", "pilot.csv", "--left", "i", "--right", "j", "--outcome",
    "winner", "--item", "id", "--score", "score", "--sensitive", "dialect",
)  # fmt: skip
BOTH = (*PILOT, "--judge", "judge", "--cluster", "prompt")


def made():
    """Items, and judgments of them by 12 judges with tastes, over 40 prompts."""
    rng = np.random.default_rng(5)
    n, m = 400, 1200
    group = rng.choice(["AAL", "WME"], n)
    quality = rng.normal(size=n)
    score = quality - 0.3 * (group == "AAL") + 0.8 * rng.normal(size=n)
    i = rng.integers(n, size=m)
    j = (i + rng.integers(1, n, m)) % n
    judge, prompt = rng.integers(12, size=m), rng.integers(40, size=m)
    taste = 0.5 * rng.normal(size=12)[judge]
    ahead = quality[i] - quality[j] + taste * ((group[i] == "AAL") * 1.0 - (group[j] == "AAL"))
    winner = np.where(ahead + 0.3 * rng.normal(size=m) > 0, i, j)
    items = pd.DataFrame({"id": np.arange(n), "score": score.round(3), "dialect": group})
    judgments = pd.DataFrame({"i": i, "j": j, "winner": winner, "judge": judge, "prompt": prompt})
    return items, judgments


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A function that writes items.csv and pilot.csv, changed or not."""
    monkeypatch.chdir(tmp_path)

    def write(items=lambda frame: frame, judgments=lambda frame: frame):
        tables = made()
        tables[0].pipe(items).to_csv("items.csv", index=False)
        tables[1].pipe(judgments).to_csv("pilot.csv", index=False)
        return tmp_path

    return write


def as_pilot():
    items, judgments = made()
    return power.pilot_of_judgments(
        judgments["i"], judgments["j"], np.where(judgments["winner"] == judgments["i"], 1, -1),
        items["score"], sensitive_features=items["dialect"], judges=judgments["judge"],
        clusters=judgments["prompt"],
    )  # fmt: skip


@pytest.mark.slow
def test_judges_and_clusters_change_the_judgments_that_are_needed(ran, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--judges", "60", "--judge-icc", "0.01", "--clusters", "300", "--cluster-icc", "0.1")
    out = " ".join(ran(*RATES, *options, "--out", "o").split())
    shared = power.SharedJudgments(60, 0.01, 300, 0.1)

    def at(m, by=shared):
        return power.expected_rejection(
            "fresh_pairs", ITEMS, n_pairs=m, shared=by, correction="holm"
        )

    needed = power.smallest_number(at)
    effect = power.design_effect(1000, shared)
    assert f"the variance of a gap is {effect:.1f} times that of independent ones." in out
    assert f"By 60 judges over 300 clusters {needed:,} pairs are needed." in out
    content = json.loads((tmp_path / "o/power.json").read_text("utf-8"))
    assert content["judgments"]["fresh_items"] == content["shared"]["judgments"] == needed
    assert content["shared"]["judge_icc"] == 0.01
    fewest = content["shared"]["fewest_judges"]
    assert f"By fewer than {fewest} judges over 300 clusters no number of pairs is enough." in out
    most = 10**10
    by = [power.SharedJudgments(judges, 0.01, 300, 0.1) for judges in (fewest - 1, fewest)]
    assert at(most, by[0]) < 0.8 <= at(most, by[1])
    for row in content["shared"]["table"]:
        of_row = power.SharedJudgments(row["judges"], 0.01, 300, 0.1)
        for cell in row["powers"]:
            assert_allclose(cell["power"], at(cell["judgments"], of_row), atol=1e-6)
        if row["judgments"] is not None:
            assert at(row["judgments"] - 1, of_row) < 0.8 <= at(row["judgments"], of_row)
    assert "shared" not in ran(*RATES)


@pytest.mark.slow
def test_few_judges_with_tastes_are_never_enough(ran):
    out = ran(*RATES, "--judges", "8", "--judge-icc", "0.1")
    assert "With judgments, and no label:\n  no number is enough\n" in out
    assert "By 8 judges no number of pairs is enough." in out
    assert "none is enough" in out
    assert "labelled items for a test of separation" in out
    assert "cheaper than labels" not in out
    over = ran(*RATES, "--clusters", "80", "--cluster-icc", "0.02", "--items", "6000")
    assert "Power by clusters and pairs, and the pairs needed:" in over
    both = ran(*RATES, "--judges", "8", "--judge-icc", "0.1", "--clusters", "80", "--cluster-icc",
               "0.02")  # fmt: skip
    assert "However many clusters: no number of pairs by 8 judges is enough." in both


@pytest.mark.slow
def test_a_pilot_of_judgments_says_what_is_needed(files, ran, tmp_path):
    files()
    out = ran(*BOTH, "--out", "o", "--plot", "c.svg", "--output", "c.csv")
    pilot = as_pilot()
    needed = power.smallest_number(lambda m: power.judged_rejection(pilot, m))
    assert "pilot.csv: 1,200 judgments of 400 items by 12 judges over 40 clusters." in out
    assert f"By 12 judges over 40 clusters {needed:,} judgments are needed." in out
    icc, (low, high) = pilot.icc("judge")[0], pilot.icc_interval("judge")[0]
    assert f"{icc:.3f} ({low:.3f} to {high:.3f})" in out
    at, low, high = pilot.design_effect()[0]
    assert f"{at:.2f} ({low:.2f} to {high:.2f})" in out
    content = json.loads((tmp_path / "o/power.json").read_text("utf-8"))
    assert content["shared"]["judgments"] == needed
    assert [row["shared"] for row in content["alike"]] == [
        kind for kind in ("judge", "cluster", "item", "pair") for _ in range(2)
    ]  # fmt: skip
    iccs = {kind: pilot.icc_interval(kind)[:, 1] for kind in ("judge", "cluster")}
    assert content["cautious"]["judgments"] is None
    fewest = content["cautious"]["fewest_judges"]
    found = [
        power.judged_rejection(pilot, 10**10, judges=n, iccs=iccs) for n in (fewest - 1, fewest)
    ]
    assert found[0] < 0.8 <= found[1]
    bound = f"no number of judgments is enough, it takes at least {fewest} judges"
    assert bound in " ".join(out.split())
    curve = pd.read_csv("c.csv")
    assert curve.equals(pd.read_csv("o/power.csv"))
    for row in curve.itertuples():
        assert_allclose(row.power, power.judged_rejection(pilot, row.number), atol=1e-6)
    assert (tmp_path / "c.svg").read_text("utf-8").startswith("<?xml")
    assert (tmp_path / "o/power.html").exists()


@pytest.mark.slow
def test_judges_clusters_and_items_are_those_planned(files, ran):
    files()
    pilot = as_pilot()
    out = ran(*BOTH, "--judges", "40", "--clusters", "100", "--items", "600", "--power", "0.9")
    needed = power.smallest_number(
        lambda m: power.judged_rejection(pilot, m, n_items=600, judges=40, clusters=100), 0.9
    )
    assert f"By 40 judges over 100 clusters {needed:,} judgments are needed." in out
    assert "items grow with the judgments" not in out
    alone = ran(*PILOT)
    assert "judgments are needed.\n" in alone
    assert "of one judge" not in alone
    assert "design effect" not in alone


@pytest.mark.slow
def test_a_pilot_may_hold_both_sides_and_verdicts(files, ran):
    files()
    items, judgments = made()
    sides = pd.DataFrame({
        "winner": np.where(judgments["winner"] == judgments["i"], "model_a", "model_b"),
        "judge": judgments["judge"],
    })  # fmt: skip
    for side, place in (("a", "i"), ("b", "j")):
        sides[f"model_{side}"] = judgments[place]
        for name in ("score", "dialect"):
            sides[f"{name}_{side}"] = items[name].to_numpy()[judgments[place]]
    sides.to_csv("sides.csv", index=False)
    out = ran("power", "--judgments", "sides.csv", "--score", "score", "--sensitive", "dialect",
              "--judge", "judge")  # fmt: skip
    assert "sides.csv: 1,200 judgments of " in out
    assert "by 12 judges." in out


@pytest.mark.slow
def test_versions_of_one_text_are_clusters(files, ran):
    files()
    rng = np.random.default_rng(1)
    n = 150
    text, dialect = np.repeat(np.arange(n), 2), np.tile(["AAL", "WME"], n)
    scores = pd.DataFrame({
        "prompt": text, "dialect": dialect, "rejected": rng.normal(size=2 * n),
        "chosen": rng.normal(size=2 * n) + 0.5 + 0.6 * (dialect == "WME"),
    })  # fmt: skip
    scores.to_csv("scores.csv", index=False)
    out = ran("power", "--judgments", "scores.csv", "--sensitive", "dialect", "--pair", "prompt")
    assert "scores.csv: 600 judgments of 600 items over 150 clusters." in out
    assert "Over 150 clusters " in out


def test_the_examples_of_the_help_are_read(ran):
    assert "--judge-icc" in ran("power", "--help")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--judges", "20"), "--judges needs --judge-icc, how alike judgments of one judge are"),
        (("--judge-icc", "0.1"), "--judge-icc is of judgments by one judge: give the number"),
        (("--judges", "1", "--judge-icc", "0.1"), "--judges must be 2 or more; it is 1: nothing"),
        (("--judges", "20", "--judge-icc", "1.5"), "--judge-icc must lie from 0 to 1; it is 1.5."),
        (("--judges", "20", "--judge-icc", "nan"), "--judge-icc must lie from 0 to 1; it is nan."),
        (("--clusters", "20"), "--clusters needs --cluster-icc, how alike judgments of one"),
        (("--cluster-icc", "0.1"), "--cluster-icc is of judgments by one cluster: give the"),
        (("--clusters", "1", "--cluster-icc", "0"), "--clusters must be 2 or more; it is 1"),
        (("--clusters", "9", "--cluster-icc", "-1"), "--cluster-icc must lie from 0 to 1; it is"),
        (
            ("--judges", "20", "--judge-icc", "0", "--margin", "0.1"),
            "--margin is for labels, and judges or clusters share judgments: leave --judges and",
        ),
        (("--judge", "judge"), "--judge: needs a pilot of judgments: name its file by --judgments"),
        (("--pair", "p"), "--pair: needs a pilot of judgments: name its file by --judgments"),
        (("--verdict", "v"), "--verdict: needs a pilot of judgments: name its file by --judgments"),
    ],
)
def test_judges_that_cannot_be_planned_with_are_refused(refused, options, words):
    assert words in refused(*RATES, *options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--judges", "1"), "--judges must be 2 or more; it is 1"),
        (("--judge-icc", "0.1"), "--judge-icc cannot be combined with --judgments pilot.csv"),
        (("--tpr", "0.8"), "--tpr cannot be combined with --judgments pilot.csv, which provides"),
        (("--margin", "0.1"), "--margin is for labels, and --judgments are none: leave one of"),
        (("--label", "score"), "--label is of a pilot with labels, and --judgments has none"),
        (("--threshold", "1"), "--threshold is of a pilot with labels, and --judgments has none"),
        (("--judge", "Judge"), "did you mean `judge`?"),
    ],
)
def test_options_that_do_not_go_with_a_pilot_of_judgments_are_refused(
    files, refused, options, words
):
    files()
    assert words in refused(*BOTH, *options)


def no_repeats(judgments):
    return judgments.assign(judge=np.arange(len(judgments)))


@pytest.mark.parametrize(
    ("items", "judgments", "options", "words"),
    [
        (None, no_repeats, BOTH, "pilot.csv: No judge has two judgments: how alike those of one"),
        (None, lambda f: f.assign(judge="a"), BOTH, "column `judge` is 'a' in every row"),
        (None, lambda f: f.assign(prompt=None), BOTH, "column `prompt` has 1200 missing value(s)"),
        (
            None, lambda f: f.assign(prompt=f.judge), BOTH,
            "pilot.csv: judges and clusters are the same units: how alike judgments of one are",
        ),
        (None, None, (*PILOT, "--judges", "20"), "--judges: name the column of pilot.csv with the"),
        (None, None, (*PILOT, "--clusters", "20"), "--clusters: name the column of pilot.csv with"),
        (lambda f: f.assign(dialect="AAL"), None, BOTH, "one group"),
        (
            lambda f: f.assign(dialect=np.array(["A", "B", "C"])[np.arange(len(f)) % 3]),
            None, BOTH, "3 groups: make it binary, one group against the others.",
        ),
        (None, lambda f: f[f.i.isin(made()[0].query("dialect == 'AAL'").id)
                           & f.j.isin(made()[0].query("dialect == 'AAL'").id)],
         BOTH, "one group"),
    ],
)  # fmt: skip
def test_a_pilot_of_judgments_that_tells_nothing_is_refused(
    files, refused, items, judgments, options, words
):
    same = lambda frame: frame  # noqa: E731
    folder = files(items or same, judgments or same)
    assert words in refused(*options, "--out", "o")
    assert sorted(path.name for path in folder.iterdir()) == ["items.csv", "pilot.csv"]
