"""--card of the audits, and docs/how-to/model-card.md."""

import pytest
from typer.testing import CliRunner

from fairpairs.audits.lines.card import BEGIN
from fairpairs.cli import app

pytestmark = pytest.mark.usefixtures("no_pages")

COLUMNS = "--label", "repaid", "--prediction", "approved", "--sensitive", "sex"


@pytest.fixture
def loans(tmp_path):
    assert CliRunner().invoke(app, ["example", str(tmp_path)]).exit_code == 0
    return tmp_path / "loans.csv"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["audit", "audit-groups"])
def test_a_card_is_written_beside_the_other_files(ran, loans, tmp_path, command):
    card, out = tmp_path / "README.md", tmp_path / "out"
    card.write_text("# Model\n", "utf-8")
    text = ran(command, loans, *COLUMNS, "--card", card, "--out", out)
    assert f"Written: {card}" in text
    first = card.read_text("utf-8")
    assert first.startswith(f"# Model\n\n{BEGIN}\n")
    ran(command, loans, *COLUMNS, "--card", card)
    assert card.read_text("utf-8") == first


def test_a_card_that_cannot_be_is_refused_before_anything_is_written(refused, loans, tmp_path):
    out = tmp_path / "out"
    card = tmp_path / "README.md"
    card.write_text(BEGIN, "utf-8")
    assert "keep one of each" in refused("audit", loans, *COLUMNS, "--card", card, "--out", out)
    assert not out.exists()
