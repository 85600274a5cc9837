"""`fairpairs.choose`: which rows to label next."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from fairpairs.audits.audit.groups import by_name
from fairpairs.audits.audit.messages import Wording
from fairpairs.audits.audit.settings import AuditColumns, Settings
from fairpairs.audits.choose.choose import Choice, choose_rows


def choose(
    y_true: ArrayLike | None,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    cheap_label: ArrayLike,
    n: int,
    chance: ArrayLike | None = None,
    drawn_within: ArrayLike | None = None,
    criterion: str | Sequence[str] | None = None,
    positive: object = None,
    missing_group: bool = False,
    random_state: int = 0,
) -> Choice:
    """Choose which rows people should label next, for an audit with a cheap label.

    Rows are drawn at random within combinations of groups, decision and cheap label, more of those
    whose labels make the differences that count more precise (Neyman's allocation), and some of
    all, so that no row has a chance of 0.

    Parameters
    ----------
    y_true, y_pred
        Labels by people, missing (None or NaN) where nobody looked, or None before the first round;
        and decisions, shape (n,), of two values each.
    sensitive_features
        Group of each row, shape (n,); or several attributes, as for `audit`.
    cheap_label
        Label that every row has, such as a language model's, in the values of `y_true`.
    n
        How many rows to choose.
    chance, drawn_within
        How the rows with a `y_true` were drawn, as for `audit`: in a second round, `chance` of the
        first one.
    criterion
        The criteria that are to be precise, of rates of decisions; by default separation.
    positive
        Value of the label that is positive; None for 1 or true.
    missing_group
        Whether rows without a value of an attribute are a group of their own.
    random_state
        Seed, a whole number from 0 on.

    Returns
    -------
    Choice
        `chosen`, the rows to label; `chance`, which `audit` and the next round need; `cells`.

    Raises
    ------
    InputError
        Labels or decisions of other than two values, criteria that compare no rates of decisions,
        and what `audit` refuses of cheap labels and chances.

    References
    ----------
    Neyman (1934), On the two different aspects of the representative method.

    Examples
    --------
    >>> judge, approved = [1, 0, 1, 0] * 100, [1, 1, 0, 0] * 100
    >>> sex = ["m"] * 300 + ["f"] * 100
    >>> choice = choose(None, approved, sensitive_features={"sex": sex}, cheap_label=judge, n=80)
    >>> int(choice.chosen.sum()), choice.cells.groupby("sex")["chosen"].sum().to_dict()
    (80, {'f': 38, 'm': 42})
    """
    labels: Any = y_true
    columns = AuditColumns(
        labels,
        y_pred,
        by_name(sensitive_features),
        cheap_label=cheap_label,
        chance=chance,
        drawn_within=drawn_within,
    )
    settings = Settings(
        positive=positive, criterion=criterion, missing_group=missing_group,
        random_state=random_state,
    )  # fmt: skip
    settings.check(Wording())
    return choose_rows(columns, n, settings, Wording())
