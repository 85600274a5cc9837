"""The conclusions of the paper on xAUC, with checks on the ranking of the scores."""

import math

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import Mean, differences, within
from fairpairs.papers.plan.claims import CannotTellError, Claim, Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.xauc.claim_tables import (
    ADULT,
    COMPAS,
    FRAMINGHAM,
    GERMAN,
    HELD_OUT,
    LOGISTIC,
    NAMES,
    NORMAL_SCORES,
    RANKBOOST,
    SECTION_6,
    TABLE_1,
    TEXT,
    Name,
    held_out_mean,
    one_test_set,
    over_splits,
    percent,
    printed,
    rejected,
    size,
    with_error,
)
from fairpairs.papers.studies.xauc.held_out_claims import (
    check_auc,
    check_balanced,
    check_calibration,
    check_decomposition,
    check_persist,
    check_within,
)

#: The disparities by which the text may order the data sets → their rates in Table 1.
DISPARITIES = {"ΔxAUC": "xAUC", "ΔxAUC_0": "xAUC_0"}
#: Disparities of two models that differ by at most this are "essentially similar".
SIMILAR = 0.05
#: Disparities of normal scores below this are 0 up to rounding.
ROUNDED = 1e-9
#: The measures of Table 1, and their names for each group in our tables.
RATES = ("AUC", "Brier", "xAUC", "xAUC_1", "xAUC_0")
OF_TABLE_1 = [
    *("AUC(0)", "AUC(1)", "Brier(0)", "Brier(1)", "xAUC(0,1)", "xAUC(1,0)"),
    *("xAUC_1(0)", "xAUC_1(1)", "xAUC_0(0)", "xAUC_0(1)"),
]


def check_compas(results: Results) -> Finding:
    """Compare the disparity on COMPAS with 0 and with that of the printed cells."""
    first, second = printed(results, "Logistic regression, xAUC")[COMPAS]
    delta = over_splits(results, COMPAS, "ΔxAUC")
    single = one_test_set(results, COMPAS, "ΔxAUC")
    sign, off = differences([(single, Mean(0.0)), (single, Mean(first - second))])
    ours = [over_splits(results, COMPAS, f"xAUC({pair})") for pair in ("0,1", "1,0")]
    reason = (
        f"xAUC is {decimals(ours[0].value, 3)} and {decimals(ours[1].value, 3)} (printed: "
        f"{decimals(first, 3)} and {decimals(second, 3)}; everyone else against Caucasian), so "
        f"ΔxAUC is {with_error(delta, sign=True)} over splits. Its sampling error on one test set "
        f"is {decimals(single.error, 3)}, and its test rejects in "
        f"{percent(rejected(results, COMPAS, 'ΔxAUC'))} of the splits."
    )
    verdict = (IN_PART if off else HOLDS) if sign < 0 else FAILS if sign > 0 else UNTOLD
    return Finding(verdict, reason, (LOGISTIC, TABLE_1))


def check_largest(results: Results) -> Finding:
    """Compare the disparities on COMPAS and Adult with those on the other two data sets."""
    right, wrong, compas, words = [], [], [], []
    for measure, rate in DISPARITIES.items():
        sizes = {name: size(over_splits(results, name, measure)) for name in NAMES}
        pairs = [(a, b) for a in (COMPAS, ADULT) for b in (FRAMINGHAM, GERMAN)]
        signs = differences([(sizes[a], sizes[b]) for a, b in pairs])
        right.append(min(signs) > 0)
        wrong.append(min(signs) < 0)
        compas.append(min(signs[:2]) > 0)
        cells = printed(results, f"Logistic regression, {rate}")
        in_paper = _order({name: abs(a - b) for name, (a, b) in cells.items()})
        ours = _order({name: mean.value for name, mean in sizes.items()})
        words.append(f"By |{measure}|: {ours} (printed: {in_paper})")
    error = held_out_mean(results, GERMAN, "ΔxAUC").error
    reason = (
        f"{'. '.join(words)}. The text does not say by which measure. The sampling error of ΔxAUC "
        f"on all items of German credit is {decimals(error, 3)}, so its place beyond these "
        "data cannot be told."
    )
    in_part = any(right) or (any(wrong) and any(compas))
    verdict = HOLDS if all(right) else IN_PART if in_part else FAILS if all(wrong) else UNTOLD
    return Finding(verdict, reason, (LOGISTIC, TABLE_1, HELD_OUT))


