"""`fairpairs audit-judgments`: comparative separation from judgments, without any label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from tabulate import tabulate

from fairpairs.arrays import Floats
from fairpairs.auditing.verdicts import NOT_SHOWN, NOT_TESTED, VIOLATED
from fairpairs.cli.inputs import (
    Table,
    bad_input_in_one_sentence,
    row_number,
    split_names,
)
from fairpairs.cli.outputs import check_folder, output_errors, show
from fairpairs.errors import InputError, shown
from fairpairs.fairness.comparative import ComparativeSeparationResult
from fairpairs.fairness.comparative_judgments import comparative_separation_from_judgments
from fairpairs.fairness.effect_sizes import magnitude
from fairpairs.fairness.estimates import SMALL_CELL, equal_without_variance
from fairpairs.fairness.gaps import FEW_BEHIND, FEW_ITEMS
from fairpairs.fairness.inputs import MAX_GROUPS, group_name, level
from fairpairs.fairness.pairs.rates import Ties
from fairpairs.fairness.results import Correction, adjusted
from fairpairs.files import write_together
from fairpairs.texts import interval, listed, number, p_equals, pvalue

WinnerBy = Literal["id", "side"]

EXAMPLES = """\b
Examples:
  fairpairs audit-judgments judgments.csv predictions.csv --left i --right j \\
      --outcome winner --item id --score s --sensitive sex
  fairpairs audit-judgments judgments.parquet predictions.csv --left i --right j \\
      --outcome side --winner-by side --item id --score s \\
      --sensitive sex --sensitive race --out audit --fail-on-violation
"""

#: Exit status of --fail-on-violation.
FOUND = 1
#: Words by which a side is named, and those that mostly stand for a tie.
SIDES = {"1": 1, "+1": 1, "1.0": 1, "left": 1, "-1": -1, "-1.0": -1, "right": -1}
TIES = ("0", "0.0", "0.5", "tie", "tied", "draw", "equal", "both", "none", "neither", "same", "=")
#: Ids that an unknown one is compared with, to find what was meant.
MOST_COMPARED = 10_000
#: The files that --out gets.
HYPOTHESES, RATES, REPORT = "hypotheses.csv", "rates.csv", "report.txt"
ADJUSTED = {"holm": " (Holm)", "sidak": " (Šidák)", "none": ""}


@dataclass(frozen=True)
class Judged:
    """The judgments and the items that they judge.

    Attributes
    ----------
    left, right
        Positions of the two items of each judgment, shape (m,).
    outcome
        1 where the left item is preferred, −1 where the right one is, shape (m,).
    items
        The items that are judged: their score, and their attributes as words.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    items: pd.DataFrame


def audit_judgments(
    judgments: Annotated[
        Path,
        typer.Argument(
            metavar="JUDGMENTS", help="CSV or Parquet file of the judgments, one row a judgment."
        ),
    ],
    predictions: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTIONS", help="CSV or Parquet file of the scores, one row an item."
        ),
    ],
    left: Annotated[str, typer.Option(help="Column of JUDGMENTS with the id of one item.")],
    right: Annotated[str, typer.Option(help="Column of JUDGMENTS with the id of the other item.")],
    outcome: Annotated[
        str, typer.Option(help="Column of JUDGMENTS that says which of the two is preferred.")
    ],
    item: Annotated[str, typer.Option(help="Column of PREDICTIONS with the ids of the items.")],
    score: Annotated[
        str, typer.Option(help="Column of PREDICTIONS with the scores, higher for the preferred.")
    ],
    sensitive: Annotated[
        list[str],
        typer.Option(
            help="Column of PREDICTIONS with the groups; repeat it, or use commas, for several."
        ),
    ],
    winner_by: Annotated[
        WinnerBy,
        typer.Option(help="Whether --outcome holds the id of the preferred item, or 1 and -1."),
    ] = "id",
    intersections: Annotated[
        bool, typer.Option("--intersections", help="Test the combinations of all groups, too.")
    ] = False,
    ties: Annotated[
        Ties, typer.Option(help="What a tie of the two scores counts: as wrong, or as half.")
    ] = "wrong",
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the test.")] = 0.05,
    correction: Annotated[
        Correction, typer.Option(help="Correction for several hypotheses on one attribute.")
    ] = "holm",
    out: Annotated[
        Path | None,
        typer.Option(help=f"Folder to write {HYPOTHESES}, {RATES} and {REPORT} to."),
    ] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when a violation is found, by Holm over all hypotheses of all "
            "attributes, and with 2 when none can be tested.",
        ),
    ] = False,
) -> None:
    """Test from comparative judgments alone whether scores treat groups alike.

    A judgment prefers one of two items; it is predicted right when that item has the higher score.
    Comparative separation asks that this is as likely whatever the groups of the two are. No item
    needs a label.
    """
    with bad_input_in_one_sentence():
        tables = Table(judgments), Table(predictions)
        check_folder(out, (HYPOTHESES, RATES, REPORT), (judgments, predictions))
        level(alpha, "--alpha")
        attributes = list(dict.fromkeys(name for text in sensitive for name in split_names(text)))
        _check_columns(tables, (left, right, outcome), (item, score), attributes)
        given = _judged(tables, (left, right, outcome), (item, score), attributes, winner_by)
        results = {
            name: comparative_separation_from_judgments(
                given.left, given.right, given.outcome, given.items[score],
                sensitive_features=groups, ties=ties, alpha=alpha, correction=correction,
            )
            for name, groups in _groups(given.items, attributes, predictions, intersections).items()
        }  # fmt: skip
        report = _report(tables, given, results, score, ties)
        if out is not None:
            _write(out, results, report)
    show(report)
    if fail_on_violation:
        with bad_input_in_one_sentence():
            p = _smallest(_gate(results))
            if np.isnan(p):
                raise InputError(
                    "--fail-on-violation: nothing can be tested with these judgments (the rows "
                    "above say why): add judgments."
                )
        if p < alpha:
            raise typer.Exit(FOUND)


