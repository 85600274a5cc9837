"""The monitor as Python calls it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairpairs.audits.monitor.monitor import monitored
from fairpairs.audits.monitor.result import MonitorResult
from fairpairs.audits.monitor.settings import (
    LabelKind,
    MonitorSettings,
    NewGroups,
    RunLength,
    Window,
)
from fairpairs.audits.options import options_as_arguments
from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.base.named_columns import LONGEST, is_name, names_given


@understood
def monitor(
    state: str | Path,
    data: Any = None,
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
    y_score: str | None = None,
    threshold: float | None = None,
    sensitive_features: str | Sequence[str] | None = None,
    judgments: bool | None = None,
    outcome: str | None = None,
    chosen: str | None = None,
    rejected: str | None = None,
    positive: object = None,
    favourable: object = None,
    label_kind: LabelKind | None = None,
    reference: object = None,
    groups: Mapping[str, Sequence[object]] | None = None,
    criterion: str | Sequence[str] | None = None,
    margin: float | Mapping[str, float] | None = None,
    gap: float | None = None,
    alpha: float | None = None,
    run_length: int | str | None = None,
    score_range: tuple[float, float] | None = None,
    missing_group: bool | None = None,
    batch_name: str | Sequence[str] | None = None,
    clusters: str | None = None,
    ids: str | None = None,
    new_groups: NewGroups | None = None,
    window: int | str | None = None,
    reset: str | None = None,
    again: bool = False,
) -> MonitorResult:
    """Append a batch of rows to a state, and see what all rows so far show.

    It may be called after every batch, for ever: of a fair model, any line is ever called violated
    with a chance of at most `alpha`. It is the command `fairpairs monitor`
    (docs/reference/monitor.md).

    Rows must be in the order of time, independent unless `clusters` names their person, and each
    may be appended once.

    Parameters
    ----------
    state
        Path of the state. The first call makes it, and settles what is monitored; later ones need
        no other argument than `data`, and refuse one that differs.
    data
        A batch: a table of any kind (see `audit`), or the path of a CSV, JSON lines or Parquet
        file; a list of paths for several. None to look only.
    y_true, y_pred, y_score
        Columns of label, prediction and score. Without labels, selection rates (or mean
        predictions) are monitored.
    threshold
        Instead of `y_pred`: the prediction is positive if its score is at least this.
    sensitive_features
        Columns of sensitive attributes, of at most 20 groups each.
    judgments
        Whether rows are judgments with both sides in a row: `y_score` and `sensitive_features` then
        name the columns of both sides, as in `audit_judgments`.
    outcome, chosen, rejected
        Of judgments: column of who wins, or columns of the scores of winner and loser.
    positive, label_kind
        Positive value of the label; "binary" or "number", where that is not clear.
    favourable
        Value of the label (without labels, of the prediction) that is good for a person: it decides
        what harms a group.
    reference
        Group that the others are compared with, by attribute; by default the largest of the first
        batch.
    groups
        Groups that the first batch does not have, by attribute.
    criterion
        What counts: "separation" (TPR and FPR), "equal_opportunity" (TPR), "accuracy", "xauc" (AUC
        and xAUC), "differential_parity" (mean error), "mean_absolute_error", "demographic_parity"
        (selection rate). By default separation, and xauc with a score.
    margin
        Largest difference that does not matter: of all rates, or by criterion.
    gap
        The difference that is to be found soonest, by default 0.1; of means, in standard
        deviations.
    alpha
        Level of all lines that count and all looks, by default 0.05.
    run_length
        How long it takes on average until a change is shown where there is none: a number of
        batches, by default 1000, or of rows, such as "500000 rows".
    score_range
        The smallest and the largest possible score, by default 0 and 1.
    missing_group
        Whether rows without a value of an attribute are a group of their own, "missing".
    batch_name
        Name or date of the batch, such as "2026-W07", or a list, one for each batch; a batch
        without one is called by its number.
    clusters
        Column of the person: the rows of one in a batch are one item, their mean, and those of a
        person of an earlier batch are left out.
    ids
        Column of an id of each row. Labels may then be missing, and come later: a batch of ids
        and labels alone.
    new_groups
        "add" lets groups join that no earlier batch has; a part of the level is kept for them. By
        default they are refused.
    window
        The last batches, shown beside all: a number of batches, or of days, such as "90 days",
        where the names of batches are dates.
    reset
        Why the evidence begins anew with this batch, such as "new model"; it is kept.
    again
        Whether a batch that was appended before is appended once more.

    Returns
    -------
    MonitorResult

    Raises
    ------
    InputError
        One sentence with the remedy; the state is then as it was before the batch.

    References
    ----------
    B. Chugg, S. Cortes-Gomez, B. Wilder and A. Ramdas (2023), Auditing Fairness by Betting;
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas (2024), Time-uniform central
    limit theory and asymptotic confidence sequences.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tempfile
    >>> rng = np.random.default_rng(0)
    >>> week = pd.DataFrame({"y": rng.integers(0, 2, 1000), "sex": rng.choice(["f", "m"], 1000)})
    >>> week["yhat"] = np.where((week["sex"] == "f") & (rng.random(1000) < 0.4), 0, week["y"])
    >>> columns = {"y_true": "y", "y_pred": "yhat", "sensitive_features": "sex"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = monitor(f"{folder}/model.state", week, **columns, reference={"sex": "m"})
    >>> result.to_frame().loc[:1, ["measure", "estimate", "verdict", "since"]].round(2)
      measure  estimate    verdict  since
    0     TPR     -0.45   violated      1
    1     FPR      0.00  not shown      0
    """
    if not isinstance(state, str | Path) or not is_name(str(state)):
        raise InputError(f"state must be a path, in one line; it is {shown(state)}.")
    names = {
        "y_true": y_true,
        "y_pred": y_pred,
        "y_score": y_score,
        "outcome": outcome,
        "chosen": chosen,
        "rejected": rejected,
        "clusters": clusters,
        "ids": ids,
    }
    for argument, name in names.items():
        if not (name is None or is_name(name)):
            raise InputError(f"{argument} is {shown(name)}: name a column of the data.")
    inputs.flag(again, "again")
    settings = MonitorSettings(
        label=y_true, prediction=y_pred, score=y_score, threshold=threshold,
        sensitive=_names(sensitive_features, "sensitive_features"), judgments=judgments,
        outcome=outcome, chosen=chosen, rejected=rejected, positive=positive, favourable=favourable,
        label_kind=label_kind, reference=reference,
        groups=_groups(groups), criterion=_names(criterion, "criterion"),
        margin=_margin(margin), gap=gap, alpha=alpha,
        run_length=None if run_length is None else RunLength.read(run_length),
        window=None if window is None else Window.read(window),
        cluster=clusters, id=ids, new_groups=new_groups,
        score_range=_range(score_range), missing_group=missing_group,
    )  # fmt: skip
    if isinstance(data, str) and len(data) > LONGEST:
        raise InputError(f"data must be a path or a table; it is {shown(data)}.")
    paths = isinstance(data, list | tuple) and all(isinstance(path, str | Path) for path in data)
    batches = [] if data is None else list(data) if paths else [data]
    names_of_batches = _names(batch_name, "batch_name") or ()
    if not (reset is None or isinstance(reset, str)):
        raise InputError(f"reset must say why, as a text; it is {shown(reset)}.")
    with options_as_arguments():
        return monitored(
            Path(state), batches, settings, names=names_of_batches, again=again, reset=reset
        )


def _names(values: Any, argument: str) -> list[str] | None:
    return None if values is None else names_given(values, argument)


def _mapping(values: Any, argument: str) -> Any:
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"{argument} must map attributes to groups; it is {shown(values)}.")
    return values


def _groups(values: Any) -> Any:
    for name, groups in (_mapping(values, "groups") or {}).items():
        if isinstance(groups, str) or not isinstance(groups, list | tuple):
            raise InputError(f"groups: give a list of the groups of {shown(name)}.")
    return values


def _margin(margin: Any) -> Any:
    if margin is None:
        return None
    for value in margin.values() if isinstance(margin, Mapping) else [margin]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"margin: {shown(value)} is no margin: give a number, such as 0.05.")
    return margin


def _range(values: Any) -> tuple[float, float] | None:
    if values is None:
        return None
    numbers = isinstance(values, list | tuple) and len(values) == 2
    if not numbers or not all(isinstance(v, int | float) for v in values):
        raise InputError(f"score_range must be two numbers, such as (0, 1); it is {shown(values)}.")
    return (float(values[0]), float(values[1]))
