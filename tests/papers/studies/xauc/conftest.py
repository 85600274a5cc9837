from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairpairs.base.files import write_json, write_parquet
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.prepared import PreparedDataset, read_prepared


@pytest.fixture
def prepared(
    mirror: Path, root: Path, dataset_schema: Path, tmp_path: Path
) -> Callable[[str], PreparedDataset]:
    """A function that returns a data set of Framingham, prepared from the raw file."""

    def read(name: str) -> PreparedDataset:
        card = read_card(root / f"config/datasets/{name}.yaml", dataset_schema)
        raw = mirror / card["files"][0]["mirror"]
        if not raw.exists():
            pytest.skip("the mirror has no Framingham")
        frame, about = prepare(raw, card, name=name)
        write_parquet(tmp_path / "f.parquet", frame)
        write_json(tmp_path / "f.json", about)
        return read_prepared(tmp_path / "f.parquet", tmp_path / "f.json")

    return read
