"""The checks of claims.yaml, on the ranking of the scores."""

import math
from collections.abc import Mapping
from functools import partial
from statistics import NormalDist

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.plan import claim_tests as tests
from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, Printed
from fairpairs.papers.plan.claims import Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.xauc.held_out import NEARLY_NONE

Name = tuple[str, str]

LOGISTIC, RANKBOOST = "ranking_logistic_regression", "ranking_rankboost"
HELD_OUT, CALIBRATION = f"held_out/{LOGISTIC}", f"calibration/{LOGISTIC}"
#: The experiment with the file of violent crimes, and the name of this.
FURTHER, VIOLENT = "more_classification", ("compas_violent", "race")
#: Data set and attribute of Table 1, in its order → what the paper calls it.
NAMES: dict[Name, str] = {
    ("compas_filtered", "race"): "COMPAS",
    ("framingham", "sex"): "Framingham",
    ("german_age_25", "age"): "German credit",
    ("adult", "race"): "Adult",
}
COMPAS, FRAMINGHAM, GERMAN, ADULT = NAMES
#: Framingham without the feature that is known only later, and with the label of the text.
CODINGS = {
    ("framingham_without_followup", "sex"): "Framingham without the time to the event",
    ("framingham_ten_years", "sex"): "Framingham within ten years",
}
#: Scores of a group at most this far from the shares of label 1 are "well-calibrated".
CALIBRATED = 0.05
#: A disparity that is smaller does not "persist".
NEGLIGIBLE = 0.01
#: The xAUC of Cohen's small effect, scores a fifth of a standard deviation apart; less is "nearly
#: indistinguishable".
SMALL = NormalDist().cdf(0.2 / math.sqrt(2))
#: A difference of AUCs of at most this is slight.
SLIGHT = 0.1
#: Disparities of two models that differ by at most this are "essentially similar".
SIMILAR = 0.05
#: The largest rounding error of a sum of rates with six digits, and that of a closed form.
ROUNDING, ROUNDED = 1e-5, 1e-9
#: The rates of the first, the second and the third decomposition.
PARTS = (
    ("AUC(0)", "AUC(1)", "xAUC(0,1)", "xAUC(1,0)"),
    ("xAUC_1(0)", "xAUC_1(1)"),
    ("xAUC_0(0)", "xAUC_0(1)"),
)
#: The groups of the positive and the negative item.
PAIRS = ("0,1", "1,0")
#: The rates of Table 1, and the measures of our tables that are compared with them.
RATES = ("AUC", "Brier", "xAUC", "xAUC_1", "xAUC_0")
OF_TABLE_1 = [*PARTS[0], *PARTS[1], *PARTS[2], "Brier(0)", "Brier(1)"]

#: The xAUCs of normal scores by their separation and spreads.
_normal_scores = partial(table, path="normal_scores", needed=["xauc", "disparity"])


def not_evident_within_groups(results: Results) -> Finding:
    """Check which disparities are significant, and whether the AUCs within groups show them."""
    names = {n: NAMES[n] for n in (COMPAS, ADULT, FRAMINGHAM)} | _codings(results)
    shown = _signs([_held_out(results, n, m) for n in names for m in ("ΔxAUC", "ΔAUC")])
    pairs = list(zip(shown[::2], shown[1::2], strict=True))
    hidden = [across not in (0, inside) for across, inside in pairs]
    evident = [across != 0 and inside == across for across, inside in pairs]
    in_part = any(hidden) and any(evident)
    verdict = HOLDS if all(hidden) else FAILS if all(evident) else IN_PART if in_part else UNTOLD
    return Finding(verdict, _disparities(results, names, "ΔxAUC", "ΔAUC"))


