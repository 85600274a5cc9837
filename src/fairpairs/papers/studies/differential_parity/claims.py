"""The checks of claims.yaml, on Table 3 and section 4.

Those of section 4 count conclusions over splits of the images, and are checked on both splits: the
60 % and 40 % that the text states, and the 80 % and 20 % that the printed numbers fit. A printed
number is of one split, so it is compared with the spread of one.
"""

import math
from typing import Any

import numpy as np

from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, Printed
from fairpairs.papers.plan.claim_tests import by_all, by_signs, differences
from fairpairs.papers.plan.claims import Finding, row, rows as rows_of, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.differential_parity import bridge_tables as rows

#: The cells of Table 3, and the numbers of each split, 60/40 and 80/20.
CELLS = "bridges/split_80_20"
CONCLUSIONS = ("bridges/split_60_40_conclusions", "bridges/split_80_20_conclusions")
#: Each two raters, by sex and race; by sex the groups are of one size.
PAIRS = "raters/scut_fbp5500.pairs"
#: Variances of 2,750 items each are unlike from this ratio on: ten standard errors of normal ones.
UNLIKE = 1.5
#: Differences below this are rounding: tables have six digits.
NEGLIGIBLE = 1e-5
#: A share of conclusions above this is called a high accuracy, and robust.
HIGH = 0.8
#: 95 % intervals that miss more often than this do not cover.
MISSED = 0.1


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


def same_distribution(results: Results) -> Finding:
    """Ask whether differences of equal means, by sex, are spread alike in both groups."""
    pairs = rows_of(table(results, PAIRS), attribute="sex", alike=False)
    fair = pairs[pairs["pvalue"] > rows.LEVEL]
    # Welch's degrees of freedom give the ratio r of the variances of two groups of n items each:
    # dof / (n - 1) = (1 + r)² / (1 + r²)
    part = (fair["dof"] / (fair["overlap"] - 1) - 1).clip(NEGLIGIBLE, 1)
    ratio = (1 + np.sqrt(1 - part**2)) / part
    unlike = Count.of(ratio >= UNLIKE)
    numbers = {
        "pairs of raters who differ, by sex": len(pairs),
        "of these with means that the test does not tell apart": len(fair),
        f"of these with a variance that is {UNLIKE} times the other or more": unlike,
        "largest such ratio": float(ratio.max()),
    }
    return Finding(IN_PART if unlike.number else UNTOLD, numbers)


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
    same, fixed = _Lines(results, rows.LABELS), _same_person_cases(results)
    others = same.shares(fixed)
    signs = differences([(share, Mean(HIGH)) for share in others])
    printed = (same.in_text - fixed) / (same.cases - fixed)
    verdict = by_signs([*signs, int(np.sign(printed - HIGH))])
    numbers = {
        f"conclusions on labels that agree, of {same.cases}": same.numbers,
        "share of splits with as many as in the text": same["share_as_in_text"],
        "conclusions of a rater and oneself, which cannot differ": fixed,
        "share of the others that agree": Printed(others, printed),
    }
    return Finding(verdict, numbers)


def models_less_robust(results: Results) -> Finding:
    """Compare how many conclusions agree, with labels alone and with models."""
    labels, models = _Lines(results, rows.LABELS), _Lines(results, rows.MODELS)
    two_people, fixed = _Lines(results, rows.TWO_PEOPLE), _same_person_cases(results)
    alone, with_models = labels.shares(fixed), two_people.shares()
    pairs = [*labels.beside(models), *zip(alone, with_models, strict=True)]
    numbers = {
        "share on labels that agree, of two people": alone,
        "share with models that agree, of two people": with_models,
        f"conclusions on labels that agree, of {labels.cases}": labels.numbers,
        "conclusions with models that agree": models.numbers,
    }
    return Finding(_as_printed(by_signs(differences(pairs)), labels, models), numbers)


def no_opposite_conclusions(results: Results) -> Finding:
    """Ask whether conclusions that do not agree are opposite, or of a large effect."""
    opposite, largest = _Lines(results, rows.OPPOSITE), _Lines(results, rows.LARGEST)
    numbers = {
        "opposite conclusions": opposite.numbers,
        "share of splits without any": opposite["share_as_in_text"],
        "largest DPD of an inconsistent case": largest.numbers,
        "share of splits with at most 0.1": largest["share_as_in_text"],
    }
    return Finding(by_all(opposite.as_stated() + largest.as_stated(), 2), numbers)


def biased_bridge_better(results: Results) -> Finding:
    """Compare the conclusions of the two bridges, and how often their intervals miss."""
    biased, unbiased = _Lines(results, rows.BIASED), _Lines(results, rows.UNBIASED)
    verdict = by_signs(differences(biased.beside(unbiased)))
    covers = all(a < b for a, b in zip(biased["missed"], unbiased["missed"], strict=True))
    numbers = {
        f"right by the biased bridge, of {biased.cases}": biased.numbers,
        "right by the unbiased bridge": unbiased.numbers,
        "share of 95 % intervals that miss, biased": biased["missed"],
        "share of 95 % intervals that miss, unbiased": unbiased["missed"],
    }
    if verdict == HOLDS and not covers:
        return Finding(IN_PART, numbers)
    return Finding(_as_printed(verdict, biased, unbiased), numbers)


