"""What every result offers by the names that users of pandas, scikit-learn and fairlearn guess."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, json_text, plain_rows, write_text, write_together
from fairpairs.base.guesses import nearest_offered
from fairpairs.base.plain_values import Record, rows_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: What a result offers to the rest of the package alone.
INTERNAL = {"contents", "counted", "deciding", "failed", "named", "untested"}
#: Rows of a plot.
DRAWN = 30


class Result:
    """How a result reads, is drawn and is saved."""

    if TYPE_CHECKING:

        def to_frame(self) -> pd.DataFrame:  # noqa: D102
            ...

        def contents(self, folder: str | Path) -> dict[Path, str]:  # noqa: D102
            ...

    @property
    def passed(self) -> bool | None:
        """True if all is shown to lie within a margin, False if a difference is shown, or None.

        With a margin, only a difference that is shown to exceed it is one.
        """
        raise NotImplementedError

    def summary(self) -> str:
        """Return the answer as it prints."""
        return str(self)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Return the rows of `to_frame` as CSV, or write them to a path."""
        return _text(csv_text(self.to_frame()), path)

    def to_dict(self) -> Record:
        """Return all of it as plain values; what is missing is None."""
        return {"passed": self.passed, "rows": plain_rows(self.to_frame())}

    def to_json(self, path: str | Path | None = None) -> str | None:
        """Return `to_dict` as JSON, or write it to a path."""
        return _text(json_text(self.to_dict()), path)

    def write(self, path: str | Path) -> None:
        """Write the page (.html), its rows (.csv), all of it (.json), the text (.txt) or a folder.

        Parameters
        ----------
        path
            A file, whose ending says what it holds, or else a folder, into which all files are
            written that `--out` of the command writes: all, or none.

        Raises
        ------
        InputError
            If a result has no such form.
        """
        path = Path(path)
        makers = {".html": "to_html", ".csv": "to_csv", ".json": "to_json", ".txt": "summary"}
        makers |= {".md": "to_card"} if hasattr(self, "to_card") else {".md": "to_markdown"}
        maker = makers.get(path.suffix.lower(), "contents")
        if not hasattr(self, maker):
            endings = [ending for ending, name in makers.items() if hasattr(self, name)]
            raise InputError(f"{path}: give a file that ends in {', '.join(endings)}.")
        if maker == "contents":
            write_together(self.contents(path))
        else:
            write_text(path, getattr(self, maker)())

    save = write

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw up to 30 differences with their intervals, in matplotlib.

        Parameters
        ----------
        ax
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If a result has no differences.
        """
        import matplotlib.pyplot as plt  # noqa: PLC0415  (slow)
        import numpy as np  # noqa: PLC0415  (slow)

        table = self._plotted()
        if "estimate" not in table:
            raise InputError("plot: this result has no differences; to_frame() has its numbers.")
        rows = rows_of(table[table["estimate"].notna()].head(DRAWN))
        if ax is None:
            _, ax = plt.subplots(figsize=(6, 1 + 0.3 * len(rows)), layout="constrained")
        places, estimates = np.arange(len(rows)), np.array([row["estimate"] for row in rows])
        ends = np.array([(row["ci_low"], row["ci_high"]) for row in rows]).reshape(-1, 2)
        ax.hlines(places, ends[:, 0], ends[:, 1])
        ax.plot(estimates, places, "o")
        ax.axvline(0, color="0.5", linewidth=0.8)
        ax.set_yticks(places, [_named(row) for row in rows], parse_math=False)
        ax.invert_yaxis()
        ax.set_xlabel("difference and its interval")
        return ax

    def _plotted(self) -> pd.DataFrame:
        """Return the rows that are drawn: `estimate`, `ci_low`, `ci_high`, and their names."""
        return self.to_frame()

    def __getattr__(self, name: str) -> Any:
        """Answer another library's name with the one that it has here."""
        if name.startswith("_") or hasattr(type(self), name):  # also an error of a property
            return object.__getattribute__(self, name)
        offered = dir(self)
        nearest = nearest_offered(name, offered)
        remedy = f"use {nearest}" if nearest else f"it has {', '.join(offered)}"
        raise AttributeError(f"{type(self).__name__} has no {name}: {remedy}.", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return [
            name for name in sorted(super().__dir__())
            if not name.startswith("_") and name not in INTERNAL and not name.isupper()
        ]  # fmt: skip


def _named(row: Record) -> str:
    """Return how a row of a result is called at the axis."""
    if name := row.get("hypothesis"):
        return str(name)
    parts = [str(row[name]) for name in ("measure", "attribute", "group") if row.get(name)]
    return f"{', '.join(parts)} – {row['reference']}" if row.get("reference") else ", ".join(parts)


def _text(text: str, path: str | Path | None) -> str | None:
    """Return a text, or write it to a path."""
    if path is None:
        return text
    write_text(path, text)
    return None
