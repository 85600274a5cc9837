"""Data sets of OpenML, as tables of texts, and what is said of them there."""

import tempfile
import warnings
from typing import Any

import pandas as pd

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.files import csv_text
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.sources import Frame
from fairpairs.papers.datasets.raw_table import as_texts


def table_bytes(table: pd.DataFrame) -> bytes:
    """Return a table of texts as a CSV, the same bytes in every environment."""
    return csv_text(table, as_given=True).encode()


def publication(number: int) -> Record:
    """Return a data set of OpenML, and what is said of it there; OSError where it cannot be had.

    `table` has its texts, NaN for a missing value, without the columns that are marked as numbers
    of rows; `about` are keys of its card: title, citation, licence and homepage; `label` is the
    column of the label, None without one, and `notes` are what a person who drafts should know.
    """
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
    source = Frame(found.frame, f"OpenML {number}")
    return {
        "table": as_texts(source, source.columns),
        "about": {
            "title": name,
            "citation": said.get("citation", f"{by}{name}. OpenML {number}."),
            "licence": said.get("licence", "OpenML names none."),
            "homepage": f"https://www.openml.org/d/{number}",
        },
        "label": said.get("default_target_attribute"),
        "notes": [shortened(w.message) for w in caught if "Retrying" not in str(w.message)],
    }
