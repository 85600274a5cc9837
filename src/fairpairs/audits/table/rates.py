"""What a table counts: the groups and the decisions of rows, and the rates of groups."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.counting.opening import frequencies, selected_and_not
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.coding import read_roles
from fairpairs.audits.items.messages import file_wording
from fairpairs.audits.items.roles import Roles, Values
from fairpairs.audits.items.settings import Settings
from fairpairs.audits.table.form import Form
from fairpairs.audits.table.limit import Limit
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import MISSING_GROUP, Column
from fairpairs.base.errors import InputError, shortened
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import named_twice
from fairpairs.base.words import words
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.arguments.read import MAX_ROWS, SamplingNames, read_sample
from fairpairs.mathematics.inference.rates import ratios_to_highest
from fairpairs.mathematics.inference.sampling.gaps import group_rates

#: What stands between the groups of a combination.
BETWEEN = ", "
#: What an attribute holds where a value is unknown, in small letters.
UNKNOWN = (MISSING_GROUP, "unknown")
#: What to do with a column of how many people of each group were selected.
COUNTS_SELECTED = (
    "if it counts those selected, name it by --selected, and the column of all people by --of"
)


@dataclass(frozen=True)
class People:
    """People who were selected or not; each row stands for `count` of them."""

    selected: NDArray[np.bool_]
    #: The groups by attribute, and which of their rows are unknown.
    groups: dict[str, Column]
    unknown: dict[str, NDArray[np.bool_]]
    count: Integers
    #: The person, or other cluster, of each row, numbered; None if people are independent.
    cluster: Integers | None
    source: Record
    #: Of a score, its median over all people; None for decisions.
    median: float | None = None


def read_people(
    data: Rows,
    *,
    sensitive: Sequence[str],
    prediction: str | None,
    score: str | None,
    positive: str | None,
    weight: str | None,
    cluster: str | None = None,
    selected: str | None = None,
    of: str | None = None,
    unknown: Collection[str] = (),
    lower_is_better: bool = False,
    label: str | None = None,
    limit: Limit | None = None,
) -> People:
    """Read people of a table; InputError unless they have a decision, or a score, and groups.

    A row may have how many people were `selected`, `of` how many: it stands for both. Of a limit of
    a rate, selected are those that it counts, of the people that it is of.
    """
    given = {"prediction": prediction, "score": score, "weight": weight, "cluster": cluster}
    given |= {"selected": selected, "of": of, "label": label}
    _check_given(given, positive, limit, lower_is_better=lower_is_better)
    attributes = data.named(sensitive, "--sensitive")
    options = data.check_roles(given, attributes)
    table = data.table(list(options))
    counts = of if weight is None else weight
    count = np.ones(len(table), dtype=np.int64) if counts is None else frequencies(table, counts)
    if not count.sum():
        raise InputError(f"{data.called}: column `{counts}` sums to 0: give the people's counts.")
    groups = {name: table.coded_with_missing(name) for name in attributes}
    within = None if cluster is None else table.coded(cluster)
    median = None
    if score is not None:
        if weight is not None:
            _check_scores(f"{data.called}: column `{score}`", groups)
        scores = np.asarray(table.numbers(score, "correct it, or drop the row"))
        order = np.argsort(scores, kind="stable")
        ends, total = np.cumsum(count[order]), int(count.sum())
        middle = np.searchsorted(ends, [(total - 1) // 2, total // 2], side="right")
        low, high = scores[order][middle]
        median = float(low + (high - low) / 2)
        chosen = scores < median if lower_is_better else scores > median
        if not count[chosen].any():
            side = "below" if lower_is_better else "above"
            raise InputError(
                f"{data.called}: column `{score}` has no score {side} its median, {median:g}: give "
                "decisions by --prediction, or a score that tells people apart."
            )
    elif selected is not None:
        both = np.tile(np.arange(len(table)), 2)  # those selected, then all others
        groups = {name: one.take(both) for name, one in groups.items()}
        within = None if within is None else within.take(both)
        count = selected_and_not(table, selected, str(of), count)
        chosen = np.repeat([True, False], len(table))
    else:
        assert prediction is not None
        otherwise = "if it is a score, name it by --score" if weight is None else COUNTS_SELECTED
        labelled = _decisions(table, label, prediction, positive, data.called, otherwise)
        chosen = labelled.y_pred == 1
        if limit is not None:
            chosen, among = limit.cells.of_items(labelled.cell)
            count = count * among
            positive = labelled.positive
    sample = read_sample(
        within,
        None,
        "sampling",
        called=SamplingNames(clusters=f"{data.called}: column `{cluster}`"),
        people=chosen,
    )
    # rows of one each are clusters too where a row stands for several
    clusters = None if sample.design is None else sample.design.cluster
    unknown_words = {*UNKNOWN, *(word.lower() for word in unknown)}
    are_unknown = {
        name: [text.strip().lower() in unknown_words for text in words(one.kinds, f"`{name}`")]
        for name, one in groups.items()
    }
    return People(
        chosen,
        groups,
        {
            name: np.asarray(one.of_items(np.array(are_unknown[name])), dtype=bool)
            for name, one in groups.items()
        },
        count,
        np.arange(len(chosen)) if cluster and clusters is None else clusters,
        {
            "file": Path(data.called).name,
            "words": {"label": label, "prediction": prediction, "positive": positive},
            "sha256": data.source.digest,
            "notes": [*table.notes.values(), *data.source.notes.values()],
        },
        median,
    )


def _check_given(
    given: Mapping[str, str | None],
    positive: str | None,
    limit: Limit | None,
    *,
    lower_is_better: bool,
) -> None:
    """Raise InputError for columns that do not go together, or too few."""
    named = {role for role, name in given.items() if name is not None}
    if ("label" in named) != (limit is not None and limit.of_labels):
        raise InputError(
            "--label: name its column for --at-most or --at-least of a rate of labels, such as "
            "FPR=0.05, and for no other table."
        )
    if len(named & {"selected", "of"}) == 1 or {"of", "weight"} <= named:
        raise InputError(
            "--selected, --of: name the column of how many were selected and that of how many "
            "there were, both, and no --weight."
        )
    if len(named & {"prediction", "score", "selected"}) != 1:
        raise InputError(
            "--prediction, --score: name the column of the decisions, or that of the scores, "
            "of which those above the median count as selected, or those of --selected and --of."
        )
    if "label" in named and "prediction" not in named:
        raise InputError("--prediction: name the column of the decisions beside --label.")
    if "prediction" not in named and positive is not None:
        raise InputError("--positive is the value of a --prediction: leave it out.")
    if "score" not in named and lower_is_better:
        raise InputError("--lower-is-better is for a --score: leave it out.")


def _check_scores(called: str, groups: Mapping[str, Column]) -> None:
    """Raise InputError if all people of the same groups would have one score."""
    codes = {name: one.of_items(np.arange(len(one.kinds))) for name, one in groups.items()}
    if not pd.DataFrame(codes).duplicated().any():
        raise InputError(
            f"{called} has one value for all people of the same groups, so it is no score: "
            f"{COUNTS_SELECTED}."
        )


def _decisions(
    table: Table, label: str | None, name: str, positive: str | None, called: str, otherwise: str
) -> Roles:
    """Return label and decision of each row; without labels, decisions are both."""
    column = table.coded(name, number=True)
    wording = file_wording(called, label or name, name)
    if len(Values(column).kinds) > 2 and positive is None:
        raise InputError(
            f"{wording.prediction} has more than two values: name the one that is a selection by "
            f"--positive, or, {otherwise}."
        )
    labels = column if label is None else table.coded(label, number=True)
    roles = read_roles(labels, column, None, Settings(positive=positive), wording)
    if "real" in (roles.label, roles.prediction):
        raise InputError(f"{wording.label} and {wording.prediction} must have two values each.")
    return roles


@dataclass(frozen=True)
class Part:
    """The table of one attribute, or of the combinations of all."""

    attributes: Sequence[str]
    #: One row per group: group, items, selected, rate, ratio, ratio_low, ratio_high, small; of a
    #: limit bound, pvalue_within, pvalue_beyond and verdict, too.
    rows: pd.DataFrame
    #: People who are left out, as a value of theirs is unknown.
    unknown: int


def parts_of(
    people: People,
    form: Form,
    *,
    alpha: float,
    leave_out_small: bool,
    limit: Limit | None = None,
) -> list[Part]:
    """Return the table of each attribute, then that of the combinations if the form has it."""
    several: list[tuple[str, ...]] = [(name,) for name in people.groups]
    if form.intersections and len(several) > 1:
        several.append(tuple(people.groups))
    parts = [_part(people, names, form, alpha, leave_out_small, limit) for names in several]
    if limit is not None:
        limit.judged([part.rows for part in parts], alpha)
    return parts


def _part(
    people: People,
    names: Sequence[str],
    form: Form,
    alpha: float,
    leave_out_small: bool,
    limit: Limit | None,
) -> Part:
    left_out = people.unknown if form.unknown == "all" else names
    unknown = np.logical_or.reduce([people.unknown[name] for name in left_out])
    columns = [(name, people.groups[name]) for name in names]
    # by numbers, which no name of a column is
    texts: dict[object, object] = {
        i: column.of_items(np.array(words(column.kinds, f"`{name}`"), dtype=object))
        for i, (name, column) in enumerate(columns)
    }
    # a group without a row that the rate is of does not keep a limit
    known = ~unknown & ((people.count > 0) | (limit is not None))
    grouped = pd.DataFrame(
        {**texts, "items": people.count, "selected": people.count * people.selected}
    )[known].groupby(list(texts), sort=True)
    rows = grouped[["items", "selected"]].sum().reset_index()
    if len(rows) < (2 if limit is None else 1):
        raise InputError(
            f"`{BETWEEN.join(names)}`: fewer than two known groups have people: a ratio compares "
            "two, so name another column."
        )
    items = rows["items"].to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        rate = rows["selected"].to_numpy() / items
    is_small = items / items.sum() < form.small
    kept = ~(is_small & leave_out_small)
    ratio, low, high = (np.full(len(rows), np.nan) for _ in range(3))
    trials, correlation, df = items, np.zeros((len(rows), len(rows))), np.full(len(rows), np.inf)
    if people.cluster is not None:
        if items.sum() > MAX_ROWS:
            raise InputError(
                f"`{BETWEEN.join(names)}`: the counts are of {items.sum():,.0f} people, and in "
                f"clusters they may be of {MAX_ROWS:,}: correct them, or leave out --cluster."
            )
        each = np.repeat(np.arange(int(known.sum())), people.count[known])
        _, trials, correlation, df = group_rates(
            people.selected[known][each].astype(float),
            np.asarray(grouped.ngroup(), dtype=np.int64)[each],
            len(rows),
            SamplingDesign(len(each), people.cluster[known][each]),
        )
    ratio[kept], low[kept], high[kept] = ratios_to_highest(
        rate[kept],
        trials[kept],
        alpha=alpha,
        correlation=correlation[np.ix_(kept, kept)],
        df=df[kept],
    )
    table = pd.DataFrame(
        {
            "group": rows[list(texts)].agg(BETWEEN.join, axis=1),
            "items": rows["items"], "selected": rows["selected"], "rate": rate,
            "ratio": ratio, "ratio_low": low, "ratio_high": high, "small": is_small,
        }
    )  # fmt: skip
    if (twice := named_twice(table["group"])) is not None:
        called = f"`{BETWEEN.join(names)}` has two groups that are called {shortened(twice)}"
        raise InputError(f"{called}: rename one.")
    if limit is not None:
        table = table.assign(**limit.tested(rate, np.minimum(trials, items), df, alpha))
    return Part(names, table, int(people.count[unknown].sum()))
