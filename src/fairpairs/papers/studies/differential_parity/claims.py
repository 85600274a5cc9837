"""The checks of claims.yaml, on Table 3 and section 4.

Those of section 4 count conclusions over splits of the images, and are checked on both splits: the
60 % and 40 % that the text states, and the 80 % and 20 % that the printed numbers fit. A printed
number is of one split, so it is compared with the spread of one.
"""

import math

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, Printed
from fairpairs.papers.plan.claim_tests import by_all, by_signs, differences
from fairpairs.papers.plan.claims import Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.differential_parity import bridge_summaries as rows

#: The cells of Table 3, and the numbers of each split, 60/40 and 80/20.
CELLS = "bridges/split_80_20"
CONCLUSIONS = ("bridges/split_60_40_conclusions", "bridges/split_80_20_conclusions")
#: Differences below this are rounding: tables have six digits.
NEGLIGIBLE = 1e-5
#: A share of right conclusions above this is called a high accuracy.
HIGH = 0.8
#: 95 % intervals that miss more often than this do not cover.
MISSED = 0.1
#: The largest rounding error of a printed effect size; counts have none.
HALF = 0.005


def symmetric(results: Results) -> Finding:
    """Compare each two people's labels with the same two the other way round."""
    keys = ["attribute", "row", "decisions", "reference"]
    cells = table(results, CELLS)
    labels = cells.loc[cells["row"].str.startswith("Label"), [*keys, "dpd", "p_two_sided"]]
    swapped = labels.rename(columns={"decisions": "reference", "reference": "decisions"})
    both = labels.merge(swapped, on=keys, suffixes=("", "_swapped"))
    if both.empty or both.isna().any(axis=None):
        raise CannotTellError(f"results/{cells.attrs['path']} has not all labels.")
    mirrored = (both["dpd"] + both["dpd_swapped"]).abs() <= NEGLIGIBLE
    mirrored &= (both["p_two_sided"] - both["p_two_sided_swapped"]).abs() <= NEGLIGIBLE
    numbers = {"comparisons of labels that mirror": Count.of(mirrored)}
    return Finding(HOLDS if mirrored.all() else FAILS, numbers)


def more_than_95_confidence(results: Results) -> Finding:
    """Ask how often the paper's rule, in both directions, calls a fair pair biased."""
    cells = table(results, CELLS)
    above = cells[cells["p_one_sided"] > NEGLIGIBLE]
    times = above["p_two_sided"] / above["p_one_sided"]
    if times.empty or times.isna().any() or times.max() - times.min() > 0.001:
        raise CannotTellError(f"results/{cells.attrs['path']} has not all p-values of a test.")
    both = float(times.median())
    numbers = {
        f"two-sided p over one-sided p, in all {len(above)} cells with p above 0": both,
        "confidence for a direction that is named beforehand": 1 - rows.LEVEL,
        "confidence for either direction": 1 - both * rows.LEVEL,
    }
    return Finding(IN_PART if both > 1 else HOLDS, numbers)


def vgg_16_best(results: Results) -> Finding:
    """Say why the networks are not compared."""
    table(results, CELLS)
    raise CannotTellError(
        "It is not tested: the project has neither ResNet-50 nor AlexNet, and this run no VGG-16, "
        "whose weights are unavailable."
    )


def robust_against_sampling(results: Results) -> Finding:
    """Ask how many conclusions on labels agree between two parts of the images."""
    same, fixed = _lines(results, rows.LABELS), _same_person_cases(results)
    others = [_share(line, fixed) for line in same]
    verdict = by_signs(differences([(share, Mean(0.5)) for share in others]))
    fewer = differences([(Mean(line["in_text"]), _one_split(line)) for line in same])
    numbers = {
        f"conclusions on labels that agree, of {same[0]['cases']:g}": _means(same),
        "share of splits with as many as in the text": _each(same, "share_as_in_text"),
        "conclusions of a rater and oneself, which cannot differ": fixed,
        "share of the others that agree": others,
    }
    return Finding(IN_PART if verdict == HOLDS and 1 in fewer else verdict, numbers)


