"""`fairpairs.compare`: the comparison of two models on arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from fairpairs.audits.compare.compare import compare_columns
from fairpairs.audits.compare.result import ComparisonResult
from fairpairs.audits.items.columns import names_of_series
from fairpairs.audits.items.groups import by_name
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.repeated_ids import repeated_index
from fairpairs.audits.items.roles import LabelKind
from fairpairs.audits.items.settings import AuditColumns, Settings
from fairpairs.base.guesses import understood
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

WORDINGS = (
    Wording(prediction="y_pred_old", score="y_score_old"),
    Wording(prediction="y_pred_new", score="y_score_new"),
)


@understood
def compare(
    y_true: ArrayLike,
    y_pred_old: ArrayLike | None = None,
    y_pred_new: ArrayLike | None = None,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    y_score_old: ArrayLike | None = None,
    y_score_new: ArrayLike | None = None,
    threshold: float | None = None,
    items: ArrayLike | None = None,
    positive: object = None,
    favourable: object = None,
    label_kind: LabelKind = "auto",
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
    missing_group: bool = False,
    control: ArrayLike | Mapping[str, ArrayLike] | None = None,
) -> ComparisonResult:
    """Compare the fairness of two models that predict the same items.

    Each measure of an audit that is a difference of two groups, the gap, is computed for both
    models. The change of the gap, new minus old, is tested with the variance that the shared items
    leave; so is whether the new gap is larger, whatever the signs of both.

    Parameters
    ----------
    y_true, y_pred_old, y_pred_new
        Labels, and predictions of the old and the new model, shape (n,): two values of any kind, or
        numbers.
    y_score_old, y_score_new
        Scores of both models, for a binary label, shape (n,).
    threshold
        Instead of the predictions: that of either model is positive if its score is at least this.
    items
        What each item is called in `changed`, shape (n,); by default its place from 1 on.
    margin
        Largest increase of a gap that does not matter: one for all rates, or one by criterion. Each
        line is then also tested for not being worse by it, and for being worse by more.
    criterion
        What counts for `worse` and `shown`, as in `audit`.
    sensitive_features, positive, favourable, label_kind, intersections, reference, smallest, alpha
        As in `audit`.
    correction, clusters, sample_weight, weight_kind, missing_group, control
        As in `audit`.

    Returns
    -------
    ComparisonResult
        What cannot be estimated is a row with the reason.

    Raises
    ------
    InputError
        As for `audit`; a score of one model only, decisions of one model and numbers of the other,
        an item that is named twice, a criterion that counts but has no gap.

    Notes
    -----
    docs/explanation/methods.md has the tests and what their levels are.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 40
    >>> y_old = [1, 0, 1, 0, 0, 0, 1, 0] * 40
    >>> y_new = [1, 1, 1, 1, 0, 0, 1, 0] * 40
    >>> sex = ["m", "f", "m", "f", "m", "f", "m", "f"] * 40
    >>> result = compare(y_true, y_old, y_new, sensitive_features={"sex": sex}, margin=0.1)
    >>> columns = ["group", "measure", "old", "new", "verdict"]
    >>> result.to_frame().loc[:1, columns].round(2)
      group measure  old  new                  verdict
    0     m     TPR  1.0  0.0                 improved
    1     m     FPR  0.5  0.5  not worse by the margin
    """
    old = AuditColumns(
        y_true, y_pred_old, by_name(sensitive_features), y_score_old, clusters, sample_weight,
        control={} if control is None else by_name(control, "control"),
    )  # fmt: skip
    new = replace(old, y_pred=y_pred_new, y_score=y_score_new)
    settings = Settings(
        positive=positive, favourable=favourable, label_kind=label_kind,
        missing_group=missing_group, intersections=intersections,
        reference=reference, weight_kind=weight_kind, alpha=alpha,
        correction=correction, criterion=criterion, margin=margin, threshold=threshold,
        smallest=smallest,
    )  # fmt: skip
    arrays = old.with_options | {
        "y_pred_new": ("prediction", y_pred_new), "y_score_new": ("score", y_score_new),
    }  # fmt: skip
    ids = [] if clusters is not None else repeated_index(arrays, alpha, criterion)
    source = names_of_series(label=y_true)
    return compare_columns(old, new, settings, WORDINGS, source=source, items=items, checks=ids)