def check_rankboost(results: Results) -> Finding:
    """Compare the disparities by logistic regression and by RankBoost."""
    both = [
        (over_splits(results, n, "ΔxAUC", LOGISTIC), over_splits(results, n, "ΔxAUC", RANKBOOST))
        for n in NAMES
    ]
    words = ", ".join(
        f"{decimals(a.value, 3, sign=True)} and {decimals(b.value, 3, sign=True)} ({name})"
        for (a, b), name in zip(both, NAMES.values(), strict=True)
    )
    ours, in_paper = _apart(results)
    reason = (
        f"ΔxAUC by logistic regression and by RankBoost: {words}. Similar: at most {SIMILAR:g} "
        "apart, with 95 % intervals over splits. In all measures of Table 1 the models are at most "
        f"{decimals(ours, 3)} apart (printed: {decimals(in_paper, 3)}). Two "
        "models suggest, and do not prove, that it holds for others."
    )
    similar = within(both, SIMILAR)
    verdict = UNTOLD if similar is None else HOLDS if similar else FAILS
    if similar is False and any(within([pair], SIMILAR) for pair in both):
        verdict = IN_PART
    return Finding(verdict, reason, (LOGISTIC, RANKBOOST, TABLE_1))


def check_optimised(results: Results) -> Finding:
    """Check whether the scores of RankBoost, which optimises the ranking, have disparities."""
    means = {name: one_test_set(results, name, "ΔxAUC", RANKBOOST) for name in NAMES}
    signs = differences([(mean, Mean(0.0)) for mean in means.values()])
    words = ", ".join(
        f"{with_error(mean, sign=True)} ({NAMES[name]})" for name, mean in means.items()
    )
    reason = (
        f"ΔxAUC of RankBoost, with the sampling error of one test set: {words}. One test set shows "
        f"it on {sum(map(bool, signs))} of {len(signs)} data sets (Holm)."
    )
    return Finding(HOLDS if any(signs) else UNTOLD, reason, (RANKBOOST,))


def check_misranked(results: Results) -> Finding:
    """Compare the number of white recidivists above nearly all others with the printed one."""
    cells = row(table(results, SECTION_6, text=("row",)), row="COMPAS, white recidivists")
    repeats = over_splits(results, COMPAS, "ΔxAUC").runs
    mean = Mean(cells["Number"], cells["Number (standard error)"], repeats)
    in_text = Mean(cells["Number (published)"])
    spread = mean.error * math.sqrt(repeats)
    # the paper counts them on one test set
    one = Mean(mean.value, math.hypot(spread, mean.error), repeats)
    if math.isnan(one.error):
        raise CannotTellError("One split has no spread.", SECTION_6)
    reason = (
        f"{decimals(mean.value, 1)} white recidivists in a test set are ranked above at least nine "
        f"of ten black non-recidivists, with a standard deviation of {decimals(spread, 1)} over "
        f"{repeats:.0f} splits (printed: {decimals(in_text.value, 0)} above “nearly all”)."
    )
    (off,) = differences([(one, in_text)])
    return Finding(FAILS if off else HOLDS, reason, (SECTION_6, LOGISTIC))


def check_equal_means(results: Results) -> Finding:
    """Compare the sign of ΔxAUC of normal scores of equal means with that of section 6."""
    frame = table(results, NORMAL_SCORES)
    if frame.empty or frame.isna().to_numpy().any():
        raise CannotTellError("The run has not all numbers that it rests on.", NORMAL_SCORES)
    disparate = frame["difference"] != 0
    right = frame["disparity"] * frame["difference"] > 0
    without = frame[~disparate & (frame["disparity"].abs() < ROUNDED)]
    unlike = (without["sd_0_1"] != without["sd_1_1"]) | (without["sd_0_0"] != without["sd_1_0"])
    largest = frame["disparity"].abs().max()
    reason = (
        f"By the closed form, ΔxAUC has the sign of (σ²_a0 − σ²_a1) − (σ²_b0 − σ²_b1) for all "
        f"{disparate.sum()} combinations of four standard deviations in which that is not 0, up to "
        f"{decimals(largest, 2)}, and is 0 for the {len(without)} others. In {unlike.sum()} of "
        "these the groups have unlike spreads, too: what counts is the difference between the "
        "labels, as the text says just before."
    )
    holds = right[disparate].all() and len(without) == (~disparate).sum()
    verdict = HOLDS if holds else IN_PART if right[disparate].any() else FAILS
    return Finding(verdict, reason, (NORMAL_SCORES,))


