"""Comparative separation on drawn pairs of real labels, and its two null controls."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.pair_counts import count_pairs
from tests.papers.fairness_tests.real_labels import run, scored


def test_drawn_pairs_have_the_rates_of_all_pairs(real_dataset, real_predictions):
    draws = 4000
    found = run("comparative_separation", real_predictions, real_dataset, draws=draws)
    truth = real_dataset.frame.set_index("item")
    part = real_predictions[real_predictions["repeat"] == 1]
    y, group = (truth.loc[part["item"], c].to_numpy() for c in ("label", "sensitive_a"))
    left, right = np.indices((len(y), len(y))).reshape(2, -1)
    every = count_pairs(y, part["prediction"].to_numpy(), group, left, right)
    rate = every.concordant / every.comparable
    own = found[(found["repeat"] == 1) & (found["hypothesis"] == "H0c")]["estimate"].dropna()
    # the Monte Carlo error of a mean of 4,000 draws
    assert_allclose(own.mean(), rate[1, 0] - rate[0, 1], atol=4.5 * own.std() / np.sqrt(len(own)))


def test_shuffled_groups_have_no_gap_within_a_label_and_fresh_pairs_none_at_all():
    # the group decides the prediction, so that the gap within groups is as large as can be
    rng = np.random.default_rng(0)
    group, label = rng.integers(0, 2, 400), rng.choice([0.0, 1.0, 2.0], 400)
    frame = pd.DataFrame({"item": range(400), "label": label, "sensitive_a": group})
    dataset = PreparedDataset("biased", frame, {}, ("a",))
    biased = scored(
        pd.DataFrame({"repeat": 0, "item": range(400), "prediction": label + 9.0 * group})
    )
    means = {
        test: run(test, biased, dataset, draws=500).groupby("hypothesis")["estimate"].mean()
        for test in (
            "comparative_separation",
            "comparative_separation_permuted",
            "comparative_separation_fresh",
        )
    }
    assert means["comparative_separation"]["H0c"] > 0.9
    # labels are spread alike over the groups, so no gap is left but that of one sample
    for null in ("comparative_separation_permuted", "comparative_separation_fresh"):
        assert_allclose(means[null], 0, atol=0.02)