def auc_decomposes(results: Results) -> Finding:
    """Compute the AUC of each data set from the parts of Proposition 1."""
    off, groups = [], table(results, HELD_OUT).groupby(["dataset", "attribute"])
    for _, frame in groups:
        rates = frame.set_index("measure").reindex(["AUC", *sum(PARTS, ())])
        pairs = rates["positives"] * rates["negatives"]
        parts = rates["estimate"] * pairs / pairs["AUC"]
        off += [abs(parts[list(part)].sum(skipna=False) - parts["AUC"]) for part in PARTS]
    largest = Mean(float(np.max(off))).value
    numbers = {
        "largest difference, to 5 digits": round(largest, 5),
        "data sets and attributes": len(groups),
    }
    return Finding(HOLDS if largest < ROUNDING else FAILS, numbers)


def calibrated_by_group(results: Results) -> Finding:
    """Compare the scores on COMPAS with the shares of label 1, of all and of each group."""
    frame = table(results, CALIBRATION)
    dataset, attribute = COMPAS
    rows = [row(frame, dataset=dataset, attribute=attribute, group=g) for g in ("all", "1", "0")]
    means = [Mean(cells["deviation"], cells["standard_error"]) for cells in rows]
    # one-sided, by Bonferroni; chance alone makes a deviation larger, so the lower bound is doubled
    times = NormalDist().inv_cdf(1 - tests.LEVEL / len(means))
    right = [mean.value + times * mean.error <= CALIBRATED for mean in means]
    wrong = [mean.value - 2 * times * mean.error > CALIBRATED for mean in means]
    numbers = {
        "mean distance from the shares of label 1 (all, white people, everyone else)": means,
        "calibration slopes": [Mean(cells["slope"], cells["slope_error"]) for cells in rows],
    }
    verdict = HOLDS if all(right) else FAILS if all(wrong) else IN_PART if any(wrong) else UNTOLD
    return Finding(verdict, numbers)


def any_model(results: Results) -> Finding:
    """Compare the disparities by logistic regression and by RankBoost."""
    pairs = {
        f"ΔxAUC by logistic regression and RankBoost, {title}": (
            _splits(results, name, "ΔxAUC"),
            _splits(results, name, "ΔxAUC", RANKBOOST),
        )
        for name, title in NAMES.items()
    }
    numbers = {**pairs, "largest difference in Table 1": _apart(results)}
    return Finding(tests.near([*pairs.values()], SIMILAR), numbers)


def _apart(results: Results) -> Printed:
    """Return the largest difference between the models in Table 1: by our means, and printed."""
    means = []
    for file in (LOGISTIC, RANKBOOST):
        frame = table(results, file)
        in_table = pd.MultiIndex.from_frame(frame[["dataset", "attribute"]]).isin(NAMES)
        rows = frame[in_table & (frame["treatment"] == "none") & frame["measure"].isin(OF_TABLE_1)]
        means.append(rows.set_index(["dataset", "attribute", "measure"])["mean"])
    first, second = (
        np.array([_printed(results, f"{model}, {rate}") for rate in RATES])
        for model in ("Logistic regression", "RankBoost cal.")
    )
    return Printed(float((means[0] - means[1]).abs().max()), float(np.abs(first - second).max()))


def also_where_auc_is_optimised(results: Results) -> Finding:
    """Check whether the scores of RankBoost, which optimises the ranking, have disparities."""
    means = [_test_set(results, name, "ΔxAUC", RANKBOOST) for name in NAMES]
    signs = tests.differences([(mean, Mean(0.0)) for mean in means])
    numbers = {
        f"ΔxAUC on one test set ({', '.join(NAMES.values())})": means,
        "data sets on which one test set shows it (Holm)": Count.of(signs),
    }
    return Finding(HOLDS if any(signs) else UNTOLD, numbers)