def _apart(results: Results) -> tuple[float, float]:
    """Return the largest difference between the models in Table 1: by our means, and printed."""
    means = []
    for file in (LOGISTIC, RANKBOOST):
        frame = table(results, file, text=TEXT)
        in_table = pd.MultiIndex.from_frame(frame[["dataset", "attribute"]]).isin(NAMES)
        rows = frame[in_table & (frame["treatment"] == "none") & frame["measure"].isin(OF_TABLE_1)]
        means.append(rows.set_index(["dataset", "attribute", "measure"])["mean"])
    frame = table(results, TABLE_1, text=("row",))
    columns = [column for column in frame.columns if column.endswith("(published)")]
    cells = [
        [row(frame, row=f"{model}, {rate}")[columns] for rate in RATES]
        for model in ("Logistic regression", "RankBoost cal.")
    ]
    first, second = (np.array(numbers, dtype=np.float64) for numbers in cells)
    return float((means[0] - means[1]).abs().max()), float(np.abs(first - second).max())


def _order(sizes: dict[Name, float]) -> str:
    ordered = sorted(sizes, key=lambda name: -sizes[name])
    return ", ".join(f"{NAMES[name]} {decimals(sizes[name], 3)}" for name in ordered)


#: What the paper does not give, so that RankBoost can be redone, not recomputed.
ROUNDS = "the rounds and the folds of RankBoost"

CLAIMS = [
    Claim(
        "not-evident-within-groups",
        "In scores of recidivism, income and heart disease, xAUC shows disparities that the AUCs "
        "within the groups do not show.",
        "abstract; sections 5.1 and 5.2",
        check_within,
        quote="recidivism prediction, income prediction, and cardiac arrest prediction, where it "
        "describes disparities that are not evident from simply comparing within-group predictive "
        "performance",
    ),
    Claim(
        "auc-decomposes",
        "The AUC of all items is a weighted mean of the xAUCs and the AUCs within groups, of the "
        "xAUC_1 alone and of the xAUC_0 alone.",
        "section 4, Proposition 1",
        check_decomposition,
        quote="the population AUC decomposes as weighted combinations of the xAUC and within-class "
        "AUCs, or the balanced decompositions",
    ),
    Claim(
        "calibrated-by-group",
        "On COMPAS, the scores of logistic regression are well calibrated for all people and for "
        "each group.",
        "section 5.1",
        check_calibration,
        quote="The score is overall well-calibrated (as well as calibrated by group)",
    ),
    Claim(
        "any-model",
        "RankBoost has essentially the same metrics as logistic regression, which suggests that "
        "the disparities do not depend on the model.",
        "section 5.1",
        check_rankboost,
        quote="essentially similar performance across these metrics, suggesting that the behavior "
        "of xAUC disparities is independent of model specification or complexity",
        redone=ROUNDS,
    ),
    Claim(
        "also-where-auc-is-optimised",
        "Methods that optimise the AUC of all items may have disparities between groups, too.",
        "section 5.1",
        check_optimised,
        quote="methods which directly optimize the population AUC error may still incur these "
        "group-level error disparities",
        redone=ROUNDS,
    ),
    Claim(
        "higher-auc-for-black-people",
        "On COMPAS, the AUC within the group is a little higher for black people than for white "
        "people.",
        "section 5.1",
        check_auc,
        quote="in fact, the AUC is slightly higher for the black population",
    ),
    Claim(
        "compas-inequity",
        "On COMPAS, a black person who does not reoffend is ranked above a white person who does "
        "less often than a white person who does not above a black person who does: ΔxAUC is "
        "−0.21.",
        "section 5.1",
        check_compas,
        quote="gap of −0.21 is precisely the cross-group accuracy inequity that simply comparing "
        "within-group AUC does not capture",
    ),
    Claim(
        "larger-among-negatives",
        "On COMPAS, the disparity of xAUC_0 is larger than that of xAUC_1.",
        "section 5.1",
        check_balanced,
        quote="since the … disparity is larger in absolute terms, it seems that misranking errors "
        "result in inordinate benefit of the doubt",
    ),
    Claim(
        "on-all-data-sets",
        "There are xAUC disparities on Framingham, German credit and Adult, too.",
        "section 5.2",
        check_persist,
        quote="Overall, Fig. 3 shows that these xAUC disparities persist",
    ),
    Claim(
        "largest-on-compas-and-adult",
        "The disparities are largest on COMPAS and Adult.",
        "section 5.2",
        check_largest,
        quote="the disparities are largest for the COMPAS and the large Adult dataset",
    ),
    Claim(
        "unequal-with-equal-means",
        "Scores of equal means in both groups have unequal xAUCs if the groups differ in how much "
        "less precise the scores of one label are than those of the other.",
        "section 6",
        check_equal_means,
        quote="disparate precision leads to xAUC disparities even with equal mean scores",
    ),
    Claim(
        "white-recidivists-above-nearly-all",
        "On COMPAS, 15 white people who reoffend are ranked above nearly all black people who do "
        "not.",
        "section 6",
        check_misranked,
        quote="there are 15 white recidivators who are misranked above nearly all black "
        "non-recidivators",
        redone="nine of ten for “nearly all”",
    ),
]
