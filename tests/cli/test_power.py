import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from fairpairs.cli import app
from fairpairs.mathematics.power.equivalence import power_within, smallest_margin
from fairpairs.mathematics.power.items import MOST, items_from_rates, pilot_of_scores
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.power.sample_sizes import judgments_needed, smallest_number
from tests.cli.frames import at

pytestmark = pytest.mark.usefixtures("few_sets")
PILOT = ("power", "pilot.csv", "--label", "y", "--sensitive", "sex")
BY_SCORE = (*PILOT, "--score", "s")


def made(n=600):
    rng = np.random.default_rng(0)
    sex, y = rng.choice(["female", "male"], n), rng.integers(0, 2, n)
    s = y + rng.normal(size=n) * np.where(sex == "male", 0.5, 1.2)
    return pd.DataFrame({"sex": sex, "y": y, "s": s, "p": (s >= 0.5).astype(int)})


@pytest.fixture
def pilot(folder):
    """A function that writes pilot.csv to the working folder, changed or not."""

    def write(change=lambda frame: frame):
        made().pipe(change).to_csv("pilot.csv", index=False)
        return folder

    return write


def number(text):
    return int(text.replace(",", ""))


def labels_of(out):
    """The labelled rows needed."""
    return number(re.match(r"([\d,]+) labelled rows find", out)[1])