def _check_columns(
    tables: tuple[Table, Table],
    of_judgments: tuple[str, str, str],
    of_items: tuple[str, str],
    attributes: Sequence[str],
) -> None:
    options = ("--left", "--right", "--outcome"), ("--item", "--score")
    if all(name in tables[1].columns for name in of_judgments) and all(
        name in tables[0].columns for name in of_items
    ):
        both = [set(table.columns) for table in tables]
        if not set(of_judgments) <= both[0] or not set(of_items) <= both[1]:
            raise InputError(
                f"{tables[0].path} and {tables[1].path} look exchanged: give the judgments first, "
                "then the predictions."
            )
    roles = [
        [*zip(of_judgments, options[0], strict=True)],
        [*zip(of_items, options[1], strict=True), *((name, "--sensitive") for name in attributes)],
    ]
    if not attributes:
        raise InputError("--sensitive: names no column: name one with the groups.")
    for table, named in zip(tables, roles, strict=True):
        taken: dict[str, str] = {}
        for name, option in named:
            table.check_column(name, option)
            if name in taken:
                raise InputError(
                    f"{option}: `{name}` is the column of {taken[name]} too: name two columns."
                )
            taken[name] = option


def _judged(
    tables: tuple[Table, Table],
    of_judgments: tuple[str, str, str],
    of_items: tuple[str, str],
    attributes: Sequence[str],
    winner_by: WinnerBy,
) -> Judged:
    judgments, predictions = tables
    ids = predictions.words(of_items[0])
    if ids.duplicated().any():
        again = int(ids.duplicated().argmax())
        rows = np.flatnonzero(ids == ids[again]) + 1
        raise InputError(
            f"{predictions.path}: the item {shown(ids[again])} stands in the rows {rows[0]} and "
            f"{rows[1]} (column `{of_items[0]}`): keep one row for each item."
        )
    scores = predictions.numbers(of_items[1], "correct it, or drop the item and its judgments")
    items = pd.DataFrame({of_items[1]: scores})
    for name in attributes:
        items[name] = predictions.words(name)
    index = pd.Index(ids)
    left, right = (
        _positions(judgments, name, index, predictions.path) for name in of_judgments[:2]
    )
    itself = pd.Series(left == right)
    if itself.any():
        raise InputError(
            f"{judgments.path}: row {row_number(itself)} judges the item "
            f"{shown(ids[left[itself.argmax()]])} against itself: drop such judgments."
        )
    outcome = _outcomes(judgments, of_judgments, winner_by, index)
    used = np.unique(np.concatenate([left, right]))
    items = items.iloc[used].reset_index(drop=True)
    if items[of_items[1]].min() == items[of_items[1]].max():
        raise InputError(
            f"{predictions.path}: every judged item has the score {items[of_items[1]][0]:g} "
            f"(column `{of_items[1]}`): give scores that differ between items."
        )
    # items without a judgment say nothing
    return Judged(np.searchsorted(used, left), np.searchsorted(used, right), outcome, items)


