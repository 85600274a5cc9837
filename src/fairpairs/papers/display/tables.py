"""Tables of a run: numbers as CSV, the same in words as Markdown and LaTeX."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fairpairs.base.files import write_text
from fairpairs.base.sealed import check_table
from fairpairs.base.texts import MISSING, decimals
from fairpairs.papers.display.labels import label
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.published.verdicts import DIFFERS

LEGEND = (
    "Each cell: ours ± its Monte Carlo standard error (published). ≠ marks a cell that differs "
    "from the published one."
)
#: The same for a table of a single run in the paper.
LEGEND_OF_ONE_RUN = (
    "Each cell: the mean of our runs ± the spread (standard deviation) of one run (published). The "
    "paper has one run, so a cell agrees where one of ours may give the printed number, even if "
    "the mean of many is another. ≠ marks a cell that differs from the published one."
)
#: Characters that LaTeX cannot read → their commands.
LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": "$|$", "<": "$<$", ">": "$>$", "≤": r"$\leq$"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"±": r"$\pm$", "†": r"$\dagger$", "≠": r"$\neq$", "–": "--", "≥": r"$\geq$"}
    | {"²": "$^2$", "Δ": r"$\Delta$", "→": r"$\to$", "−": "$-$", "“": "``", "”": "''"}
    # white, because black triangles need a package
    | {"▲": r"$\bigtriangleup$", "▼": r"$\bigtriangledown$", "≈": r"$\approx$"}
)


@dataclass(frozen=True)
class Display:
    """A table in words, as Markdown, LaTeX and the report show it."""

    #: Its cells; the index is the first column.
    table: pd.DataFrame
    #: Its heading.
    title: str
    #: What a reader must know, below it.
    note: str = ""


def grid(cells: Iterable[tuple[str, str, str]], missing: str = MISSING) -> pd.DataFrame:
    """Return a table of (line, column, text), both in the order in which they first occur.

    >>> grid([("a", "x", "1"), ("b", "y", "2")]).to_dict("list")
    {'x': ['1', '–'], 'y': ['–', '2']}
    """
    frame = pd.DataFrame(cells, columns=["line", "column", "text"])
    lines, columns = (list(dict.fromkeys(frame[axis])) for axis in ("line", "column"))
    table = frame.pivot(index="line", columns="column", values="text").loc[lines, columns]
    return table.fillna(missing).rename_axis(index="", columns=None)


def write_table(stem: str | Path, rows: pd.DataFrame, *displays: Display) -> None:
    """Write a table as stem.csv and, in words, as stem.md and stem.tex; an ending is replaced.

    `rows` are the numbers, without the index; `displays` are the same in words, in one table or
    several. Without them only the CSV is written.
    """
    write_text(Path(stem).with_suffix(".csv"), rows.to_csv(index=False))
    for ending, form in ((".md", _markdown_table), (".tex", _latex_table)):
        if displays:
            write_text(Path(stem).with_suffix(ending), "\n".join(map(form, displays)))


def read_table(path: str | Path, *, text: Collection[str] = ()) -> pd.DataFrame:
    """Read a table that a run wrote; InputError if its sidecar has another digest.

    The columns of `text` stay as they are, even where they look like numbers or like a missing
    value, as the treatment `None` does.
    """
    check_table(path)
    header = pd.read_csv(path, nrows=0).columns
    return pd.read_csv(
        path,
        dtype=dict.fromkeys(text, str),
        keep_default_na=False,
        na_values={column: [""] for column in header if column not in text},
    )


def read_words(path: str | Path) -> pd.DataFrame:
    """Read a table that a run wrote, as `read_table`, but each cell as it is written."""
    check_table(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def legend(published: PublishedTable) -> str:
    """Return the legend of the cells of a table."""
    return LEGEND_OF_ONE_RUN if published.of_one_run else LEGEND


def cell_text(cell: pd.Series, *, of_one_run: bool = False) -> str:
    """Write one cell of a comparison: ours ± its error (published).

    The error is that of our mean, or, if the paper has a single run, the spread of one.
    """
    digits = int(cell["digits"])
    text = decimals(cell["reproduced"], digits)
    text += str(cell.get("mark", ""))
    error = cell["run_sd"] if of_one_run else cell["standard_error"]
    if error > 0:
        # up to two more digits where it would be 0
        places = [p for p in range(digits, digits + 3) if round(error, p) > 0]
        text += f" ± {decimals(error, [*places, digits][0])}"
    text += f" ({decimals(cell['published'], digits)}{cell.get('published_mark', '')})"
    return text + (" ≠" if cell["verdict"] == DIFFERS else "")


def write_comparison_table(
    published: PublishedTable,
    comparison: pd.DataFrame,
    texts: Mapping[str, Mapping[str, str]],
    stem: str | Path,
) -> None:
    """Write a table of a paper, every number beside the published one, as stem.csv, .md and .tex.

    The CSV has, for each column of the paper, ours, its standard error and the published number;
    the others have all three in one cell. `texts` are the text columns, by column and row, as the
    run has them.
    """
    rows, columns = list(dict.fromkeys(published.cells["row"])), published.columns
    wide = comparison.pivot(index="row", columns="column").reindex(rows)
    parts = {}
    for column in columns:
        parts[column] = wide["reproduced"][column]
        parts[f"{column} (standard error)"] = wide["standard_error"][column]
        parts[f"{column} (published)"] = wide["published"][column]
    for column, ours in texts.items():
        parts[column] = pd.Series(ours, index=rows, dtype=object)
    table = pd.DataFrame(parts).rename_axis("row").reset_index()
    texts_of_cells = comparison.apply(cell_text, axis=1, of_one_run=published.of_one_run)
    cells = comparison.assign(text=texts_of_cells)
    display = (
        cells.pivot(index="row", columns="column", values="text").loc[rows, columns].fillna("–")
    )
    printed = published.texts.pivot(index="row", columns="column", values="published")
    for column, ours in texts.items():
        display[column] = [f"{ours.get(row, '–')} ({printed[column][row]})" for row in rows]
    title = f"{published.heading}: {published.spec['title']}"
    note = " ".join(
        [legend(published), *_notes(comparison), published.spec.get("remarks", "").strip()]
    )
    note = f"{note} Source: {published.spec['source']}."
    write_table(stem, table, Display(display, title, note))


def write_experiment_table(
    violations: pd.DataFrame, estimates: pd.DataFrame, stem: str | Path, *, title: str
) -> None:
    """Write the summary of an experiment as stem.csv (tidy), .md and .tex (data sets across)."""
    values = _rates_and_means(violations, estimates)
    shown = [
        *("dataset", "attribute", "treatment", "test", "quantity", "value", "standard_error"),
        *("repeats", "tested", "incomplete", "small_cells", "smallest_cell"),
    ]
    runs = int(values["repeats"].max())
    note = (
        f"Of a test the share of {runs:,} repeats that found a violation, else the mean; ± its "
        "Monte Carlo standard error."
    )
    display = experiment_display_table(violations, estimates)
    write_table(stem, values.reindex(columns=shown), Display(display, title, note))


def experiment_display_table(violations: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of an experiment in words, treatments and tests down, data sets across."""
    values = _rates_and_means(violations, estimates)
    rows = values["treatment"].map(label) + ", " + values["name"]
    columns = values["dataset"].map(label) + ", " + values["attribute"]
    texts = [
        f"{decimals(value, 3)} ± {decimals(error, 3)}"
        for value, error in values[["value", "standard_error"]].itertuples(index=False)
    ]
    # not every data set has every quantity
    return grid(zip(rows, columns, texts, strict=True), missing="").rename_axis("row")


