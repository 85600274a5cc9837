import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_effectsize

import fairpairs as fp
from fairpairs import InputError
from fairpairs.mathematics.inference.rates import wald_difference
from fairpairs.mathematics.inference.results import FairnessTestResult, adjusted, in_words, notes

STRONG = (80, 100, 60, 100)  # z = 3.16
WEAK = (55, 100, 50, 100)  # z = 0.71
EMPTY = (0, 0, 5, 10)


def result_of(*tables, alpha=0.05, correction="none"):
    names = tuple(f"H{i}" for i in range(len(tables)))
    return FairnessTestResult(names, wald_difference(*np.array(tables).T), alpha, correction)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6).map(np.array),
    st.sampled_from(["holm", "sidak", "simes-hochberg"]),
)
def test_adjusted_p_values_are_those_of_multipletests(pvalues, correction):
    with np.errstate(divide="ignore"):  # of a p-value of 1, which has a test of its own
        expected = multipletests(pvalues, method=correction)[1]
        assert_allclose(adjusted(pvalues, correction), expected)


@pytest.mark.parametrize("correction", ["none", "holm", "sidak", "simes-hochberg"])
def test_a_p_value_of_1_is_adjusted_without_a_warning(correction):
    assert_array_equal(adjusted(np.array([1.0, 1.0]), correction), [1, 1])


def test_two_p_values_adjusted_by_hand():
    assert_allclose(adjusted(np.array([0.01, 0.04]), "holm"), [0.02, 0.04])
    assert_allclose(adjusted(np.array([0.03, 0.02]), "holm"), [0.04, 0.04])
    assert_allclose(adjusted(np.array([0.01, 0.04]), "sidak"), [1 - 0.99**2, 1 - 0.96**2])
    assert_array_equal(adjusted(np.array([0.01, 0.04]), "none"), [0.01, 0.04])


@pytest.mark.parametrize("correction", ["none", "holm", "sidak"])
def test_a_missing_p_value_stays_missing_and_does_not_count(correction):
    assert_array_equal(adjusted(np.array([0.03, np.nan]), correction), [0.03, np.nan])
    assert np.isnan(adjusted(np.array([np.nan, np.nan]), correction)).all()


def test_an_unknown_correction_is_refused():
    with pytest.raises(InputError, match=r"must be one of 'none', .*; it is 'bonferroni'"):
        adjusted(np.array([0.1]), "bonferroni")
    with pytest.raises(InputError, match="must be one of 'none', 'holm', 'sidak'"):
        _ = result_of(STRONG, correction="bonferroni").violated


def test_the_p_value_is_the_smallest_and_decides():
    result = result_of(STRONG, WEAK, correction="holm")
    assert_allclose(result.pvalue, 2 * result.difference.pvalue[0])
    assert result.violated is True
    assert result_of(WEAK, WEAK).violated is False
    assert result_of(STRONG, WEAK, alpha=1e-6).violated is False


@pytest.mark.parametrize("correction", ["none", "holm", "sidak"])
def test_an_untestable_hypothesis_does_not_hide_the_other(correction):
    for tables in ((EMPTY, STRONG), (STRONG, EMPTY)):
        result = result_of(*tables, correction=correction)
        assert_allclose(result.pvalue, 0.001565, rtol=1e-3)  # the tail beyond |z| = 3.1623
        assert result.violated is True


@pytest.mark.parametrize("correction", ["none", "holm", "sidak"])
@pytest.mark.parametrize("unvarying", [(0, 90, 0, 40), (90, 90, 40, 40)])
def test_equal_rates_without_variance_have_p_1_and_do_not_count(unvarying, correction):
    """No sample could speak less against equal rates; nor could it have been rejected."""
    alone, beside = (
        result_of(*tables, correction=correction)
        for tables in ((unvarying, unvarying), (unvarying, STRONG, unvarying, EMPTY))
    )
    assert_array_equal(alone.pvalues, [1, 1])
    assert alone.violated is False
    assert np.isnan(alone.statistic).all()
    strong = result_of(STRONG, correction=correction).pvalue
    assert_allclose(beside.pvalues, [1, strong, 1, np.nan])
    assert beside.violated is True
    assert list(beside.to_frame()["note"]) == ["no variance", "", "no variance", "empty cell"]
    assert beside.interpretations[0] == (
        "There is not enough evidence at the level 0.05 that H0 is violated "
        "(estimate 0.000, p = 1.000): the groups are equal and do not vary, so nothing can be "
        "found."
    )


