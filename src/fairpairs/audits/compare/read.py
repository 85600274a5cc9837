"""Two files of predictions, of an old and a new model, whose rows are matched by their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.compare.compare import check_once, compare_columns
from fairpairs.audits.compare.result import ComparisonResult
from fairpairs.audits.items.columns import OF_NAMES, check_decided, split
from fairpairs.audits.items.messages import file_wording
from fairpairs.audits.items.repeated_ids import repeated_ids
from fairpairs.audits.items.settings import AuditColumns
from fairpairs.audits.items.strata import MOST_VALUES
from fairpairs.base.arrays import Array, Series
from fairpairs.base.columns import Column, PartialColumn
from fairpairs.base.errors import InputError, shown
from fairpairs.base.named_columns import roles_apart
from fairpairs.base.reading.table import Table
from fairpairs.base.words import words


def compare_files(
    old: Path,
    new: Path,
    *,
    item: str,
    new_prediction: str | None = None,
    new_score: str | None = None,
    **options: Any,
) -> ComparisonResult:
    """Compare the predictions in two CSV or Parquet files (see `fairpairs.compare`).

    The options are those of `fairpairs compare`. The items are those of both files, in the order of
    the old one. A column that is neither a prediction nor a score may be in one file only; in both,
    it must be the same.
    """
    named, settings = split(options)
    label, prediction, score = named.label, named.prediction, named.score
    cluster, weight = named.cluster, named.weight
    assert label is not None
    predictions = prediction, new_prediction or prediction
    scores = score, new_score or score
    check_decided(prediction or new_prediction, score, settings.threshold)
    by_score = settings.threshold is not None
    decides, option = (scores, "score") if by_score else (predictions, "prediction")
    if decides[0] == decides[1] and old.exists() and new.exists() and old.samefile(new):
        raise InputError(
            f"{new}: column `{decides[0]}` is named as the {option} of both models: name two "
            f"files, or two columns, with --new-{option}."
        )
    tables = Table(old), Table(new)
    attributes = _attributes(tables, named.sensitive)
    if score is None and new_score is not None:
        raise InputError(
            "--new-score: the old model has no score: give --score too, or leave --new-score out."
        )
    shared_roles = {"item": item, "label": label, "cluster": cluster, "weight": weight}
    control = _attributes(tables, named.control, "--control") if named.control else []
    roles_apart(shared_roles | {"prediction": prediction, "score": score}, attributes, control)
    of_new = "new-prediction" if new_prediction else "prediction"
    of_both = shared_roles | {of_new: predictions[1], "new-score": new_score}
    roles_apart(of_both, attributes, control)
    for table, predicted, ranked in zip(tables, predictions, scores, strict=True):
        for name, option in ((item, "--item"), (predicted, "--prediction"), (ranked, "--score")):
            if name is not None:
                table.check_column(name, option)
    files = _Files(tables, *_matched(tables, item))
    shared = {
        name: files.shared(
            name,
            option,
            missing_group=option == "control" or (settings.missing_group and option == "sensitive"),
        )
        for option, name in [
            ("label", label),
            ("cluster", cluster),
            ("weight", weight),
            *(("sensitive", name) for name in attributes),
            *(("control", name) for name in control),
        ]
        if name is not None
    }
    (y_old, y_new), ranks = (
        [None if name is None else files.of_model(k, name) for k, name in enumerate(names)]
        for names in (predictions, scores)
    )
    of_old = AuditColumns(
        shared[label],
        y_old,
        {name: shared[name] for name in attributes},
        ranks[0],
        None if cluster is None else shared[cluster],
        None if weight is None else shared[weight],
        control={name: shared[name] for name in control},
    )
    wordings = [
        file_wording(path, label, predicted, score=ranked, clusters=cluster, weight=weight)
        for path, predicted, ranked in zip((old, new), predictions, scores, strict=True)
    ]
    source = {
        "old": old.name,
        "new": new.name,
        "item": item,
        "label": label,
        "prediction": decides[0],
        "new_prediction": decides[1],
        "sha256": [table.sha256 for table in tables],
    }
    ids = []
    if cluster is None:
        for which, (predicted, ranked) in enumerate(zip(predictions, scores, strict=True)):
            of_model = shared_roles | {"prediction": predicted, "score": ranked}
            of_other = {name: "" for name in (*predictions, *scores) if name is not None}
            options = of_other | roles_apart(of_model, attributes, control)
            ids += repeated_ids(
                _OneFile(files, which), options, settings.alpha, criterion=settings.criterion
            )
    notes = [f"{table.called}: {note}" for table in tables for note in table.notes.values()]
    return compare_columns(
        of_old,
        replace(of_old, y_pred=y_new, y_score=ranks[1]),
        settings,
        (wordings[0], replace(wordings[1], label=wordings[0].label)),
        items=files.items,
        called=f"{old}: column `{item}`",
        source=source,
        checks=[*ids[:1], *notes],
    )


def _attributes(
    tables: tuple[Table, Table], sensitive: Sequence[str], option: str = "--sensitive"
) -> list[str]:
    """Return the names of the attributes, of which some may be in one file, some in the other."""
    names: list[str] = []
    for text in sensitive:
        try:
            names += tables[1].named([text], option)
        except InputError:
            names += tables[0].named([text], option)
    return list(dict.fromkeys(names))


def _matched(tables: tuple[Table, Table], item: str) -> tuple[Array, NDArray[np.int64] | None]:
    """Return the items of the old file, and the row of each in the new one; None for the same."""
    old, new = (table.words(item) for table in tables)
    if len(old) == len(new) and bool((old == new).all()):
        return old.to_numpy(), None
    for table, ids in zip(tables, (old, new), strict=True):
        check_once(ids.to_numpy(), f"{table.path}: column `{item}`")
    rows = pd.Index(new).get_indexer(pd.Index(old))
    _check_all(tables, item, old[rows < 0])
    _check_all(tables[::-1], item, new[~new.isin(old)])
    return old.to_numpy(), rows.astype(np.int64)


def _check_all(tables: Sequence[Table], item: str, missing: Series) -> None:
    """Raise where the second file lacks items of the first."""
    if len(missing):
        having, lacking = (table.path for table in tables)
        example = str(missing.iloc[0])
        raise InputError(
            f"{lacking}: {len(missing):,} id(s) of {having} are missing, such as `{item}` "
            f"{shown(example)}: give predictions of both models for the same rows."
        )


@dataclass(frozen=True)
class _Files:
    """Both files, with columns in the order of the items of the old one."""

    tables: tuple[Table, Table]
    items: Array
    #: The row of each item in the new file; None for the same rows.
    rows: NDArray[np.int64] | None

    def of_model(
        self, which: int, name: str, option: str = "", *, missing_group: bool = False
    ) -> Column:
        """Return a column of the old file (0) or of the new one (1)."""
        table = self.tables[which]
        beyond = MOST_VALUES if option == "control" else None
        column = (
            table.coded_with_missing(name, numbers_beyond=beyond)
            if missing_group
            else table.coded(name, number=option not in OF_NAMES)
        )
        return column if which == 0 or self.rows is None else column.take(self.rows)

    def shared(self, name: str, option: str, *, missing_group: bool = False) -> Column:
        """Return a column that only one file has, or that is equal in both."""
        having = [which for which, table in enumerate(self.tables) if name in table.columns]
        if not having:
            self.tables[0].check_column(name, f"--{option}")
        columns = [
            self.of_model(which, name, option, missing_group=missing_group) for which in having
        ]
        if len(columns) == 2:
            self._check_equal(name, *columns)
        return columns[0]

    def _check_equal(self, name: str, old: Column, new: Column) -> None:
        coded = [one.coded() for one in (old, new)]
        texts = [np.array(words(kinds, f"column `{name}`"), dtype=object) for _, kinds in coded]
        kinds = pd.Index(np.concatenate(texts)).unique()
        codes = [
            kinds.get_indexer(pd.Index(text))[code]
            for text, (code, _) in zip(texts, coded, strict=True)
        ]
        differs = codes[0] != codes[1]
        if differs.any():
            index = int(differs.argmax())
            was, now = (shown(str(kinds[code[index]])) for code in codes)
            before, after = (table.path for table in self.tables)
            raise InputError(
                f"{after}: column `{name}` differs from that of {before} in "
                f"{int(differs.sum()):,} row(s): for the id {shown(str(self.items[index]))} it "
                f"is {now}, and was {was}: correct one of them, or leave the column out of {after}."
            )


class _OneFile:
    """One of both files, and what it lacks of the other one, in the order of the items."""

    def __init__(self, files: _Files, which: int) -> None:
        self._files, self._which = files, which
        self.called, self.columns = files.tables[which].called, files.tables[which].columns

    def of_some(self, name: str, others: Sequence[str]) -> _OneFile:
        """Return all columns."""
        return self

    def known(self, name: str, *, number: bool = False) -> PartialColumn:
        """Return the known values of a column."""
        which = self._which if name in self.columns else 1 - self._which
        part, rows = self._files.tables[which].known(name, number=number), self._files.rows
        if which == 0 or rows is None:
            return part
        where = part.where[rows]
        return PartialColumn(part.known.take((np.cumsum(part.where) - 1)[rows[where]]), where)