def _positions(table: Table, name: str, index: pd.Index[str], items: Path) -> NDArray[np.int64]:
    words = table.words(name)
    positions = index.get_indexer(pd.Index(words))
    unknown = pd.Series(positions < 0)
    if unknown.any():
        word = words[unknown].iloc[0]
        lower = {known.lower(): known for known in index[:MOST_COMPARED]}
        close = [lower[found] for found in get_close_matches(word.strip().lower(), lower, 1)]
        hint = f"did you mean {shown(close[0])}, or is the row to be dropped?" if close else (
            "add the item there, or drop the judgment."
        )  # fmt: skip
        raise InputError(
            f"{table.path}: column `{name}` names {unknown.sum()} time(s) an item that {items} "
            f"does not have, first {shown(word)} in row {row_number(unknown)}: {hint}"
        )
    return np.asarray(positions, dtype=np.int64)


def _outcomes(
    table: Table, columns: tuple[str, str, str], winner_by: WinnerBy, index: pd.Index[str]
) -> NDArray[np.int64]:
    one, two = (table.words(name) for name in columns[:2])
    words = table.words(columns[2], ", for a judgment without a winner says nothing")
    if winner_by == "id":
        outcome = np.select([words == one, words == two], [1, -1], default=0)
    else:
        outcome = words.str.lower().map(SIDES).fillna(0).to_numpy(np.int64)
    wrong = pd.Series(outcome == 0)
    if not wrong.any():
        return np.asarray(outcome, dtype=np.int64)
    if winner_by == "side" and set(words.str.removesuffix(".0")) == {"0", "1"}:
        raise InputError(
            f"{table.path}: column `{columns[2]}` holds 0 and 1 and no -1: write -1 where the "
            "right item is preferred (0 is a tie, which is no judgment)."
        )
    word, row = words[wrong].iloc[0], row_number(wrong)
    where = f"{table.path}: column `{columns[2]}` holds {shown(word)} in row {row}"
    if word.lower() in TIES and word not in index:
        n = int(words[wrong].str.lower().isin(TIES).sum())
        raise InputError(
            f"{where}, a tie, which is no judgment: drop such rows ({n} of {len(words)})."
        )
    if winner_by == "side":
        raise InputError(
            f"{where}, which is neither 1 (left) nor -1 (right): correct it"
            + (", or say --winner-by id." if word in index else ".")
        )
    known = word.lower() in SIDES and word not in index
    raise InputError(
        f"{where}, which is neither {shown(one[wrong].iloc[0])} nor {shown(two[wrong].iloc[0])}, "
        "the two items judged there: name the preferred one by its id"
        + (", or say --winner-by side for 1 and -1." if known else ".")
    )


def _groups(
    items: pd.DataFrame, attributes: Sequence[str], path: Path, intersections: bool
) -> dict[str, pd.Series[str] | pd.DataFrame]:
    """Return the groups of the judged items, for each attribute that is tested."""
    found: dict[str, pd.Series[str] | pd.DataFrame] = {name: items[name] for name in attributes}
    if intersections:
        if len(attributes) < 2:
            raise InputError(
                "--intersections: there is one attribute only: name another --sensitive."
            )
        found[" & ".join(attributes)] = items[list(attributes)]
    for name, groups in found.items():
        n = len(groups.drop_duplicates())
        if n == 1:
            raise InputError(
                f"{path}: column `{name}` has one group among the judged items, "
                f"{shown(items[name].iloc[0])}: a test compares two, so add judgments of another."
            )
        if n > MAX_GROUPS:
            raise InputError(
                f"{path}: `{name}` has {n} groups among the judged items, more than {MAX_GROUPS}: "
                "join some, as ages to classes."
            )
    return found


def _write(out: Path, results: Mapping[str, ComparativeSeparationResult], report: str) -> None:
    frames = {
        HYPOTHESES: {
            name: results[name].to_frame().assign(pvalue_gate=pvalues)
            for name, pvalues in _gate(results).items()
        },
        RATES: {name: result.rates() for name, result in results.items()},
    }
    contents: dict[Path, str | bytes] = {out / REPORT: f"{report}\n"}
    for name, parts in frames.items():
        table = pd.concat(parts, names=["attribute", None]).reset_index("attribute")
        contents[out / name] = table.to_csv(index=False, lineterminator="\n")
    with output_errors(out, "--out"):
        write_together(contents)


def _gate(results: Mapping[str, ComparativeSeparationResult]) -> dict[str, Floats]:
    """Return the p-values of each attribute, by Holm over the hypotheses of all attributes."""
    pvalues = adjusted(
        np.concatenate([result.difference.pvalue for result in results.values()]), "holm"
    )
    ends = np.cumsum([len(result.difference.pvalue) for result in results.values()])
    return {
        name: np.where(equal_without_variance(result.difference), 1.0, own)
        for (name, result), own in zip(results.items(), np.split(pvalues, ends[:-1]), strict=True)
    }


