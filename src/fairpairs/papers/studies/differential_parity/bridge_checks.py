"""Checks of the paper's conclusions that count right conclusions over splits of the images.

Each is checked on both splits: the 60 % and 40 % that the text states, and the 80 % and 20 % that
the printed numbers fit. A printed number is of one split, so it is compared with the spread of one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairpairs.base.arrays import Series
from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import Mean, differences
from fairpairs.papers.plan.claims import CannotTellError, Finding, row, table
from fairpairs.papers.plan.results import Results
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
)

FOLDER = "tables/differential_parity/bridges"
#: A split → its numbers.
CONCLUSIONS = {
    "60/40": f"{FOLDER}/split_60_40_conclusions.csv",
    "80/20": f"{FOLDER}/split_80_20_conclusions.csv",
}
EVIDENCE = tuple(CONCLUSIONS.values())
COLUMNS = ("sd", "share_as_in_text", "share_all_but_one", "share_all")
#: A share of right conclusions above this is called a high accuracy.
HIGH = 0.8
#: 95 % intervals that miss more often than this do not cover.
MISSED = 0.1
#: The largest rounding error of a printed effect size; counts have none.
HALF = 0.005
OTHER_MODEL = "The model is another one than the paper's."


@dataclass(frozen=True)
class Number:
    """A number of section 4: in the text, by the printed cells of Table 3, and over our splits."""

    in_text: float
    printed: float
    mean: Mean
    #: of one split
    sd: float
    #: Shares of the splits: with the number of the text or a better one, all but one, all cases.
    as_in_text: float
    all_but_one: float
    all: float
    #: share of the 95 % intervals
    missed: float
    cases: int

    @property
    def of_one_split(self) -> Mean:
        """What one further split would give."""
        runs = self.mean.runs
        error = self.sd * math.sqrt(1 + 1 / runs) if runs else math.nan
        return Mean(self.mean.value, error, runs)

    def share(self, without: int = 0) -> Mean:
        """Return the share of the cases, leaving out `without` cases that always agree."""
        number = self.cases - without
        return Mean((self.mean.value - without) / number, self.mean.error / number, self.mean.runs)

    @property
    def share_printed(self) -> float:
        """The share of the cases by the printed cells."""
        return Mean(self.printed / self.cases).value


def check_robust(results: Results) -> Finding:
    """Ask how many conclusions on labels agree between two parts of the images."""
    same, fixed = _numbers(results, LABELS), _same_person_cases(results)
    stated, cases = same[0].in_text, same[0].cases
    others = [number.share(fixed) for number in same]
    most = differences([(share, Mean(0.5)) for share in others])
    fewer = differences([(Mean(stated), number.of_one_split) for number in same])
    reason = (
        f"On average over splits {_means(same)} of {cases} conclusions on labels agree; one split "
        f"has {_count(stated)}, as in the text, or more in {_shares(same, 'as_in_text')} of the "
        f"splits ({_count(same[0].printed)} by the printed cells). {fixed} of the {cases} compare "
        f"a rater with oneself, and cannot differ; of the others {_percents(others)} agree."
    )
    if all(sign < 0 for sign in most):
        return Finding(FAILS, reason, EVIDENCE)
    if any(sign <= 0 for sign in most):
        return Finding(UNTOLD, reason, EVIDENCE)
    if any(sign > 0 for sign in fewer):
        return Finding(IN_PART, f"{reason} So most agree, but fewer than in the text.", EVIDENCE)
    return Finding(HOLDS, reason, EVIDENCE)


def check_models_less(results: Results) -> Finding:
    """Compare how many conclusions agree, with labels alone and with models."""
    labels, models = _numbers(results, LABELS), _numbers(results, MODELS)
    two_people, fixed = _numbers(results, TWO_PEOPLE), _same_person_cases(results)
    alone, with_models = [n.share(fixed) for n in labels], [n.share() for n in two_people]
    counted = [(a.mean, b.mean) for a, b in zip(labels, models, strict=True)]
    signs = differences([*counted, *zip(alone, with_models, strict=True)])
    reason = (
        f"Counted as in the text, {_means(labels)} of {labels[0].cases} conclusions agree on "
        f"labels, and {_means(models)} with models. But {fixed} of the former compare a rater "
        f"with oneself, and cannot differ; of the {two_people[0].cases} on two people "
        f"{_percents(alone)} agree on labels, and {_percents(with_models)} with models "
        f"({_count(labels[0].printed - fixed)} and {_count(two_people[0].printed)} by the printed "
        f"cells). Four raters are no sample of all. {OTHER_MODEL}"
    )
    if all(sign > 0 for sign in signs):
        return Finding(HOLDS, reason, EVIDENCE)
    contradicted = all(sign < 0 for sign in signs) and labels[0].printed < models[0].printed
    return Finding(FAILS if contradicted else UNTOLD, reason, EVIDENCE)


def check_small(results: Results) -> Finding:
    """Ask whether conclusions that do not agree are opposite, or of a large effect."""
    opposite, largest = _numbers(results, OPPOSITE), _numbers(results, LARGEST)
    bound, printed = largest[0].in_text, Mean(opposite[0].printed).value
    reason = (
        f"{'No' if printed == 0 else _count(printed)} conclusions are opposite by the printed "
        f"cells, and none in {_shares(opposite, 'as_in_text')} of our splits. The largest DPD of "
        f"an inconsistent case, on either part, is {decimals(largest[0].printed, 2)} by the "
        f"printed cells, where the text says at most {bound:g}; in ours it is "
        f"{_means(largest, 2)}, and at most {bound:g} in {_shares(largest, 'as_in_text')} of the "
        "splits."
    )
    never, small = _as_stated(opposite), _as_stated(largest)
    verdict = HOLDS if never and small else IN_PART if never or small else FAILS
    return Finding(verdict, reason, EVIDENCE)


def check_biased_better(results: Results) -> Finding:
    """Compare the conclusions of the two bridges, and how often their intervals miss."""
    biased, unbiased = _numbers(results, BIASED), _numbers(results, UNBIASED)
    signs = differences([(a.mean, b.mean) for a, b in zip(biased, unbiased, strict=True)])
    covers = all(a.missed < b.missed for a, b in zip(biased, unbiased, strict=True))
    reason = (
        f"Of {biased[0].cases} conclusions the biased bridge has {_means(biased)} right (as the "
        "labels of train or of test) on average over splits, the unbiased one "
        f"{_means(unbiased)}; by the printed cells {_count(biased[0].printed)} and "
        f"{_count(unbiased[0].printed)}. Its 95 % intervals miss the value of all labels in "
        f"{_misses(biased)} of the cases, those of the unbiased one in {_misses(unbiased)}. "
        f"{OTHER_MODEL}"
    )
    if all(sign > 0 for sign in signs):
        return Finding(HOLDS if covers else IN_PART, reason, EVIDENCE)
    worse = all(sign < 0 for sign in signs) and biased[0].printed < unbiased[0].printed
    return Finding(FAILS if worse else UNTOLD, reason, EVIDENCE)


def check_training_bias(results: Results) -> Finding:
    """Check whether the unbiased bridge is wrong if its model is biased on its training data."""
    unbiased = _numbers(results, UNBIASED)
    biased, others = (_numbers(results, name) for name in (MISSED_BY_BIASED, MISSED_BY_OTHERS))
    signs = differences([(a.mean, b.mean) for a, b in zip(biased, others, strict=True)])
    printed, cases = Mean(others[0].printed).value, unbiased[0].cases
    reason = (
        "By the printed cells the unbiased bridge is wrong in "
        f"{_count(cases - unbiased[0].printed)} cases ({_count(cases - unbiased[0].in_text)} in "
        f"the text): in {percent(biased[0].printed)} of those whose model is biased on its "
        f"training data, and in {percent(printed)} of the others. In ours it is wrong in "
        f"{_percents([n.mean for n in biased])} of the former, and in "
        f"{_percents([n.mean for n in others])} of the latter. {OTHER_MODEL}"
    )
    if printed > 0:
        return Finding(IN_PART if biased[0].printed > printed else FAILS, reason, EVIDENCE)
    return Finding(HOLDS if all(sign > 0 for sign in signs) else UNTOLD, reason, EVIDENCE)


def check_accurate(results: Results) -> Finding:
    """Check whether most conclusions of the biased bridge are right, and its intervals cover."""
    held_out, as_written = _numbers(results, BIASED), _numbers(results, AS_WRITTEN)
    both, printed = [*held_out, *as_written], held_out[0].share_printed
    signs = differences([(number.share(), Mean(HIGH)) for number in both])
    reason = (
        f"{_count(held_out[0].printed)} of {held_out[0].cases} conclusions are right by the "
        f"printed cells. In ours {_means(held_out)} are on average over splits with E_0 held out, "
        f"and {_means(as_written)} with E_0 from the fitting data, as Algorithm 2 is written; we "
        f"call more than {percent(HIGH)} high. Their 95 % intervals miss the value of all labels "
        f"in {_misses(held_out)}, and in {_misses(as_written)}, of the cases. {OTHER_MODEL}"
    )
    if all(sign > 0 for sign in signs) and printed > HIGH:
        covers = max(number.missed for number in both) <= MISSED
        return Finding(HOLDS if covers else IN_PART, reason, EVIDENCE)
    low = all(sign < 0 for sign in signs) and printed < HIGH
    return Finding(FAILS if low else UNTOLD, reason, EVIDENCE)


def check_all_right(results: Results) -> Finding:
    """Ask whether all conclusions of the biased bridge are right."""
    held_out, as_written = _numbers(results, BIASED), _numbers(results, AS_WRITTEN)
    cases = held_out[0].cases
    reason = (
        f"{_count(held_out[0].printed)} of {cases} are right by the printed cells. In ours, with "
        f"E_0 held out, {_means(held_out)} are on average over splits, and all {cases} in "
        f"{_shares(held_out, 'all')} of the splits. With E_0 from the fitting data, as Algorithm 2 "
        f"is written, {_means(as_written)} are, all {cases} in {_shares(as_written, 'all')} of the "
        f"splits, and {cases - 1} or more in {_shares(as_written, 'all_but_one')}. {OTHER_MODEL}"
    )
    if held_out[0].share_printed < 1:
        return Finding(FAILS, reason, EVIDENCE)
    likely = max(number.all for number in (*held_out, *as_written)) >= LEVEL
    return Finding(HOLDS if likely else UNTOLD, reason, EVIDENCE)


def _numbers(results: Results, name: str) -> list[Number]:
    """Return a number of section 4 on each split."""
    return [_number(results, path, name) for path in EVIDENCE]


def _number(results: Results, path: str, name: str) -> Number:
    line: Series = row(table(results, path, text=("row",)), row=name)
    if absent := [column for column in COLUMNS if column not in line]:
        raise CannotTellError(f"results/{path} of an older version has no {absent[0]}.", path)
    if math.isnan(line["cases"]):
        raise CannotTellError(f"results/{path} has no numbers.", path)
    return Number(
        in_text=line["in_text"],
        printed=line["of_printed_cells"],
        mean=Mean(line["mean"], line["standard_error"], float(line["splits"])),
        sd=line["sd"],
        as_in_text=line["share_as_in_text"],
        all_but_one=line["share_all_but_one"],
        all=line["share_all"],
        missed=line["missed"],
        cases=int(line["cases"]),
    )


def _same_person_cases(results: Results) -> int:
    """Return how many comparisons are of a rater with oneself."""
    cases, different = (_numbers(results, name)[0].cases for name in (LABELS, TWO_PEOPLE))
    if different == 0:
        raise CannotTellError("All cases compare a rater with oneself.", *EVIDENCE)
    return cases - different


def _as_stated(numbers: Sequence[Number]) -> bool:
    """Return whether neither the printed cells nor our splits exceed a bound of the text."""
    bound = Mean(numbers[0].in_text + HALF)
    exceeded = differences([(number.of_one_split, bound) for number in numbers])
    return Mean(numbers[0].printed).value <= bound.value and not all(s > 0 for s in exceeded)


def _means(numbers: Sequence[Number], digits: int = 1) -> str:
    """Write the mean of each split, and name the split."""
    return " and ".join(
        f"{decimals(n.mean.value, digits)} ± {decimals(n.mean.error, digits)} ({split})"
        for n, split in zip(numbers, CONCLUSIONS, strict=True)
    )


def _shares(numbers: Sequence[Number], field: str) -> str:
    return " and ".join(percent(getattr(number, field)) for number in numbers)


def _misses(numbers: Sequence[Number]) -> str:
    return " and ".join(decimals(number.missed, 2) for number in numbers)


def _percents(shares: Sequence[Mean]) -> str:
    return " and ".join(
        f"{decimals(100 * share.value, 0)} ± {decimals(100 * share.error, 0)} %" for share in shares
    )


def percent(share: float) -> str:
    """Write a share in whole percent."""
    return f"{decimals(100 * share, 0)} %"


def _count(number: float) -> str:
    return decimals(number, 0)
