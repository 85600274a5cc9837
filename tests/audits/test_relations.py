"""Relations that results keep, whatever their numbers: a table over commands and functions.

Each relation changes the data in a way that leaves the truth as it is, or reverses it.
"""

import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from tests.audits.judgments.synthetic import half_judged

pytestmark = pytest.mark.slow

N = 240
EXACT = {"rtol": 1e-12, "atol": 1e-12}
NUMBERS = ["estimate", "ci_low", "ci_high", "pvalue"]


def people(kind, seed=0):
    """Labels, predictions, groups and persons of 240 rows; four rows a person, of one group."""
    rng = np.random.default_rng(seed)
    person = np.arange(N) // 4
    group = rng.permutation(np.arange(N // 4) % 3)[person]
    own = rng.normal(size=N // 4)[person]
    label = rng.normal(size=N) + 0.3 * (group == 1)
    score = label + own + rng.normal(size=N)
    if kind == "numbers":
        return label, score, group, person
    y = (label > 0).astype(int)
    if kind == "classes":
        return np.digitize(label, [-0.5, 0.5]), np.digitize(score, [-0.8, 0.8]), group, person
    return y, (score > 0).astype(int) if kind == "decisions" else score, group, person


def audited(kind):
    def numbers(y, prediction, group, **sampling):
        options = {"y_score": prediction, "criterion": ["xauc"]} if kind == "scores" else {}
        if kind == "classes":
            options["label_kind"] = "classes"
        decision = (prediction > 0).astype(int) if kind == "scores" else prediction
        frame = fp.audit(
            y, decision, sensitive_features={"g": group}, margin=None, **options, **sampling
        ).to_frame()
        return frame.set_index(["group", "criterion", "measure"])[NUMBERS]

    return numbers


def compared(y, prediction, group, **sampling):
    rng = np.random.default_rng(9)
    new = prediction.copy()
    key = (np.arange(len(y)) if "row" not in sampling else sampling.pop("row")) % N
    flip = rng.random(N)[key] < 0.2
    new[flip] = 1 - new[flip]
    frame = fp.compare(y, prediction, new, sensitive_features={"g": group}, **sampling).to_frame()
    return frame.set_index(["group", "measure"]).select_dtypes("number")


def results_of(function):
    def numbers(y, prediction, group, **sampling):
        frame = function(y, prediction, sensitive_features=group, **sampling).to_frame()
        return frame.set_index("hypothesis")[NUMBERS]

    return numbers


CASES = {
    "audit of decisions": ("decisions", audited("decisions")),
    "audit of scores": ("scores", audited("scores")),
    "audit of numbers": ("numbers", audited("numbers")),
    "audit of classes": ("classes", audited("classes")),
    "compare": ("decisions", compared),
    "separation_test": ("decisions", results_of(fp.separation_test)),
    "two_proportion_test": (
        "decisions",
        results_of(lambda _, c, **rest: fp.two_proportion_test(c, **rest)),
    ),
    "xauc": ("scores", results_of(fp.xauc)),
    "differential_parity_test": ("numbers", results_of(fp.differential_parity_test)),
    "comparative_separation_test": ("numbers", results_of(fp.comparative_separation_test)),
}
every_case = pytest.mark.parametrize("case", CASES)


@cache
def plain(case, clustered=False):
    """The numbers of a case as it is."""
    kind, numbers = CASES[case]
    y, prediction, group, person = people(kind)
    return numbers(y, prediction, group, **({"clusters": person} if clustered else {}))


def same(one, other, **tolerance):
    pd.testing.assert_frame_equal(one, other, check_exact=False, **tolerance)


@every_case
@pytest.mark.parametrize(
    "trivial",
    [
        {"clusters": np.arange(N)},
        {"sample_weight": np.full(N, 3.0)},
        {"sample_weight": np.ones(N), "weight_kind": "importance"},
        {"sample_weight": np.ones(N), "weight_kind": "frequency"},
        {"clusters": np.arange(N), "sample_weight": np.ones(N)},
    ],
    ids=["clusters of one row", "weights of 3", "importance", "frequency", "both"],
)
def test_a_trivial_design_changes_nothing(case, trivial):
    kind, numbers = CASES[case]
    y, prediction, group, _ = people(kind)
    same(plain(case), numbers(y, prediction, group, **trivial), **EXACT)


@every_case
@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "clusters"])
def test_the_order_of_the_rows_does_not_matter(case, clustered):
    kind, numbers = CASES[case]
    y, prediction, group, person = people(kind)
    order = np.random.default_rng(1).permutation(N)
    moved = {"clusters": person[order]} if clustered else {}
    if case == "compare":
        moved["row"] = order
    other = numbers(y[order], prediction[order], group[order], **moved)
    one = plain(case, clustered)
    same(one.sort_index(), other.sort_index(), rtol=1e-9, atol=1e-9)


@every_case
@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "clusters"])
def test_frequencies_are_repeated_rows(case, clustered):
    kind, numbers = CASES[case]
    y, prediction, group, person = people(kind)
    times = np.random.default_rng(2).integers(0, 4, N)
    rows = np.repeat(np.arange(N), times)
    sampling = {"clusters": person} if clustered else {}
    repeated = {"clusters": person[rows]} if clustered else {}
    if case == "compare":
        repeated["row"] = rows
    one = numbers(y, prediction, group, sample_weight=times, weight_kind="frequency", **sampling)
    same(one, numbers(y[rows], prediction[rows], group[rows], **repeated), **EXACT)


