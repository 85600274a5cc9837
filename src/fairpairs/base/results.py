"""What every result offers by the names that users of pandas, scikit-learn and fairlearn guess."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, json_text, plain_rows, write_text, write_together
from fairpairs.base.guesses import nearest_offered
from fairpairs.base.plain_values import Record, rows_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: What a result offers to the rest of the package alone.
INTERNAL = {"contents", "counted", "deciding", "drawn", "failed", "named", "untested"}
#: Rows of a plot; the endings of its files.
DRAWN = 30
FIGURES = (".svg", ".png")
#: Columns that name a row at the axis.
NAMES = ("measure", "label_class", "attribute", "group")


class Result:
    """How a result reads, is drawn and is saved."""

    #: What a plot shows, and its value where there is no gap.
    PLOTTED: ClassVar[tuple[str, float]] = ("difference", 0)

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
        """Write the page (.html), rows (.csv), all (.json), text (.txt), plot (.svg) or a folder.

        Parameters
        ----------
        path
            A file, whose ending says what it holds (also .png), or else a folder, into which all
            files are written that `--out` of the command writes: all, or none.

        Raises
        ------
        InputError
            If a result has no such form.
        """
        path = Path(path)
        makers = {".html": "to_html", ".csv": "to_csv", ".json": "to_json", ".txt": "summary"}
        makers |= {".md": "to_card"} if hasattr(self, "to_card") else {".md": "to_markdown"}
        makers |= dict.fromkeys(FIGURES, "drawn")
        maker = makers.get(path.suffix.lower(), "contents")
        if not hasattr(self, maker):
            endings = [ending for ending, name in makers.items() if hasattr(self, name)]
            raise InputError(f"{path}: give a file that ends in {', '.join(endings)}.")
        if maker in ("contents", "drawn"):
            write_together(getattr(self, maker)(path))
        else:
            write_text(path, getattr(self, maker)())

    save = write

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw up to 30 differences with their intervals and margins, in matplotlib.

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
        table = table[table["estimate"].notna()]
        rows = rows_of(table.head(DRAWN))
        if ax is None:
            _, ax = plt.subplots(figsize=(6, 1 + 0.3 * len(rows)), layout="constrained")
        places, estimates = np.arange(len(rows)), np.array([row["estimate"] for row in rows])
        ends = np.array([(row["ci_low"], row["ci_high"]) for row in rows]).reshape(-1, 2)
        ax.hlines(places, ends[:, 0], ends[:, 1])
        ax.plot(estimates, places, "o")
        what, none = self._axis
        margins = np.array([row.get("margin", np.nan) for row in rows])
        ax.barh(places, 2 * margins, 1, -margins, color="0.9", zorder=0)
        ax.axvline(none, color="0.5", linewidth=0.8)
        ax.set_yticks(places, [_named(row) for row in rows], parse_math=False)
        ax.invert_yaxis()
        left_out = f" (the first {len(rows)} of {len(table):,})" if len(rows) < len(table) else ""
        ax.set_xlabel(f"{what} and its interval{left_out}" if rows else f"no {what} is estimated")
        return ax

    def drawn(self, path: Path) -> dict[Path, bytes]:
        """Return the content of a file with the plot, always the same bytes."""
        from fairpairs.base.style import drawing, rendered  # noqa: PLC0415  (slow)

        with drawing(6, 1) as figure:
            axes = self.plot(figure.add_subplot())
            figure.set_figheight(1 + 0.3 * len(axes.get_yticks()))
            return {path: rendered(figure, path.suffix[1:].lower())}

    @property
    def _axis(self) -> tuple[str, float]:
        """What is drawn, and its value where nothing is to be seen."""
        return self.PLOTTED

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
    if "hypothesis" in row and not row.get("measure"):
        return str(row["hypothesis"])
    parts = [str(row[name]) for name in NAMES if row.get(name)]
    return f"{', '.join(parts)} – {row['reference']}" if row.get("reference") else ", ".join(parts)


def _text(text: str, path: str | Path | None) -> str | None:
    """Return a text, or write it to a path."""
    if path is None:
        return text
    write_text(path, text)
    return None
