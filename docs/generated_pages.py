"""Put into the documentation what lies beside it, and tables that are written from the code."""

import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click

import fairpairs
from benchmarks.levels.tables import NOTE
from benchmarks.register.tables import TEXT, markdown
from fairpairs.audits.criteria import ALL_CRITERIA, Criterion
from fairpairs.base.files import json_text
from fairpairs.cli import app
from fairpairs.papers.display.tables import read_table, read_words
from fairpairs.papers.inventory import TITLES, inventory

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: File of an audit → the result in Python whose schema it follows.
SCHEMAS = {
    "audit.json": "AuditResult",
    "compare.json": "ComparisonResult",
    "groups.json": "GroupAuditResult",
    "judgments.json": "JudgmentsResult",
    "monitor.json": "MonitorResult",
}
#: How the documentation links to what lies outside of it → where that stands in the site.
LINKS = {
    "](../../templates)": "](../templates/README.md)",
    "](../../templates/": "](../templates/",
    "](../../config/README.md)": "](../config/README.md)",
    "](../docs/": "](../",
}
#: The comment in a page that a table takes the place of: the options of a command, the columns of
#: a table of a result, a CSV, or the criteria.
TABLE = re.compile(
    r"<!-- (?:options of (?P<command>[\w-]+)|columns of (?P<result>\w+)\.(?P<key>\w+)"
    r"|table of (?P<file>\S+)|(?P<criteria>criteria of audit)) -->"
)
#: The names in a page that their documentation takes the place of.
NAMES = re.compile(r"^Names: ([`\w,\s]+)\.$", re.M)


def on_files(files: Files, config: Any) -> Files:
    """Add the templates, the guide of the config, the commands and the list to the site."""
    beside = [ROOT / "config/README.md", *(ROOT / "templates").rglob("*")]
    for path in sorted(path for path in beside if path.is_file()):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    files.append(File.generated(config, "list.md", content=_list()))
    files.append(File.generated(config, "commands.md", content=_commands()))
    files.append(File.generated(config, "llms.txt", content=llms(config["nav"])))
    for name, content in measured().items():
        files.append(File.generated(config, f"explanation/{name}.md", content=content))
    for name, schema in schemas().items():
        files.append(File.generated(config, f"schemas/{name}", content=json_text(schema)))
    return files


def measured() -> dict[str, str]:
    """Return the pages of the tables that programs have measured, by their names."""
    folder = DOCS / "explanation"
    worst = _words(folder / "calibration/worst.csv")
    return {
        "register/levels": markdown(read_table(folder / "register/levels.csv", text=TEXT)),
        "calibration/worst": f"# The worst case of each test\n\n{worst}\n\n{NOTE}\n",
    }


def _words(path: Path) -> str:
    """Return a CSV as a table."""
    return str(read_words(path).to_markdown(index=False, disable_numparse=True))


def schemas() -> dict[str, Any]:
    """Return the JSON schema of each file that an audit writes, by its name."""
    return {name: getattr(fairpairs, result).SCHEMA for name, result in SCHEMAS.items()}


def llms(nav: list[Any]) -> str:
    """Return llms.txt (https://llmstxt.org): each page, with its first sentence."""
    lines = ["# FairPairs", "", f"> {_first_sentence('index.md')}"]
    for title, pages in _sections(nav):
        lines += ["", f"## {title}", ""]
        lines += [
            f"- [{name}]({page}): {_first_sentence(page)}".removesuffix(": ")
            for name, page in pages
        ]
    lines += ["", "## JSON schemas", ""]
    lines += [f"- [{name}](schemas/{name}): of `{result}`" for name, result in SCHEMAS.items()]
    return "\n".join(lines) + "\n"


