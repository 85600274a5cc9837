"""The comparison of two models: each line of the audit of one against that of the other."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.compare.fields import DECISIONS, TESTS
from fairpairs.audits.compare.lines import change_lines, judge_change, judge_lines
from fairpairs.audits.compare.result import ComparisonResult
from fairpairs.audits.criteria import CRITERIA, criteria_tested, criteria_that_count, not_applicable
from fairpairs.audits.criteria.margins import read_margins
from fairpairs.audits.criteria.missing_rows import missing_rows
from fairpairs.audits.criteria.turned_round import turned_round
from fairpairs.audits.items.about import about_items, checks_on_values
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.groups import Attribute, small_groups
from fairpairs.audits.items.messages import (
    BALANCED,
    FAMILY,
    HIGHER_IS_POSITIVE,
    Wording,
    short,
)
from fairpairs.audits.items.read import (
    check_threshold,
    counted_items,
    positions,
    predicted,
    read_items,
    strata_of,
)
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import PART_OF, AuditColumns, Settings
from fairpairs.audits.lines.verdicts import are_small
from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.base.long_work import long_work
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.gaps import RateAlone, alone
from fairpairs.mathematics.inference.sampling.linear import mean

#: Why a criterion cannot be compared.
NO_GAP = "it has no difference of two groups with the influence of each row"

#: What is said of an audit of one model alone.
OF_ONE_MODEL = ("favourable", "n_permutations")
#: A change of decisions, in the names of columns → the old and the new decision.
MOVES = {"to_positive": (0, 1), "to_negative": (1, 0)}
LABELS = ("negative", "positive")
#: Scores that lie further apart are not from 0 to 1, or hardly.
WIDE = 2.0


def compare_columns(
    both: AuditColumns,
    of_new: AuditColumns,
    settings: Settings,
    wordings: tuple[Wording, Wording],
    *,
    items: ArrayLike | None = None,
    called: str = "items",
    source: Content | None = None,
    checks: Sequence[str] = (),
) -> ComparisonResult:
    """Compare named columns (see `compare`) of the old model and of the new one.

    `wordings` have their names in messages, where the column of the `items` is `called` so.
    `source` is where they come from, for `about`, and `checks` are on how they were read.
    """
    settings.check(wordings[0])
    if (both.y_score is None) != (of_new.y_score is None):
        scores = [wording.score for wording in wordings]
        given, missing = scores if both.y_score is not None else scores[::-1]
        raise InputError(
            f"{given} is given and {missing} is not: give the scores of both models, or none."
        )
    wording, wording_new = (
        check_threshold(columns, settings, names)
        for columns, names in zip((both, of_new), wordings, strict=True)
    )
    old, attributes, design = read_items(both, settings, wording)
    new, _, _ = read_items(of_new, settings, wording_new)
    inputs.same_items(
        **{wording.prediction: predicted(both), wording_new.prediction: predicted(of_new)}
    )
    _check_scales((old, new), (wording.score, wording_new.score), settings.threshold)
    names_of_items = _names_of_items(both, items, called)
    if old.prediction != new.prediction:
        kinds = ("decisions of two values", "numbers")
        first, second = kinds if old.prediction == "binary" else kinds[::-1]
        raise InputError(
            f"{wording.prediction} holds {first} and {wording_new.prediction} holds {second}: give "
            "both the same kind."
        )
    strata = strata_of(both, settings, wording)
    models, groups, of_groups, within = [old, new], attributes, design, strata
    if strata is not None:
        strata.check(attributes, wording)
        if design.independent and old.y_score is None and old.label == old.prediction == "binary":
            models, groups, of_groups, within = counted_items(models, attributes, design, strata)
    of_old, of_new_model = (
        not_applicable(one, controlled=strata is not None) for one in (old, new)
    )
    margins = read_margins(settings, old, of_old, wording)
    without_gap = {name: NO_GAP for name, criterion in CRITERIA.items() if criterion.measured}
    left_out = without_gap | of_old | without_gap | of_new_model
    counted = criteria_that_count(old, settings, wording, of_old)
    if without := [name for name in counted if name in left_out]:
        raise InputError(
            f"criterion: {', '.join(without)} cannot be compared between two models ({NO_GAP})."
        )
    criteria = criteria_tested(settings, left_out)
    lines: list[Record] = []
    decisions: list[Record] = []
    steps = sum(
        len(criteria) * len(one.others) + len({*criteria} & {*counted}) * len(one.further_pairs)
        for one in attributes
    )
    with long_work(steps, "Comparing", shown=wording.shell) as step:
        for attribute, group in zip(attributes, groups, strict=True):
            old_items, new_items = (
                AttributeItems(one, attribute, settings, design, strata=strata)
                for one in (old, new)
            )
            old_counts, new_counts = (
                AttributeItems(one, group, settings, of_groups, strata=within) for one in models
            )
            lines += change_lines(old_counts, new_counts, criteria, margins, step, counted)
            decisions += changed_decisions(old_items, new_items, settings.alpha)
        table = judge_lines(lines, settings.alpha, settings.correction)
    small = small_groups(attributes, settings.smallest, wording)
    table["small"] = are_small(table, small)
    gate = judge_change(table, counted, settings.alpha, with_margin=bool(margins))
    single = attributes[: len(both.sensitive_features)]
    ranked = old.prediction == "real" or old.y_score is not None
    index = positions(both, settings, len(names_of_items))
    changed = changed_items((old, new), single, names_of_items, index)
    of_model = {name: getattr(old, name) for name in ("label", "positive", "prediction")}
    of_model["score"] = old.y_score is not None
    items_about = about_items(of_model, attributes, settings, design, strata)
    about = {name: items_about[name] for name in items_about if name not in OF_ONE_MODEL} | {
        "favourable": old.favourable(settings.favourable, wording),
        "overall": _quality((old, new), design),
        "small": small,
        "missing_rows": missing_rows(
            [AttributeItems(new, one, settings, design) for one in attributes]
        ),
        "changed": len(changed) if old.prediction == "binary" else None,
        "margin": margins or None,
        "family": FAMILY,
        "gate": gate,
        "left_out": {name: why for name, why in left_out.items() if name not in PART_OF},
        "checks": [
            *checks_on_values(checks, single, old, short(wording.label)),
            *(
                f"{which} model: {text}"
                for which, model, words in (("Old", old, wording), ("New", new, wording_new))
                for text in turned_round(
                    [AttributeItems(model, one, settings, design) for one in single], words
                )
            ),
            *([] if strata is None else strata.checks(attributes)),
        ],
        "notes": [
            *([HIGHER_IS_POSITIVE] if ranked else []),
            *([BALANCED] if old.label == "real" else []),
        ],
        "source": dict(source or {}),
    }
    return ComparisonResult(
        table[list(TESTS)], pd.DataFrame(decisions, columns=list(DECISIONS)), changed, about
    )


def _check_scales(
    models: tuple[Roles, Roles], scores: tuple[str, str], threshold: float | None
) -> None:
    """Raise if one model has scores from 0 to 1 and the other does not, for one threshold."""
    if threshold is None:
        return
    (low, high), (low_new, high_new) = ranges = [one.score_range for one in models]
    shares = [least >= 0 and most <= 1 for least, most in ranges]
    if shares[0] != shares[1] and max(high, high_new) - min(low, low_new) > WIDE:
        raise InputError(
            f"{scores[0]} lies from {low:g} to {high:g} and {scores[1]} from {low_new:g} to "
            f"{high_new:g}: one threshold is for scores of one scale, so bring both to one."
        )


def _quality(models: tuple[Roles, Roles], design: SamplingDesign) -> dict[str, dict[str, float]]:
    """Return how good both models are over all items: accuracy, AUC, or the mean absolute error."""
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415  (slow)

    weights = None if design.independent else design.weights
    quality: dict[str, list[float]] = {}
    for roles in models:
        if roles.prediction == "binary":
            right = np.average(roles.y_true == roles.y_pred, weights=weights)
            quality.setdefault("accuracy", []).append(float(right))
        if roles.score is not None:
            area = roc_auc_score(roles.y_true, roles.score, sample_weight=weights)
            quality.setdefault("AUC", []).append(float(area))
        if roles.label == "real":
            error = np.average(np.abs(roles.y_true - roles.y_pred), weights=weights)
            quality.setdefault("mean absolute error", []).append(float(error))
    return {name: dict(zip(("old", "new"), both, strict=True)) for name, both in quality.items()}


def _names_of_items(columns: AuditColumns, names: ArrayLike | None, called: str) -> Array:
    if names is None:
        return np.arange(1, len(columns.y_true) + 1)
    items = one_dimensional(names, called)
    inputs.same_items(y_true=columns.y_true, items=items)
    check_once(items, called)
    return items


def check_once(items: Array, called: str) -> None:
    """Raise where an item is in two rows."""
    repeated = pd.Series(items).duplicated().to_numpy()
    if repeated.any():
        second = int(repeated.argmax())
        first = int((items == items[second]).argmax())
        raise InputError(
            f"{called} has the id {shown(items[second])} in the rows {first + 1} and {second + 1}: "
            "keep one row for each id."
        )


def changed_decisions(
    old_items: AttributeItems, new_items: AttributeItems, alpha: float
) -> list[Record]:
    """Return one row per group and label: its items, and those decided differently each way.

    A share has Wilson's interval, of as many trials as give it its variance where items have
    clusters or weights. No rows where predictions are numbers.
    """
    rows: list[Record] = []
    old, new, attribute = old_items.roles, new_items.roles, old_items.attribute
    if old.prediction == "binary":
        labels = old.y_true.astype(np.int64)
        for g, name in enumerate(attribute.names):
            for label in (1, 0):
                inside = (attribute.group == g) & (labels == label)
                row: Record = {
                    "attribute": attribute.name, "group": name, "label": LABELS[label],
                    "items": int(inside.sum()),
                }  # fmt: skip
                for move, (before, after) in MOVES.items():
                    moved = ((old.y_pred == before) & (new.y_pred == after)).astype(float)
                    row[move] = int(moved[inside].sum())
                    ends = _share(moved, inside, old_items.design, alpha)
                    parts = ("share", "low", "high")
                    row |= {f"{move}_{p}": end for p, end in zip(parts, ends, strict=True)}
                rows.append(row)
    return rows


def _share(
    moved: Floats, inside: NDArray[np.bool_], design: SamplingDesign, alpha: float
) -> tuple[float, float, float]:
    if not inside.any():
        return np.nan, np.nan, np.nan
    rate = float(moved[inside].mean())
    one = RateAlone(rate, float(inside.sum()), np.inf)
    if not design.independent:
        estimate = mean(moved, inside, np.zeros(len(moved), dtype=np.int64), design)
        rate = estimate.estimate
        if np.isnan(rate):
            return np.nan, np.nan, np.nan
        of_clusters = alone(estimate, design)
        if not isinstance(of_clusters, RateAlone):  # one cluster
            return rate, 0.0, 1.0
        one = of_clusters
    return rate, *one.limits(alpha)


def changed_items(
    roles: tuple[Roles, Roles],
    attributes: list[Attribute],
    items: Array,
    positions: Integers,
) -> pd.DataFrame:
    """Return one row per item that the models decide differently: item, label, old, new, groups.

    `items` are the names of the items; `positions`, their indices, repeat one that stands for
    several. Intersections are left out.
    """
    old, new = roles
    columns = ["item", "label", "old", "new"]
    if old.prediction == "binary":
        # of an item that stands for several, the first
        first = np.unique(positions, return_index=True)[1]
        indices = first[(old.y_pred != new.y_pred)[first]]
    else:
        indices = np.zeros(0, dtype=np.int64)
    words = np.array(LABELS)
    values = [words[column[indices].astype(int)] for column in (old.y_true, old.y_pred, new.y_pred)]
    table = pd.DataFrame(dict(zip(columns, [items[positions[indices]], *values], strict=True)))
    for attribute in attributes:
        name = f"attribute {attribute.name}" if attribute.name in columns else attribute.name
        table[name] = np.array(attribute.names, dtype=object)[attribute.group[indices]]
    return table
