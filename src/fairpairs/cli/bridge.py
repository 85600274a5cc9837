"""`fairpairs bridge`: two sets of decisions on different items, compared by a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from fairpairs.cli.inputs import (
    Table,
    bad_input_in_one_sentence,
    row_number,
    split_names,
)
from fairpairs.cli.outputs import check_file, output_errors, show
from fairpairs.errors import InputError, shown
from fairpairs.fairness.bridges import Errors, biased_bridge, bridge_model, unbiased_bridge
from fairpairs.fairness.differential_parity import DifferentialParityResult
from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.fairness.inputs import level
from fairpairs.files import write_text
from fairpairs.texts import interval, listed, number, p_equals

EXAMPLES = """\b
Examples:
  fairpairs bridge last_year.csv this_year.csv --decision score --group sex
  fairpairs bridge last_year.csv this_year.csv --decision score --decision-2 mark \\
      --group sex --drop id,name --output result.csv
"""

#: A model that explains less of the decisions hardly allows for how the items differ.
WEAK_MODEL = 0.1


def bridge(
    first: Annotated[
        Path,
        typer.Argument(metavar="FIRST", help="CSV or Parquet of decisions R_0, a row an item."),
    ],
    second: Annotated[
        Path,
        typer.Argument(metavar="SECOND", help="CSV or Parquet of decisions R_1, on other items."),
    ],
    decision: Annotated[str, typer.Option(help="Column of the decisions, numbers.")],
    group: Annotated[
        str,
        typer.Option(
            "--group", "--sensitive", help="Column of the groups, the same two in both files."
        ),
    ],
    decision_2: Annotated[
        str | None, typer.Option(help="Column of the decisions in SECOND, if it has another name.")
    ] = None,
    features: Annotated[
        str, typer.Option(help="Columns for the model, with commas; by default all shared ones.")
    ] = "",
    drop: Annotated[str, typer.Option(help="Columns that are no features, with commas.")] = "",
    errors: Annotated[
        Errors, typer.Option(help="Where the model's errors on FIRST come from.")
    ] = "cross-fitted",
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-fitting.")] = 5,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the test.")] = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "--out", help="CSV to write the results to.")
    ] = None,
) -> None:
    """Compare two sets of decisions on different items, by a model as a bridge.

    Says whether the decisions in FIRST favour one of two groups more than those in SECOND do.
    """
    with bad_input_in_one_sentence():
        level(alpha, "--alpha")
        tables = Table(first), Table(second)
        _check_paths(first, second, output)
        columns = (decision, decision_2 or decision)
        names, unused = _feature_names(
            tables, columns, group, split_names(features), split_names(drop)
        )
        (r_0, r_1), (a_0, a_1) = _decisions(tables, columns), _groups(tables, group, folds)
        x_0, x_1, notes = _features(tables, names)
        arrays: Any = (x_0, r_0, x_1, r_1)
        biased = biased_bridge(
            *arrays, sensitive_features_0=a_0, sensitive_features_1=a_1,
            errors=errors, folds=folds, random_state=seed, alpha=alpha,
        )  # fmt: skip
        unbiased = unbiased_bridge(*arrays, sensitive_features_1=a_1, alpha=alpha)
        explained = _explained(x_0, r_0, folds, seed)
        if output is not None:
            frames = {"biased": biased.to_frame(), "unbiased": unbiased.to_frame()}
            table = pd.concat(frames, names=["bridge", None]).reset_index("bridge")
            with output_errors(output):
                write_text(output, table.to_csv(index=False, lineterminator="\n"))

    smallest = int(biased.difference.smallest_cell[0])
    if smallest < SMALL_CELL:
        notes.append(
            f"The smallest group has {smallest} items with an error to compare: below "
            f"{SMALL_CELL} the interval and the p-value are rough."
        )
    if errors == "fitting":
        notes.append(
            "Errors on the items that the model was fitted on are too small: the test finds too "
            "much (--errors cross-fitted does not)."
        )
    if explained < WEAK_MODEL:
        notes.append(
            "The model explains little of the decisions: the estimate hardly allows for how the "
            "items of the two files differ."
        )
    for path, name, groups in ((first, decision, a_0), (second, columns[1], a_1)):
        sizes = ", ".join(f"{n} {value}" for value, n in groups.value_counts().sort_index().items())
        show(f"{path}: {len(groups)} items ({sizes}), decisions in `{name}`")
    show(f"Features: {listed(names)}" + (f"; not used: {listed(unused)}" if unused else ""))
    show(
        f"The model, fitted on {first}, explains {100 * max(explained, 0):.0f} % of the variance "
        f"of decisions there that it was not fitted on (cross-validated R² {explained:.2f})."
    )
    show("\n" + _finding(biased, first, second))
    show(
        "\nIf the model is trusted, its predictions standing in for the decisions of the first "
        "file (unbiased bridge):\n"
        f"{_finding(unbiased, first, second)}\n"
        "That holds only if the model errs in both groups alike, which this does not check."
    )
    notes[:0] = [
        "A higher decision is taken for a more favourable one.",
        "Both files must hold items of one kind, drawn alike: where a group's items differ between "
        "them in a way that the model does not describe, the estimate is biased.",
    ]
    show("\nNotes:\n" + "\n".join(f"- {note}" for note in notes))


def _check_paths(first: Path, second: Path, output: Path | None) -> None:
    if first.samefile(second):
        raise InputError(
            f"{second}: the same file is given twice: a bridge is for decisions on different "
            "items; for two decisions on the same items use fairpairs.differential_parity_test."
        )
    check_file(output, "--output", [first, second])


def _feature_names(
    tables: tuple[Table, Table],
    decisions: tuple[str, str],
    group: str,
    named: Sequence[str],
    dropped: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Return the columns for the model, and those that are not used at all."""
    first, second = tables
    first.check_column(decisions[0], "--decision")
    second.check_column(decisions[1], "--decision, or say --decision-2")
    for table in tables:
        table.check_column(group, "--group")
        for name in named:
            table.check_column(name, "--features")
    if group in decisions:
        raise InputError(f"--group: `{group}` is the decision too: name two columns.")
    both = [*first.columns, *(name for name in second.columns if name not in first.columns)]
    for name in dropped:
        if name not in both:
            first.check_column(name, "--drop")
    for name in named:
        if name in decisions:
            raise InputError(
                f"--features: `{name}` is a decision, which the model is to predict: leave it out."
            )
    shared = [
        name for name in first.columns if name in second.columns and name not in (*decisions, group)
    ]
    names = [name for name in dict.fromkeys(named or shared) if name not in dropped]
    if not names:
        raise InputError(
            f"{first.path} and {second.path}: they have no feature in common; {first.path} has "
            f"{listed(first.columns)}, {second.path} has {listed(second.columns)}: "
            "name the columns alike, or drop fewer."
        )
    return names, [name for name in both if name not in (*names, *decisions, group)]


