"""Raw tables: the columns that a card uses, as texts, before any coding, with all rows."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.files import MISSING
from fairpairs.base.plain_values import Content
from fairpairs.base.reading.arrow import single
from fairpairs.base.reading.csv_files import look
from fairpairs.base.reading.csv_layout import Layout
from fairpairs.base.reading.opening import is_parquet
from fairpairs.base.reading.packed import is_packed
from fairpairs.base.reading.paths import Unchanged
from fairpairs.base.reading.sources import ParquetFiles, Source
from fairpairs.base.texts import listed
from fairpairs.base.words import word

#: Endings of files that pandas unpacks, besides gzip.
PACKED = (".zip", ".bz2", ".xz", ".zst", ".tar")


def read_raw_table(raw: str | Path, card: Content) -> pd.DataFrame:
    """Read the columns of a raw file that the card uses, as texts, NaN for a missing value."""
    options, columns = card.get("read", {}), used_columns(card)
    names, renamed = options.get("column_names"), card.get("rename", {})
    parquet = open_parquet(raw, card) if is_parquet(Path(raw)) else None
    if parquet is not None:
        header = parquet.columns
    else:
        header = names or list(read_csv(raw, card, nrows=1, header=None).iloc[0])
        check_lines(raw, card, header)
    for column in renamed:
        if column not in header or renamed[column] in header:
            taken = f"already a column `{renamed[column]}`"
            wrong = taken if column in header else f"no column `{column}`"
            raise InputError(
                f"{raw}: `rename` of the card calls `{column}` `{renamed[column]}`, and there is "
                f"{wrong}: correct it."
            )
    header = [renamed.get(column, column) for column in header]
    for column in columns:
        if column not in header:
            raise InputError(
                f"{raw}: there is no column `{column}`; it has {listed(header)}: correct the card"
                f"{'' if parquet else ' or `read.separator`'}."
            )
    if parquet is not None:
        read = [name for name in parquet.columns if renamed.get(name, name) in columns]
        table = as_texts(parquet, read).rename(columns=renamed)[columns]
        return table.mask(table.isin(options.get("missing_values", [])))
    table = read_csv(
        raw,
        card,
        header=None if names else 0,
        names=names,
        index_col=False,  # a row with a field too many is an error, not an index
        na_values=[*MISSING, *options.get("missing_values", [])],
    ).rename(columns=renamed)
    for column in columns:
        for i in range(1, header.count(column)):
            if not table[column].equals(table[f"{column}.{i}"].rename(column)):
                raise InputError(
                    f"{raw}: the column `{column}` appears twice, with different values: drop one."
                )
    return pd.DataFrame(table[columns])


def open_parquet(raw: str | Path, card: Content) -> ParquetFiles:
    """Open a Parquet file; InputError for a card that reads it as a CSV."""
    for key in ("separator", "column_names"):
        if key in card.get("read", {}):
            raise InputError(
                f"{raw}: a Parquet file has its columns, and `read.{key}` of the card is for a "
                "CSV: remove it there."
            )
    return ParquetFiles(Unchanged([Path(raw)])).unify()


def as_texts(source: Source, names: Sequence[str]) -> pd.DataFrame:
    """Return columns of a source as a CSV has them: texts, NaN for a missing value.

    Whole numbers have no point, dates are year-month-day, and true is True. InputError for lists,
    records and bytes.
    """
    ((_, rows),) = source.parts(names)
    columns = {}
    for name in names:
        cells = single(rows[name], f"{source.called}: column `{name}`").combine_chunks()
        coded = cells if hasattr(cells, "dictionary") else cells.dictionary_encode()
        kinds = [np.nan if kind is None else word(kind) for kind in coded.dictionary.to_pylist()]
        codes = coded.indices.fill_null(len(kinds)).to_numpy(zero_copy_only=False)
        columns[name] = pd.Series(np.array([*kinds, np.nan], dtype=object)[codes])
    return pd.DataFrame(columns)


def check_lines(raw: str | Path, card: Content, header: Sequence[Any]) -> None:
    """Raise InputError for a CSV of which pandas would lose rows, as between two quotes astray.

    Files that have no header, are packed in another way than gzip, or have columns between blanks,
    are read as they are.
    """
    options, path = card.get("read", {}), Path(raw)
    separator = options.get("separator", ",")
    if "column_names" in options or len(separator) > 1 or path.suffix in PACKED:
        return
    look(path, Layout(tuple(map(str, header)), separator, 0, is_packed(path)))


def used_columns(card: Content) -> list[str]:
    """Return the columns that a card names, each once."""
    return list(
        dict.fromkeys(
            [
                *feature_columns(card),
                *coded_columns(card),
                *(rule["column"] for rule in card.get("keep_rows", [])),
                *card.get("missing", {}),
                *card.get("keep", []),
                *card.get("decisions", {}).get("columns", []),
                *([card["split"]["column"]] if "split" in card else []),
            ]
        )
    )


def feature_columns(card: Content) -> list[str]:
    """Return the columns of the features; the coded attribute replaces a sensitive one."""
    return [name for name, kind in card["features"].items() if kind != "sensitive"]


def coded_columns(card: Content) -> list[str]:
    """Return the columns of the label and the sensitive attributes."""
    label, rules = card["label"], card["sensitive"].values()
    within = [label["within"]["column"]] if "within" in label else []
    return [label["column"], *(rule["column"] for rule in rules), *within]


def read_csv(raw: str | Path, card: Content, **options: Any) -> pd.DataFrame:
    """Read a file as texts; errors of pandas become one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table: pd.DataFrame = pd.read_csv(
                raw,
                sep=card.get("read", {}).get("separator", ","),
                encoding="utf-8-sig",  # with or without a byte order mark
                skipinitialspace=True,
                dtype=str,  # so that a code 1 does not turn into 1.0 if a value is missing
                keep_default_na=False,
                **options,
            )
            return table
    except UnicodeDecodeError as error:
        raise InputError(
            f"{raw}: not in UTF-8 ({error}): convert the file to a CSV in UTF-8."
        ) from error
    except OSError as error:
        raise InputError(
            f"{raw}: cannot be read ({error.strerror or error}): delete the file, and it is "
            "fetched again."
        ) from error
    except Exception as error:  # of the parser, and of what unpacks a file that ends in .gz or .zip
        reason = str(error).splitlines()[-1].strip().removesuffix(".")
        raise InputError(
            f"{raw}: not a table as described on the card ({reason}): correct the file, or "
            "`read.separator` and `read.column_names` of the card."
        ) from error