def _smallest(gate: Mapping[str, Floats]) -> float:
    """Return the smallest p-value; NaN when there is none."""
    pvalues = np.concatenate(list(gate.values()))
    return float(np.nanmin(pvalues)) if np.isfinite(pvalues).any() else float("nan")


def _overall(results: Mapping[str, ComparativeSeparationResult]) -> str:
    """Say what all hypotheses find together, which decides --fail-on-violation."""
    p, alpha = _smallest(_gate(results)), next(iter(results.values())).alpha
    together = "All attributes together" if len(results) > 1 else "All hypotheses together"
    if np.isnan(p):
        return f"{together}: {NOT_TESTED}."
    tested = sum(int(np.isfinite(result.difference.pvalue).sum()) for result in results.values())
    over = f" by Holm over {tested} hypotheses" if tested > 1 else ""
    return f"{together}: {VIOLATED if p < alpha else NOT_SHOWN}, {p_equals(p)}{over}."


def _report(
    tables: tuple[Table, Table],
    given: Judged,
    results: Mapping[str, ComparativeSeparationResult],
    score: str,
    ties: Ties,
) -> str:
    ahead = np.sign(given.items[score].to_numpy()[given.left]
                    - given.items[score].to_numpy()[given.right])  # fmt: skip
    right = int((ahead == given.outcome).sum())
    m, n = len(ahead), len(given.items)
    parts = [
        f"{tables[0].path}: {m:,} judgments\n"
        f"{tables[1].path}: {len(tables[1].rows):,} items, {n:,} of them judged, scores in "
        f"`{score}`\n"
        f"The scores agree with {right:,} of the judgments ({100 * right / m:.1f} %)."
    ]
    parts += [_of_attribute(name, result) for name, result in results.items()]
    if len(results) > 1 or next(iter(results.values())).correction != "holm":
        parts.append(_overall(results))
    notes = _notes(given, results, ahead, ties)
    parts.append("Notes:\n" + "\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts)


def _of_attribute(name: str, result: ComparativeSeparationResult) -> str:
    """Return what is found of one attribute: rates, hypotheses, and both in words."""
    covered = f"{100 * (1 - result.alpha):g} % interval"
    rates: list[Any] = list(result.rates().itertuples())
    of_cells = [
        (r.winner, r.loser, number(r.tpr), interval(r.ci_low, r.ci_high), f"{r.pairs:,.0f}")
        for r in rates
    ]
    rows: list[Any] = list(result.to_frame().itertuples())
    of_rows = [
        (r.hypothesis, number(r.estimate, sign=True), interval(r.ci_low, r.ci_high, sign=True),
         number(r.effect_size, sign=True), pvalue(r.pvalue), f"{r.n:,}", f"{r.smallest_cell:,}",
         _verdict(r, result.alpha))
        for r in rows
    ]  # fmt: skip
    p = f"p{ADJUSTED[result.correction]}"
    header = ["hypothesis", "difference", covered, "h", p, "n", "smallest cell", "verdict"]
    lines = [
        f"{name}: {len(result.groups)} groups\n",
        _table(of_cells, ["preferred (a)", "over (b)", "TPR(a,b)", covered, "judgments"]),
        "\nTPR(a,b): of the judgments that prefer an item of a over one of b, the share that the "
        "scores agree with.\n",
        _table(of_rows, header),
        "",
    ]
    if result.joint is not None and np.isfinite(result.joint.pvalue):
        lines.append(f"All rates at once (joint test): {p_equals(float(result.joint.pvalue))}")
    lines += _findings(name, result, rows)
    return "\n".join(lines)


def _findings(name: str, result: ComparativeSeparationResult, rows: Sequence[Any]) -> list[str]:
    """Say in words what is found, hypothesis by hypothesis where one is violated."""
    if result.violated is None:
        return [f"Nothing can be tested on `{name}`: {rows[0].note}. That is no sign of fairness."]
    if not result.violated:
        what = f"No violation of comparative separation is shown on `{name}`."
        if not any(np.isfinite(row.ci_low) for row in rows):
            return [f"{what} There is no interval to say how large one could be."]
        return [
            f"{what} That does not show that there is none: the intervals say how large one could "
            "be."
        ]
    lines = [f"Comparative separation is violated on `{name}`:"]
    rates: list[Any] = list(result.rates().itertuples())
    cells = {(cell.winner, cell.loser): cell.tpr for cell in rates}
    names = [group_name(group) for group in result.groups]
    gaps = [(low, high) for a, low in enumerate(names) for high in names[a + 1 :]]
    for place, row in enumerate(rows):
        if not row.pvalue < result.alpha:
            continue
        low, high = gaps[place // 2]
        a, b = (high, low) if row.estimate > 0 else (low, high)
        if place % 2:
            line = (
                f"judgments between two of {a} are predicted right more often than those between "
                f"two of {b} ({cells[a, a]:.2f} against {cells[b, b]:.2f})"
            )
        else:
            line = (
                f"where {a} is preferred over {b} the scores agree more often than where {b} is "
                f"preferred over {a} ({cells[a, b]:.2f} against {cells[b, a]:.2f}): they lean "
                f"towards {a}"
            )
        effect = abs(row.effect_size)
        lines.append(f"- {line}; a {magnitude(effect, 'h')} effect (h = {effect:.2f}).")
    return lines


def _notes(
    given: Judged,
    results: Mapping[str, ComparativeSeparationResult],
    ahead: NDArray[Any],
    ties: Ties,
) -> list[str]:
    judged_often = np.bincount(np.concatenate([given.left, given.right]))
    low, middle, high = judged_often.min(), np.median(judged_often), judged_often.max()
    notes = [
        f"An item is in {low} to {high} judgments, {middle:g} in the middle; that judgments share "
        "items is allowed for."
    ]
    pairs = pd.DataFrame({
        "one": np.minimum(given.left, given.right),
        "two": np.maximum(given.left, given.right),
        "first": np.where(given.left < given.right, given.outcome, -given.outcome) > 0,
    })  # fmt: skip
    of_pair = pairs.groupby(["one", "two"])["first"].agg(["size", "sum"])
    again = of_pair[of_pair["size"] > 1]
    split = again[(again["sum"] > 0) & (again["sum"] < again["size"])]
    if len(again):
        notes.append(
            f"{len(again):,} pairs of items are judged more than once, {len(split):,} of them with "
            "judgments that contradict each other; all count."
        )
    if tied := int((ahead == 0).sum()):
        counted = "wrong" if ties == "wrong" else "half right"
        notes.append(f"In {tied:,} judgments both items have the same score: counted as {counted}.")
    if (ahead == given.outcome).sum() < (ahead == -given.outcome).sum():
        notes.append(
            "The scores contradict most judgments: if a lower score stands for the preferred item, "
            "turn their sign."
        )
    for name, result in results.items():
        if (result.difference.reason == FEW_BEHIND).any():
            notes.append(
                f"`{name}`: some rates rest on {FEW_ITEMS} or fewer items in effect, as items in "
                "many judgments count most: their intervals are wide. Judge other items, too: "
                "more judgments of the same do not help."
            )
        smallest = int(result.difference.smallest_cell.min())
        if smallest < SMALL_CELL:
            notes.append(
                f"`{name}`: the smallest cell has {smallest} judgments; below {SMALL_CELL} its "
                "interval and p-value are rough."
            )
        words = [group_name(group).lower().split() for group in result.groups]
        alike = [group for group, word in zip(result.groups, words, strict=True)
                 if words.count(word) > 1]  # fmt: skip
        if alike:
            notes.append(
                f"`{name}`: the groups {listed(repr(group_name(g)) for g in alike)} differ in "
                "capitals or spaces only: write them alike if they are one."
            )
    correction = next(iter(results.values())).correction
    together = "All attributes together" if len(results) > 1 else "All hypotheses together"
    notes.append(
        "Intervals are of each rate or difference alone; p-values of the rows are "
        + ("not adjusted" if correction == "none" else
           "adjusted for the hypotheses on one attribute")
        + (f', that of "{together}" for all.' if len(results) > 1 or correction != "holm" else ".")
    )  # fmt: skip
    notes.append(
        "Judgments of one judge are taken to be independent. With few judges who favour a group "
        "each in their own way, violations are found too often (docs/judgments.md)."
    )
    notes.append(
        "Where judgments rest on more than yes and no (a quality, a need), or some are wrong, "
        "groups that differ in need or quality can cause a difference without any fault of the "
        "scores; judgments alone cannot tell (docs/judgments.md)."
    )
    return notes


def _table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    at_left = {"preferred (a)", "over (b)", "hypothesis", "verdict"}
    align = ["left" if name in at_left else "right" for name in header]
    return tabulate(rows, header, tablefmt="simple", disable_numparse=True, colalign=align)


def _verdict(row: Any, alpha: float) -> str:
    if np.isnan(row.pvalue):
        return f"no test: {row.note}"
    return VIOLATED if row.pvalue < alpha else NOT_SHOWN
