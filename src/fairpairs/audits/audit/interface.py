"""`fairpairs.audit`: the audit of arrays, or of the columns of a table of any size."""

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from fairpairs.audits.audit.audit import audit_columns
from fairpairs.audits.audit.result import AuditResult
from fairpairs.audits.items.columns import column_names, names_of_series, open_table
from fairpairs.audits.items.files import read_rows
from fairpairs.audits.items.groups import by_name
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.repeated_ids import repeated_index
from fairpairs.audits.items.settings import AuditColumns, AuditLabelKind, Settings
from fairpairs.audits.options import options_as_arguments
from fairpairs.base.guesses import understood
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

#: The names of the arguments of `audit` in messages.
WORDING = Wording(classes=True)


@understood
def audit(
    y_true: ArrayLike | None,
    y_pred: ArrayLike | None = None,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    y_score: ArrayLike | None = None,
    threshold: float | None = None,
    positive: object = None,
    favourable: object = None,
    label_kind: AuditLabelKind = "auto",
    order: Sequence[object] | None = None,
    intersections: bool = False,
    reference: object = None,
    smallest: int = 1,
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: str | Sequence[str] | None = None,
    margin: float | Mapping[str, float] | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
    cheap_label: ArrayLike | None = None,
    chance: ArrayLike | None = None,
    drawn_within: ArrayLike | None = None,
    missing_group: bool = False,
    control: ArrayLike | Mapping[str, ArrayLike] | None = None,
    n_permutations: int = 0,
    random_state: int = 0,
    data: object = None,
) -> AuditResult:
    """Run every test of fairness that applies to the predictions of a model.

    Binary labels and predictions: separation (TPR and FPR), average odds,
    comparative separation, demographic and differential parity, accuracy, I_sep and the density
    ratio of separation from the counts. Real predictions: the same but for what needs decisions,
    with I_sep and the density ratio by logistic regressions. Binary labels with a score: also xAUC.
    Classes: separation, demographic and predictive parity, of all classes and all groups at once,
    and of each class against the rest.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, shape (n,): two values of any kind, numbers, or the same three to 50
        classes. If `y_true` is None, predictions alone are compared: their rate or mean.
    sensitive_features
        Group of each item, shape (n,); or several attributes, each of which is audited: a DataFrame
        or an array of shape (n, attributes), or a mapping from names.
    y_score
        Score, for a binary label, shape (n,). A real prediction of a binary label is the score
        unless there is another one.
    threshold
        Instead of `y_pred`: a prediction is positive if its score is at least this number.
    positive
        Value of the label (and of a binary prediction) that is positive; None for 1 or true. Of
        more than two classes (words or whole numbers), only this one is audited, against the rest;
        a real prediction is its score.
    favourable
        Value of the label that is good for a person, positive or not. With it, the answer says what
        harms a group, and the four-fifths rule is applied to that outcome.
    label_kind
        "binary", "number", "classes" or "ordinal" (classes in an order); "auto" treats two values
        as binary, three or more words as classes, and other numbers as numbers. A label of three to
        ten whole numbers, or to fifty if the prediction has no others, may be of classes: refused.
    order
        The classes of an ordinal label, the lowest first; by default that of whole numbers.
    intersections
        Whether the combinations of all attributes are audited too.
    reference
        Group that alone the others are compared with, by attribute, or that of the only one. By
        default what counts compares each two groups, and all else each group with the largest.
    smallest
        Items that a group needs to count for `violated` and `shown`; smaller ones stay in the
        tables alone.
    alpha
        Level; intervals cover 1 − alpha and are not adjusted.
    correction
        "holm", "sidak" or "none", over all hypotheses of one attribute and criterion.
    criterion
        What counts for `violated`: one or more names of docs/reference/audit.md, such as
        "separation" (or "equalized_odds"), "equal_opportunity", "accuracy", "demographic_parity".
        By default separation where the predictions are binary and xAUC where there is a score;
        comparative separation for a real label; of classes "separation_all_classes". All criteria
        are shown, whatever counts.
    margin
        Largest difference that does not matter, between 0 and 1 for rates: each line is then also
        tested for being within it, and beyond it. One for all rates, or one by criterion, which may
        also be in units of the label. `shown` of the result is True when all that counts is shown
        to be within it, and `violated` when something is shown to be beyond it.
    clusters
        Cluster of each item, such as the person of several rows, shape (n,): items of different
        clusters are independent.
    sample_weight
        Weight of each item, 0 or more, shape (n,).
    weight_kind
        "sampling", inverse chances to be sampled; "importance", ratios of the chances of an item in
        the population of interest and in that sampled; "frequency", numbers of equal rows;
        "cluster", without weights: each cluster counts once, not each row.
    cheap_label
        Label that every item has, such as a language model's, shape (n,), in the values of
        `y_true`, which is then missing (None or NaN) where nobody looked. `y_true` decides; the
        cheap label makes the estimates more precise, however wrong it is.
    chance
        Chance of each item to get a `y_true`, above 0 and at most 1, shape (n,); by default the
        same.
    drawn_within
        Strata within each of which the items with a `y_true` were drawn at random, shape (n,).
    missing_group
        Whether items without a value of an attribute are a group of their own, "missing".
    control
        What groups are compared within, such as the kind of a case: one or several columns, as
        `sensitive_features`. Whole numbers that recur are codes; amounts of more than 20 values
        are put into five ranges, which stand below the answer. Differences within the strata are
        put together by Mantel–Haenszel weights; criteria without such a form are left out.
    n_permutations
        Shuffles of the groups within labels for p-values of I_sep and of the density ratio of real
        predictions; 0 for none. On many items they take long.
    random_state
        Seed, a whole number from 0 on.
    data
        A table of pandas, Polars, Arrow, Modin, DuckDB, Ibis or PySpark (as narwhals reads
        it), or paths of CSV or Parquet files, of any size. The other arguments then name its
        columns: `y_true`, `y_pred`, `y_score`, `clusters`, `sample_weight`, `cheap_label`,
        `chance` and `drawn_within` one each, `sensitive_features` and `control` one or several.

    Returns
    -------
    AuditResult
        What cannot be estimated is a row with the reason.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths or with another index, one group or one
        value only, a third value of a label that is binary, a positive value that is not named, a
        label of a few whole numbers whose kind is not named, a threshold that no score or every
        score reaches, a criterion that is unknown or does not apply, a margin that is no number
        above 0 (for rates, and below 1), a cheap label with missing or other values, chances that
        the number of labels contradicts, labels of one group only, a control that determines the
        group, too few permutations for any p that counts to be below the level.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 20
    >>> y_pred = [1, 1, 1, 0, 0, 0, 1, 0] * 20
    >>> sex = ["m", "f", "m", "f", "m", "f", "f", "m"] * 20
    >>> result = audit(y_true, y_pred, sensitive_features={"sex": sex})
    >>> columns = ["group", "measure", "estimate", "verdict"]
    >>> result.to_frame().loc[:2, columns].round(2)
      group       measure  estimate    verdict
    0     m           TPR       0.5   violated
    1     m           FPR      -0.5   violated
    2     m  average odds       0.0  not shown

    With a margin, an audit can show that differences are small:

    >>> y_true, y_pred = [1, 1, 1, 0, 0, 0] * 200, [1, 1, 0, 0, 0, 1] * 200
    >>> sex = (["m"] * 6 + ["f"] * 6) * 100
    >>> audit(y_true, y_pred, sensitive_features={"sex": sex}, margin=0.1).shown
    True
    """
    settings = Settings(
        positive=positive, favourable=favourable, label_kind=label_kind, order=order,
        missing_group=missing_group,
        intersections=intersections, reference=reference,
        weight_kind=weight_kind, alpha=alpha, correction=correction, criterion=criterion,
        margin=margin, permutations=n_permutations, seed=random_state,
        threshold=threshold, smallest=smallest,
    )  # fmt: skip
    arrays: Record = {
        "y_true": y_true, "y_pred": y_pred, "y_score": y_score, "clusters": clusters,
        "sample_weight": sample_weight, "cheap_label": cheap_label, "chance": chance,
        "drawn_within": drawn_within,
    }  # fmt: skip
    if data is not None:
        named = column_names(**arrays, sensitive_features=sensitive_features, control=control)
        with options_as_arguments():
            return audit_columns(*read_rows(open_table(data), named, settings))
    columns = AuditColumns(
        **arrays,
        sensitive_features=by_name(sensitive_features),
        control={} if control is None else by_name(control, "control"),
    )
    ids = [] if clusters is not None else repeated_index(columns.with_options, alpha, criterion)
    source = names_of_series(label=y_true, prediction=y_pred, score=y_score)
    return audit_columns(columns, settings, WORDING, source=source, checks=ids)
