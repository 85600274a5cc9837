"""The article on a finished run, as PDF and HTML, from one text and the numbers of the run."""

import json
import re
import shutil
import tempfile
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_together
from fairpairs.base.sealed import checked_digest
from fairpairs.papers.article.numbers import FIGURES, article_numbers

#: What the article says, and how it looks in print and as a page.
TEXT, *FORMS = (Path(__file__).with_name(name) for name in ("article.typ", "form.typ", "page.css"))
#: What `make article` writes, in the folder of a run.
ARTICLE = "results/article"
#: A word that is a number, which must come from the run, or from a condition on it.
NUMBER = re.compile(
    r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|half|twice)\b",
    re.IGNORECASE,
)
#: What opens a part of the text → what closes it; a statement ends with its line.
CLOSERS = {"(": ")", "{": "}", "[": "]"}
#: A part of what is read: a comment, a name, a statement, a call, or a word.
OF_PROSE = re.compile(
    r"//[^\n]*|[@<][a-z][\w-]*>?|(?P<statement>#(?:let|set|show|import|for|if)\b)"
    r"|#(?:\{|[a-z][\w-]*(?:\.[a-z][\w-]*)*\(?)|(?P<read>[^\W_]+|.)",
    re.DOTALL,
)
#: A part of code: a comment, a text, or a sign.
OF_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|.', re.DOTALL)
#: A call of what another call returned.
AGAIN = re.compile(r"(?:\.[a-z][\w-]*)*\(")


def write_article(folder: str | Path, checkout: str | Path) -> list[Path]:
    """Write `results/article.pdf` and `.html` from the results of a finished run.

    Parameters
    ----------
    folder
        The folder of the run.
    checkout
        The project, whose CITATION.cff names the papers.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    InputError
        If results are missing, the library typst is not installed, or a sentence is not true of
        these results.
    """
    try:
        import typst  # noqa: PLC0415  (needed here alone)
    except ImportError as error:
        raise InputError(
            "the library typst is not installed: install it with `pip install fairpairs[article]`."
        ) from error
    numbers = article_numbers(Path(folder), Path(checkout))
    with tempfile.TemporaryDirectory() as temporary:
        room = Path(temporary)
        (room / "data.json").write_text(json.dumps(numbers, allow_nan=False), "utf-8")
        for text in (TEXT, *FORMS):
            shutil.copy(text, room)
        for figure in numbers["figures"]:
            checked_digest(Path(folder, FIGURES, figure))
            (room / figure).parent.mkdir(exist_ok=True)
            shutil.copy(Path(folder, FIGURES, figure), room / figure)
        made = {}
        for form in ("pdf", "html"):
            try:
                made[form] = typst.compile(room / TEXT.name, format=form)
            except typst.TypstError as error:
                raise InputError(_sentence(str(error))) from error
    paths = {Path(folder, f"{ARTICLE}.{form}"): content for form, content in made.items()}
    write_together(paths)
    return list(paths)


def typed_numbers(text: str) -> list[str]:
    r"""Return the lines of an article in which a number is typed.

    >>> typed_numbers("We find #count(n) of two models\n#so(n > 5)[more]")
    ['We find #count(n) of two models']
    """
    lines = zip(text.splitlines(), _prose(text).splitlines(), strict=True)
    return [line for line, words in lines if NUMBER.search(words)]


def _prose(text: str) -> str:
    """Return a text in Typst without its code, names and comments, on as many lines."""
    kept, closers, at = [], [""], 0
    while at < len(text):
        prose = closers[-1] in ("", "]")
        token = (OF_PROSE if prose else OF_CODE).match(text, at)
        assert token is not None
        part, at = token[0], token.end()
        if part == closers[-1]:
            closers.pop()
            if closers[-1] in ("", "]") and (more := AGAIN.match(text, at)):  # f(x).g(
                closers.append(")")
                at = more.end()
        elif part[-1] in CLOSERS:
            closers.append(CLOSERS[part[-1]])
        elif token.lastgroup == "statement":
            closers.append("\n")
        kept.append(part if token.lastgroup == "read" else "\n" * part.count("\n"))
    return "".join(kept)


def _sentence(error: str) -> str:
    """Return what Typst says of an error as one sentence with the remedy."""
    first = next(line for line in error.splitlines() if line.strip())
    said = re.sub(r"^(?:error: )?(?:assertion failed: )?", "", first).rstrip(".")
    return f"article.typ: {said}: correct the text, or the run."
