"""`fairpairs.table`: selection rates and impact ratios, in the form that a rule asks for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.columns import column_names, open_table
from fairpairs.audits.items.groups import by_name
from fairpairs.audits.items.repeated_ids import FREQUENCY, copied_rows, repeated_ids, repeated_index
from fairpairs.audits.options import options_as_arguments
from fairpairs.audits.table.form import names, read_form
from fairpairs.audits.table.limit import read_limit
from fairpairs.audits.table.rates import parts_of, read_people
from fairpairs.audits.table.result import TableResult
from fairpairs.base import inputs
from fairpairs.base.columns import column, column_with_missing
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood


@understood
def table(
    y_pred: ArrayLike | None = None,
    *,
    form: str | Path | None = None,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    positive: object = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    selected: ArrayLike | None = None,
    of: ArrayLike | None = None,
    lower_is_better: bool = False,
    threshold: float | None = None,
    at_most: float | Mapping[str, float] | None = None,
    at_least: float | Mapping[str, float] | None = None,
    unknown: Sequence[str] = (),
    leave_out_small: bool = False,
    alpha: float = 0.05,
    data: object = None,
) -> TableResult:
    """Make the table of rates and impact ratios that a rule asks for, with intervals.

    Each group's rate is divided by the highest one. The table says nothing of whether a law is
    kept.

    Parameters
    ----------
    y_pred
        Decisions, shape (n,), of two values; None with a score.
    form
        "nyc-ll144", "four-fifths", or a YAML file; None with a limit.
    sensitive_features
        Group of each person, shape (n,); or several attributes, as for `audit`, in the order of the
        form.
    y_true
        The label of each person, for a limit of a rate of labels.
    y_score
        Instead of decisions: scores, shape (n,); those above the median count as selected.
    positive
        The decision that is a selection; None for 1 or true.
    clusters
        The office, or other cluster, of each person, shape (n,); None if people are independent.
    sample_weight
        The number of people that each row stands for, shape (n,); None for one each.
    selected, of
        Instead of decisions: how many people of each row were selected, and how many there were.
    lower_is_better
        Whether the scores below the median count as selected.
    threshold
        Ratio to compare with, above 0 and at most 1; None for that of the form.
    at_most, at_least
        Instead of a form: a limit of the selection rate, or of another rate by its name, such as
        {"FPR": 0.05}, that each group is tested to keep, by exact one-sided tests.
    unknown
        Values of an attribute that mean unknown, besides missing ones and "unknown".
    leave_out_small
        Whether the groups that the form marks are left out of the ratios.
    alpha
        Intervals cover 1 − alpha.
    data
        A table or paths of files, as for `audit`. The other arguments then name its columns.

    Returns
    -------
    TableResult
        It prints as the terminal shows it; with `to_frame`, `to_markdown`, `to_html`, `write`.

    Raises
    ------
    InputError
        Decisions of more than two values, both decisions and scores, or neither, another number of
        attributes than the form has, fewer than two known groups, and no such form.

    References
    ----------
    A. Donner and G. Y. Zou (2012), Closed-form confidence intervals for functions of the normal
    mean and standard deviation (MOVER-R).

    Examples
    --------
    >>> hired, race = [1, 1, 0, 0, 1, 0, 0, 0] * 50, ["a", "a", "a", "a", "b", "b", "b", "b"] * 50
    >>> result = table(hired, form="four-fifths", sensitive_features={"race": race})
    >>> result.to_frame()[["group", "rate", "ratio", "ratio_high"]].round(3)
      group  rate  ratio  ratio_high
    0     a  0.50    1.0       1.000
    1     b  0.25    0.5       0.657
    """
    roles = {
        "y_true": y_true, "y_pred": y_pred, "y_score": y_score, "clusters": clusters,
        "sample_weight": sample_weight, "selected": selected, "of": of,
    }  # fmt: skip
    ids: list[str] = []
    if data is None:
        attributes = by_name(sensitive_features)
        if clusters is None:
            arrays = {"y_pred": ("prediction", y_pred), "y_score": ("score", y_score)}
            arrays |= {"y_true": ("label", y_true)}
            groups = {name: ("sensitive", values) for name, values in attributes.items()}
            ids = repeated_index(arrays | groups, alpha)
        given = {name: values for name, values in roles.items() if values is not None}
        if both := set(given) & set(attributes):
            raise InputError(f"sensitive_features: rename {shown(both.pop())}, an argument.")
        inputs.same_items(**given, **attributes)
        columns = {name: column(values, name) for name, values in given.items()}
        columns |= {name: column_with_missing(values, name) for name, values in attributes.items()}
        values = {name: one.of_items(one.kinds) for name, one in columns.items()}
        opened = Rows.of_table(pd.DataFrame(values), "data")
        sensitive_features = list(attributes)
        roles = {name: name if name in given else None for name in roles}
    else:
        opened = open_table(data)
    with options_as_arguments():
        named = column_names(sensitive_features=sensitive_features, **roles)
        of_people = (
            "sensitive",
            "label",
            "prediction",
            "score",
            "cluster",
            "weight",
            "selected",
            "of",
        )
        return table_of(
            opened,
            **{role: getattr(named, role) for role in of_people},
            form=form,
            positive=positive,
            unknown=unknown,
            lower_is_better=lower_is_better,
            threshold=threshold,
            at_most=at_most,
            at_least=at_least,
            leave_out_small=leave_out_small,
            alpha=alpha,
            notes=ids,
        )


def table_of(
    data: Rows,
    *,
    form: str | Path | None,
    alpha: float,
    leave_out_small: bool,
    unknown: Sequence[str] | None,
    cluster: str | None,
    threshold: float | None = None,
    at_most: Any = None,
    at_least: Any = None,
    lower_is_better: bool = False,
    notes: Sequence[str] = (),
    **columns: Any,
) -> TableResult:
    """Return the table of columns, by their names as `read_people` takes them."""
    inputs.level(alpha, "--alpha")
    inputs.flag(leave_out_small, "--leave-out-small")
    words: list[Any] = [unknown]
    if isinstance(unknown, list | tuple | None):
        words = list(unknown or ())
    if wrong := [word for word in words if not isinstance(word, str)]:
        raise InputError(f"--unknown: {shown(wrong[0])} is no text: give words of the attributes.")
    inputs.flag(lower_is_better, "--lower-is-better")
    limit = read_limit(at_most, at_least)
    if (form is None) == (limit is None):
        raise InputError(
            f"--form, --at-most, --at-least: give a form, one of {', '.join(names())}, or a limit "
            "of a rate, such as FPR=0.05."
        )
    if limit is not None and leave_out_small:
        raise InputError(
            "--leave-out-small: a limit has no ratios to leave groups out of: drop it."
        )
    read = limit.form(alpha) if limit is not None else read_form(str(form))
    if threshold is not None:
        read = read.compared_with(threshold)
    people = read_people(
        data,
        cluster=cluster,
        unknown=words,
        lower_is_better=lower_is_better,
        limit=limit,
        **columns,
    )
    read.check(list(people.groups))
    if cluster is None and columns["of"] is None:
        roles = {
            "prediction": "prediction",
            "label": "label",
            "score": "score",
            "weight": FREQUENCY,
        }
        options = {name: role for one, role in roles.items() if (name := columns[one]) is not None}
        options |= dict.fromkeys(people.groups, "sensitive")
        copied = copied_rows(data, (column.sizes() for column in people.groups.values()))
        notes = [*notes, *repeated_ids(data, options, alpha), *copied]
    parts = parts_of(people, read, alpha=alpha, leave_out_small=leave_out_small, limit=limit)
    source = {**people.source, "notes": [*notes, *people.source["notes"]]}
    return TableResult(
        read, parts, alpha, source, people.median, cluster, lower_is_better=lower_is_better,
        limit=limit,
    )  # fmt: skip
