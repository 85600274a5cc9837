from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import Settings, run_tests
from fairpairs.papers.experiments.summaries import summarise
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import PublishedTable, read_published
from fairpairs.papers.studies.differential_parity.raters import compare_raters
from fairpairs.papers.studies.fill import fill_cells
from fairpairs.papers.studies.xauc.curves import ranking_curves

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "workflow/schemas/published.schema.yaml"


@pytest.fixture
def schema() -> Path:
    return SCHEMA


@pytest.fixture
def write_published(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a published table: `write(rows, columns, **about)`.

    A row is (name, kind, digits, values); about is what differs from a small Table 3.
    """

    def write(
        rows: list[tuple[str, Any, Any, list[float]]],
        columns: tuple[str, ...] = ("ours",),
        *,
        name: str = "comparative_separation/table_3",
        drop: tuple[str, ...] = (),
        **about: Any,
    ) -> Path:
        keys = ("name", "kind", "digits", "values")
        content: dict[str, Any] = {
            "table": 3,
            "title": "A made table",
            "source": "A made paper, Table III",
            "from": {"results": "simulation"},
            "runs": 1000,
            **about,
            "columns": list(columns),
            "rows": [dict(zip(keys, row, strict=True)) for row in rows],
        }
        for key in drop:
            del content[key]
        path = tmp_path / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), "utf-8")
        return path

    return write


@pytest.fixture
def make_published(write_published: Callable[..., Path]) -> Callable[..., PublishedTable]:
    """As `write_published`, but the table that is read from the file."""
    return lambda *arguments, **about: read_published(write_published(*arguments, **about), SCHEMA)


@pytest.fixture
def make_reproduced() -> Callable[..., pd.DataFrame]:
    """A function that makes our cells from (row, column, value, standard error, …).

    A cell without the spread of a single run is a share of 1,000 runs.
    """

    def make(*cells: tuple[Any, ...]) -> pd.DataFrame:
        columns = ["row", "column", "reproduced", "standard_error", "run_sd", "note"]
        filled = [(*cell, *(0.0, np.nan, "")[len(cell) - 3 :]) for cell in cells]
        numbers = dict.fromkeys(columns[2:5], float)
        frame = pd.DataFrame(filled, columns=columns).astype(numbers)
        return frame.assign(runs=np.where(frame["run_sd"].isna(), 1000.0, np.nan))

    return make


@pytest.fixture
def shipped() -> Callable[[str], PublishedTable]:
    """A function that reads a published table of the project."""
    return lambda name: read_published(ROOT / f"config/published/{name}.yaml", SCHEMA)


@pytest.fixture
def data_of(shipped: Callable[[str], PublishedTable]) -> Callable[..., SourceData]:
    """A function that makes what a shipped table is reproduced from: `data_of(name, results=…)`."""

    def make(name: str, **data: Any) -> SourceData:
        table = shipped(name)
        printed = {
            other: shipped(f"{table.study}/{other}").cells for other in table.source.published
        }
        return SourceData(table.cells, printed=printed, **data)

    return make


@pytest.fixture
def reproduced_from(
    shipped: Callable[[str], PublishedTable], data_of: Callable[..., SourceData]
) -> Callable[..., pd.DataFrame]:
    """A function that reproduces a shipped table from made data (see `data_of`)."""
    return lambda name, **data: fill_cells(shipped(name), data_of(name, **data))


@pytest.fixture
def summary() -> pd.DataFrame:
    """The summary of an experiment: two data sets, two treatments, two tests; one row untested."""
    rows = [
        (dataset, attribute, treatment, test)
        for dataset, attribute in (("compas", "sex"), ("german", "age"))
        for treatment in ("none", "fairbalance")
        for test in ("separation", "comparative_separation")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "attribute", "treatment", "test"])
    violated = np.array([1.0, 0.955, 0.25, 0.31, 0.84, np.nan, 0.24, 0.0])
    frame["repeats"], frame["tested"] = 1000, np.where(np.isnan(violated), 0, 1000)
    frame["violated"] = violated
    frame["standard_error"] = np.sqrt(violated * (1 - violated) / 1000)
    frame["run_sd"] = np.sqrt(violated * (1 - violated))
    frame["incomplete"] = np.where(np.isnan(violated), 1000, 0)
    frame["small_cells"], frame["smallest_cell"] = 0, 44
    frame.loc[4, ["small_cells", "smallest_cell"]] = 1000, 17
    return frame


@pytest.fixture
def estimates(summary: pd.DataFrame) -> pd.DataFrame:
    """The estimates of the same experiment: of its tests, and the accuracy of one data set."""
    keys = ["dataset", "attribute", "treatment", "test"]
    frame = pd.concat([summary[keys], summary[keys].iloc[:1].assign(test="accuracy")])
    frame["hypothesis"] = [*["H0t"] * len(summary), "MAE"]
    return frame.assign(repeats=1000, mean=1.25, standard_error=0.01, run_sd=0.3, rejected=0.875)


@pytest.fixture(scope="session")
def scored() -> PreparedDataset:
    """400 items with two sensitive attributes; label 1 is rarer in group 0 of the sex."""
    rng = np.random.default_rng(5)
    sex, race = (rng.random((2, 400)) < [[0.45], [0.7]]).astype(np.int8)
    frame = pd.DataFrame({"item": np.arange(400), "sensitive_sex": sex, "sensitive_race": race})
    frame["label"] = (rng.random(400) < 0.35 + 0.3 * sex).astype(np.int8)
    return PreparedDataset("made_scores", frame, {}, ("sex", "race"))


@pytest.fixture(scope="session")
def score_predictions(scored: PreparedDataset) -> dict[str, pd.DataFrame]:
    """Three repeats of scores, by treatment: without one they favour group 1 of the sex."""
    found = {}
    for treatment, favour in (("none", 1.5), ("fairbalance", 0.2)):
        rng = np.random.default_rng(6)
        parts = []
        for repeat in range(3):
            item = np.sort(rng.choice(400, 250, replace=False))
            odds = 1.5 * scored.label[item] - 1 + favour * scored.sensitive[item, 0]
            score = 1 / (1 + np.exp(-odds - rng.normal(size=250)))
            part = {"repeat": repeat, "item": item, "score": score, "prediction": score > 0.5}
            parts.append(pd.DataFrame(part).astype({"prediction": np.int8}))
        found[treatment] = pd.concat(parts, ignore_index=True)
    return found


@pytest.fixture(scope="session")
def ranking_results(
    scored: PreparedDataset, score_predictions: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """What the tests of a ranking, and separation, find in these scores."""
    settings = Settings(seed=3, alpha=0.05, pairs_per_item=2)
    return pd.concat(
        [
            run_tests([test], predictions, scored, treatment=treatment, settings=settings)
            for treatment, predictions in score_predictions.items()
            for test in ("separation", "xauc", "ranking", "xauc_adjustment")
        ],
        ignore_index=True,
    )


@pytest.fixture
def ranked(ranking_results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The summary of an experiment with the tests of a ranking."""
    violations, estimates = summarise([ranking_results])
    return {"violations": violations, "estimates": estimates}


@pytest.fixture(scope="session")
def score_curves(
    scored: PreparedDataset, score_predictions: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """What the figures of these scores show."""
    return ranking_curves(score_predictions["none"], scored, treatment="none")


@pytest.fixture
def score_roles() -> list[dict[str, Any]]:
    """The description of the prepared scores, as a card says it."""
    return [
        {
            "dataset": "made_scores",
            "title": "Scores & ranks <made>",
            "licence": "None needed",
            "citation": "Nobody",
            "warning": "Nobody was asked & nothing was <measured>.",
            "features": {},
            "label": {"one": "Good", "zero": "Bad"},
            "sensitive": {
                "sex": {"one": "Male", "zero": "Female"},
                "race": {"one": "Age ≥ 25", "zero": "Age < 25"},
            },
            "counts": {"rows": 400, "label": 190, "sensitive.sex": 180, "sensitive.race": 280},
            "raw_sha256": {},
        }
    ]


@pytest.fixture(scope="session")
def parity_results(
    scored: PreparedDataset, score_predictions: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """What the tests of predictions against labels, and of separation, find in these scores."""
    settings = Settings(seed=3, alpha=0.05, pairs_per_item=2)
    tests = ("differential_parity", "differential_parity_effect_size")
    return pd.concat(
        [
            run_tests([test], predictions, scored, treatment=treatment, settings=settings)
            for treatment, predictions in score_predictions.items()
            for test in (*tests, "separation", "separation_permutation")
        ],
        ignore_index=True,
    )


@pytest.fixture
def parity_summary(parity_results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The summary of an experiment with these tests."""
    violations, estimates = summarise([parity_results])
    return {"violations": violations, "estimates": estimates}


@pytest.fixture
def rated() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Four people compared with one another, pairs and people: Bob favours group 1 of the sex."""
    rng = np.random.default_rng(8)
    sex, race = (rng.random((2, 300)) < [[0.5], [0.6]]).astype(np.int8)
    looks = rng.normal(size=300)
    frame = pd.DataFrame({"item": np.arange(300), "sensitive_sex": sex, "sensitive_race": race})
    for name, favour in (("Ann", 0.0), ("Bob", 1.1), ("Cid", 0.1), ("Dan", -0.4)):
        said = 3 + looks + favour * sex - 0.6 * race * (name == "Dan")
        frame[f"decision_{name}"] = (said + 0.8 * rng.normal(size=300)).round()
    return compare_raters(PreparedDataset("faces", frame, {}, ("sex", "race")))