def judgments_of(out):
    """Items → judgments that are needed, as printed, and those on items of their own."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("With judgments")) + 3
    rows = [line.split() for line in lines[start : lines.index("", start)]]
    shared = {number(row[0]): number(row[1]) for row in rows if "(each" not in row}
    (alone,) = [(number(row[0]), number(row[1])) for row in rows if "(each" in row]
    return shared, alone


def needed(test, items, alpha=0.05, power=0.8):
    name = "n_pairs" if test == "fresh_pairs" else "n_items"
    return smallest_number(
        lambda n: expected_rejection(test, items, alpha=alpha, correction="holm", **{name: n}),
        power,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "rates", "how"),
    [
        (("--tpr", "0.8,0.7"), {"tpr": (0.8, 0.7)}, {}),
        (("--tpr", "0.9", "--difference", "0.15", "--fpr", "0.2,0.1", "--share", "0.3",
          "--prevalence", "0.4,0.2", "--alpha", "0.01", "--power", "0.9"),
         {"tpr": (0.9, 0.75), "fpr": (0.2, 0.1), "share": 0.3, "prevalence": (0.4, 0.2)},
         {"alpha": 0.01, "power": 0.9}),
    ],
)  # fmt: skip
def test_the_numbers_are_those_of_the_functions(ran, options, rates, how):
    out = ran("power", *options)
    items = items_from_rates(**rates)
    assert labels_of(out) == needed("separation", items, **how)
    shared, alone = judgments_of(out)
    fresh = needed("fresh_pairs", items, **how)
    assert alone == (2 * fresh, fresh)
    assert len(shared) == 4
    for n in (min(shared), max(shared)):
        assert shared[n] == judgments_needed(items, n, correction="holm", **how)
    cheaper = f"costs less than {labels_of(out) / fresh:.2f} of a label."
    assert cheaper in out
    ones = items[:, 1].sum()
    assert f"a tie, which is no judgment: {100 * (1 - 2 * ones * (1 - ones)):.0f} % of" in out


@pytest.mark.slow
def test_the_items_that_there_are_get_a_row_and_a_curve(ran):
    items = items_from_rates(tpr=(0.8, 0.7))
    out = ran("power", "--tpr", "0.8,0.7", "--items", "5000")
    assert judgments_of(out)[0][5000] == judgments_needed(items, 5000)
    assert "pairs over 5,000 items" in out
    out = ran("power", "--tpr", "0.8,0.7", "--items", "500")
    row = next(line for line in out.splitlines() if line.split()[:1] == ["500"])
    assert "none is enough" in row
    fewest = smallest_number(
        lambda n: expected_rejection(
            "drawn_pairs", items, n_items=n, n_pairs=MOST, correction="holm"
        )
    )
    assert f"Over fewer than {fewest:,} items no number of judgments is enough." in out


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("--tpr", "0.8,0.75"),
        ("--tpr", "0.8", "--fpr", "0.2", "--margin", "0.05", "--items", "999"),
        ("--pair-accuracy", "0.8", "--difference", "0.1", "--items", "2000"),
        ("pilot.csv", "--label", "y", "--sensitive", "sex", "--score", "s"),
    ],
)  # fmt: skip
def test_the_number_is_first_and_the_answer_short(pilot, options):
    folder = pilot()
    result = CliRunner().invoke(app, ["power", *options, "--out", "o"])
    lines = result.stdout.splitlines()
    assert re.match(r"[0-9,]+ (labelled rows|judgments|pairs to judge) ", lines[0])
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert lines[-2:] == [
        "All tables: --details.",
        "Written to o: power.html, power.json, power.csv",
    ]
    page = (folder / "o/power.html").read_text("utf-8")
    answer = json.loads((folder / "o/power.json").read_text("utf-8"))["answer"]
    assert lines[0].split()[0] == answer["sentence"].split()[0]
    assert page.index(answer["sentence"]) < page.index("<figure") < page.index("<details")


def test_the_accuracy_of_pairs_is_that_of_two_proportions(ran):
    # judgments on items of their own: statsmodels' power of two proportions, for two groups of
    # cells at once (within and across, of which the latter do not differ)
    from statsmodels.stats.power import normal_power_het

    out = ran("power", "--pair-accuracy", "0.8", "--difference", "0.1")
    items, judged = judgments_of(out)[1]
    assert items == 2 * judged
    sd = np.sqrt(0.8 * 0.2 + 0.7 * 0.3)
    # a quarter of the judgments is within each group; the cells across differ by chance alone
    within = normal_power_het(0.1, judged / 4, 0.025, std_null=sd, std_alternative=sd)
    # pooled variances and MOVER need a little more than Wald's test
    assert 0.8 < 1 - (1 - within) * 0.975 < 0.81
    assert "every judgment has a winner" in " ".join(out.split())
    assert "pairs to judge" not in out


@pytest.mark.slow
def test_the_printed_curve_is_the_power(pilot, ran):
    folder = pilot()
    out = ran("power", "--tpr", "0.8,0.7", "--items", "3000", "--output", "curve.csv",
              "--plot", "curve.svg")  # fmt: skip
    items = items_from_rates(tpr=(0.8, 0.7))
    curve = pd.read_csv("curve.csv")
    assert list(curve.columns) == ["test", "number", "power"]
    calls = {
        "labels": lambda n: ("separation", {"n_items": n}),
        "pairs, fresh items": lambda n: ("fresh_pairs", {"n_pairs": n}),
        "pairs over 3,000 items": lambda n: ("drawn_pairs", {"n_items": 3000, "n_pairs": n}),
    }
    assert list(curve["test"].unique()) == list(calls)
    for row in curve.itertuples():
        test, numbers = calls[row.test](row.number)
        power = expected_rejection(test, items, correction="holm", **numbers)
        assert_allclose(row.power, power, atol=1e-4)
    printed = out[out.index("Power by the number") :].splitlines()[3:11]
    wide = curve.pivot_table(index="number", columns="test", values="power", sort=False)
    for line, (n, powers) in zip(printed, wide.iterrows(), strict=True):
        assert line.split() == [f"{n:,}", *(f"{power:.2f}" for power in powers)]
    text = (folder / "curve.svg").read_text("utf-8")
    assert text.startswith("<?xml") and "pairs over 3,000 items" in text
    assert not (folder / "curve.png").exists()
    first = (folder / "curve.svg").read_bytes()
    ran("power", "--tpr", "0.8,0.7", "--items", "3000", "--plot", "curve.svg")
    assert (folder / "curve.svg").read_bytes() == first


def test_a_pilot_of_predictions_is_planned_by_its_shares(pilot, ran):
    pilot()
    frame = made()
    cells = np.zeros((2, 2, 2))
    for row in frame.itertuples():
        cells[int(row.sex == "male"), row.y, row.p] += 1 / len(frame)
    out = ran(*PILOT, "--prediction", "p")
    assert labels_of(out) == needed("separation", cells)
    fresh = needed("fresh_pairs", cells)
    assert judgments_of(out)[1] == (2 * fresh, fresh)
    assert "pilot.csv: 600 rows (" in out
    t = [frame.p[(frame.sex == sex) & (frame.y == 1)].mean() for sex in ("female", "male")]
    gap = f"TPR(A=male) = TPR(A=female) off by {t[1] - t[0]:+.3f} (95 % interval"
    assert f"To be found, as in the pilot: {gap}" in " ".join(out.split())


def test_a_pilot_of_scores_is_planned_by_its_scores(pilot, ran):
    pilot()
    frame = made()
    of_scores = pilot_of_scores(frame["y"], frame["s"], sensitive_features=frame["sex"])
    out = ran(*BY_SCORE)
    shared, (_, alone) = judgments_of(out)
    assert alone == needed("fresh_pairs", of_scores)
    assert out.startswith(f"{alone:,} pairs to judge find")
    assert "give the score from which on a prediction is 1, --threshold" in " ".join(out.split())
    assert shared[min(shared)] == judgments_needed(of_scores, min(shared))
    # with a threshold, separation is that of the predictions
    with_threshold = ran(*BY_SCORE, "--threshold", "0.5")
    assert labels_of(with_threshold) == labels_of(ran(*PILOT, "--prediction", "p"))
    assert "then fairpairs audit --criterion separation" in " ".join(with_threshold.split())


@pytest.mark.slow
def test_a_small_pilot_is_noted(pilot, ran):
    pilot(lambda f: f.head(40))
    smallest = made().head(40).groupby(["sex", "y"]).size().min()
    assert smallest < 30
    assert f"The pilot has {smallest} rows only of a group and label: below 30" in ran(*BY_SCORE)
    assert "items only of a group" not in ran("power", "--tpr", "0.8,0.75")


def test_a_pilot_of_one_kind_of_violation_shows_it(folder, ran):
    # one tpr times one tnr the same in both groups: nothing within, something across
    cells = {(0, 1, 1): 60, (0, 1, 0): 40, (0, 0, 1): 20, (0, 0, 0): 80,
             (1, 1, 1): 80, (1, 1, 0): 20, (1, 0, 1): 40, (1, 0, 0): 60}  # fmt: skip
    rows = [key for key, n in cells.items() for _ in range(n)]
    pd.DataFrame(rows, columns=["sex", "y", "p"]).to_csv("pilot.csv", index=False)
    out = ran("power", "pilot.csv", "--label", "y", "--prediction", "p", "--sensitive", "sex")
    assert labels_of(out) < 1000


@pytest.mark.slow
def test_numbers_that_leave_small_cells_are_noted(ran):
    out = ran("power", "--tpr", "0.9,0.3", "--fpr", "0.1", "--share", "0.2")
    fewest, (_, pairs) = labels_of(out), judgments_of(out)[1]
    rarest = fewest * 0.1 - 1e-9  # a half is below by rounding
    assert f"- Of {fewest} labelled rows some {rarest:.0f} are of the rarest group" in out
    assert f"- The fewest judgments have some {pairs * 0.02:.0f} in the rarest cell: a" in out
    assert "rarest" not in ran("power", "--tpr", "0.8,0.75")


# To show a margin

MARGIN = ("power", "--tpr", "0.8", "--fpr", "0.2", "--margin")


def within(items, margin, line="both", alpha=0.05, power=0.8):
    return smallest_number(
        lambda n: power_within(items, margin, n_items=n, line=line, alpha=alpha), power
    )


def shown_of(out):
    """The labelled rows needed, by line."""
    return {
        name: number(n)
        for n, name in re.findall(r"^  ([0-9,]+) labelled rows for (.+)$", out, re.M)
    }


def by_line(items, margin, **how):
    lines = {"TPR and FPR": "both", "TPR": "tpr", "FPR": "fpr"}
    return {name: within(items, margin, line, **how) for name, line in lines.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "rates", "how"),
    [
        ((), {}, {}),
        (("--difference", "0.05", "--share", "0.2", "--prevalence", "0.4,0.3", "--alpha", "0.01",
          "--power", "0.9"), {"tpr": (0.8, 0.75), "share": 0.2, "prevalence": (0.4, 0.3)},
         {"alpha": 0.01, "power": 0.9}),
    ],
)  # fmt: skip
def test_the_labels_that_show_a_margin_are_those_of_the_function(ran, options, rates, how):
    items = items_from_rates(**{"tpr": 0.8, "fpr": 0.2, **rates})
    out = ran(*MARGIN, "0.2", *options)
    assert shown_of(out) == by_line(items, 0.2, **how)
    assert f"{shown_of(out)['TPR and FPR']:,} labelled rows show that TPR and FPR differ by" in out


def test_the_labels_that_there_are_show_a_margin_with_a_power(ran, pilot, tmp_path):
    pilot()
    items = items_from_rates(tpr=0.8, fpr=0.2)
    out = ran(
        *MARGIN, "0.2", "--items", "400", "--out", "o", "--plot", "c.svg", "--output", "c.csv"
    )
    power = power_within(items, 0.2, n_items=400)
    margin = np.ceil(1000 * smallest_margin(items, n_items=400)) / 1000
    assert (
        f"400 labelled rows show both within 0.2 with a power of {power:.2f}; with 0.8 they show "
        f"a margin of {margin:.3f}."
    ) in " ".join(out.split())
    content = json.loads((tmp_path / "o/power.json").read_text("utf-8"))
    assert content["about"]["margin"] == 0.2
    assert list(content["labels"].values()) == list(shown_of(out).values())
    assert content["items"]["power"] == power
    curve = pd.read_csv("c.csv")
    assert curve.equals(pd.read_csv("o/power.csv"))
    assert list(curve["test"].unique()) == ["TPR and FPR", "TPR", "FPR"]
    for row in curve[curve["test"] == "FPR"].itertuples():
        expected = power_within(items, 0.2, n_items=row.number, line="fpr")
        assert_allclose(row.power, expected, atol=1e-4)
    assert "P(shown within ±0.2)" in (tmp_path / "c.svg").read_text("utf-8")
    few = ran(*MARGIN, "0.2", "--items", "3")
    assert "with a power of 0.00; they show no margin with 0.8." in " ".join(few.split())


@pytest.mark.slow
def test_a_pilot_gives_the_rates_that_are_shown_within_a_margin(ran, pilot):
    pilot()
    frame = made()
    cells = np.zeros((2, 2, 2))
    for row in frame.itertuples():
        cells[int(row.sex == "male"), row.y, row.p] += 1 / len(frame)
    out = ran(*PILOT, "--prediction", "p", "--margin", "0.5")
    assert shown_of(out) == by_line(cells, 0.5)
    assert "to plan for true differences of 0, add --difference 0." in " ".join(out.split())
    equal = ran(*BY_SCORE, "--threshold", "0.5", "--margin", "0.2", "--difference", "0")
    totals = cells.sum(axis=-1)
    rates = cells.sum(axis=0)[:, 1] / totals.sum(axis=0)
    both = np.stack([totals * (1 - rates), totals * rates], axis=-1)
    assert shown_of(equal) == by_line(both, 0.2)
    assert f"TPR is {rates[1]:.3f} and {rates[1]:.3f} and FPR is {rates[0]:.3f} and" in " ".join(
        equal.split()
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((*MARGIN, "0"), "--margin must lie between 0 and 1, without these; it is 0."),
        ((*MARGIN, "nan"), "--margin must be a finite number; it is nan."),
        (("power", "--margin", "0.1"), "Nothing to compute: give --tpr 0.8,0.7, or"),
        ((*MARGIN, "0.1", "--difference", "0.1"),
         "The true difference of the TPR, 0.1, is not below the margin of 0.1, so no number"),
        (("power", "--tpr", "0.8", "--fpr", "0.2,0.4", "--margin", "0.1"),
         "The true difference of the FPR, 0.2, is not below the margin of 0.1, so no number"),
        ((*MARGIN, "0.1", "--difference", "0.0999999"), "No number of labels up to 10,000,000"),
        ((*BY_SCORE, "--margin", "0.1"), "such as --threshold 0.5."),
        ((*PILOT, "--prediction", "p", "--margin", "0.01"), "is not below the margin of 0.01"),
        ((*PILOT, "--prediction", "p", "--margin", "0.1", "--difference", "0.99"),
         "--difference: the TPR of pilot.csv, 0.7"),
        ((*PILOT, "--prediction", "p", "--margin", "0.1", "--tpr", "0.8"), "--tpr cannot be comb"),
        ((*PILOT, "--prediction", "p", "--difference", "0"), "--difference cannot be combined"),
    ],
)  # fmt: skip
def test_a_margin_that_cannot_be_planned_for_is_refused(pilot, refused, options, words):
    folder = pilot()
    assert words in refused(*options)
    assert [path.name for path in folder.iterdir()] == ["pilot.csv"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Nothing to compute: give --tpr 0.8,0.7, or --pair-accuracy 0.8 with"),
        (("--tpr", "0.8"), "Nothing to find: TPR and FPR are the same in all groups"),
        (("--pair-accuracy", "0.8"), "Nothing to find: the accuracy is the same"),
        (("--tpr", "0.8,0.7,0.6", "--fpr", "0.1,0.2"),
         "--fpr has 2 numbers, and there are 3 group"),
        (("--tpr", "0.8,0.7,0.6", "--share", "0.3"), "--share is that of the second of two groups"),
        (("--tpr", "0.8,0.7", "--share", "0.3,0.5"), "which add up to 1; there are 2 groups, and"),
        (("--tpr", "0.8,0.7", "--cheap-accuracy", "0.9,0.9,0.8"),
         "--cheap-accuracy has 3 numbers, and there are 2 groups: give one number, or one for"),
        (("--pair-accuracy", "0.8,0.7,0.6"), "--pair-accuracy has 3 numbers, and there are 2 "),
        (("--tpr", "80,70"), "--tpr must lie from 0 to 1; it is 80,70: give shares, not per cent"),
        (("--tpr", "high"), "--tpr must be a number, or one for each group with commas such as"),
        (("--tpr", "0.8,0.7", "--difference", "0.1"), "--tpr gives all groups already: leave one"),
        (("--tpr", "0.8", "--difference", "0.9"), "0.8 minus 0.9 is not between 0 and 1: give a"),
        (("--fpr", "0.4,0.3", "--difference", "0.1"), "--difference lowers the TPR or the pair "),
        (("--tpr", "0.8,0.7", "--prevalence", "0"), "--prevalence must lie between 0 and 1; it is"),
        (("--tpr", "0.8,0.7", "--separator", "|"), "--separator: needs a pilot: name its file"),
        (("--tpr", "0.8,0.7", "--power", "0.8", "--alpha", "0.999"),
         "--power must be larger than --alpha; they are 0.8 and 0.999: give, for example, 0.8 "
         "and 0.05."),
        (("--tpr", "0.8,0.7", "--pair-accuracy", "0.8,0.7"), "--pair-accuracy and --tpr cannot "),
        (("--tpr", "0.8,0.799999"), "No number of labels or judgments is enough"),
        (("--tpr", "0.8,0.7", "--label", "y"), "--label: needs a pilot: name its file before"),
        (("--tpr", "0.8,0.7", "--plot", "c.pdf"), "--plot: c.pdf must end in .svg or .png."),
        (("--tpr", "0.8,0.7", "--cheap-accuracy", "90"), "--cheap-accuracy must lie from 0 to 1"),
        (("--tpr", "0.8", "--margin", "0.1", "--cheap-accuracy", "0.9"),
         "--margin and --cheap-accuracy cannot be combined"),
        (("--pair-accuracy", "0.8,0.7", "--cheap-accuracy", "0.9"),
         "--pair-accuracy and --cheap-accuracy cannot be combined"),
        (("--tpr", "0.8,0.7", "--plot", "a.svg", "--output", "a.svg"), "a.svg is written by --out"),
    ],
)  # fmt: skip
def test_rates_that_cannot_be_planned_with_are_refused(pilot, refused, options, words):
    folder = pilot()
    assert words in refused("power", *options)
    assert [path.name for path in folder.iterdir()] == ["pilot.csv"]


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (None, PILOT[:2], "--label is missing: name the column of pilot.csv."),
        (None, (*PILOT[:2], "--label", "y", "--score", "s"), "--sensitive is missing: name the"),
        (None, PILOT, "--prediction, --score: name one column of pilot.csv by one of the two."),
        (None, (*PILOT, "--prediction", "p", "--threshold", "1"), "--threshold is for --score"),
        (None, (*BY_SCORE, "--tpr", "0.8"), "--tpr cannot be combined with the pilot pilot.csv"),
        (None, (*PILOT, "--score", "S"), "no column `S`; it has sex, y, s, p: did you mean `s`?"),
        (None, (*PILOT, "--score", "y"), "--label, --score, --sensitive name the same column "),
        (None, (*PILOT, "--prediction", "s"), "column `s` must hold 0 and 1 and holds "),
        (at("y", 3, 2), BY_SCORE, "column `y` must hold 0 and 1 and holds 2 in row 4: recode it"),
        (at("sex", 3, "other"), BY_SCORE, "has 3 group(s), 'female', 'male', 'other': two are"),
        (lambda f: f.assign(sex="male"), BY_SCORE, "column `sex` has 1 group(s), 'male': two are"),
        (lambda f: f.assign(y=1), BY_SCORE, "the group 'female' has 0 row(s) of label 0 (column"),
        (lambda f: f.assign(p=1), (*PILOT, "--prediction", "p"), "No number of labels or"),
        (None, (*BY_SCORE, "--threshold", "99"), "--threshold 99: no score reaches it, and column"),
        (None, (*BY_SCORE, "--output", "o", "--out", "o"), "--output: o is written by --out too"),
    ],
)  # fmt: skip
def test_a_pilot_that_cannot_be_planned_with_is_refused(pilot, refused, change, options, words):
    folder = pilot(*([change] if change else []))
    before = (folder / "pilot.csv").read_bytes()
    assert words in refused(*options)
    assert [path.name for path in folder.iterdir()] == ["pilot.csv"]
    assert (folder / "pilot.csv").read_bytes() == before
