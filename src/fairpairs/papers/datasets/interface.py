"""`fp.card`: the card of a data set from a file, a table or OpenML."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.files import written_together
from fairpairs.base.guesses import understood
from fairpairs.base.named_columns import is_name, names_given
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.opening import check_regular, kind_of_file, source_of_table
from fairpairs.base.schemas import yaml_of
from fairpairs.base.words import word
from fairpairs.papers.datasets.card import check_name
from fairpairs.papers.datasets.draft import SEPARATORS, draft_card, texts_and_others
from fairpairs.papers.datasets.origins import publication, table_bytes
from fairpairs.papers.datasets.prepare import prepare


@understood
def card(
    data: Any = None,
    *,
    label: str | None = None,
    sensitive_features: str | Sequence[str] = (),
    positive: Any = None,
    numeric: bool = False,
    above: Mapping[str, float] | None = None,
    at_least: Mapping[str, float] | None = None,
    below: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    reference: Mapping[str, Any] | None = None,
    features: str | Sequence[str] | None = None,
    openml: int | None = None,
    separator: str | None = None,
    out: str | Path | None = None,
) -> str:
    """Draft the card of a data set, and put the card and its file where a run finds them.

    Parameters
    ----------
    data
        The path of a CSV or Parquet file, or a table in memory.
    label
        The column of the outcome.
    sensitive_features
        The columns of the groups.
    positive
        The value of the label that is 1, the favourable one.
    numeric
        Whether the label is a number.
    above, at_least, below, at_most
        By column of numbers: which of them are the label 1, or group 1, as ``{"age": 25}``.
    reference
        The reference group by attribute; by default the largest.
    features
        The columns that models see; by default all others, and the groups.
    openml
        Instead of data: the id of a data set on openml.org, whose label is the default.
    separator
        Of the columns of a CSV; by default what gives the most columns.
    out
        The card to write, such as ``config/datasets/loans.yaml``. Its file is written beside it,
        into the folder ``loans``.

    Returns
    -------
    str
        The card, as YAML; with `out`, what is in it and where it was written.

    Raises
    ------
    InputError
        When the data cannot be read, or what is asked is not said; it lists what can be.

    Examples
    --------
    >>> import pandas as pd
    >>> loans = pd.DataFrame({"income": [1, 2, 3], "sex": ["f", "m", "m"], "repaid": [0, 1, 0]})
    >>> text = card(loans, label="repaid", positive=1, sensitive_features="sex")
    >>> "income: numeric" in text, "sex: sensitive" in text
    (True, True)
    """
    inputs.flag(numeric, "numeric")
    for name, text in (("label", label), ("separator", separator)):
        if text is not None and not is_name(text):
            raise InputError(f"{name} is {shown(text)}: give a name, as text.")
    if openml is not None:
        inputs.whole(openml, "openml", 1)
    bounds = {"above": above, "at_least": at_least, "below": below, "at_most": at_most}
    for name, value in {**bounds, "reference": reference}.items():
        inputs.of_type({} if value is None else value, name, Mapping, "a mapping")
    given: Record = {
        "label": label,
        "sensitive": names_given(sensitive_features, "sensitive_features"),
        "positive": None if positive is None else word(positive),
        "bounds": {key: _numbers(numbers, key) for key, numbers in bounds.items()},
        "reference": {name: word(group) for name, group in (reference or {}).items()},
        "features": None if features is None else names_given(features, "features"),
    }
    path = None if out is None else _path(out, "out")
    if path is not None:
        check_name(path)
        if path.suffix != ".yaml":
            raise InputError(f"{path}: a card is called as its data set, and .yaml: rename --out.")
        if path.exists():
            raise InputError(f"{path}: is there already: remove it, or name another --out.")
    with tempfile.TemporaryDirectory() as folder:
        file, called, known = _file(data, openml, Path(folder), path)
        named = known.pop("label", None)
        try:
            text = draft_card(
                file,
                **{**given, "label": label or named},
                numeric=numeric,
                separators=[separator] if separator else SEPARATORS,
                called=called,
                **known,
            )
            if path is None:
                return text
            return _written(path, text, file)
        except InputError as error:  # which may name the file in the temporary folder
            raise InputError(str(error).replace(str(file), called)) from error


def _numbers(given: Mapping[str, Any] | None, name: str) -> dict[str, float]:
    """Return numbers by column as a card has them, whole ones without a point."""
    for column, number in (given or {}).items():
        inputs.finite(number, f"{name} of `{column}`")
    return {
        column: int(number) if float(number).is_integer() else float(number)
        for column, number in (given or {}).items()
    }


def _path(given: Any, name: str) -> Path:
    """Return a path that an argument names."""
    if not isinstance(given, str | Path) or not all(map(is_name, Path(given).parts)):
        raise InputError(f"{name} is {shown(given)}: give the path of a file.")
    return Path(given)


def _file(
    data: Any, openml: int | None, folder: Path, out: Path | None
) -> tuple[Path, str, Record]:
    """Return the file, its name in messages, and what its publisher says of it."""
    if (data is None) == (openml is None):
        raise InputError("Name one source: a file or a table, or --openml.")
    if isinstance(data, str | Path):
        path = _path(data, "data")
        check_regular(path)
        if path.is_dir() or kind_of_file(path) == "JSON":
            what = "a folder" if path.is_dir() else "JSON"
            raise InputError(f"{path}: {what}, and a card is of a CSV or Parquet file: give one.")
        return path, str(path), {}
    if openml is None:
        table, others = texts_and_others(source_of_table(data, "data"))
        file = folder / f"{out.stem if out else 'data'}.csv"
        file.write_bytes(table_bytes(table))
        return file, "data", {"others": others}
    called, file = f"OpenML {openml}", folder / f"openml_{openml}.csv"
    try:
        found = publication(openml)
    except OSError as error:
        raise InputError(
            f"{called}: {error}: connect to the internet, or draft the card from a file."
        ) from error
    file.write_bytes(table_bytes(found.pop("table")))
    return file, called, {"openml": openml, **found}


def _written(path: Path, text: str, file: Path) -> str:
    """Write a card and its file, if the file can be prepared by it; return what is in it."""
    content: Record = yaml_of(text)
    counted = summary(path.stem, file, content)
    copy = path.parent / path.stem / content["files"][0]["name"]
    same = copy.exists() and copy.samefile(file)
    with written_together(path, *([] if same else [copy])) as (card_file, *copies):
        card_file.write_text(text, "utf-8")
        for target in copies:
            shutil.copyfile(file, target)
    return (
        f"{path}: written, with its file {copy}.\n{counted}\nComplete the card, and name "
        f"`{path.stem}` under `datasets` of an experiment in config/config.yaml."
    )


def summary(name: str, file: Path, content: Content) -> str:
    """Prepare the table of a card, and say how many rows of which label and group are in it."""
    frame, about = prepare(file, content, name=name)
    label, counts = about["label"], about["counts"]
    lines = [f"{name}: {len(frame):,} rows, {len(about['features'])} features"]
    if "one" in label:
        others = counts["rows"] - counts["label"]
        lines.append(f"label: {label['one']} {counts['label']:,}, {label['zero']} {others:,}")
    for attribute, names in about["sensitive"].items():
        one = counts[f"sensitive.{attribute}"]
        zero = counts.get(f"sensitive.{attribute}.zero", counts["rows"] - one)
        lines.append(f"{attribute}: {names['one']} {one:,}, {names['zero']} {zero:,}")
    return "\n".join(lines)
