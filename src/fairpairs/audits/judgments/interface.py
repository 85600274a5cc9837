"""The audit of judgments as Python calls it: files or tables, and their columns by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.result import JudgmentsResult
from fairpairs.audits.judgments.settings import JudgmentColumns, JudgmentSettings, WinnerBy
from fairpairs.audits.options import options_as_arguments
from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.base.named_columns import LONGEST, is_name, names_given
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import printable
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.given import JudgesAs, TiesInOutcome

#: Option of the command → the argument that has another name.
ARGUMENTS = {
    "score": "y_score", "sensitive": "sensitive_features", "judge": "judges",
    "judges": "judges_as", "cluster": "clusters", "item_cluster": "item_clusters",
    "stratum": "strata",
}  # fmt: skip
#: One column, or several.
Names = str | Sequence[str]


@understood
def audit_judgments(
    judgments: Any = None,
    predictions: Any = None,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    winner_by: WinnerBy = "auto",
    chosen: Names = (),
    rejected: Names = (),
    group: Content | None = None,
    pair: str | None = None,
    within_only: bool = False,
    item: str | None = None,
    y_score: Names = (),
    verdict: Names = (),
    sensitive_features: Names = (),
    judges: str | None = None,
    judges_as: JudgesAs | None = None,
    clusters: str | None = None,
    item_clusters: str | None = None,
    strata: str | None = None,
    cheap_outcome: str | None = None,
    chance: str | None = None,
    drawn_within: str | None = None,
    intersections: bool = False,
    ties: Ties = "wrong",
    ties_in_outcome: TiesInOutcome = "drop",
    order: bool = False,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> JudgmentsResult:
    """Test from comparative judgments alone whether models treat groups alike.

    It is the command `fairpairs audit-judgments` (docs/tutorials/judgments.md): for each model and
    attribute, `comparative_separation_from_judgments`. p-values of lines are adjusted over an
    attribute, of all models; the verdict is by Holm over all of them.

    Parameters
    ----------
    judgments
        A path, or a table of pandas, Arrow or Polars, with a row for each judgment. In any of three
        forms: two items and an outcome, the items in `predictions`; both sides in a row (model_a,
        model_b, winner); scores of the preferred and of the other answer (chosen, rejected).
    predictions
        A path or a table with a row for each item, where the items have a table of their own.
    left, right, outcome
        Columns of `judgments`: the two items, and which of them is preferred.
    winner_by
        Whether `outcome` holds ids ("id") or sides ("side": 1 and -1, left and right); "auto" finds
        it out.
    chosen, rejected
        Columns of the scores of the preferred answer and of the other one.
    group
        In place of `judgments`: a path or a table of chosen and rejected scores for each group, row
        by row versions of one text.
    pair
        Column that names rows which are versions of one text in two groups.
    within_only
        Whether answers of different versions of a text are not compared.
    item
        Column of `predictions` with the ids of the items.
    y_score
        Columns of scores, of one model each: of `predictions`, or those of both sides.
    verdict
        Columns of `judgments` with what audited judges prefer, in place of scores.
    sensitive_features
        Columns of the groups: of `predictions`, or those of both sides. Each is audited.
    judges, clusters
        Columns of judge and of cluster (prompt, session), whose judgments are related.
    judges_as
        Whether the audit is about these judges ("fixed"; the default below 20 judges) or about
        judges like them ("sample"), whose tastes are chance.
    item_clusters
        Column of the person, or the like, that several items belong to.
    strata
        Column of categories, within which groups are compared.
    cheap_outcome
        Column with what a cheap judge, such as a language model, prefers in every judgment;
        `outcome` is then empty where nobody looked. It makes the estimates more precise, however
        often it errs.
    chance, drawn_within
        Column of the chance of each judgment to get an `outcome`, or of the strata within each of
        which judgments were drawn at random. By default all have the same chance.
    intersections
        Whether the combinations of all attributes are audited, too.
    ties
        What a tie of two scores counts: "wrong", or "half".
    ties_in_outcome
        Whether judgments without a winner are left out ("drop"), or count "half" for each side.
    order
        Whether the left item was shown first: then the preference for that place is tested.
    alpha, correction
        Level, and adjustment of p: "holm", "sidak" or "none".

    Returns
    -------
    JudgmentsResult

    Raises
    ------
    InputError
        One sentence that names the table, the column, and the remedy.

    Examples
    --------
    >>> import pandas as pd
    >>> items = pd.DataFrame({
    ...     "id": range(80), "area": ["north", "south"] * 40,
    ...     "score": [i % 2 + i / 50 for i in range(80)],
    ... })
    >>> pairs = [(i, j) for i in range(80) for j in range(i + 1, 80) if (i + j) % 3]
    >>> judgments = pd.DataFrame(pairs, columns=["i", "j"]).assign(better=lambda rows: rows["j"])
    >>> result = audit_judgments(
    ...     judgments, items, left="i", right="j", outcome="better", item="id", y_score="score",
    ...     sensitive_features="area",
    ... )
    >>> result.to_frame()[["hypothesis", "estimate", "verdict"]].round(2)
                                hypothesis  estimate    verdict
    0  TPR(south,north) = TPR(north,south)      0.87   violated
    1  TPR(south,south) = TPR(north,north)      0.00  not shown
    """
    inputs.level(alpha)
    inputs.one_of(winner_by, "winner_by", get_args(WinnerBy))
    if judges_as is not None:
        inputs.one_of(judges_as, "judges_as", get_args(JudgesAs))
    inputs.one_of(ties_in_outcome, "ties_in_outcome", get_args(TiesInOutcome))
    for name, value in (
        ("within_only", within_only),
        ("intersections", intersections),
        ("order", order),
    ):
        inputs.flag(value, name)
    one: Record = {
        "left": left, "right": right, "outcome": outcome, "pair": pair, "item": item,
        "judge": judges, "cluster": clusters, "item_cluster": item_clusters, "stratum": strata,
        "cheap_outcome": cheap_outcome, "chance": chance, "drawn_within": drawn_within,
    }  # fmt: skip
    several: Record = {
        "chosen": chosen,
        "rejected": rejected,
        "score": y_score,
        "verdict": verdict,
        "sensitive": sensitive_features,
    }
    named: Record = {
        **{
            name: None if value is None else _name(value, _argument(name))
            for name, value in one.items()
        },
        **{name: names_given(values, _argument(name)) for name, values in several.items()},
    }
    columns = JudgmentColumns(winner_by=winner_by, within_only=within_only, **named)
    settings = JudgmentSettings(
        intersections=intersections,
        ties=ties,
        ties_in_outcome=ties_in_outcome,
        order=order,
        judges=judges_as,
        alpha=alpha,
        correction=correction,
    )
    if not (group is None or isinstance(group, Mapping)):
        raise InputError(f"group must map names to paths or tables; it is {shown(group)}.")
    with options_as_arguments(_argument):
        judged = read_judgments(
            columns,
            _table(judgments, "judgments"),
            _table(predictions, "predictions"),
            {
                _name(name, "group"): _table(source, f"group {name}")
                for name, source in (group or {}).items()
            },
            alpha,
        )
        return audit_judged(judged, settings)


def _argument(option: str) -> str:
    """Return the argument that an option of the command is."""
    return ARGUMENTS.get(option, option)


def _name(value: Any, argument: str) -> Any:
    """Return the name of a column, or of a group."""
    if not is_name(value):
        raise InputError(f"{argument} must be a name in one line; it is {shown(value)}.")
    return value


def _table(values: Any, argument: str) -> Any:
    """Return a table of a file, or of values in memory."""
    if values is None:
        return None
    if not isinstance(values, str | Path):
        return Table.of(values, argument)
    if len(str(values)) > LONGEST or printable(values) != str(values):
        raise InputError(f"{argument} must be a path or a table; it is {shown(values)}.")
    return Table(Path(values))
