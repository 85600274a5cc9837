"""All 85 printed numbers and their asterisks follow from the scores of the mirror."""

import pytest
import yaml

from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.integrity import mismatch
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import read_published
from fairpairs.papers.studies.fill import fill_cells
from fairpairs.papers.studies.rejected_dialects.measures import (
    measure_effects,
    read_dialects,
)
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS, raw_name
from fairpairs.papers.studies.rejected_dialects.tables import asterisk_rows


@pytest.fixture(scope="module")
def models(mirror, root):
    """The scores of all models, from the files of the mirror that the card names."""
    schema = root / "workflow/schemas/dataset.schema.yaml"
    card = read_card(root / "config/datasets/rm_dialect_biases.yaml", schema)
    entries = {entry["name"]: entry for entry in card["files"]}
    if not (mirror / card["files"][0]["mirror"]).is_file():
        pytest.skip("the mirror lacks the scores of reward models")
    wrong = [mismatch(mirror / entry["mirror"], entry) for entry in card["files"]]
    assert wrong == [None] * 68
    settings = yaml.safe_load((root / "config/studies/rejected_dialects.yaml").read_text("utf-8"))
    return {
        model: read_dialects(
            [mirror / entries[raw_name(condition, model)]["mirror"] for condition in CONDITIONS]
        )
        for model in settings["rejected_dialects"]["models"]
    }


@pytest.fixture(scope="module")
def effects(models):
    return measure_effects(models)


@pytest.fixture(scope="module")
def published(root):
    schema = root / "workflow/schemas/published.schema.yaml"
    folder = root / "config/published/rejected_dialects"
    return [read_published(folder / f"table_{number}.yaml", schema) for number in (1, 2, 3)]


@pytest.mark.slow
def test_all_85_cells_agree(published, effects):
    verdicts = []
    for table in published:
        cells = fill_cells(table, SourceData(table.cells, results=effects))
        comparison = compare(table, cells)
        assert (comparison["mark"] == comparison["published_mark"]).all()
        verdicts += list(comparison["verdict"])
    assert verdicts == ["agrees"] * 85


@pytest.mark.slow
def test_all_asterisks_agree(published, effects):
    rows = asterisk_rows(published, effects)
    assert list(rows["verdict"]) == ["agrees"] * 68
    assert rows["published_asterisk"].sum() == 63
