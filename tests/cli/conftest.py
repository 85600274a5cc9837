import pytest
from typer.testing import CliRunner

from fairpairs.cli import app

#: Commands that answer first, and print their tables with --details.
AUDITS = ("audit", "audit-groups", "audit-judgments", "bridge", "compare", "monitor", "power")


@pytest.fixture
def ran():
    """A function that runs a command, which must exit as told, and returns what it prints.

    Audits, bridges and plans print their tables too.
    """

    def run(*arguments, status=0):
        details = ["--details"] if arguments[0] in AUDITS else []
        result = CliRunner().invoke(app, [*map(str, arguments), *details])
        assert result.exit_code == status, result.output
        assert result.stderr == ""
        return result.stdout

    return run


@pytest.fixture
def refused():
    """A function that runs a command, which must print one sentence on stderr and nothing else."""

    def run(*arguments):
        result = CliRunner().invoke(app, [*map(str, arguments)])
        assert result.exit_code == 2, result.output
        assert isinstance(result.exception, SystemExit)
        assert result.stdout == ""
        assert result.stderr.startswith("fairpairs: ")
        assert result.stderr.endswith(".\n") or result.stderr.endswith("?\n")
        assert result.stderr.count("\n") == 1
        return result.stderr

    return run


@pytest.fixture
def no_pages(monkeypatch):
    """Pages without content, for speed, where nothing reads them."""
    monkeypatch.setattr("fairpairs.audits.lines.page.page", lambda *_, **__: "")