def models_less_robust(results: Results) -> Finding:
    """Compare how many conclusions agree, with labels alone and with models."""
    labels, models = _lines(results, rows.LABELS), _lines(results, rows.MODELS)
    two_people, fixed = _lines(results, rows.TWO_PEOPLE), _same_person_cases(results)
    alone, with_models = [_share(n, fixed) for n in labels], [_share(n) for n in two_people]
    pairs = [*_pairs(labels, models), *zip(alone, with_models, strict=True)]
    numbers = {
        f"conclusions on labels that agree, of {labels[0]['cases']:g}": _means(labels),
        "conclusions with models that agree": _means(models),
        "share on labels that agree, of two people": alone,
        "share with models that agree, of two people": with_models,
    }
    return Finding(_as_printed(by_signs(differences(pairs)), labels, models), numbers)


def no_opposite_conclusions(results: Results) -> Finding:
    """Ask whether conclusions that do not agree are opposite, or of a large effect."""
    opposite, largest = _lines(results, rows.OPPOSITE), _lines(results, rows.LARGEST)
    numbers = {
        "opposite conclusions": _means(opposite),
        "share of splits without any": _each(opposite, "share_as_in_text"),
        "largest DPD of an inconsistent case": _means(largest),
        "share of splits with at most 0.1": _each(largest, "share_as_in_text"),
    }
    return Finding(by_all(_as_stated(opposite) + _as_stated(largest), 2), numbers)


def biased_bridge_better(results: Results) -> Finding:
    """Compare the conclusions of the two bridges, and how often their intervals miss."""
    biased, unbiased = _lines(results, rows.BIASED), _lines(results, rows.UNBIASED)
    verdict = by_signs(differences(_pairs(biased, unbiased)))
    covers = all(a["missed"] < b["missed"] for a, b in zip(biased, unbiased, strict=True))
    numbers = {
        f"right by the biased bridge, of {biased[0]['cases']:g}": _means(biased),
        "right by the unbiased bridge": _means(unbiased),
        "share of 95 % intervals that miss, biased": _each(biased, "missed"),
        "share of 95 % intervals that miss, unbiased": _each(unbiased, "missed"),
    }
    if verdict == HOLDS and not covers:
        return Finding(IN_PART, numbers)
    return Finding(_as_printed(verdict, biased, unbiased), numbers)


def misses_by_training_bias(results: Results) -> Finding:
    """Check whether the unbiased bridge is wrong if its model is biased on its training data."""
    biased = _lines(results, rows.MISSED_BY_BIASED)
    others = _lines(results, rows.MISSED_BY_OTHERS)
    shown = all(sign > 0 for sign in differences(_pairs(biased, others)))
    verdict, printed = HOLDS if shown else UNTOLD, Mean(others[0]["of_printed_cells"]).value
    if printed > 0:
        verdict = IN_PART if biased[0]["of_printed_cells"] > printed else FAILS
    numbers = {
        "right by the unbiased bridge": _means(_lines(results, rows.UNBIASED)),
        "share wrong, model biased on its training data": _means(biased),
        "share wrong, other models": _means(others),
    }
    return Finding(verdict, numbers)


def biased_bridge_accurate(results: Results) -> Finding:
    """Check whether most conclusions of the biased bridge are right, and its intervals cover."""
    both, numbers = _biased_bridge(results, "share of 95 % intervals that miss", "missed")
    signs = differences([(_share(line), Mean(HIGH)) for line in both])
    verdict = by_signs([*signs, int(np.sign(_share_printed(both[0]) - HIGH))])
    covers = max(line["missed"] for line in both) <= MISSED
    return Finding(IN_PART if verdict == HOLDS and not covers else verdict, numbers)