RNG = np.random.default_rng(3)
WEIGHT, HALF, HUMAN, WRONG = RNG.uniform(1, 3, N), *(RNG.random((3, N)) < [[0.5], [0.5], [0.2]])
PERSON = np.arange(N) // 4


def audited_by(**options):
    """An audit of two groups by options."""

    def lines(y, c, group, *, cheap=False):
        known = options | ({"cheap_label": np.where(WRONG, 1 - y, y)} if cheap else {})
        return fp.audit(
            np.where(HUMAN, y, np.nan) if cheap else y, c, sensitive_features={"g": group},
            positive=1, criterion=["separation"], margin=0.1, reference={"g": 0}, **known,
        ).to_frame()  # fmt: skip

    return lines


def grouped_by(**options):
    """An audit of many groups by options."""

    def lines(y, c, group):
        return fp.audit_groups(
            y, c, sensitive_features={"g": group}, positive=1, margin=0.1, smallest=5, **options
        ).to_frame()

    return lines


def monitored(y, c, group):
    """A monitor of two batches."""
    rows = pd.DataFrame({"y": y, "c": c, "g": group})
    names = {"y_true": "y", "y_pred": "c", "sensitive_features": "g", "positive": 1}
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder, "state")
        fp.monitor(state, rows[:150], **names, margin=0.1, reference={"g": 0})
        return fp.monitor(state, rows[150:]).to_frame()


#: Functions of labels, decisions and groups 0 and 1; the differences of TPR and FPR are lines.
MIRRORED = {
    "audit": audited_by(),
    "audit of clusters": audited_by(clusters=PERSON),
    "audit with weights": audited_by(sample_weight=WEIGHT),
    "audit with cheap labels": partial(audited_by(), cheap=True),
    "audit within a control": audited_by(control={"h": HALF}),
    "audit_groups": grouped_by(),
    "audit_groups within a control": grouped_by(control={"h": HALF}),
    "monitor": monitored,
}
every_mirrored = pytest.mark.parametrize("name", MIRRORED)


@cache
def of_two(name):
    """The lines of a function as the data are."""
    y, c, group, _ = people("decisions")
    return MIRRORED[name](y, c, group % 2)


def mirrored(one, other, pairs):
    """Assert that the second table has the differences of the first with the other sign."""
    one, other = (frame.set_index(["group", "measure"]).sort_index() for frame in (one, other))
    for name, swapped in pairs:
        rows, reverse = (
            frame.xs(n, level="measure") for frame, n in ((one, name), (other, swapped))
        )
        assert len(rows) > 0
        assert_allclose(rows["estimate"], -reverse["estimate"], **EXACT)
        assert_allclose(rows["ci_low"], -reverse["ci_high"], **EXACT)
        for column in {"pvalue", "pvalue_within", "pvalue_beyond"} & {*rows}:
            assert_allclose(rows[column], reverse[column], **EXACT)


