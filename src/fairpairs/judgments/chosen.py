"""Scores of the preferred and of the dispreferred answer, of several versions of one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.errors import InputError, shown
from fairpairs.input_tables import Table
from fairpairs.judgments.columns import check_apart, item_clusters, shared, sides_of
from fairpairs.judgments.judged import Judgments
from fairpairs.judgments.settings import JudgmentColumns
from fairpairs.texts import listed

#: The name of the attribute where each group has a file of its own.
GROUP = "group"


def read_chosen(tables: Mapping[str, Table], columns: JudgmentColumns) -> Judgments:
    """Read scores of chosen and rejected answers.

    Parameters
    ----------
    tables
        One table, whatever its name; or the table of each group, whose rows belong together.
    columns
        With `pair`, or with several tables, an answer is also judged against that of the other kind
        in another version of its text: chosen over rejected, which are one text's answers in two
        groups.

    Raises
    ------
    InputError
        One sentence that names the file, the column, and the remedy.
    """
    every = list(tables.values())
    pairs: NDArray[np.int64] | None = None
    groups: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
    scores = [_scores(table, columns) for table in every]
    if len(every) > 1:
        rows = [len(table) for table in every]
        if len(set(rows)) > 1:
            sizes = listed(f"{t.path} has {n:,} rows" for t, n in zip(every, rows, strict=True))
            raise InputError(
                f"--group: {sizes}: row by row they hold versions of one text, so give files of "
                "equal length."
            )
        if columns.pair is None:
            pairs = np.tile(np.arange(rows[0]), len(every))
        of_rows = np.repeat(list(tables), rows[0])
        groups[GROUP] = of_rows, of_rows
    else:
        for text in columns.sensitive:
            for name, *sides in sides_of(every[0], text, "--sensitive"):
                of_chosen, of_rejected = (every[0].words(side).to_numpy() for side in sides)
                groups[name] = of_chosen, of_rejected
    words = None
    if columns.pair is not None:
        words = _column(every, columns.pair, "--pair")
        pairs = pd.factorize(words)[0]
    n = sum(map(len, every))
    left, right = np.arange(n), n + np.arange(n)
    if pairs is not None and not columns.within_only:
        names = None if words is None else words.to_numpy()
        one, two = _across(pairs, list(groups.values()), names, every[0].path)
        left, right = np.concatenate([left, one]), np.concatenate([right, n + two])
    models = {
        model: np.concatenate([scores_of[model] for scores_of in scores], axis=1).ravel()
        for model in scores[0]
    }
    items = pd.DataFrame(
        {**models, **{name: np.concatenate(both) for name, both in groups.items()}}
    )
    shares = [shared(table, columns) for table in every]
    in_common = {
        role: pd.concat([each[role] for each in shares], ignore_index=True).iloc[left]
        for role in shares[0]
    }
    if pairs is not None and "cluster" not in in_common:
        in_common["cluster"] = pd.Series(pairs[left].astype(str))
    related = {role: values.reset_index(drop=True) for role, values in in_common.items()}
    return Judgments(
        tuple(every), left, right, np.ones(len(left), dtype=np.int64), items, list(models),
        list(groups), judge=related.get("judge"), cluster=related.get("cluster"),
        stratum=related.get("stratum"), item_cluster=item_clusters(every, columns),
    )  # fmt: skip


def _scores(table: Table, columns: JudgmentColumns) -> dict[str, NDArray[np.float64]]:
    """Return the scores of chosen and rejected answers, shape (2, n), of each model."""
    chosen, rejected = list(columns.chosen) or ["chosen"], list(columns.rejected) or ["rejected"]
    if len(chosen) != len(rejected):
        raise InputError(
            f"--chosen names {len(chosen)} column(s) and --rejected {len(rejected)}: name one of "
            "each for each model."
        )
    named = [
        *((name, "--chosen") for name in chosen), *((name, "--rejected") for name in rejected),
    ]  # fmt: skip
    check_apart(table, named)
    remedy = "write the score of the answer, not its text, or drop the row"
    result: dict[str, NDArray[np.float64]] = {}
    for one, two in zip(chosen, rejected, strict=True):
        name = _model(one, two)
        both = [table.numbers(side, remedy).to_numpy(np.float64) for side in (one, two)]
        result[name] = np.stack(both)
        if (result[name] == result[name][0, 0]).all():
            raise InputError(
                f"{table.path}: all scores in `{one}` and `{two}` are {result[name][0, 0]:g}: give "
                "scores that differ."
            )
    return result


def _model(chosen: str, rejected: str) -> str:
    """Return the name of a model by that of its columns: `score` for chosen and rejected alone."""
    for word in ("chosen", "rejected"):
        chosen, rejected = chosen.replace(word, ""), rejected.replace(word, "")
    name = chosen.strip("_- .")
    return name or "score"


def _column(tables: Sequence[Table], name: str, option: str) -> pd.Series[str]:
    for table in tables:
        table.check_column(name, option)
    return pd.concat([table.words(name) for table in tables], ignore_index=True)


def _across(
    pairs: NDArray[np.int64],
    groups: Sequence[tuple[NDArray[Any], NDArray[Any]]],
    names: NDArray[Any] | None,
    path: Path,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the chosen and of the rejected answer of each two versions of a text.

    Raises
    ------
    InputError
        For a text with one version, or with two in one group.
    """
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    size = np.bincount(pairs)

    def called(pair: int) -> str:
        row = int((pairs == pair).argmax())
        return shown(names[row]) if names is not None else f"of row {row + 1}"

    if (size == 1).any():
        alone = int((size == 1).argmax())
        raise InputError(
            f"{path}: the text {called(alone)} has one version only (--pair), and "
            f"{int((size == 1).sum())} have no partner: add the version of another group, or drop "
            "such rows."
        )
    code = np.zeros(len(pairs), dtype=np.int64)
    for both in groups:
        for words in both:
            code = pd.factorize(code * (len(words) + 1) + pd.factorize(words)[0])[0]
    frame = pd.DataFrame({"pair": pairs, "group": code})
    if frame.duplicated().any():
        again = int(frame.duplicated().to_numpy().argmax())
        raise InputError(
            f"{path}: the text {called(int(pairs[again]))} has two versions in one group, the "
            f"second in row {again + 1}: keep one version in each group."
        )
    start = np.searchsorted(ordered, np.arange(len(size)))
    one, two = [], []
    for i, j in permutations(range(int(size.max())), 2):
        whole = np.flatnonzero(size > max(i, j))
        one.append(order[start[whole] + i])
        two.append(order[start[whole] + j])
    return np.concatenate(one), np.concatenate(two)