def higher_auc_for_black_people(results: Results) -> Finding:
    """Ask for which group of COMPAS the AUC is higher, and whether slightly."""
    (sign,) = _signs([_held_out(results, COMPAS, "ΔAUC")])
    difference = _all_items(results, COMPAS, "ΔAUC")
    slight = tests.within([(difference, Mean(0.0))], SLIGHT)
    of_groups = [_all_items(results, COMPAS, f"AUC({group})") for group in (0, 1)]
    numbers = {
        "AUC of everyone but white people, and of white people": of_groups,
        "difference of the two": difference,
    }
    verdict = tests.BY_SIGN[sign]
    if verdict == HOLDS and not slight:
        verdict = FAILS if slight is False else UNTOLD
    return Finding(verdict, numbers)


def compas_inequity(results: Results) -> Finding:
    """Compare the disparity on COMPAS with 0 and with that of the printed cells."""
    single = _test_set(results, COMPAS, "ΔxAUC")
    printed = _printed(results, "Logistic regression, xAUC")[:2]
    sign, off = tests.differences([(single, Mean(0.0)), (single, Mean(printed[0] - printed[1]))])
    ours = [_splits(results, COMPAS, f"xAUC({pair})") for pair in PAIRS]
    numbers = {
        "xAUC(0,1) and xAUC(1,0)": Printed(ours, printed),
        "ΔxAUC": _splits(results, COMPAS, "ΔxAUC"),
        "ΔxAUC on one test set": single,
        "share of splits whose test rejects": _cells(results, COMPAS, "ΔxAUC")["rejected"],
    }
    if (results.folder / f"results/tables/xauc/{FURTHER}.csv").exists():
        both = [_test_set(results, VIOLENT, measure, FURTHER) for measure in ("ΔxAUC", "ΔAUC")]
        numbers["ΔxAUC and ΔAUC on one test set, violent recidivism"] = both
    verdict = tests.BY_SIGN[-sign]
    return Finding(IN_PART if verdict == HOLDS and off else verdict, numbers)


def nearly_indistinguishable(results: Results) -> Finding:
    """Ask whether the rate on COMPAS is nearer to chance than that of a small effect."""
    rate = _all_items(results, COMPAS, "xAUC(0,1)")
    (sign,) = tests.differences([(Mean(SMALL), rate)])
    numbers = {
        "xAUC(0,1) on all held-out items (0.5 by chance)": rate,
        "standard deviations between normal scores of this xAUC": math.sqrt(2)
        * NormalDist().inv_cdf(rate.value),
        "xAUC of a fifth of a standard deviation": SMALL,
    }
    return Finding(tests.BY_SIGN[sign], numbers)


def larger_among_negatives(results: Results) -> Finding:
    """Compare the two balanced disparities on COMPAS."""
    both = [abs(_all_items(results, COMPAS, kind)) for kind in ("ΔxAUC_0", "ΔxAUC_1")]
    (sign,) = tests.differences([(both[0], both[1])])
    return Finding(tests.BY_SIGN[sign], {"|ΔxAUC_0| and |ΔxAUC_1| on all held-out items": both})


def on_all_data_sets(results: Results) -> Finding:
    """Ask whether there is a disparity on each data set."""
    shown = _signs([_held_out(results, name, "ΔxAUC") for name in NAMES])
    numbers = _disparities(results, NAMES, "ΔxAUC")
    if all(shown):
        return Finding(HOLDS, numbers)
    means = [_all_items(results, name, "ΔxAUC") for name in NAMES]
    small = [tests.within([(mean, Mean(0.0))], NEGLIGIBLE) is True for mean in means]
    return Finding(FAILS if all(small) else IN_PART if any(small) else UNTOLD, numbers)