@every_mirrored
def test_reversed_labels_and_predictions_swap_tpr_and_fpr(name):
    y, c, group, _ = people("decisions")
    pairs = (("TPR", "FPR"), ("FPR", "TPR"))
    mirrored(of_two(name), MIRRORED[name](1 - y, 1 - c, group % 2), pairs)


@every_mirrored
def test_exchanged_groups_reverse_each_difference(name):
    y, c, group, _ = people("decisions")
    one, other = of_two(name), MIRRORED[name](y, c, 1 - group % 2)
    if name.startswith("audit_groups"):  # the smaller group minus the larger one, whatever it is
        names = ["group", "others"]
        assert (one[names].to_numpy() != other[names].to_numpy()).all()
        same(one.drop(columns=names), other.drop(columns=names), **EXACT)
        return
    measures = {*one["measure"]} & {"TPR", "FPR", "precision", "average odds", "selection rate"}
    mirrored(one, other, [(name, name) for name in measures])


@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "clusters"])
def test_a_table_of_reversed_decisions_is_that_of_the_other_value(clustered):
    _, c, group, _ = people("decisions")
    more = {"clusters": PERSON} if clustered else {}

    def table(decisions, group, positive=1):
        options = {"form": "four-fifths", "sensitive_features": {"g": group}, **more}
        return fp.table(decisions, positive=positive, **options).to_frame()

    one = table(c, group)
    same(table(1 - c, group), table(c, group, positive=0), **EXACT)
    assert_allclose(table(1 - c, group)["rate"], 1 - one["rate"], **EXACT)
    exchanged = table(c, 2 - group).iloc[::-1].reset_index(drop=True)
    same(exchanged.drop(columns="group"), one.drop(columns="group"), **EXACT)


@pytest.mark.parametrize(
    "options",
    [{}, {"judges": "prompt"}, {"clusters": "prompt"}, {"cheap_outcome": "gpt"}],
    ids=["judgments", "judges", "clusters", "cheap outcomes"],
)
def test_losers_for_winners_reverse_the_gap_across_and_exchanged_groups_both(options):
    rows, items = half_judged()
    rows = rows[:600]
    named = {"outcome": "winner" if "cheap_outcome" in options else "truth", "y_score": "partial"}
    columns = ["winner", "gpt"] if "cheap_outcome" in options else ["truth"]

    def audited(rows, items):
        ids = {"left": "i", "right": "j", "item": "id", "sensitive_features": "area"}
        return fp.audit_judgments(rows, items, **ids, **named, **options).main

    one = audited(rows, items)
    losers = {
        name: rows["i"].where(rows[name] == rows["j"], rows["j"]).where(rows[name].notna())
        for name in columns
    }
    areas = items["area"].map({"north": "south", "south": "north"})
    # an item that wins as often as it loses is in the class of winners, also where they turn
    near = {"rtol": 0, "atol": 2e-4}
    for other, sign, tolerance in (
        (audited(rows.assign(**losers), items.assign(partial=-items["partial"])), [-1, 1], near),
        (audited(rows, items.assign(area=areas)), [-1, -1], EXACT),
    ):
        ends = one[["ci_low", "ci_high"]].to_numpy() * np.c_[sign]
        assert_allclose(other["estimate"], one["estimate"] * sign, **EXACT)
        assert_allclose(other[["ci_low", "ci_high"]], np.sort(ends), **tolerance)
        assert_allclose(other["pvalue"], one["pvalue"], **tolerance)


@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "clusters"])
def test_exchanged_groups_and_models_reverse_each_change(clustered):
    y, c, group, person = people("decisions")
    group, new = group % 2, np.random.default_rng(4).permutation(c)
    sampling = {"clusters": person} if clustered else {}

    def changed(old, new, reference):
        options = {"sensitive_features": {"g": group}, "reference": {"g": reference}, **sampling}
        return fp.compare(y, old, new, **options).to_frame().set_index(["criterion", "measure"])

    one = changed(c, new, 0)
    for other in (changed(c, new, 1), changed(new, c, 0)):
        assert_allclose(one["change"], -other["change"], **EXACT)
        assert_allclose(one["pvalue"], other["pvalue"], **EXACT)
