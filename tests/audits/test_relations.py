"""Relations that results keep, whatever their numbers: a table over commands and functions.

Each relation changes the data in a way that leaves the truth as it is, or reverses it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp

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


def same(one, other, **tolerance):
    pd.testing.assert_frame_equal(one, other, check_exact=False, **tolerance)


@pytest.mark.slow
@every_case
@pytest.mark.parametrize(
    "trivial",
    [
        {"clusters": np.arange(N)},
        {"sample_weight": np.ones(N)},
        {"sample_weight": np.full(N, 3.0)},
        {"sample_weight": np.ones(N), "weight_kind": "importance"},
        {"sample_weight": np.ones(N), "weight_kind": "frequency"},
        {"clusters": np.arange(N), "sample_weight": np.ones(N)},
    ],
    ids=["clusters of one row", "weights of 1", "of 3", "importance", "frequency", "both"],
)
def test_a_trivial_design_changes_nothing(case, trivial):
    kind, numbers = CASES[case]
    y, prediction, group, _ = people(kind)
    same(numbers(y, prediction, group), numbers(y, prediction, group, **trivial), **EXACT)


@pytest.mark.slow
@every_case
@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "clusters"])
def test_the_order_of_the_rows_does_not_matter(case, clustered):
    kind, numbers = CASES[case]
    y, prediction, group, person = people(kind)
    order = np.random.default_rng(1).permutation(N)
    sampling = {"clusters": person} if clustered else {}
    moved = {"clusters": person[order]} if clustered else {}
    if case == "compare":
        moved["row"] = order
    one = numbers(y, prediction, group, **sampling)
    other = numbers(y[order], prediction[order], group[order], **moved)
    same(one.sort_index(), other.sort_index(), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("sampled", ["rows", "clusters", "weights"])
def test_reversed_labels_and_predictions_swap_tpr_and_fpr(sampled):
    y, c, group, person = people("decisions")
    weight = np.random.default_rng(3).uniform(1, 3, N)
    sampling = {"rows": {}, "clusters": {"clusters": person}, "weights": {"sample_weight": weight}}
    options = {"criterion": ["separation"], "sensitive_features": {"g": group}, "positive": 1}
    one, other = (
        fp.audit(*data, **options, **sampling[sampled]).to_frame().set_index(["group", "measure"])
        for data in ((y, c), (1 - y, 1 - c))
    )
    for name, swapped in (("TPR", "FPR"), ("FPR", "TPR")):
        rows, mirrored = one.xs(name, level="measure"), other.xs(swapped, level="measure")
        assert_allclose(rows["estimate"], -mirrored["estimate"], **EXACT)
        assert_allclose(rows["ci_low"], -mirrored["ci_high"], rtol=1e-6, atol=1e-7)
        assert_allclose(rows["pvalue"], mirrored["pvalue"], rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("sampled", ["rows", "clusters", "weights"])
def test_exchanged_groups_reverse_each_difference(sampled):
    y, c, group, person = people("decisions")
    group = group % 2
    weight = np.random.default_rng(3).uniform(1, 3, N)
    sampling = {"rows": {}, "clusters": {"clusters": person}, "weights": {"sample_weight": weight}}
    one, other = (
        fp.audit(
            y, c, sensitive_features={"g": group}, reference={"g": reference},
            criterion=["separation", "predictive_parity", "average_odds"], margin=0.1,
            **sampling[sampled],
        ).to_frame().query("margin == margin").set_index("measure")
        for reference in (0, 1)
    )  # fmt: skip
    assert_allclose(one["estimate"], -other["estimate"], **EXACT)
    assert_allclose(one["ci_low"], -other["ci_high"], rtol=1e-6, atol=1e-6)
    for column in ("pvalue", "pvalue_within", "pvalue_beyond"):
        assert_allclose(one[column], other[column], rtol=1e-6, atol=1e-6)


@pytest.mark.slow
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
        assert_allclose(one["pvalue"], other["pvalue"], rtol=1e-6, atol=1e-6)
