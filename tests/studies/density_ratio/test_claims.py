"""The paper's conclusions: the verdicts on the committed results, and planted results flip them."""

import pytest

from fairpairs.plan.claims import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.studies.density_ratio.claims import (
    CAP,
    CAPS,
    CLAIMS,
    CONCLUSIONS,
    KERNEL,
    LAST,
    LINEAR,
    PAIRS,
    SYNTHETIC,
    TRUTH,
)
from tests.studies.planted import all_of, setting

STUDY = "density_ratio"
PAIRS_OF = "pairs of estimators"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("linear-classifiers-alike", HOLDS),
        ("kernels-disagree", HOLDS),
        ("ratio-matching-disagrees", HOLDS),
        ("worse-with-a-gap", HOLDS),
        ("further-from-the-truth", HOLDS),
        ("a-cap-helps-on-synthetic-data", HOLDS),
        ("a-cap-is-mixed-on-real-data", IN_PART),
        ("probabilities-near-1-decide", HOLDS),
    ],
)
def test_the_verdicts_on_the_committed_results(finding_of, claim, verdict):
    assert finding_of(STUDY, claim).verdict == verdict


PLANTED = [
    ("linear-classifiers-alike", IN_PART, {CONCLUSIONS: setting(
        "smallest", 0.5, dataset="insurance", **{PAIRS_OF: LINEAR})}),
    ("linear-classifiers-alike", FAILS, {CONCLUSIONS: setting("smallest", 0.5)}),
    ("kernels-disagree", IN_PART, {CONCLUSIONS: all_of(*(
        setting("mean", 0.95, dataset=name, **{PAIRS_OF: KERNEL})
        for name in ("law_school", "insurance")))}),
    ("kernels-disagree", FAILS, {CONCLUSIONS: setting("mean", 0.95, **{PAIRS_OF: KERNEL})}),
    ("ratio-matching-disagrees", IN_PART, {CONCLUSIONS: setting("mean", 0.9, form="quotient")}),
    ("ratio-matching-disagrees", FAILS, {CONCLUSIONS: setting("mean", 0.9)}),
    ("worse-with-a-gap", FAILS, {SYNTHETIC: all_of(
        setting("mean", 1.0, interval=LAST), setting("sd", 0.01, interval=LAST))}),
    ("worse-with-a-gap", IN_PART, {SYNTHETIC: all_of(*(
        setting(column, value, interval=LAST, first="ridge", second="kernel_gaussian")
        for column, value in (("mean", 1.0), ("sd", 0.001))))}),
    ("worse-with-a-gap", UNTOLD, {SYNTHETIC: lambda f: f.assign(sd=3.0)}),
    ("further-from-the-truth", FAILS, {SYNTHETIC: setting(
        "mean", 1.0, interval=LAST, second=TRUTH)}),
    ("further-from-the-truth", IN_PART, {SYNTHETIC: all_of(*(
        setting("mean", 0.99, interval=LAST, second=TRUTH, first=name)
        for name in ("logistic", "ridge", "lasso", "kernel_gaussian_published",
                     "kernel_polynomial_published")))}),
    ("further-from-the-truth", UNTOLD, {SYNTHETIC: lambda f: f.assign(sd=3.0)}),
    ("a-cap-helps-on-synthetic-data", FAILS, {SYNTHETIC: setting("mean", -1.0, cap=CAP)}),
    ("a-cap-helps-on-synthetic-data", IN_PART, {SYNTHETIC: setting(
        "mean", 0.0, cap=CAP, first="ridge", second="kernel_gaussian")}),
    ("a-cap-helps-on-synthetic-data", UNTOLD, {SYNTHETIC: lambda f: f.assign(repeats=2, sd=0.5)}),
    ("a-cap-is-mixed-on-real-data", HOLDS, {PAIRS: setting(
        "value", -0.5, cap=CAP, dataset="law_school", measure="independence")}),
    ("a-cap-is-mixed-on-real-data", FAILS, {PAIRS: setting("value", 0.5)}),
    ("probabilities-near-1-decide", FAILS, {CAPS: setting("independence", 2.0)}),
    ("probabilities-near-1-decide", IN_PART, {CAPS: setting(
        "independence", 8.0, cap=0.999, dataset="communities")}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "edits"), PLANTED)
def test_a_planted_result_flips_the_verdict(finding_of, claim, verdict, edits):
    assert finding_of(STUDY, claim, edits).verdict == verdict


def test_every_claim_has_a_planted_result_and_needs_its_tables(without_tables):
    assert {name for name, *_ in PLANTED} == {claim.name for claim in CLAIMS}
    assert without_tables(STUDY) == {UNTOLD}


def test_other_caps_and_measures_than_the_paper_has_cannot_be_told(finding_of):
    for claim, path in (("a-cap-helps-on-synthetic-data", SYNTHETIC),
                        ("a-cap-is-mixed-on-real-data", PAIRS),
                        ("probabilities-near-1-decide", CAPS)):  # fmt: skip
        finding = finding_of(STUDY, claim, {path: lambda frame: frame[frame["cap"] == 0]})
        assert finding.verdict == UNTOLD
        assert finding.evidence == (path,)
