"""The conclusions of the paper on differential parity, with checks on Table 3 and section 4."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fairpairs.plan.claim_tests import Mean, differences, precise
from fairpairs.plan.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    UNTOLD,
    CannotTellError,
    Claim,
    Finding,
    row,
    table,
)
from fairpairs.plan.results import Results
from fairpairs.studies.differential_parity.bridge_summaries import OF_TWO
from fairpairs.texts import decimals

SECTION = "tables/differential_parity/section_4.csv"
CELLS = "tables/differential_parity/bridges/split_80_20.csv"
CONCLUSIONS = "tables/differential_parity/bridges/split_80_20_conclusions.csv"
#: Conclusions on labels that agree, in the text.
PRINTED = 27
LABELS, MODELS = "RQ1, labels of train and test", "RQ1, models of train and test"
UNBIASED, BIASED = "RQ2, unbiased bridge (Model Test)", "RQ2, biased bridge"
#: What the paper calls a small effect, and by how many cases shares have to differ to count.
SMALL, SIZE = 0.1, 0.1
#: 95 % intervals that miss more often than this do not cover.
MISSED = 0.1


def check_robust(results: Results) -> Finding:
    """Ask how many conclusions on labels agree between two parts of the images."""
    same, cases, own = _agreeing(results, LABELS), *_cases(results)
    opposite = _agreeing(results, "RQ1, opposite conclusions")
    others = _share(same, own, cases)
    fewer, most = differences([(Mean(float(PRINTED)), same), (others, Mean(0.5))])
    reason = (
        f"On average over splits {_count(same)} of {cases} conclusions agree ({PRINTED} in the "
        f"text, 26 by its Table 3), and {_plain(opposite)} conclusions are opposite. {own} of the "
        f"{cases} compare a rater with oneself, and cannot differ; of the others "
        f"{_percent(others)} agree."
    )
    evidence = (SECTION, CELLS)
    if most <= 0:
        told = most < 0 or precise([(others, Mean(0.5))], SIZE)
        return Finding(FAILS if told else UNTOLD, reason, evidence)
    if fewer > 0 or opposite.value > 0:
        return Finding(IN_PART, f"{reason} So most agree, but fewer than claimed.", evidence)
    told = precise([(same, Mean(float(PRINTED)))], SIZE * cases)
    return Finding(HOLDS if told else UNTOLD, reason, evidence)


def check_models_less(results: Results) -> Finding:
    """Compare how many conclusions on two people agree, with labels alone and with models."""
    cases, own = _cases(results)
    labels = _share(_agreeing(results, LABELS), own, cases)
    models = _of_two(results)
    (sign,) = differences([(labels, models)])
    printed = (
        _share(_agreeing(results, LABELS, "Printed cells"), own, cases),
        _of_two(results, "of_printed_cells"),
    )
    reason = (
        f"{_count(_agreeing(results, LABELS))} of {cases} conclusions on labels agree, "
        f"{_count(_agreeing(results, MODELS))} with models. But {own} of the former compare a "
        f"rater with oneself, and cannot differ, as all of the latter can; of the {cases - own} on "
        f"two people, {_percent(labels)} and {_percent(models)} agree "
        f"({decimals(100 * printed[0].value, 0)} and {decimals(100 * printed[1].value, 0)} % "
        "by the paper's own Table 3)."
    )
    evidence = (SECTION, CONCLUSIONS, CELLS)
    if sign > 0:
        return Finding(HOLDS, reason, evidence)
    told = sign < 0 or precise([(labels, models)], SIZE)
    return Finding(FAILS if told else UNTOLD, reason, evidence)


def check_small(results: Results) -> Finding:
    """Ask whether conclusions that do not agree are opposite, or of a large effect."""
    opposite = _agreeing(results, "RQ1, opposite conclusions")
    largest = _agreeing(results, "RQ1, largest DPD of an inconsistency")
    printed = _agreeing(results, "RQ1, largest DPD of an inconsistency", "Printed cells")
    (over,) = differences([(largest, Mean(SMALL))])
    reason = (
        f"On average over splits {_plain(opposite)} conclusions are opposite. The largest DPD of "
        f"an inconsistent case is {decimals(largest.value, 2)} on average, and "
        f"{decimals(printed.value, 2)} in the paper's own Table 3, where the text says at most "
        f"{SMALL:g}."
    )
    never = opposite.value == 0
    if over == 0 and not precise([(largest, Mean(SMALL))], SMALL):
        return Finding(UNTOLD, reason, (SECTION,))
    small = over <= 0
    return Finding(HOLDS if never and small else IN_PART if never or small else FAILS,
                   reason, (SECTION,))  # fmt: skip


def check_biased_better(results: Results) -> Finding:
    """Compare the conclusions of the two bridges, and how often their intervals miss."""
    biased, unbiased = (_agreeing(results, name) for name in (BIASED, UNBIASED))
    (sign,) = differences([(biased, unbiased)])
    missed = [_missed(results, name) for name in (BIASED, UNBIASED)]
    reason = (
        f"Of {_cases(results)[0]} conclusions the biased bridge has {_count(biased)} right (as the "
        "labels of train or of test) on average over splits, the unbiased one "
        f"{_count(unbiased)}. Their 95 % intervals miss the "
        f"value of all labels in {decimals(missed[0], 2)} and {decimals(missed[1], 2)} of the "
        "cases. The model is another one than the paper's."
    )
    evidence = (SECTION, CONCLUSIONS, CELLS)
    if sign > 0:
        return Finding(HOLDS if missed[0] < missed[1] else IN_PART, reason, evidence)
    told = sign < 0 or precise([(biased, unbiased)], 1.0)
    return Finding(FAILS if told else UNTOLD, reason, evidence)


def check_all_right(results: Results) -> Finding:
    """Ask whether all conclusions of the biased bridge are right."""
    biased, cases = _agreeing(results, BIASED), _cases(results)[0]
    printed = _agreeing(results, BIASED, "Printed cells")
    (sign,) = differences([(biased, Mean(float(cases)))])
    missed = _missed(results, BIASED)
    covers = missed <= MISSED
    reason = (
        f"{_count(biased)} of {cases} are right on average over splits, and "
        f"{decimals(printed.value, 0)} by the paper's own Table 3. The paper's one-sided p at 0.05 "
        "finds a difference in 10 % of fair pairs; the two-sided 95 % intervals of the bridge "
        f"{'cover' if covers else 'do not cover'} the value of all labels: they miss it in "
        f"{decimals(missed, 2)} of the cases."
    )
    evidence = (SECTION, CONCLUSIONS, CELLS)
    if sign == 0 and not precise([(biased, Mean(float(cases)))], 2.0):
        return Finding(UNTOLD, reason, evidence)
    return Finding(FAILS if sign < 0 else HOLDS, reason, evidence)


def _agreeing(results: Results, name: str, column: str = "Ours") -> Mean:
    """Return a number of section 4, with its error over splits."""
    own = row(table(results, SECTION, text=("row",)), row=name)
    if column != "Ours":
        return Mean(own[column])
    splits = table(results, CELLS, text=("row",))["splits"].min()
    error = own["Ours (standard error)"]
    return Mean(own[column], error, float(splits))


def _cases(results: Results) -> tuple[int, int]:
    """Return the number of conclusions, and of those that compare a rater with oneself."""
    frame = table(results, CELLS, text=("row", "decisions", "reference"))
    labels = frame[frame["row"] == "Label Train"]
    if labels.empty:
        raise CannotTellError(f"results/{CELLS} has no labels.", CELLS)
    return len(labels), int((labels["decisions"] == labels["reference"]).sum())


def _share(agreeing: Mean, own: int, cases: int) -> Mean:
    number = cases - own
    if not number:
        raise CannotTellError("All cases compare a rater with oneself.", CELLS)
    return Mean((agreeing.value - own) / number, agreeing.error / number, agreeing.runs)


def _of_two(results: Results, column: str = "mean") -> Mean:
    """Return the share of conclusions on two people that agree with models."""
    counted = _counted(results, OF_TWO)
    error = counted["standard_error"] if column == "mean" else 0.0
    cases = counted["cases"]
    return Mean(counted[column] / cases, error / cases, float(counted["splits"]))


def _missed(results: Results, name: str) -> float:
    return Mean(float(_counted(results, name)["missed"])).value


def _counted(results: Results, name: str) -> pd.Series[Any]:
    return row(table(results, CONCLUSIONS, text=("row",)), row=name)


def _count(mean: Mean) -> str:
    return f"{decimals(mean.value, 1)} ± {decimals(mean.error, 1)}"


def _plain(mean: Mean) -> str:
    return "no" if mean.value == 0 else decimals(mean.value, 2)


def _percent(mean: Mean) -> str:
    return f"{decimals(100 * mean.value, 0)} ± {decimals(100 * mean.error, 0)} %"


CLAIMS = [
    Claim(
        "robust-against-sampling",
        "Conclusions on two people's decisions are robust: they agree between two samples of the "
        "images (27 of 32).",
        "section 4 (RQ1)",
        check_robust,
    ),
    Claim(
        "models-less-robust",
        "Conclusions are less robust where one of the two sets of decisions is a model's (25 of "
        "32).",
        "section 4 (RQ1)",
        check_models_less,
    ),
    Claim(
        "no-opposite-conclusions",
        "Conclusions on two samples of the images that do not agree are never opposite, and of a "
        "small effect (DPD at most 0.1).",
        "section 4 (RQ1)",
        check_small,
    ),
    Claim(
        "biased-bridge-better",
        "The biased bridge estimates differential parity between decisions on different data "
        "better than the unbiased one.",
        "sections 4 (RQ2) and 6",
        check_biased_better,
    ),
    Claim(
        "biased-bridge-all-right",
        "All 32 conclusions of the biased bridge are right.",
        "section 4 (RQ2)",
        check_all_right,
    ),
]
