"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.differential_parity.bridge_summaries import (
    AS_WRITTEN,
    BIASED,
    LABELS,
    LARGEST,
    LEVEL,
    MISSED_BY_BIASED,
    MISSED_BY_OTHERS,
    MODELS,
    OPPOSITE,
    TWO_PEOPLE,
    UNBIASED,
    conclusions,
)
from fairpairs.papers.studies.differential_parity.cells import UNIVERSAL
from tests.papers.studies.planted import all_of, claims_of, setting, tables

STUDY = "differential_parity"
CELLS, OF_60_40, OF_80_20 = tables(
    STUDY, *(f"bridges/split_{n}" for n in ("80_20", "60_40_conclusions", "80_20_conclusions"))
)
CONCLUSIONS = (OF_60_40, OF_80_20)
(RATERS,) = tables(STUDY, "raters/scut_fbp5500.pairs")


def both(*edits):
    """The same edits on both splits."""
    return dict.fromkeys(CONCLUSIONS, all_of(*edits))


def printed(value, name):
    return both(setting("of_printed_cells", value, row=name))


PLANTED = [
    ("symmetric", FAILS, {CELLS: setting("dpd", 0.4, row="Label Test", decisions="P1",
                                         reference="P2", attribute="sex")}),
    ("symmetric", FAILS, {CELLS: setting("p_two_sided", 0.2, row="Label Test", decisions="P1",
                                         reference="P2", attribute="sex")}),
    ("same-distribution", UNTOLD, {RATERS: setting("dof", 5498.0)}),
    ("more-than-95-confidence", HOLDS, {CELLS: setting("p_two_sided",
                                                       lambda rows: rows["p_one_sided"])}),
    ("more-than-95-confidence", UNTOLD, {CELLS: setting("p_two_sided", 0.3)}),
    ("vgg-16-best", UNTOLD, {}),
    ("robust-against-sampling", HOLDS, both(setting("mean", 30.0, row=LABELS),
                                            setting("in_text", 30.0, row=LABELS))),
    ("robust-against-sampling", UNTOLD, both(setting("mean", 30.0, row=LABELS))),
    ("robust-against-sampling", FAILS, both(setting("mean", 15.0, row=LABELS))),
    ("robust-against-sampling", UNTOLD, {OF_80_20: setting("mean", 20.0, row=LABELS)}),
    ("robust-against-sampling", UNTOLD, both(setting("standard_error", 6.0, row=LABELS))),
    ("models-less-robust", HOLDS, both(setting("mean", 12.0, row=TWO_PEOPLE),
                                       setting("mean", 20.0, row=MODELS))),
    ("models-less-robust", UNTOLD, both(setting("mean", 12.0, row=TWO_PEOPLE),
                                        setting("mean", 29.0, row=MODELS))),
    ("models-less-robust", UNTOLD, both(setting("mean", 30.0, row=MODELS))),
    ("models-less-robust", FAILS, both(setting("mean", 30.0, row=MODELS),
                                       setting("of_printed_cells", 30.0, row=MODELS))),
    ("no-opposite-conclusions", HOLDS, printed(0.1, LARGEST)),
    ("no-opposite-conclusions", FAILS, printed(1.0, OPPOSITE)),
    ("no-opposite-conclusions", FAILS, both(setting("mean", 5.0, row=OPPOSITE))),
    ("no-opposite-conclusions", IN_PART, {OF_80_20: setting("mean", 5.0, row=OPPOSITE)}),
    ("biased-bridge-better", UNTOLD, both(setting("mean", 30.0, row=UNBIASED),
                                         setting("of_printed_cells", 32.0, row=UNBIASED))),
    ("biased-bridge-better", UNTOLD, both(setting("mean", 30.0, row=UNBIASED))),
    ("biased-bridge-better", UNTOLD, {OF_60_40: setting("mean", 30.0, row=UNBIASED)}),
    ("biased-bridge-better", IN_PART, {OF_80_20: setting("missed", 0.6, row=BIASED)}),
    ("biased-bridge-better", UNTOLD, both(setting("standard_error", 5.0, row=BIASED))),
    ("misses-by-training-bias", IN_PART, printed(0.1, MISSED_BY_OTHERS)),
    ("misses-by-training-bias", FAILS, printed(0.3, MISSED_BY_OTHERS)),
    ("misses-by-training-bias", UNTOLD, both(setting("mean", 0.1, row=MISSED_BY_BIASED))),
    ("misses-by-training-bias", HOLDS, printed(0.8, MISSED_BY_BIASED)),
    ("biased-bridge-accurate", IN_PART, {OF_60_40: setting("missed", 0.2, row=AS_WRITTEN)}),
    ("biased-bridge-accurate", UNTOLD, {OF_60_40: setting("mean", 20.0, row=BIASED)}),
    ("biased-bridge-accurate", UNTOLD, printed(20.0, BIASED)),
    ("biased-bridge-accurate", UNTOLD, both(
        setting("mean", 20.0, row=AS_WRITTEN), setting("mean", 20.0, row=BIASED),
        setting("of_printed_cells", 20.0, row=BIASED))),
    ("biased-bridge-all-right", HOLDS, printed(32.0, BIASED)),
    ("biased-bridge-all-right", UNTOLD, both(
        setting("of_printed_cells", 32.0, row=BIASED), setting("share_all", 0.0, row=AS_WRITTEN))),
]  # fmt: skip


