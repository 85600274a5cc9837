"""The report of a command: paragraphs, tables, figures and notes, for a terminal or as a page."""

from __future__ import annotations

import base64
import hashlib
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from tabulate import tabulate

from fairpairs.base.texts import printable, printable_lines

if TYPE_CHECKING:
    import jinja2


#: Characters of a line of text in a terminal; a table may be wider.
COLUMNS = 100
#: What a note of all rows of a table begins with.
ALL_LINES = "All comparisons:"


@dataclass(frozen=True)
class Heading:
    """A heading of the parts below it; `level` is 2, or 3 below another one."""

    text: str
    level: int = 2

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Grid:
    """A table of texts; columns are at the right but for those of the headings in `left`."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Collection[str] = ()
    caption: str = ""
    #: What the page colours a row by, and a note on a row: one of each row, or none of any.
    kinds: Sequence[str] = ()
    notes: Sequence[str] = ()
    #: Rows that a terminal shows, and that a page shows before it folds the others; None for all.
    most: int | None = None
    unfolded: int | None = None
    #: What a page says of the lines that it folds.
    folded: str = ""
    #: The column that a page begins with; a terminal has it last, where it may be long.
    first: str = ""

    def order(self) -> list[int]:
        """Return the columns in the order of a page."""
        first = self.header.index(self.first) if self.first else 0
        return [first, *(i for i in range(len(self.header)) if i != first)]

    def marks(self, most: int | None = None) -> dict[str, str]:
        """Return the mark of each note of the first rows; one note of all rows has none."""
        notes = self.notes[:most]
        different = list(dict.fromkeys(filter(None, notes)))
        if len(different) == 1 and all(notes):
            return {different[0]: ""}
        return {note: f"[{i}]" for i, note in enumerate(different, 1)}

    def __str__(self) -> str:
        rows, notes = self.rows[: self.most], self.notes[: self.most]
        marks = self.marks(self.most)
        if marked := any(marks.values()):
            rows = [(*row, marks.get(note, "")) for row, note in zip(rows, notes, strict=True)]
        header = [*self.header, *([""] if marked else [])]
        align = ["left" if name in (*self.left, "") else "right" for name in header]
        cells = [[printable(cell) for cell in row] for row in rows]
        table = tabulate(cells, header, tablefmt="simple", disable_numparse=True, colalign=align)
        lines = [line.rstrip() for line in table.split("\n")]
        wide = max(COLUMNS, *map(len, lines))
        lines += [wrapped(f"{mark or ALL_LINES} {note}", wide) for note, mark in marks.items()]
        return "\n".join([*([self.caption] if self.caption else []), *lines])


@dataclass(frozen=True)
class Figure:
    """A drawing of the page, made when it is asked for, and what it shows in words."""

    draw: Callable[[], str]
    caption: str
    summary: str


@dataclass(frozen=True)
class Notes:
    """Notes, one item each."""

    HEADING: ClassVar[str] = "What the numbers mean"

    items: Sequence[str]

    def __str__(self) -> str:
        return "\n".join(["Notes:", *(f"- {item}" for item in self.items)])


@dataclass(frozen=True)
class Terms:
    """Words and their meanings."""

    meanings: Mapping[str, str]

    def __str__(self) -> str:
        pairs = self.meanings.items()
        return "\n".join(f"{word}: {meaning.rstrip('.')}" for word, meaning in pairs)


Part = str | Heading | Grid | Figure | Notes | Terms


def wrapped(text: str, columns: int = COLUMNS) -> str:
    """Return lines of text as lines of at most so many characters, the further ones indented."""
    return "\n".join(
        piece
        for line in text.split("\n")
        for piece in textwrap.wrap(
            printable(line), columns, subsequent_indent="  ", break_on_hyphens=False
        )
    )


def text_of(parts: Iterable[Part], *, wrap: bool = True) -> str:
    """Return parts for a terminal, which shows no figures; a heading stands on what it is of.

    Texts are wrapped unless they are to stay lines of the data; tables are not.
    """
    text = ""
    for part in parts:
        if part and not isinstance(part, Figure):
            shown = wrapped(str(part)) if wrap and not isinstance(part, Grid) else str(part)
            text += f"{shown}\n" if isinstance(part, Heading) else f"{shown}\n\n"
    return text.rstrip()


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
        return text_of(self.parts, wrap=False)

    def to_html(self) -> str:
        """Return the report as a page that opens offline."""
        template = page_environment().get_template("document.html.j2")
        return template.render(title=self.title, parts=self.parts, whole=True)


@cache  # which compiles each template once
def page_environment(*packages: str) -> jinja2.Environment:
    """Return the environment of the templates of pages, with those of further packages."""
    import jinja2  # noqa: PLC0415  (slow)

    loaders = [jinja2.PackageLoader(name) for name in (*packages, "fairpairs.base")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
    )
    environment.tests["kind"] = lambda part, name: type(part).__name__ == name
    environment.globals["policy"] = _policy
    return environment


def _policy(script: str) -> str:
    """Return what a page may load: what is in it, and no script but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def _finalize(value: Any) -> Any:
    """Show what is not seen in the data as Python writes it, but keep line breaks."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable_lines(value)
    return value
