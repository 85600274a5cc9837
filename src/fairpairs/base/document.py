"""The report of a command: paragraphs, tables and notes, as text for a terminal or as a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from fairpairs.base.texts import printable


@dataclass(frozen=True)
class Heading:
    """A heading of the parts below it."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Grid:
    """A table of texts; columns are at the right but for those of the headings in `left`."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Collection[str] = ()
    caption: str = ""

    def __str__(self) -> str:
        align = ["left" if name in self.left else "right" for name in self.header]
        table = tabulate(
            self.rows, self.header, tablefmt="simple", disable_numparse=True, colalign=align
        )
        return f"{self.caption}\n{table}" if self.caption else table


@dataclass(frozen=True)
class Notes:
    """Notes, one item each."""

    items: Sequence[str]

    def __str__(self) -> str:
        return "Notes:\n" + "\n".join(f"- {item}" for item in self.items)


Part = str | Heading | Grid | Notes


@dataclass(frozen=True)
class Document:
    """The report of a command; a text among the parts is a paragraph, with its line breaks."""

    title: str
    parts: Sequence[Part]

    def to_text(self) -> str:
        """Return the report for a terminal.

        >>> print(Document("Fruit", ["One apple.", Notes(["It is red."])]).to_text())
        One apple.
        <BLANKLINE>
        Notes:
        - It is red.
        """
        return "\n\n".join(map(str, self.parts))

    def to_html(self) -> str:
        """Return the report as a page that opens offline."""
        import jinja2  # noqa: PLC0415  (slow)

        environment = jinja2.Environment(
            loader=jinja2.PackageLoader("fairpairs.base", ""),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
            finalize=_finalize,
        )
        parts = [(type(part).__name__, part) for part in self.parts]
        template = environment.get_template("document.html.j2")
        return template.render(title=self.title, parts=parts)


def _finalize(value: Any) -> Any:
    """Show control characters of the data as Python writes them, but keep line breaks."""
    if isinstance(value, str):
        return "\n".join(map(printable, value.split("\n")))
    return value