def biased_bridge_all_right(results: Results) -> Finding:
    """Ask whether all conclusions of the biased bridge are right."""
    both, numbers = _biased_bridge(results, "share of splits with all right", "share_all")
    likely = max(line["share_all"] for line in both) >= rows.LEVEL
    verdict = FAILS if _share_printed(both[0]) < 1 else HOLDS if likely else UNTOLD
    return Finding(verdict, numbers)


def _lines(results: Results, name: str) -> list[Series]:
    """Return a row of section 4 on each split, with its `mean` as a Mean."""
    lines = [row(table(results, path), row=name) for path in CONCLUSIONS]
    if any("sd" not in line or math.isnan(line["cases"]) for line in lines):
        raise CannotTellError("The run has not all numbers of section 4.")
    means = [Mean(line["mean"], line["standard_error"], line["splits"]) for line in lines]
    return [pd.Series({**line, "mean": mean}) for line, mean in zip(lines, means, strict=True)]


def _one_split(line: Series) -> Mean:
    """Return what one further split would give."""
    runs = line["splits"]
    error = line["sd"] * math.sqrt(1 + 1 / runs) if runs else math.nan
    return Mean(line["mean"].value, error, runs)


def _share(line: Series, without: int = 0) -> Mean:
    """Return the share of the cases, leaving out `without` cases that always agree."""
    mean, cases = line["mean"], int(line["cases"]) - without
    return Mean((mean.value - without) / cases, mean.error / cases, mean.runs)


def _share_printed(line: Series) -> float:
    """Return the share of the cases by the printed cells."""
    return Mean(line["of_printed_cells"] / line["cases"]).value


def _same_person_cases(results: Results) -> int:
    """Return how many comparisons are of a rater with oneself."""
    cases, different = (
        int(_lines(results, name)[0]["cases"]) for name in (rows.LABELS, rows.TWO_PEOPLE)
    )
    if different == 0:
        raise CannotTellError("All cases compare a rater with oneself.")
    return cases - different


def _as_stated(lines: list[Series]) -> bool:
    """Return whether neither the printed cells nor our splits exceed a bound of the text."""
    bound = Mean(lines[0]["in_text"] + HALF)
    exceeded = differences([(_one_split(line), bound) for line in lines])
    within = Mean(lines[0]["of_printed_cells"]).value <= bound.value
    return within and not all(sign > 0 for sign in exceeded)


def _as_printed(verdict: str, more: list[Series], less: list[Series]) -> str:
    """Return a verdict, which fails only if the printed cells contradict the claim, too."""
    contradict = more[0]["of_printed_cells"] < less[0]["of_printed_cells"]
    return UNTOLD if verdict == FAILS and not contradict else verdict


def _pairs(first: list[Series], second: list[Series]) -> list[tuple[Mean, Mean]]:
    """Return the means of two rows on each split."""
    return [(a["mean"], b["mean"]) for a, b in zip(first, second, strict=True)]


def _each(lines: list[Series], column: str) -> list[object]:
    """Return a cell of each split."""
    return [line[column] for line in lines]


def _means(lines: list[Series]) -> object:
    """Return our mean on each split, beside the text's number and that of the printed cells."""
    printed = lines[0][["in_text", "of_printed_cells"]].dropna().unique().tolist()
    return Printed(_each(lines, "mean"), printed) if printed else _each(lines, "mean")


def _biased_bridge(results: Results, name: str, column: str) -> tuple[list[Series], Numbers]:
    """Return the rows of the biased bridge by where E_0 is from, and its numbers with a cell."""
    held_out, as_written = _lines(results, rows.BIASED), _lines(results, rows.AS_WRITTEN)
    numbers = {
        f"right conclusions of {held_out[0]['cases']:g}, E_0 held out": _means(held_out),
        "right conclusions, E_0 from the fitting data as in Algorithm 2": _means(as_written),
        f"{name}, E_0 held out": _each(held_out, column),
        f"{name}, E_0 from the fitting data": _each(as_written, column),
    }
    return [*held_out, *as_written], numbers
