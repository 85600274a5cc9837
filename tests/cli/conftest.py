import pytest
from typer.testing import CliRunner

from fairpairs.cli import app
from tests.cli.results import output_of, sentence_of

#: Commands that answer first, and print their tables with --details.
AUDITS = ("audit", "audit-groups", "audit-judgments", "bridge", "compare", "monitor", "power")


@pytest.fixture
def ran():
    """A function that runs a command, which must exit as told, and returns what it prints.

    Audits, bridges and plans print their tables too.
    """

    def run(*arguments, status=0):
        details = ["--details"] if arguments[0] in AUDITS else []
        return output_of(CliRunner().invoke(app, [*map(str, arguments), *details]), status)

    return run


@pytest.fixture
def refused():
    """A function that runs a command, which must print one sentence on stderr and nothing else."""

    def run(*arguments):
        return sentence_of(CliRunner().invoke(app, [*map(str, arguments)]))

    return run


@pytest.fixture
def no_pages(monkeypatch):
    """Pages without content, for speed, where nothing reads them."""
    monkeypatch.setattr("fairpairs.audits.lines.page.page", lambda *_, **__: "")