def _rates_and_means(violations: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    rates = violations.rename(columns={"violated": "value"}).assign(
        quantity="violated", name=violations["test"].map(label)
    )
    tested = set(violations["test"])
    means = estimates[~estimates["test"].isin(tested)].rename(columns={"mean": "value"})
    named = means[["test", "hypothesis"]].drop_duplicates()["hypothesis"]
    shared = means["hypothesis"].isin(named[named.duplicated()])  # by several tests
    with_test = means["test"].map(label) + ": " + means["hypothesis"]
    names = means["hypothesis"].mask(shared, with_test)
    means = means.assign(quantity=means["hypothesis"], name=names)
    return pd.concat([rates, means], ignore_index=True)


def write_long_table(frame: pd.DataFrame, stem: str | Path, *, title: str) -> None:
    """Write a long table, such as the whole comparison, as stem.csv, .md and .tex."""
    display = frame.copy()
    for column in frame.select_dtypes("number"):
        if column not in ("table", "section"):
            display[column] = [f"{v:.4g}" if pd.notna(v) else "" for v in frame[column]]
    words = display.set_index(display.columns[0]).rename_axis("")
    write_table(stem, frame, Display(words, title))


def _notes(comparison: pd.DataFrame) -> list[str]:
    noted = comparison[comparison["note"] != ""]
    texts = dict.fromkeys(noted["note"])
    if len(texts) == 1 and len(noted) == len(comparison):
        return [f"{noted['note'].iloc[0].capitalize()}."]
    cells = noted[["row", "column", "note"]].itertuples(index=False)
    return [f"{row}, {column}: {note}." for row, column, note in cells]


def _markdown_table(display: Display) -> str:
    # a bar would end the cell
    escaped = display.table.reset_index().map(_markdown).rename(columns=_markdown)
    markdown = escaped.to_markdown(index=False, disable_numparse=True)
    return f"# {display.title}\n\n{markdown}\n\n{display.note}\n"


def _latex_table(display: Display) -> str:
    words = display.table.reset_index()
    header, *rows = (
        " & ".join(map(_latex, row)) + r" \\"
        for row in [list(words.columns), *words.astype(object).to_numpy().tolist()]
    )
    return "\n".join(
        [
            *(r"\begin{table}", r"\centering", rf"\caption{{{_latex(display.title)}}}"),
            rf"\begin{{tabular}}{{{'l' * words.shape[1]}}}",
            *(r"\toprule", header, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"),
            *(rf"\par\footnotesize {_latex(display.note)}", r"\end{table}", ""),
        ]
    )


def _markdown(text: object) -> str:
    return str(text).replace("|", r"\|")


def _latex(text: object) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", str(text).translate(LATEX))