def largest_on_compas_and_adult(results: Results) -> Finding:
    """Compare the disparities on COMPAS and Adult with those on the other two data sets."""
    right, wrong, compas, numbers = [], [], [], Numbers()
    for rate in ("xAUC", "xAUC_0"):
        sizes = {name: abs(_splits(results, name, f"Δ{rate}")) for name in NAMES}
        pairs = [(sizes[a], sizes[b]) for a in (COMPAS, ADULT) for b in (FRAMINGHAM, GERMAN)]
        signs = tests.differences(pairs)
        right.append(min(signs) > 0)
        wrong.append(min(signs) < 0)
        compas.append(min(signs[:2]) > 0)
        cells = _printed(results, f"Logistic regression, {rate}")
        in_paper = [abs(a - b) for a, b in zip(cells[::2], cells[1::2], strict=True)]
        name = f"|Δ{rate}| ({', '.join(NAMES.values())})"
        numbers[name] = Printed([*sizes.values()], in_paper)
    numbers["ΔxAUC on all items of German credit"] = _all_items(results, GERMAN, "ΔxAUC")
    in_part = any(right) or (any(wrong) and any(compas))
    verdict = HOLDS if all(right) else IN_PART if in_part else FAILS if all(wrong) else UNTOLD
    return Finding(verdict, numbers)


def perfect_and_random(results: Results) -> Finding:
    """Ask for the xAUCs of normal scores without errors, and of those with equal means."""
    frame = _normal_scores(results)
    both = np.array([frame["xauc"], frame["xauc"] - frame["disparity"]])
    perfect, random = frame["separation"] == frame["separation"].max(), frame["separation"] == 0
    counts = {
        name: Count.of(np.abs(both[:, of] - rate).ravel() < ROUNDED)
        for name, of, rate in (
            ("xAUCs of 1 where no pair is ranked wrong", perfect, 1),
            ("xAUCs of 0.5 where scores are random", random, 0.5),
        )
    }
    return Finding(_of_all(counts), counts)


def precision_and_separation(results: Results) -> Finding:
    """Ask whether xAUC rises where a variance falls, and where the means are further apart."""
    frame = _normal_scores(results)
    frame = frame[frame["xauc"].between(0.5, 1, inclusive="neither")]
    keys = ["separation", "sd_0_1", "sd_1_0"]
    rates = frame.drop_duplicates(keys).set_index(keys)["xauc"]
    rises = {name: rates.unstack(name).diff(axis=1).iloc[:, 1:].to_numpy() for name in keys}
    falls = np.concatenate([rises["sd_0_1"].ravel(), rises["sd_1_0"].ravel()]) < 0
    counts = {
        "steps to a smaller variance that raise xAUC": Count.of(falls),
        "steps to a larger separation that raise xAUC": Count.of(rises["separation"].ravel() > 0),
    }
    return Finding(_of_all(counts), counts)


def unequal_with_equal_means(results: Results) -> Finding:
    """Compare the sign of ΔxAUC of normal scores of equal means with that of section 6."""
    frame = _normal_scores(results)
    frame = frame[frame["separation"] == 1]
    disparate, sizes = frame["difference"] != 0, frame["disparity"].abs()
    right = Count.of((frame["disparity"] * frame["difference"] > 0)[disparate])
    none = Count.of((sizes < ROUNDED)[~disparate])
    without = ~disparate & (sizes < ROUNDED)
    unlike = (frame["sd_0_1"] != frame["sd_1_1"]) | (frame["sd_0_0"] != frame["sd_1_0"])
    numbers = {
        "combinations of spreads with the sign of the difference": right,
        "largest |ΔxAUC|": sizes.max(),
        "combinations without a difference that have ΔxAUC 0": none,
        "of these with unlike spreads of the groups": (without & unlike).sum(),
    }
    holds = all(number == cases for number, cases in (right, none))
    return Finding(HOLDS if holds else IN_PART if right.number else FAILS, numbers)


def light_and_heavy_tails(results: Results) -> Finding:
    """Compare the shares of negative items on COMPAS above nearly all positive ones."""
    tails = [_all_items(results, COMPAS, f"xAUC({pair}) ≤ {NEARLY_NONE}") for pair in PAIRS]
    (sign,) = tests.differences([(tails[0], tails[1])])
    numbers = {
        "share of white people who reoffend ranked above nine of ten others who do not": tails[0],
        "share of others who reoffend ranked above nine of ten white people who do not": tails[1],
    }
    return Finding(tests.BY_SIGN[sign], numbers)