def misses_by_training_bias(results: Results) -> Finding:
    """Ask whether all misses of the unbiased bridge in print have models with training bias."""
    biased, others = (
        _Lines(results, name) for name in (rows.MISSED_BY_BIASED, rows.MISSED_BY_OTHERS)
    )
    unbiased, printed = _Lines(results, rows.UNBIASED), Mean(others.printed).value
    misses = round(unbiased.cases - Mean(unbiased.printed).value)
    of_biased = round(misses / biased.printed) if biased.printed else 0
    chance = math.comb(of_biased, misses) / math.comb(unbiased.cases, misses)
    verdict = HOLDS if chance < rows.LEVEL else UNTOLD
    if printed > 0:
        verdict = IN_PART if biased.printed > printed else FAILS
    numbers = {
        "right by the unbiased bridge": unbiased.numbers,
        "conclusions of models biased on their training data, printed": of_biased,
        "chance that all printed misses are of these, without a link": chance,
        "share wrong, model biased on its training data": biased.numbers,
        "share wrong, other models": others.numbers,
    }
    return Finding(verdict, numbers)


def biased_bridge_accurate(results: Results) -> Finding:
    """Check whether most conclusions of the biased bridge are right, and its intervals cover."""
    name = "share of 95 % intervals that miss"
    held_out, as_written, numbers = _biased_bridge(results, name, "missed")
    signs = differences([(s, Mean(HIGH)) for s in held_out.shares() + as_written.shares()])
    printed = Mean(held_out.printed / held_out.cases).value
    verdict = by_signs([*signs, int(np.sign(printed - HIGH))])
    covers = max(held_out["missed"] + as_written["missed"]) <= MISSED
    return Finding(IN_PART if verdict == HOLDS and not covers else verdict, numbers)


def biased_bridge_all_right(results: Results) -> Finding:
    """Ask whether all conclusions of the biased bridge are right."""
    name = "share of splits with all right"
    held_out, as_written, numbers = _biased_bridge(results, name, "share_all")
    likely = max(held_out["share_all"] + as_written["share_all"]) >= rows.LEVEL
    wrong = Mean(held_out.printed / held_out.cases).value < 1
    return Finding(FAILS if wrong else HOLDS if likely else UNTOLD, numbers)


class _Lines:
    """A row of section 4 on each split, 60/40 and 80/20."""

    def __init__(self, results: Results, name: str) -> None:
        self.rows = [row(table(results, path), row=name) for path in CONCLUSIONS]
        if any("sd" not in line or math.isnan(line["cases"]) for line in self.rows):
            raise CannotTellError("The run has not all numbers of section 4.")
        self.means = [Mean(r["mean"], r["standard_error"], r["splits"]) for r in self.rows]
        self.cases = int(self["cases"][0])
        self.in_text, self.printed = self["in_text"][0], self["of_printed_cells"][0]

    def __getitem__(self, column: str) -> list[Any]:
        return [line[column] for line in self.rows]

    @property
    def numbers(self) -> object:
        """Our mean on each split, beside the text's number and that of the printed cells."""
        printed = self.rows[0][["in_text", "of_printed_cells"]].dropna().unique().tolist()
        return Printed(self.means, printed) if printed else self.means

    def shares(self, without: int = 0) -> list[Mean]:
        """Return the shares of the cases, leaving out `without` cases that always agree."""
        n = self.cases - without
        return [Mean((m.value - without) / n, m.error / n, m.runs) for m in self.means]

    def one_split(self) -> list[Mean]:
        """Return what one further split would give."""
        errors = [
            sd * math.sqrt(1 + 1 / n) if n else math.nan
            for sd, n in zip(self["sd"], self["splits"], strict=True)
        ]
        return [Mean(m.value, error, m.runs) for m, error in zip(self.means, errors, strict=True)]

    def beside(self, other: "_Lines") -> list[tuple[Mean, Mean]]:
        """Return the means of two rows on each split."""
        return list(zip(self.means, other.means, strict=True))

    def as_stated(self) -> bool:
        """Return whether neither the printed cells nor our splits exceed a bound of the text."""
        bound = Mean(self.in_text + rows.HALF)
        exceeded = differences([(mean, bound) for mean in self.one_split()])
        return Mean(self.printed).value <= bound.value and not all(sign > 0 for sign in exceeded)


def _same_person_cases(results: Results) -> int:
    """Return how many comparisons are of a rater with oneself."""
    cases, different = (_Lines(results, name).cases for name in (rows.LABELS, rows.TWO_PEOPLE))
    if different == 0:
        raise CannotTellError("All cases compare a rater with oneself.")
    return cases - different


def _as_printed(verdict: str, more: _Lines, less: _Lines) -> str:
    """Return a verdict, which fails only if the printed cells contradict the claim, too."""
    return UNTOLD if verdict == FAILS and not more.printed < less.printed else verdict


def _biased_bridge(results: Results, name: str, column: str) -> tuple[_Lines, _Lines, Numbers]:
    """Return the rows of the biased bridge by where E_0 is from, and its numbers with a cell."""
    held_out, as_written = _Lines(results, rows.BIASED), _Lines(results, rows.AS_WRITTEN)
    numbers = {
        f"right conclusions of {held_out.cases}, E_0 held out": held_out.numbers,
        "right conclusions, E_0 from the fitting data as in Algorithm 2": as_written.numbers,
        f"{name}, E_0 held out": held_out[column],
        f"{name}, E_0 from the fitting data": as_written[column],
    }
    return held_out, as_written, numbers
