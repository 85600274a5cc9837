"""Run the Python and the commands of a page of the documentation, in order."""

import doctest
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app

ROOT = Path(__file__).parents[2]
#: A block, and the indented lines that follow before the next one.
BLOCK = re.compile(
    r"```(python|sh)\n(.*?)```\n(?:(?:(?!```|    )[^\n]*\n)*?\n((?:(?:    [^\n]*)?\n)+))?", re.S
)


class Block(NamedTuple):
    """A block, what the page says it prints, and what it printed."""

    kind: str
    code: str
    shown: str
    out: str


def run_pages(pages, folder, *, html=False):
    """Run the blocks of pages in a folder; a page goes on with the names and files of those before.

    Python is run as a doctest: what it prints is what differs from the page, and should be nothing.
    Pages of HTML are written without content, for speed, unless they are asked for.
    """
    texts = {page: (ROOT / "docs" / page).read_text("utf-8") for page in pages}
    found = [(page, block) for page, text in texts.items() for block in BLOCK.findall(text)]
    names, blocks = {}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if not html:
            patch.setattr("fairpairs.audits.lines.page.page", lambda *_, **__: "")
        for page, (kind, code, shown) in found:
            if kind == "python":
                out, names = _python(page, code, names)
                blocks.append(Block(kind, code, "", out))
            else:
                stands = re.sub("^    ", "", shown, flags=re.M).strip()
                blocks.append(Block(kind, code, stands, _commands(code)))
    return blocks


def misplaced(shown, printed):
    """Return the lines of a page from the first on that is not printed after those before it."""
    rest = iter(printed)
    return [line for line in shown if line not in rest]


def _python(page, code, names):
    """Run statements, or examples after >>> whose output is compared."""
    if ">>> " not in code:
        exec(compile(code, page, "exec"), names)
        return "", names
    out = []
    test = doctest.DocTestParser().get_doctest(code, names, page, None, 0)
    doctest.DocTestRunner(verbose=False).run(test, out=out.append, clear_globs=False)
    return "".join(out), test.globs


def _commands(code):
    outputs = []
    for command in code.replace("\\\n", " ").splitlines():
        program, *arguments = shlex.split(command)
        assert program == "fairpairs"
        found = [
            sorted(map(str, Path().glob(word))) if "week" in word else [] for word in arguments
        ]
        arguments = [
            name for word, names in zip(arguments, found, strict=True) for name in names or [word]
        ]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code in (0, 2), result.output
        outputs.append(result.output.strip())
    return "\n".join(outputs)