def test_a_table_of_an_older_version_cannot_tell(finding_of):
    edits = dict.fromkeys(CONCLUSIONS, lambda frame: frame.drop(columns="sd"))
    finding = finding_of(STUDY, "biased-bridge-better", edits)
    assert finding.verdict == UNTOLD
    assert finding.note.endswith("not all numbers of section 4.")


@pytest.fixture(scope="module")
def numbers(committed):
    """The committed numbers of section 4, by split."""
    return [pd.read_csv(committed / "results" / path).set_index("row") for path in CONCLUSIONS]


def test_27_is_within_the_spread_of_one_60_40_split(numbers, finding_of):
    """The split of the text: more conclusions agree on average than the text says."""
    own, other = (split.loc[LABELS] for split in numbers)
    assert own["mean"] > own["in_text"] == 27
    assert own["share_as_in_text"] > 0.5
    assert own["sd"] == pytest.approx(own["standard_error"] * np.sqrt(own["splits"]), rel=1e-4)
    assert abs(27 - other["mean"]) < other["sd"]
    agree, shares, *_ = finding_of(STUDY, "robust-against-sampling").numbers.values()
    assert [mean.value for mean in agree.ours] == [own["mean"], other["mean"]]
    assert agree.printed == [27, 26]
    assert shares == [own["share_as_in_text"], other["share_as_in_text"]]


def test_e_0_as_algorithm_2_is_written_has_all_32_right_in_some_splits(numbers):
    for own in numbers:
        held_out, as_written = own.loc[BIASED], own.loc[AS_WRITTEN]
        assert as_written["mean"] > held_out["mean"]
        assert 0 == held_out["share_all"] < as_written["share_all"] < 0.2


def test_a_number_said_of_all_cases_is_judged_as_a_conclusion_of_the_list():
    assert set(UNIVERSAL.values()) <= {claim.name for claim in claims_of(STUDY)}


def test_one_sided_p_in_both_directions_finds_10_percent_of_fair_pairs():
    """So a bias is found with 90 % confidence, and one of a direction named before with 95 %."""
    rng = np.random.default_rng(20261123)
    groups = [rng.normal(size=(20_000, n)) for n in (60, 40)]
    test = ttest_ind(*groups, equal_var=False, axis=1)
    found = conclusions(test.statistic, test.pvalue / 2)
    error = np.sqrt(LEVEL * (1 - LEVEL) / len(found))
    assert np.mean(found == 1) == pytest.approx(LEVEL, abs=4 * error)
    assert np.mean(found == -1) == pytest.approx(LEVEL, abs=4 * error)
    assert np.mean(found != 0) == pytest.approx(2 * LEVEL, abs=6 * error)


@pytest.fixture
def shipped_ratings(prepared):
    """The decisions of each rater, and the sex of each item."""
    dataset = prepared("scut_fbp5500")
    people = dataset.frame.filter(regex=r"^decision_P\d").astype(float)
    ratings = {name.removeprefix("decision_"): people[name].to_numpy() for name in people}
    return ratings, dataset.frame["sensitive_sex"].to_numpy()


@pytest.mark.slow
def test_a_pair_of_raters_with_equal_means_has_unlike_variances(finding_of, shipped_ratings):
    of_sex = finding_of(STUDY, "same-distribution").numbers
    ratings, sex = shipped_ratings
    ratios = []
    for a, b in combinations(ratings, 2):
        difference = ratings[a] - ratings[b]
        men, women = difference[sex == 1], difference[sex == 0]
        if ttest_ind(men, women, equal_var=False).pvalue > 0.05:
            ratio = men.var(ddof=1) / women.var(ddof=1)
            ratios.append(max(ratio, 1 / ratio))
    _, fair, unlike, largest = of_sex.values()
    assert (fair, unlike.number) == (len(ratios), sum(ratio >= 1.5 for ratio in ratios))
    assert largest == pytest.approx(max(ratios), rel=1e-3)


@pytest.mark.slow
def test_the_printed_dpd_are_over_the_spread_of_all_items(shipped_ratings):
    ratings, sex = shipped_ratings
    ratings = {**ratings, "Average": np.mean([*ratings.values()], axis=0)}
    rng, found = np.random.default_rng(0), {}
    for rater in ("P2", "P3", "Average"):
        difference = ratings[rater] - ratings["P1"]

        def dpd(items, spread, difference=difference):
            groups = [difference[items & (sex == group)] for group in (0, 1)]
            within = np.concatenate([group - group.mean() for group in groups])
            over = within.std(ddof=2) if spread == "pooled" else difference[items].std(ddof=1)
            return (groups[1].mean() - groups[0].mean()) / over

        everyone = np.full(len(sex), True)
        parts = [rng.permutation(len(sex)) < 0.8 * len(sex) for _ in range(200)]
        sums = [0.8 * dpd(part, "overall") + 0.2 * dpd(~part, "overall") for part in parts]
        found[rater] = [dpd(everyone, "pooled"), dpd(everyone, "overall"), np.std(sums)]
    pooled, overall, spread = np.transpose([*found.values()])
    assert pooled.round(3).tolist() == [0.450, 0.503, 0.487]
    assert overall.round(3).tolist() == [0.439, 0.488, 0.473]
    assert spread.max().round(4) == 0.0004