def _sections(nav: list[Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the pages that lie in the folder of the documentation, by the part they are of."""
    sections = []
    for part in nav:
        for title, pages in part.items():
            if isinstance(pages, list):
                flat = [one for _, ones in _sections(pages) for one in ones]
                named = [
                    page for each in pages for page in each.items() if isinstance(page[1], str)
                ]
                known = [page for page in named if (DOCS / page[1]).exists()]
                sections.append((title, flat + known))
    return sections


def _first_sentence(page: str) -> str:
    """Return the first sentence of the first paragraph of a page, without links."""
    text = (DOCS / page).read_text("utf-8")
    for paragraph in text.split("\n\n")[1:]:
        if paragraph[:1].isalpha() or paragraph[:1] in "*`[":
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
            return re.split(r"(?<=[.:?]) (?=[A-Z`])", words)[0].rstrip(":")
    return ""


def _commands() -> str:
    """Return the page of what `fairpairs --help` and that of each command prints."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="fairpairs")
    text = get_docs_for_click(obj=command, ctx=context, name="fairpairs", title="Commands")
    # examples are indented by two spaces, which Markdown would run together
    return re.sub(r"(?m)^  (?=\S|    )", "    ", text.replace("Examples:\n", "Examples:\n\n"))


def _list() -> str:
    """Return the page of what `fairpairs list` prints."""
    cards = {path.stem: path for path in (ROOT / "config/datasets").glob("*.yaml")}
    lines = ["# Names that a config can use", "", "`fairpairs list` prints these.", ""]
    for kind, named in inventory(cards=cards).items():
        header = ["name", *next(iter(named.values()))]
        rows = [[f"`{name}`", *columns.values()] for name, columns in named.items()]
        lines += [f"## {TITLES[kind]}", "", _table(header, rows), ""]
    return "\n".join(lines)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links out of the folder into links to these files, and put in what the code says."""
    for outside, inside in LINKS.items():
        markdown = markdown.replace(outside, inside)
    return with_tables(NAMES.sub(lambda found: _objects(found[1]), markdown))


def _objects(listed: str) -> str:
    """Return the summaries of public names, and what mkdocstrings reads to document them."""
    names = re.findall(r"\w+", listed)
    docs = {name: inspect.getdoc(getattr(fairpairs, name)) or "" for name in names}
    told = [f"- `{name}`: {text.splitlines()[0]}" for name, text in docs.items()]
    inherited = "\n    options:\n      inherited_members: true"
    read = [
        f"::: fairpairs.{name}{inherited if name in SCHEMAS.values() else ''}" for name in names
    ]
    return "\n\n".join(["\n".join(told), *read])


def with_tables(markdown: str) -> str:
    """Put the table of options, columns or numbers in the place of the comment that names it."""

    def table(found: re.Match[str]) -> str:
        if found["file"]:
            return _words(DOCS / found["file"])
        if found["criteria"]:
            return _criteria()
        return (
            _options(found["command"])
            if found["command"]
            else _columns(found["result"], found["key"])
        )

    return TABLE.sub(table, markdown)


def _options(command: str) -> str:
    """Return the table of the options of a command: their names, and what `--help` says."""
    parameters = typer.main.get_command(app).commands[command].params
    names = {", ".join(f"`{name}`" for name in each.opts): each.help for each in parameters}
    return _table(["option", "meaning"], names.items())


def _columns(result: str, key: str) -> str:
    """Return the table of the columns of a table of a result, and what they hold."""
    columns = getattr(fairpairs, result).SCHEMA["properties"][key]["items"]["properties"]
    described = {f"`{name}`": column["description"] for name, column in columns.items()}
    return _table(["column", "holds"], described.items())


def _criteria() -> str:
    """Return the table of the criteria of an audit: their names, lines and questions."""
    questions = {}
    for name, criterion in ALL_CRITERIA.items():
        measures = (
            criterion.all_measures if isinstance(criterion, Criterion) else (criterion.measure,)
        )
        lines = "; ".join(measure.name for measure in measures)
        questions[f"`{name}`: {lines}"] = criterion.question
    return _table(["criterion: its lines", "question"], questions.items())


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with these names of columns."""
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(cell.replace("|", r"\|") for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)
