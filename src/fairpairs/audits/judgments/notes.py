"""The notes on an audit of judgments: its assumptions and limits."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from fairpairs.audits.items.few_labels import DRAWN
from fairpairs.audits.judgments.settings import Judgments, JudgmentSettings
from fairpairs.audits.lines.findings import joined
from fairpairs.base.inputs import group_name
from fairpairs.base.texts import listed
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.comparative_result import ComparativeSeparationResult
from fairpairs.mathematics.inference.gap_variances import FEW_ITEMS
from fairpairs.mathematics.inference.gaps import FEW_BEHIND
from fairpairs.mathematics.judgments.given import ENOUGH_JUDGES

#: So many times as often a model contradicts judgments as it agrees, from where on a check says so.
MOST_AGAINST = 1.5

#: The result of each model and attribute.
Results = Mapping[tuple[str, str], ComparativeSeparationResult]


def notes(judgments: Judgments, settings: JudgmentSettings, results: Results) -> list[str]:
    """Return the notes."""
    return [
        *([] if judgments.cheap is None else [DRAWN]),
        *_on_items(judgments, settings),
        *_on_models(judgments, settings),
        *_on_attributes(results),
        *_on_pvalues(settings, results),
        *_on_judges(judgments, settings),
        "Where judgments rest on more than yes and no (a quality, a need), or some are wrong, "
        "groups that differ in need or quality can cause a difference without any fault of the "
        "scores; judgments alone cannot tell.",
    ]


def family(models: int) -> str:
    """Return the hypotheses over which p-values of lines are adjusted."""
    return "one attribute" if models == 1 else "one attribute, of all models"


def _on_items(judgments: Judgments, settings: JudgmentSettings) -> Iterator[str]:
    often = np.bincount(np.concatenate([judgments.left, judgments.right]))
    named = {
        "items": often.max() > 1,
        "judges": settings.sampled(judgments.judge) is not None,
        "clusters": judgments.cluster is not None,
    }
    shared = [name for name, is_shared in named.items() if is_shared]
    together = joined(shared)
    if often.max() == 1:
        allowed = f"; that judgments share {together} is allowed for" if together else ""
        yield f"Each item is in one judgment{allowed}."
    else:
        text = f"Each item is in {often.min()} judgments"
        if often.min() < often.max():
            text = (
                f"An item is in {often.min()} to {often.max()} judgments, {np.median(often):g} in "
                "the middle"
            )
        yield f"{text}; that judgments share {together} is allowed for."
    if judgments.item_cluster is not None:
        yield (
            f"Items of one of the {judgments.item_cluster.nunique():,} clusters of items count as "
            "one item for the variance."
        )
    pairs = pd.DataFrame(
        {
            "one": np.minimum(judgments.left, judgments.right),
            "two": np.maximum(judgments.left, judgments.right),
            "first": np.where(
                judgments.left < judgments.right, judgments.outcome, -judgments.outcome
            ),
        }
    )
    pair_outcomes = pairs.groupby(["one", "two"])["first"].agg(["size", "min", "max"])
    again = pair_outcomes[pair_outcomes["size"] > 1]
    split = (again["min"] < 0) & (again["max"] > 0)
    if len(again):
        yield (
            f"{len(again):,} pairs of items are judged more than once, {split.sum():,} of them "
            "with judgments that contradict each other; all count."
        )


def _on_models(judgments: Judgments, settings: JudgmentSettings) -> Iterator[str]:
    several = len(judgments.models) > 1
    for model in judgments.models:
        ahead, outcome = judgments.predicted(model), judgments.outcome
        verdicts = model in judgments.verdicts
        where = f"`{model}`: in" if several else "In"
        if tied := int(((ahead == 0) & (outcome != 0)).sum()):
            counted = "wrong" if settings.ties == "wrong" else "half right"
            what = "neither side is preferred" if verdicts else "both items have the same score"
            judged = "judgment" if tied == 1 else "judgments"
            yield f"{where} {tied:,} {judged} {what}: counted as {counted}."


def turned_round(judgments: Judgments) -> Iterator[str]:
    """Return which models contradict most judgments, and what to check in them."""
    several = len(judgments.models) > 1
    for model in judgments.models:
        agreement = judgments.predicted(model) * judgments.outcome
        if MOST_AGAINST * (agreement > 0).sum() < (agreement < 0).sum():
            if model in judgments.verdicts:
                which, remedy = f"`{model}` contradicts", "check which side it prefers."
            else:
                which = (
                    f"The scores of `{model}` contradict" if several else "The scores contradict"
                )
                remedy = "if a lower score means the preferred item, change their sign."
            yield f"{which} most judgments: {remedy}"


def _on_attributes(results: Results) -> Iterator[str]:
    for name in dict.fromkeys(name for _, name in results):
        attribute_results = [
            result for (_, attribute), result in results.items() if attribute == name
        ]
        if any((result.difference.reason == FEW_BEHIND).any() for result in attribute_results):
            yield (
                f"`{name}`: some rates rest on {FEW_ITEMS} or fewer items in effect, as items in "
                "many judgments count most: their intervals are wide. Judge other items, too: "
                "more judgments of the same do not help."
            )
        smallest = min(int(result.difference.smallest_cell.min()) for result in attribute_results)
        if smallest < SMALL_CELL:
            yield (
                f"`{name}`: the smallest cell has {smallest} judgments; below {SMALL_CELL} its "
                "interval and p-value are rough."
            )
        groups = attribute_results[0].groups
        words = [group_name(group).lower().split() for group in groups]
        alike = [g for g, word in zip(groups, words, strict=True) if words.count(word) > 1]
        if alike:
            yield (
                f"`{name}`: the groups {listed(repr(group_name(g)) for g in alike)} differ in "
                "capitals or spaces only: write them alike if they are one."
            )


def _on_pvalues(settings: JudgmentSettings, results: Results) -> Iterator[str]:
    models, attributes = (len({key[i] for key in results}) for i in (0, 1))
    rows = (
        "not adjusted"
        if settings.correction == "none"
        else (f"adjusted for the hypotheses on {family(models)}")
    )
    apart = attributes > 1 or settings.correction != "holm"
    yield (
        f"Intervals are of each rate or difference alone; p-values of the rows are {rows}"
        + ("; that of what counts together is, for all." if apart else ".")
    )


def _on_judges(judgments: Judgments, settings: JudgmentSettings) -> Iterator[str]:
    if judgments.stratum is not None:
        yield (
            f"Differences are of judgments of one stratum, combined over "
            f"{judgments.stratum.nunique():,} strata; rates are of all judgments."
        )
    sampled = settings.sampled(judgments.judge)
    if judgments.judge is not None and sampled is None:
        yield (
            f"The audit is about these {judgments.judge.nunique()} judges: what they have in "
            "common is no chance. About judges like them, it is with --judges sample."
        )
    for units, values in (("judges", sampled), ("clusters", judgments.cluster)):
        if values is not None and (n := values.nunique()) < ENOUGH_JUDGES:
            yield (
                f"There are {n} {units}; with fewer than {ENOUGH_JUDGES} the intervals and "
                "p-values are rough."
            )
    # versions of a text were judged once, and are a cluster
    if judgments.judge is None and not judgments.versions:
        yield (
            "Judgments of one judge are assumed independent. With few judges, each with a "
            "different bias, violations are reported too often: name the judges, if known."
        )
