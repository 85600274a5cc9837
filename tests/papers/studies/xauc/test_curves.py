"""What the figures of a ranking show: xROC curves, densities, conditional xAUC, calibration."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.metrics import roc_curve

from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.studies.xauc.curves import ranking_curves

N = 400
REPEATS = [2, 3, 7]
COLUMNS = ["dataset", "treatment", "attribute", "kind", "curve", "x", "mean", "sd", "repeats"]
GRID = np.linspace(0, 1, 101)


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(1)
    sex, race = (rng.random((2, N)) < [[0.4], [0.7]]).astype(np.int8)
    frame = pd.DataFrame(
        {
            "item": np.arange(N) + 1000,  # an item is a name, not a place
            "label": (rng.random(N) < 0.4 + 0.2 * sex).astype(np.int8),
            "sensitive_sex": sex,
            "sensitive_race": race,
        }
    )
    return PreparedDataset("made", frame, {}, ("sex", "race"))


@pytest.fixture(scope="module")
def predictions(dataset):
    rng = np.random.default_rng(2)
    parts = []
    for repeat in REPEATS:
        place = np.sort(rng.choice(N, 300, replace=False))
        score = expit(1.5 * (dataset.label[place] - 0.5) + rng.normal(size=300)).round(2)
        parts.append(
            pd.DataFrame(
                {
                    "repeat": np.int32(repeat),
                    "item": dataset.frame["item"].to_numpy()[place],
                    "score": score,
                    "prediction": (score > 0.5).astype(np.int8),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def curves(dataset, predictions):
    return ranking_curves(predictions, dataset, treatment="none")


def arrays(predictions, dataset, attribute):
    """The labels, scores and groups of each repeat."""
    by_item = dataset.frame.set_index("item")
    return [
        (
            by_item.loc[part["item"], "label"].to_numpy(),
            part["score"].to_numpy(),
            by_item.loc[part["item"], f"sensitive_{attribute}"].to_numpy(),
        )
        for _, part in predictions.groupby("repeat")
    ]


def curve(curves, attribute, kind, name):
    chosen = (curves["attribute"] == attribute) & (curves["kind"] == kind)
    return curves[chosen & (curves["curve"] == name)]


def assert_means(rows, heights):
    heights = np.array(heights)
    assert_allclose(rows["mean"], heights.mean(axis=0), atol=1e-12)
    assert_allclose(rows["sd"], heights.std(axis=0, ddof=1), atol=1e-12)
    assert set(rows["repeats"]) == {len(heights)}


@pytest.mark.slow
def test_there_are_rows_of_every_kind_for_every_attribute(curves):
    assert list(curves) == COLUMNS
    assert set(curves["dataset"]) == {"made"}
    assert set(curves["treatment"]) == {"none"}
    for attribute in ("sex", "race"):
        own = curves[curves["attribute"] == attribute]
        assert {kind: set(part["curve"]) for kind, part in own.groupby("kind")} == {
            "xroc": {
                *("ROC(0)", "ROC(1)", "xROC(0,1)", "xROC(1,0)"),
                *("xROC_1(0)", "xROC_1(1)", "xROC_0(0)", "xROC_0(1)"),
            },
            "density": {f"A={a}, Y={y}" for a in (0, 1) for y in (0, 1)},
            "conditional": {"xAUC(0,1)", "xAUC(1,0)"},
            "misranked": {"xAUC(0,1)", "xAUC(1,0)"},
            "calibration": {"A=0", "A=1"},
        }
    assert not curves[["attribute", "kind", "curve", "x"]].duplicated().any()


@pytest.mark.parametrize(
    ("name", "positive", "negative"),
    [
        ("ROC(0)", {0}, {0}),
        ("ROC(1)", {1}, {1}),
        ("xROC(0,1)", {0}, {1}),
        ("xROC(1,0)", {1}, {0}),
        ("xROC_1(0)", {0}, {0, 1}),
        ("xROC_1(1)", {1}, {0, 1}),
        ("xROC_0(0)", {0, 1}, {0}),
        ("xROC_0(1)", {0, 1}, {1}),
    ],
)
def test_a_roc_curve_is_the_mean_of_those_of_the_repeats(
    curves, predictions, dataset, name, positive, negative
):
    heights = []
    for label, score, group in arrays(predictions, dataset, "sex"):
        used = ((label == 1) & np.isin(group, list(positive))) | (
            (label == 0) & np.isin(group, list(negative))
        )
        fpr, tpr, _ = roc_curve(label[used], score[used])
        heights.append(np.interp(GRID, fpr, tpr))
    rows = curve(curves, "sex", "xroc", name)
    assert_allclose(rows["x"], GRID)
    assert_means(rows, heights)


def test_a_density_is_that_of_a_gaussian_kernel_in_the_first_repeat(curves, predictions, dataset):
    label, score, group = arrays(predictions, dataset, "sex")[0]
    for a in (0, 1):
        for y in (0, 1):
            own = score[(group == a) & (label == y)]
            width = own.std(ddof=1) * len(own) ** (-1 / 5)  # Scott's
            apart = (GRID[:, None] - own) / width
            expected = np.exp(-(apart**2) / 2).mean(axis=1) / (width * np.sqrt(2 * np.pi))
            rows = curve(curves, "sex", "density", f"A={a}, Y={y}")
            assert_allclose(rows["x"], GRID)
            assert_allclose(rows["mean"], expected, rtol=1e-9)
            assert rows["sd"].isna().all()
            assert set(rows["repeats"]) == {1}


def plain_shares(label, score, group, a, b):
    """Of each negative item of b, how many of the positive items of a outscore it."""
    positive = score[(label == 1) & (group == a)]
    return [
        np.mean([(own > s) + (own == s) / 2 for own in positive])
        for s in score[(label == 0) & (group == b)]
    ]


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 0)])
def test_conditional_xaucs_fall_into_bins_and_have_the_xauc_as_mean(
    curves, predictions, dataset, a, b
):
    heights, means = [], []
    for label, score, group in arrays(predictions, dataset, "race"):
        shares = plain_shares(label, score, group, a, b)
        # half a million millionth, for sums of floats at the edge of a bin
        places = np.minimum((np.array(shares) * 25 + 5e-13).astype(int), 24)
        heights.append(np.bincount(places, minlength=25) / len(shares))
        means.append([np.mean(shares)])
    rows = curve(curves, "race", "conditional", f"xAUC({a},{b})")
    bars, mean = rows[rows["x"].notna()], rows[rows["x"].isna()]
    assert_allclose(bars["x"], np.arange(25) / 25 + 0.02)
    assert_means(bars, heights)
    assert bars["mean"].sum() == pytest.approx(1)
    assert_means(mean, means)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 0)])
def test_misranked_items_are_above_nine_of_ten_positive_items(curves, predictions, dataset, a, b):
    numbers = [
        [sum(share <= 0.1 for share in plain_shares(label, score, group, a, b))]
        for label, score, group in arrays(predictions, dataset, "race")
    ]
    rows = curve(curves, "race", "misranked", f"xAUC({a},{b})")
    assert list(rows["x"]) == [0.1]
    assert_means(rows, numbers)
    assert rows["mean"].item() > 0


@pytest.mark.slow
def test_calibration_is_the_mean_share_of_the_repeats_that_have_a_bin(dataset, predictions):
    extreme = predictions.copy()
    first = extreme["repeat"] == REPEATS[0]
    extreme.loc[first, "score"] = extreme.loc[first, "score"].clip(0.2, 0.8)
    frame = ranking_curves(extreme, dataset, treatment="none")
    edges = np.linspace(0, 1, 11)
    for a in (0, 1):
        rows = []
        for place in range(10):
            shares, scores = [], []
            for label, score, group in arrays(extreme, dataset, "sex"):
                below = score <= 1 if place == 9 else score < edges[place + 1]
                own = (group == a) & (score >= edges[place]) & below
                if own.any():
                    shares.append(label[own].mean())
                    scores += list(score[own])
            if shares:
                rows.append((np.mean(scores), np.mean(shares), len(shares)))
        found = curve(frame, "sex", "calibration", f"A={a}")
        assert_allclose(found[["x", "mean", "repeats"]], rows)
        assert found["repeats"].min() < found["repeats"].max() == 3


@pytest.mark.slow
def test_the_order_of_the_chunks_changes_nothing(curves, predictions, dataset):
    turned = pd.concat([predictions[predictions["repeat"] == r] for r in reversed(REPEATS)])
    frame = ranking_curves(turned, dataset, treatment="none")
    pd.testing.assert_frame_equal(frame, curves, check_exact=True)


def without(predictions, dataset, repeats, label, sex):
    """The predictions of some repeats without items of a label and a group."""
    about = dataset.frame.set_index("item").loc[predictions["item"]]
    gone = (about["label"] == label) & (about["sensitive_sex"] == sex)
    kept = ~(gone.to_numpy() & predictions["repeat"].isin(repeats).to_numpy())
    return predictions[kept].reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize("label", [0, 1])
def test_a_repeat_in_which_a_group_lacks_a_label_has_no_part_in_its_curves(
    predictions, dataset, label
):
    lacking = without(predictions, dataset, [3], label, sex=0)
    frame = ranking_curves(lacking, dataset, treatment="none")
    others = ranking_curves(predictions[predictions["repeat"] != 3], dataset, treatment="none")
    own, expected = (
        part[(part["attribute"] == "sex") & (part["kind"] == "xroc")] for part in (frame, others)
    )
    pd.testing.assert_frame_equal(own.reset_index(drop=True), expected.reset_index(drop=True))
    assert set(frame.loc[frame["attribute"] == "race", "repeats"]) >= {3}


@pytest.mark.slow
def test_a_group_that_never_has_positive_items_has_no_curves_and_no_error(predictions, dataset):
    lacking = without(predictions, dataset, REPEATS, label=1, sex=0)
    frame = ranking_curves(lacking, dataset, treatment="none")
    own = frame[frame["attribute"] == "sex"]
    assert "xroc" not in set(own["kind"])
    assert set(own.loc[own["kind"] == "conditional", "curve"]) == {"xAUC(1,0)"}
    assert set(own.loc[own["kind"] == "density", "curve"]) == {"A=0, Y=0", "A=1, Y=0", "A=1, Y=1"}
    assert set(own.loc[own["kind"] == "calibration", "curve"]) == {"A=0", "A=1"}
    assert frame["mean"].notna().all()