@pytest.mark.parametrize("correction", ["none", "holm", "sidak"])
def test_nothing_testable_is_neither_violated_nor_not(correction):
    result = result_of(EMPTY, EMPTY, correction=correction)
    assert np.isnan(result.pvalue)
    assert result.violated is None


def test_the_frame_has_a_row_a_hypothesis():
    result = result_of(STRONG, (5, 10, 3, 40), EMPTY, correction="holm")
    frame = result.to_frame()
    assert list(frame["hypothesis"]) == ["H0", "H1", "H2"]
    assert_allclose(frame["estimate"][:2], [0.2, 0.425])
    assert_array_equal(frame["pvalue"], result.pvalues)
    assert_array_equal(frame["statistic"], result.statistic)
    assert_array_equal(frame["n"], [200, 50, 10])
    effects = [proportion_effectsize(0.8, 0.6), proportion_effectsize(0.5, 3 / 40), np.nan]
    assert_allclose(frame["effect_size"], effects, rtol=1e-12)
    assert_array_equal(frame["smallest_cell"], [100, 10, 0])
    assert list(frame["note"]) == ["", "a cell below 30", "empty cell"]
    assert (frame["ci_low"][:2] < frame["estimate"][:2]).all()
    assert (frame["estimate"][:2] < frame["ci_high"][:2]).all()


def test_a_cell_of_30_is_large_enough_and_one_of_29_is_not():
    tables = [(10, 30, 20, 30), (10, 29, 20, 30), (10, 30, 20, 29), (0, 30, 0, 30), (0, 9, 0, 30)]
    assert list(notes(wald_difference(*np.array(tables).T))) == [
        "",
        "a cell below 30",
        "a cell below 30",
        "no variance",
        "no variance; a cell below 30",
    ]


def test_a_result_cannot_be_changed():
    result = result_of(STRONG)
    with pytest.raises(AttributeError):
        result.alpha = 0.5


# In words


def test_every_hypothesis_is_told_in_a_sentence():
    result = result_of(STRONG, (5, 10, 3, 40), EMPTY, correction="holm")
    strong, small, empty = result.interpretations
    low, high = result.difference.ci_low[0], result.difference.ci_high[0]
    assert strong == (
        "There is evidence at the level 0.05 that H0 is violated (estimate 0.200, 95 % interval "
        f"{low:.3f} to {high:.3f}, p = {result.pvalues[0]:.3f} by Holm's correction)."
    )
    assert small.endswith("by Holm's correction); beware: a cell below 30.")
    assert empty == "Whether H2 is violated could not be tested: empty cell."
    assert result.interpretation == f"{strong} {small} {empty}"
    weak = result_of(WEAK, alpha=0.1).interpretation
    assert weak.startswith("There is not enough evidence at the level 0.1 that H0 is violated (")
    assert "90 % interval" in weak
    assert "correction" not in weak
    assert "Šidák's correction" in result_of(STRONG, WEAK, correction="sidak").interpretation
    assert "correction" not in result_of(STRONG, EMPTY, correction="holm").interpretation
    assert "correction" not in result_of(STRONG, (0, 9, 0, 9), correction="holm").interpretation
    assert result_of((0, 9, 0, 9)).interpretation.endswith("found; beware: a cell below 30.")
    for pvalue, said in ((2e-3, "p = 0.002"), (9e-4, "p < 0.001")):
        assert in_words("it is so", pvalue, 0.05, []) == (
            f"There is evidence at the level 0.05 that it is so ({said})."
        )


def test_every_test_has_a_name_and_a_sentence_a_hypothesis(random_items):
    y, c, score, group = random_items(0, 200)
    of_items = {"sensitive_features": group}
    results = {
        "separation test": fp.separation_test(y, c, **of_items),
        "comparative separation test": fp.comparative_separation_test(y, c, **of_items),
        "comparative separation slopes test": fp.comparative_separation_slopes_test(
            y, c, sensitive_features=score
        ),
        "test of the ranking (xAUC)": fp.xauc(y, score, **of_items),
        "differential parity test": fp.differential_parity_test(y, c, **of_items),
        "test by density ratios": fp.density_ratio_fairness(score, score + y, **of_items),
    }
    for name, result in results.items():
        assert result.name == name
        assert len(result.interpretations) == len(result.hypotheses)
        for hypothesis, sentence in zip(result.hypotheses, result.interpretations, strict=True):
            assert hypothesis in sentence
    untested = results["test by density ratios"].interpretations[0]
    assert untested.endswith("could not be tested: there is no p-value.")
