"""How much a line matters, and the sentences that an audit begins with."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.audit.effects import WEIGHTS, findings, weight
from fairpairs.mathematics.estimates.effect_sizes import MAGNITUDES


def line(verdict, estimate=0.1, effect=np.nan, magnitude="", margin=np.nan, group="a"):
    return {
        "attribute": "g", "group": group, "reference": "b", "measure": "EOD", "verdict": verdict,
        "estimate": estimate, "effect_size": effect, "magnitude": magnitude, "margin": margin,
    }  # fmt: skip


def found(*rows, margin=None):
    return list(findings(SimpleNamespace(tests=pd.DataFrame(rows), about={"margin": margin})))


def test_every_word_of_an_effect_has_a_weight():
    assert {word for kind in "hd" for word in MAGNITUDES[kind].values()} == set(WEIGHTS)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (line("violated", magnitude="large"), "strong"),
        (line("violated", magnitude="medium"), "medium"),
        (line("violated", magnitude="small"), "weak"),
        (line("violated", magnitude="very small"), "negligible"),
        (line("violated"), "weak"),
        (line("violated beyond the margin", magnitude="negligible", margin=0.05), "strong"),
        (line("violated", magnitude="large", margin=0.05), "medium"),
        (line("violated", -0.01, magnitude="large", margin=0.05), "weak"),
        (line("violated within the margin", margin=0.05), "within"),
        (line("shown within the margin", margin=0.05), "within"),
        (line("not shown", magnitude="large", margin=0.05), "open"),
        (line("cannot be estimated", np.nan), "open"),
    ],
)
def test_the_weight_of_a_line_is_not_its_pvalue(row, expected):
    assert weight(row) == expected


def test_without_a_margin_effects_come_first():
    assert found(
        line("violated", 0.01, 0.1, "negligible"), line("violated", -0.3, -0.9, "large"),
        line("violated"), line("not shown", 0.5, 1.2, "large"),
    ) == [
        "Violated lines by effect: 1 large, 1 negligible, 1 without an effect size; not "
        "violated: 1.",
        "The largest effect: g, a minus b: TPR (EOD) -0.300 (large).",
    ]  # fmt: skip
    assert found(line("not shown")) == ["Of 1 lines, none is violated."]


def test_with_a_margin_what_exceeds_it_comes_first_by_how_much():
    beyond = [
        line("violated beyond the margin", estimate, margin=0.05, group=group)
        for estimate, group in ((0.1, "c"), (-0.2, "d"), (0.15, "e"), (0.3, "f"))
    ]
    sentences = found(
        *beyond, line("violated", margin=0.05), line("violated within the margin", margin=0.05),
        line("shown within the margin", margin=0.05), line("not shown", margin=0.05),
        line("cannot be estimated", np.nan, margin=0.05), line("violated"), margin={},
    )  # fmt: skip
    assert sentences == [
        "Shown to exceed the margin: 4 of 9 lines: g, f minus b: TPR (EOD) +0.300 (6 times the "
        "margin); g, d minus b: TPR (EOD) -0.200 (4 times the margin); g, e minus b: TPR (EOD) "
        "+0.150 (3 times the margin); and 1 more.",
        "The others: 2 shown within the margin, 1 violated, perhaps within it, 1 not shown, 1 "
        "without a result.",
        "Violated lines without a margin by effect: 1 without an effect size; not violated: 0.",
    ]
    assert found(line("not shown", margin=0.05), margin={}) == [
        "Shown to exceed the margin: none of 1 lines.", "Of these: 1 not shown."
    ]  # fmt: skip


def test_a_negligible_violation_looks_other_than_a_large_one():
    rng = np.random.default_rng(0)
    n = 200_000
    small, big = rng.integers(0, 2, n), rng.integers(0, 2, n)
    label = rng.integers(0, 2, n)
    wrong = rng.random(n) < 0.2 + 0.02 * small + 0.5 * big
    features = {"small": np.array(["a", "b"])[small], "big": np.array(["a", "b"])[big]}
    result = fp.audit(label, np.where(wrong, 1 - label, label), sensitive_features=features)
    frame = result.to_frame().query("criterion == 'separation'")
    assert set(frame["verdict"]) == {"violated"}
    of = {name: {weight(row) for row in rows.to_dict("records")}
          for name, rows in frame.groupby("attribute")}  # fmt: skip
    assert of == {"small": {"negligible"}, "big": {"strong"}}
    page = result.to_html()
    assert '<li class="strong counts">' in page
    assert '<li class="negligible counts">' in page
    assert "largest effect: large" in result.to_text()
