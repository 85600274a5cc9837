"""Tables that others publish by a name: data sets of OpenML, and of the package fairml-datasets."""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.files import csv_text
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.sources import Frame
from fairpairs.base.texts import meant
from fairpairs.papers.datasets.raw_table import as_texts

#: How fairml-datasets writes which numbers are the favourable outcome.
BOUND = re.compile(r"([<>]=?)(-?[\d.]+)")
SIGNS = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}


@dataclass(frozen=True)
class Published:
    """A table, as texts, and what its publisher says of it.

    Attributes
    ----------
    table
        One row per item, NaN for a missing value.
    about
        Keys of its card: title, citation, licence and homepage, as far as they are known.
    coding
        Arguments of `draft_card` by default, as the label and the sensitive attributes.
    notes
        What a person who drafts its card should know.
    """

    table: pd.DataFrame
    about: Record
    coding: Record = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def published_by(entry: Content) -> str:
    """Name where a file of a card comes from, by its `openml` or `fairml`; empty without either."""
    if "openml" in entry:
        return f"OpenML {entry['openml']}"
    return f"fairml-datasets {entry['fairml']}" if "fairml" in entry else ""


def publication(entry: Content) -> Published:
    """Return the table that `openml` or `fairml` of a card's file names; OSError without it."""
    return _openml(entry["openml"]) if "openml" in entry else _fairml(entry["fairml"])


def table_bytes(table: pd.DataFrame) -> bytes:
    """Return a table of texts as a CSV, the same bytes in every environment."""
    return csv_text(table, as_given=True).encode()


def _openml(number: int) -> Published:
    """Return a data set of OpenML, without the columns that it marks as numbers of rows."""
    from urllib.error import HTTPError, URLError  # noqa: PLC0415  (slow)

    from sklearn.datasets import fetch_openml  # noqa: PLC0415  (slow)

    with tempfile.TemporaryDirectory() as cache, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            # of its two parsers, the one that keeps texts as they are written
            parsed = {"as_frame": True, "parser": "liac-arff", "target_column": None}
            found: Any = fetch_openml(data_id=number, data_home=cache, **parsed)
        except HTTPError as error:
            raise OSError(f"openml.org answers {error.code} ({error.reason})") from error
        except (URLError, TimeoutError) as error:
            raise OSError("no connection to openml.org") from error
        except Exception as error:  # for an unknown id, a sparse table, or a damaged file
            if type(error).__name__ == "OpenMLError":
                raise InputError(f"OpenML has no data set {number}: correct the id.") from error
            reason = shortened(error).removesuffix(".")
            raise OSError(f"openml.org gives no table that can be read ({reason})") from error
    said = found.details
    name = f"{said['name']} (version {said['version']})"
    creators = said.get("creator")
    by = (
        ""
        if not creators
        else f"{creators if isinstance(creators, str) else ', '.join(creators)}: "
    )
    return Published(
        _texts(found.frame, f"OpenML {number}"),
        {
            "title": name,
            "citation": said.get("citation", f"{by}{name}. OpenML {number}."),
            "licence": said.get("licence", "OpenML names none."),
            "homepage": f"https://www.openml.org/d/{number}",
        },
        {"label": said.get("default_target_attribute")},
        tuple(f"{shortened(w.message)}" for w in caught if "Retrying" not in str(w.message)),
    )


def _fairml(name: str) -> Published:
    """Return a data set of fairml-datasets, with the label and the groups that it names."""
    # it logs and keeps files in the working folder, and its parts print what they download
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(sys.stderr),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            from fairml_datasets import Datasets  # noqa: PLC0415  (slow, and may be missing)
        except ImportError as error:
            raise InputError(
                f"fairml-datasets cannot be imported ({shortened(error)}): run `pip install "
                "fairml-datasets`."
            ) from error
        finally:
            logging.captureWarnings(False)
        all_of_them = Datasets(include_large_datasets=True)
        if name not in (names := all_of_them.get_ids()):
            raise InputError(
                f"fairml-datasets has no data set `{name}`{meant(name, names)}: name one of "
                f"{', '.join(names)}."
            )
        found: Any = all_of_them[name]
        try:
            frame = found.load(stage="prepared", cache_at="downloaded", check_cache=False)
        except Exception as error:  # without a connection, whatever reads its files raises
            raise OSError(f"it could not be downloaded ({shortened(error)})") from error
    positive = str(found.get_target_lvl_good_value())
    label = found.get_target_column()
    bound = BOUND.fullmatch(positive)
    coding: Record = {
        "label": label,
        "sensitive": list(found.sensitive_columns),
        "features": list(found.get_feature_columns(df=frame)),
    }
    if bound is not None and bound[0] not in set(map(str, frame[label])):
        coding["bounds"] = {SIGNS[bound[1]]: float(bound[2])}
    else:
        coding["positive"] = positive
    info = {key: str(value) for key, value in found.info.items() if pd.notna(value)}
    return Published(
        _texts(frame, f"fairml-datasets {name}"),
        {
            "title": info["dataset_name"],
            "citation": found.citation() or "fairml-datasets names none.",
            "licence": info.get("license", "fairml-datasets names none."),
            "homepage": info.get("main_url", "https://reliable-ai.github.io/fairground"),
        },
        coding,
        tuple(" ".join(str(w.message).split()) for w in caught if w.category is UserWarning),
    )


def _texts(frame: pd.DataFrame, called: str) -> pd.DataFrame:
    source = Frame(frame, called)
    return as_texts(source, source.columns)
