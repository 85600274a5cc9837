"""How every audit shows its result: in a terminal, in a notebook, and as files of a folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from fairpairs.base.files import write_together


class ShownResult(ABC):
    """A result with a text, a page and files."""

    @abstractmethod
    def to_text(self) -> str:
        """Return the report for a terminal."""

    @abstractmethod
    def _page(self, *, whole: bool) -> str:
        """Return a page, or the part of it that a notebook displays."""

    @abstractmethod
    def _files(self) -> dict[str, str]:
        """Return the contents of each file by its name."""

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def to_html(self) -> str:
        """Return a complete page: tables, and figures as SVG."""
        return self._page(whole=True)

    def _repr_html_(self) -> str:
        return self._page(whole=False)

    def contents(self, folder: str | Path) -> dict[Path, str]:
        """Return the contents of each file in a folder, by its path."""
        return {Path(folder) / name: text for name, text in self._files().items()}

    def write(self, folder: str | Path) -> None:
        """Write the page, the JSON and the tables into a folder: all, or none."""
        write_together(self.contents(folder))
