import zipfile
from pathlib import Path

import pytest

from fairpairs.papers.article.numbers import FIGURES, SHOWN

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run(tmp_path):
    """The committed tables, as a finished run has them, with a figure."""
    with zipfile.ZipFile(ROOT / "expected/tables.zip") as packed:
        packed.extractall(tmp_path)
    (tmp_path / "provenance.json").rename(tmp_path / "results/predictions.provenance.json")
    figure = tmp_path / FIGURES / SHOWN[0]
    figure.parent.mkdir()
    figure.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', "utf-8")
    return tmp_path
