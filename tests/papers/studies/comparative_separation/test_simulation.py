import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest, norm

from fairpairs import InputError
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.studies.comparative_separation.cells import true_metrics
from fairpairs.papers.studies.comparative_separation.simulation import normality, simulate

METRICS = ["TPR(A=1)-TPR(A=0)", "FPR(A=1)-FPR(A=0)", "TPR(1,0)-TPR(0,1)", "TPR(1,1)-TPR(0,0)"]
# Table II of the paper
TABLE_2 = {
    "f0": ("0.000", "0.000", "0.000", "0.000"),
    "f1": ("0.000", "-0.080", "-0.064", "0.064"),
    "f2": ("0.080", "-0.080", "-0.016", "0.112"),
    "f3": ("-0.053", "0.103", "0.058", "-0.120"),
}


def settings_for(classifiers, repeats):
    return {
        "repeats": repeats,
        "sizes": [1000, 2000],
        "pairs_per_item": 2,
        "classifiers": classifiers,
    }


def test_probabilities_are_put_in_their_cells(table_1, table_1_items):
    for name, cells in table_1.items():
        assert_array_equal(distribution(cells), table_1_items[name])


def test_probabilities_that_do_not_sum_to_1_are_refused(table_1):
    cells = {**table_1["f0"], "C=1, Y=1, A=1": 0.23}
    message = r"simulation\.classifiers\.mine: the eight probabilities sum to 1\.01: make it 1"
    with pytest.raises(InputError, match=r"classifier: the eight probabilities sum to 1\.01"):
        distribution(cells)
    with pytest.raises(InputError, match=message):
        simulate(settings_for({"mine": cells}, 2), seed=0, alpha=0.05)[0]


@pytest.mark.parametrize("classifier", TABLE_2)
def test_metrics_are_those_of_table_ii_to_the_printed_digit(table_1_items, classifier):
    metrics = true_metrics(table_1_items[classifier])
    assert list(metrics) == METRICS
    # + 0.0 takes the sign from a zero
    printed = tuple(f"{round(metrics[name], 3) + 0.0:.3f}" for name in METRICS)
    assert printed == TABLE_2[classifier]


def test_the_same_seed_gives_the_same_numbers_and_another_one_others(table_1):
    settings = settings_for({"f1": table_1["f1"]}, 50)
    one = simulate(settings, seed=3, alpha=0.05)[0]
    pd.testing.assert_frame_equal(one, simulate(settings, seed=3, alpha=0.05)[0], check_exact=True)
    other = simulate(settings, seed=4, alpha=0.05)[0]
    assert (one["simulated"] != other["simulated"]).any()
    assert_array_equal(one["expected"], other["expected"])


def test_a_classifier_has_the_same_numbers_whatever_stands_beside_it(table_1):
    alone = simulate(settings_for({"f2": table_1["f2"]}, 50), seed=3, alpha=0.05)[0]
    among = simulate(settings_for(table_1, 50), seed=3, alpha=0.05)[0]
    among = among[among["classifier"] == "f2"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among, check_exact=True)


def test_repeats_with_an_untestable_hypothesis_are_counted(table_1):
    # 12 items: in many samples the followed rate has no trial, or no hypothesis can be tested
    settings = {**settings_for({"f1": table_1["f1"]}, 500), "sizes": [12]}
    frame = simulate(settings, seed=0, alpha=0.05)[0]
    assert ((frame["used"] > 100) & (frame["used"] < 500)).all()
    assert np.isfinite(frame[["simulated", "standard_error"]].to_numpy()).all()


def test_the_expected_power_counts_on_the_hypothesis_that_can_be_tested():
    # No false positives: the FPRs are 0 without variance, which the z-test never calls different.
    # What is expected is the power of the TPRs alone, 0.9 against 0.75 on 100 items each.
    cells = {
        "C=1, Y=1, A=1": 0.225,
        "C=0, Y=1, A=1": 0.025,
        "C=1, Y=0, A=1": 0,
        "C=0, Y=0, A=1": 0.25,
    }
    cells |= {
        "C=1, Y=1, A=0": 0.1875,
        "C=0, Y=1, A=0": 0.0625,
        "C=1, Y=0, A=0": 0,
        "C=0, Y=0, A=0": 0.25,
    }
    settings = {**settings_for({"careful": cells}, 4000), "sizes": [400]}
    frame = simulate(settings, seed=0, alpha=0.05)[0].set_index(["notion", "quantity"])
    row = frame.loc[("separation", "violated")]
    shift = 0.15 / np.sqrt((0.9 * 0.1 + 0.75 * 0.25) / 100)
    assert_allclose(row["expected"], norm.sf(1.96 - shift) + norm.cdf(-1.96 - shift), rtol=1e-10)
    assert_allclose(row["simulated"], row["expected"], atol=4.5 * row["standard_error"] + 0.01)
    assert row["used"] == 4000


def test_the_shape_is_that_of_kolmogorovs_test(table_1, table_1_items):
    simulated = simulate(settings_for({"f0": table_1["f0"]}, 500), seed=9, alpha=0.05)[0]
    table = normality(simulated).set_index(["rate", "size"])
    assert list(table.index) == [
        ("TPR(1,0)", 2000), ("TPR(1,0)", 4000), ("TPR(A=1)", 1000), ("TPR(A=1)", 2000)
    ]  # fmt: skip
    for size in (1000, 2000):
        rng = stream(9, "simulation", "f0", "separation", size)
        items = rng.multinomial(size, table_1_items["f0"].ravel(), size=500).reshape(-1, 2, 2, 2)
        z = (items[:, 1, 1, 1] / items[:, 1, 1].sum(axis=1) - 0.8) / np.sqrt(0.16 / 0.275 / size)
        row = table.loc[("TPR(A=1)", size)]
        assert_allclose(row["distance"], kstest(z, "norm").statistic, rtol=1e-9)
        assert row["beyond"] == (np.abs(z) > 1.96).mean()
        assert row["repeats"] == row["used"] == 500
