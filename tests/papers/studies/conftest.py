import zipfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from fairpairs.base.files import write_json, write_parquet, write_text
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.prepared import PreparedDataset, read_prepared
from fairpairs.papers.plan.claims import Finding, judge, study_claims
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.results import Results
from fairpairs.papers.plan.study_files import study_folders
from fairpairs.papers.report.report import page_environment, section_html

SVG = '<?xml version="1.0"?>\n<svg><g id="a"/><use href="#a"/><g clip-path="url(#a)"/></svg>'


@pytest.fixture
def prepared(
    mirror: Path, root: Path, dataset_schema: Path, tmp_path: Path
) -> Callable[[str], PreparedDataset]:
    """A function that returns a shipped data set, prepared from the raw file."""

    def read(name: str) -> PreparedDataset:
        card = read_card(root / f"config/datasets/{name}.yaml", dataset_schema)
        raw = mirror / card["files"][0].get("mirror", f"{name}/{card['files'][0]['name']}")
        if not raw.exists():
            pytest.skip(f"the mirror lacks {raw.name}")
        frame, about = prepare(raw, card, name=name)
        write_parquet(tmp_path / "f.parquet", frame)
        write_json(tmp_path / "f.json", about)
        return read_prepared(tmp_path / "f.parquet", tmp_path / "f.json")

    return read


@pytest.fixture
def section_of(tmp_path: Path) -> Callable[..., str]:
    """A function that shows the section of a study: `section_of(name, config=…, …)`.

    The results are those in `tmp_path`; `figures` are drawn there first.
    """

    def show(
        study: str,
        *,
        config: dict[str, Any] | None = None,
        experiments: tuple[Experiment, ...] = (),
        datasets: tuple[str, ...] = (),
        figures: tuple[str, ...] = (),
    ) -> str:
        for figure in figures:
            write_text(tmp_path / f"results/figures/{study}/{figure}.svg", SVG)
        folder = study_folders()[study]
        named = {experiment.name: experiment for experiment in experiments}
        results = Results(study, tmp_path, {"alpha": 0.05, **(config or {})}, named, datasets)
        return "".join(section_html(results, folder, page_environment({study: folder})))

    return show


#: The committed tables that tests have read, which many claims rest on.
READ: dict[tuple[Path, str, frozenset[str]], pd.DataFrame | None] = {}


@dataclass(frozen=True)
class Planted(Results):
    """The committed results, some of them edited, or taken away by an edit that returns None."""

    edits: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame | None]] = field(default_factory=dict)

    def table(self, path: str, *, text: Collection[str] = ()) -> pd.DataFrame | None:
        key = (self.folder, path, frozenset(text))
        if key in READ:
            self.read.append(path)
        else:
            READ[key] = super().table(path, text=text)
        frame = READ[key] if READ[key] is None else READ[key].copy()
        return self.edits[path](frame) if frame is not None and path in self.edits else frame


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the committed tables, as after a run."""
    folder = tmp_path_factory.mktemp("committed")
    with zipfile.ZipFile(Path(__file__).parents[3] / "expected/tables.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def shipped_config() -> dict[str, Any]:
    """The config of the committed run."""
    folder = Path(__file__).parents[3] / "config"
    files = [folder / "config.yaml", *sorted((folder / "studies").glob("*.yaml"))]
    return {k: v for f in files for k, v in yaml.safe_load(f.read_text("utf-8")).items()}


@pytest.fixture
def finding_of(committed: Path, shipped_config: dict[str, Any]) -> Callable[..., Finding]:
    """A function that checks a claim: `finding_of(study, claim, {path: edit of the table})`."""

    def find(study: str, name: str, edits: Mapping[str, Any] | None = None) -> Finding:
        folder = study_folders()[study]
        results = Planted(study, committed, shipped_config, {}, (), edits=edits or {})
        (claim,) = (claim for claim in study_claims(study, folder) if claim.name == name)
        return judge(claim, results, folder / "claims.py")

    return find