def _decisions(
    tables: tuple[Table, Table], columns: tuple[str, str]
) -> tuple[pd.Series[float], pd.Series[float]]:
    first, second = (
        table.numbers(name, "correct it, or write decisions as 0 and 1")
        for table, name in zip(tables, columns, strict=True)
    )
    for table, values in zip(tables, (first, second), strict=True):
        if values.min() == values.max():
            raise InputError(
                f"{table.path}: every decision in `{values.name}` is {values[0]:g}: give decisions "
                "that differ between items."
            )
    return first, second


def _groups(
    tables: tuple[Table, Table], column: str, folds: int
) -> tuple[pd.Series[str], pd.Series[str]]:
    values = tables[0].words(column), tables[1].words(column)
    found = [sorted(groups.unique()) for groups in values]
    for table, names in zip(tables, found, strict=True):
        if len(names) != 2:
            raise InputError(
                f"{table.path}: column `{column}` has {len(names)} group(s), "
                f"{listed(map(repr, names))}: two are compared, so "
                "keep two, or write one against the others."
            )
    if found[0] != found[1]:
        raise InputError(
            f"{tables[1].path}: column `{column}` has the groups {listed(map(repr, found[1]))}, "
            f"and {tables[0].path} has {listed(map(repr, found[0]))}: name them alike."
        )
    for table, groups, least in zip(tables, values, (folds, 2), strict=True):
        smallest = groups.value_counts().sort_index().idxmin()
        if (n := int((groups == smallest).sum())) < least:
            raise InputError(
                f"{table.path}: the group {shown(smallest)} has {n} item(s), fewer than {least}: "
                "add items" + (", or take fewer --folds." if least > 2 else ".")
            )
    return values


