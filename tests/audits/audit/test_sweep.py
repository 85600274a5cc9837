"""The gaps of an audit over all thresholds of a score."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstwobign

import fairpairs as fp
from fairpairs.audits.audit.rates import OF_THRESHOLDS

from ..synthetic import loans


@pytest.fixture(scope="module")
def result():
    label, _, score, features = loans(n=600)
    return fp.audit(label, score, sensitive_features=features)


def test_each_gap_is_that_of_an_audit_with_its_threshold(result):
    label, _, score, features = loans(n=600)
    sweep = result.sweep
    assert list(sweep) == list(OF_THRESHOLDS)
    assert sweep.groupby(["attribute", "group", "measure"])["threshold"].nunique().max() <= 120
    for threshold in sweep["threshold"].iloc[[40, 70]]:
        frame = fp.audit(
            label, y_score=score, threshold=threshold, sensitive_features=features
        ).to_frame()
        both = sweep[sweep["threshold"] == threshold].merge(
            frame, on=["attribute", "group", "reference", "measure"]
        )
        assert len(both) >= 2
        assert_allclose(both["estimate_x"], both["estimate_y"], atol=1e-12)


def test_the_band_is_of_both_rates_together(result):
    label, _, _, features = loans(n=600)
    sweep = result.sweep[result.sweep["measure"] == "TPR"]
    for (attribute, group, reference), part in sweep.groupby(["attribute", "group", "reference"]):
        sizes = [
            ((features[attribute] == name) & (label == 1)).sum() for name in (group, reference)
        ]
        half = kstwobign.isf(1 - np.sqrt(0.95)) * np.sqrt(np.sum(1 / np.array(sizes)))
        assert_allclose(part["ci_high"], np.minimum(part["estimate"] + half, 1))


@pytest.mark.slow
def test_there_is_none_without_a_score_or_with_related_rows(result):
    label, decision, score, features = loans(n=200)
    options = {"sensitive_features": features}
    assert fp.audit(label, decision, **options).sweep.empty
    in_pairs = fp.audit(label, score, clusters=np.arange(200) // 2, **options)
    assert in_pairs.sweep.empty
    assert "no figure shows the gaps at all thresholds" in in_pairs.to_text()
    assert fp.audit(label, score, sample_weight=np.arange(200) + 1, **options).sweep.empty
    assert "threshold of the score" not in fp.audit(label, decision, **options).to_html()


def test_a_group_without_a_label_has_none():
    label, _, score, features = loans(n=200)
    area = np.where((np.arange(200) % 50 == 0) & (label == 1), "none", features["area"])
    sweep = fp.audit(label, score, sensitive_features={"area": area}).sweep
    assert "none" not in set(sweep["group"]) and len(sweep)


@pytest.mark.slow
def test_the_page_draws_the_gaps_and_the_threshold(result):
    label, _, score, features = loans(n=600)
    options = {"sensitive_features": {"area": features["area"]}, "y_score": score}
    page = fp.audit(label, threshold=0.2, margin=0.1, **options).to_html()
    assert page.count("threshold of the score") == 1
    assert "Each band covers all thresholds at once, both of them with 95 %. Dotted: 0.2." in page
    assert "Dotted" not in result.to_html()