def white_recidivists_above_nearly_all(results: Results) -> Finding:
    """Compare the number of white recidivists above nearly all others with the printed one."""
    cells = row(table(results, "section_6"), row="COMPAS, white recidivists")
    repeats = _splits(results, COMPAS, "ΔxAUC").runs
    mean = Mean(cells["Number"], cells["Number (standard error)"], repeats)
    in_text = Mean(cells["Number (published)"])
    spread = mean.error * math.sqrt(repeats)
    # the paper counts them on one test set
    one = Mean(mean.value, math.hypot(spread, mean.error), repeats)
    if math.isnan(one.error):
        raise CannotTellError("One split has no spread.")
    (off,) = tests.differences([(one, in_text)])
    numbers = {
        "people in a test set": Printed(mean, in_text),
        f"standard deviation over {repeats:.0f} splits": spread,
    }
    return Finding(FAILS if off else HOLDS, numbers)


def _of_all(counts: Mapping[str, Count]) -> str:
    """Return the verdict on what is claimed of all cases of several kinds."""
    return tests.agreeing(tests.by_all(number, cases) for number, cases in counts.values())


def _cells(results: Results, name: Name, measure: str, file: str = LOGISTIC) -> Series:
    """Return the row of a measure over the splits, or of all held-out items."""
    dataset, attribute = name
    keys = {} if file == HELD_OUT else {"treatment": "none"}
    frame = table(results, file)
    return row(frame, dataset=dataset, attribute=attribute, measure=measure, **keys)


def _splits(results: Results, name: Name, measure: str, file: str = LOGISTIC) -> Mean:
    """Return the mean of a measure over the splits."""
    return Mean.of(_cells(results, name, measure, file))


def _test_set(results: Results, name: Name, measure: str, file: str = LOGISTIC) -> Mean:
    """Return the mean over the splits with DeLong's standard error of one test set."""
    cells = _cells(results, name, measure, file)
    return Mean(cells["mean"], float(cells["own_error"]))


def _held_out(results: Results, name: Name, measure: str) -> Series:
    """Return the row of a measure on all held-out items."""
    cells = _cells(results, name, measure, HELD_OUT)
    if not np.isfinite([cells["estimate"], cells["standard_error"]]).all():
        raise CannotTellError("The run has not all numbers that it rests on.")
    return cells


def _all_items(results: Results, name: Name, measure: str) -> Mean:
    """Return a measure of all held-out items with DeLong's standard error."""
    cells = _held_out(results, name, measure)
    return Mean(cells["estimate"], cells["standard_error"])


def _disparities(results: Results, names: dict[Name, str], *measures: str) -> Numbers:
    """Return differences on all held-out items, and those on other codings of Framingham."""
    return {
        f"{' and '.join(measures)}, {title}": [_all_items(results, name, m) for m in measures]
        for name, title in {**names, **_codings(results)}.items()
    }


def _codings(results: Results) -> dict[Name, str]:
    """Return the other codings of Framingham in this run."""
    run = set(table(results, HELD_OUT)["dataset"])
    return {name: title for name, title in CODINGS.items() if name[0] in run}


def _signs(gaps: list[Series]) -> list[int]:
    """Return the sign of each difference on all held-out items, 0 if not significant (Holm)."""
    pvalues = adjusted(np.array([gap["pvalue"] for gap in gaps], dtype=np.float64), "holm")
    return [
        int(np.sign(gap["estimate"])) if p < tests.LEVEL else 0
        for gap, p in zip(gaps, pvalues, strict=True)
    ]


def _printed(results: Results, name: str) -> list[float]:
    """Return the printed numbers of a row of Table 1: two of each data set."""
    cells = row(table(results, "table_1"), row=name)
    return [float(cells[column]) for column in cells.index if column.endswith("(published)")]