def _features(
    tables: tuple[Table, Table], names: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return the features of both files, numbers as numbers, and what there is to say of them."""
    columns: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    notes = []
    for name in names:
        remedy = f"leave the column out (--drop {name})"
        words = [table.words(name, f", or {remedy}") for table in tables]
        is_number = [pd.to_numeric(values, errors="coerce").notna() for values in words]
        numeric = [bool(known.all()) for known in is_number]
        if all(numeric):
            numbers = [table.numbers(name, f"correct it, or {remedy}") for table in tables]
            columns[0][name], columns[1][name] = numbers
            if all(values.is_unique and (values % 1 == 0).all() for values in numbers):
                notes.append(
                    f"`{name}` has a whole number of its own in each row: if an id, {remedy}."
                )
            continue
        if any(numeric):
            odd = numeric.index(False)
            wrong = ~is_number[odd]
            raise InputError(
                f"{tables[odd].path}: column `{name}` holds {shown(words[odd][wrong].iloc[0])} in "
                f"row {row_number(wrong)}, where {tables[1 - odd].path} has numbers only: "
                f"correct it, or {remedy}."
            )
        if words[0].is_unique:
            raise InputError(
                f"{tables[0].path}: column `{name}` has a word of its own in each row, as an id or "
                f"a name has: {remedy}."
            )
        if is_number[0].any():
            example = words[0][~is_number[0]].iloc[0]
            notes.append(
                f"`{name}` holds numbers and words, as {shown(example)}: all are taken for words."
            )
        unknown = words[1][~words[1].isin(words[0])]
        if len(unknown):
            notes.append(
                f"`{name}`: {len(unknown)} item(s) of {tables[1].path} have a word that "
                f"{tables[0].path} never has, as {shown(unknown.iloc[0])}: the model takes it for "
                "none."
            )
        columns[0][name], columns[1][name] = words
    x_0, x_1 = map(pd.DataFrame, columns)
    if x_0.equals(x_1):
        notes.append(
            "Both files have the same features in the same order: if they are of the same items, "
            "fairpairs.differential_parity_test compares the decisions without a model."
        )
    return x_0, x_1, notes


def _explained(x: pd.DataFrame, decisions: pd.Series[float], folds: int, seed: int) -> float:
    """Return R² of the model on items that it was not fitted on."""
    from sklearn.metrics import r2_score  # noqa: PLC0415  (slow)
    from sklearn.model_selection import KFold, cross_val_predict  # noqa: PLC0415

    split = KFold(folds, shuffle=True, random_state=seed % 2**32)
    predicted = cross_val_predict(bridge_model(None, x), x, decisions, cv=split)
    return float(r2_score(decisions, predicted))


def _finding(result: DifferentialParityResult, first: Path, second: Path) -> str:
    """Say in words whom the first decisions favour, more than the second do."""
    row: Any = next(result.to_frame().itertuples())
    if result.violated is None:
        return f"The difference cannot be estimated: {row.note}."
    other, favoured = result.groups if row.estimate >= 0 else result.groups[::-1]
    low, high = (row.ci_low, row.ci_high) if row.estimate >= 0 else (-row.ci_high, -row.ci_low)
    favour = (
        f"in {first} favour {favoured} over {other} by {number(abs(row.estimate))} more than those "
        f"in {second} do ({100 * (1 - result.alpha):g} % interval {interval(low, high)}, "
        f"{p_equals(row.pvalue)})"
    )
    if not result.violated:
        return f"No difference is found. By the estimate, the decisions {favour}."
    effect = "hardly an" if row.magnitude == "none" else f"a {row.magnitude}"
    return f"The decisions {favour}: {effect} effect (d = {abs(row.effect_size):.2f})."
