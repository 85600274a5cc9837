"""AUC and xAUC equal those of R: pROC, Obuchowski's formulas, double loops and survey."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.sampling.comparative import RankedItems
from fairpairs.mathematics.inference.sampling.linear import Linear, spread
from tests.mathematics.inference.sampling.ranking_items import ranking_items

from .survey_items import by_r

HERE = Path(__file__).parent
REFERENCE = pd.read_csv(HERE / "ranking_reference.csv").set_index(["design", "quantity"])
A, B, ALL = 0, 1, 2
RATES = {
    "AUC a": (A, A),
    "AUC b": (B, B),
    "AUC all": (ALL, ALL),
    "xAUC b a": (B, A),
    "xAUC a b": (A, B),
    "xAUC_1 b": (B, ALL),
    "xAUC_1 a": (A, ALL),
    "xAUC_0 b": (ALL, B),
    "xAUC_0 a": (ALL, A),
}
#: Independent items may be clusters of one: this is DeLong's variance.
DESIGNS = {"items": "", "clusters": "person", "weights": "weight", "both": "person weight"}


def of_items(design, score="score"):
    items = ranking_items()
    cluster, weight = pd.factorize(items["person"])[0], items["weight"].to_numpy()
    sampled = SamplingDesign(
        len(items),
        cluster if "person" in DESIGNS[design] else None,
        weight if "weight" in DESIGNS[design] else None,
    )
    group = (items["group"] == "b").to_numpy().astype(np.int64)
    order = score_order(items[score].to_numpy())
    return RankedItems(items["label"].to_numpy(), group, 2, order, sampled)


def linear(design, quantity) -> Linear:
    if quantity == "AUC b - a":
        quantity = "AUC b - AUC a"
    if quantity == "AUC other - score":
        return of_items(design, "other").rate(ALL, ALL) - of_items(design).rate(ALL, ALL)
    rates = [of_items(design).rate(*RATES[name]) for name in quantity.split(" - ")]
    return rates[0] if len(rates) == 1 else rates[0] - rates[1]


@pytest.mark.parametrize(
    ("design", "quantity"), [key for key in REFERENCE.index if key[1] != "covariance of AUCs"]
)
def test_rates_and_their_differences_equal_those_of_r(design, quantity):
    estimate = linear(design, quantity)
    assert estimate.estimate == pytest.approx(
        REFERENCE.loc[(design, quantity), "estimate"], abs=1e-10
    )
    error = np.sqrt(spread([estimate], of_items(design).design).covariance[0, 0])
    # Obuchowski counts clusters, CR2 has their shares of the rows
    near = 0.015 if design == "clusters" else 1e-6
    assert error == pytest.approx(REFERENCE.loc[(design, quantity), "error"], rel=near)


def test_the_covariance_of_two_scores_equals_that_of_proc():
    scores = [of_items("items", score).rate(ALL, ALL) for score in ("other", "score")]
    covariance = spread(scores, of_items("items").design).covariance[0, 1]
    expected = REFERENCE.loc[("items", "covariance of AUCs"), "estimate"]
    assert covariance == pytest.approx(expected, rel=1e-6)


def test_the_script_gives_the_reference_again(tmp_path):
    again = by_r("ranking_reference.R", ranking_items(), tmp_path).set_index(["design", "quantity"])
    pd.testing.assert_frame_equal(again, REFERENCE, rtol=1e-10)
