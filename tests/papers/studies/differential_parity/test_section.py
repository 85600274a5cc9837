"""What the report shows of differential parity."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.base.files import write_json, write_parquet
from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.studies.differential_parity import section
from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_tables import bridge_tables
from fairpairs.papers.studies.differential_parity.predictions_and_labels import TESTS, parity_rows
from fairpairs.papers.studies.differential_parity.raters import summary as rater_summary
from tests.page import Page

ARMS = {"none": Arm("m", "none", {"call": "m"}, ())}
ROLES = {"title": "Faces & <people>", "sensitive": {"sex": {"one": "Male", "zero": "Female"}}}


def words(layout, rows, **values):
    return display(section.__file__, layout, rows, **values, title="", summary=[]).table


@pytest.fixture
def bridges(tmp_path, shipped):
    """The table of a study of people who are called 1, 2 and NA, as the workflow writes it."""
    rng = np.random.default_rng(3)
    people = ("1", "2", "NA")
    rows = [
        (repeat, "sex", i, j, row) for repeat in range(3) for i in people for j in people
        for row in ROWS
    ]  # fmt: skip
    study = pd.DataFrame(rows, columns=["repeat", "attribute", "decisions", "reference", "row"])
    study["dpd"] = rng.normal(0.2, 0.3, len(study))
    study["pvalue_one_sided"] = rng.random(len(study)) / 10
    study = study.assign(
        pvalue=2 * study["pvalue_one_sided"], dpd_overall=study["dpd"], estimate=study["dpd"],
        dpt=10 * study["dpd"], dof=99.0, of_all_labels=0.2,
    )  # fmt: skip
    texts = [[shipped(f"differential_parity/{name}")] for name in ("table_3", "section_4")]
    tables, folder = bridge_tables(study, *texts), tmp_path / "results/tables/differential_parity"
    cells, shown = tables["cells"]
    write_table(folder / "bridges/judges.csv", cells)
    write_table(folder / "bridges/judges_conclusions.csv", tables["conclusions"])
    return words("cells", **shown)


@pytest.mark.slow
def test_the_report_shows_people_bridges_and_predictions(
    section_of, tmp_path, bridges, rated, parity_summary
):
    pairs, people = (frame[frame["attribute"] == "sex"] for frame in rated)
    raters = tmp_path / "results/differential_parity/raters"
    write_parquet(raters / "faces.pairs.parquet", pairs)
    write_parquet(raters / "faces.people.parquet", people)
    write_json(tmp_path / "data/prepared/faces.json", ROLES)
    predictions = parity_rows(parity_summary)
    for name, rows in (("raters/faces", people), ("predictions/made", predictions)):
        write_table(tmp_path / f"results/tables/differential_parity/{name}", rows)
    judges = {"title": "Judges & <juries>", "dataset": "faces"}
    text = section_of(
        "differential_parity",
        config={
            "differential_parity": {
                "raters": ["faces", "elsewhere"],
                "bridges": {"judges": judges, "others": {"dataset": "elsewhere"}},
            }
        },
        experiments=(
            Experiment("made", "Made & tested", ("faces",), ARMS, 3, 3, TESTS),
            Experiment("other", "Untested", ("faces",), ARMS, 3, 3, TESTS[:1]),
        ),
        datasets=("faces",),
        figures=("raters/faces", "bridges/judges", "predictions/made"),
    )
    page = Page(text)
    assert page.headings == [
        "Who prefers a group more than another does?",
        "Faces & <people>: everyone against everyone",
        "Judges & <juries>",
        "Made & tested: predictions against labels",
    ]
    for table in (bridges, words("predictions", predictions), words("people", people)):
        assert {*table.to_numpy().ravel(), *table.index, *table.columns} <= set(page.cells)
    assert {"1, Label Train", "NA, Biased Bridge", "2, Sex", "NA, Sex"} <= set(page.cells)
    assert "Conclusions that agree" in page.cells
    assert " ".join(rater_summary(pairs, people, ROLES)) in page.text
    assert text.count('class="green"') == "".join(bridges.to_numpy().ravel()).count("▲") > 0
    assert text.count("<svg") == 3
    assert len(page.ids) == len(set(page.ids))
    assert not [cell for cell in page.cells if "nan" in cell.lower().split()]


def test_without_decisions_there_is_no_section(section_of):
    config = {"differential_parity": {"raters": ["faces"]}}
    assert section_of("differential_parity", config=config) == ""
    experiment = Experiment("other", "Untested", ("faces",), ARMS, 3, 3, ("xauc",))
    assert section_of("differential_parity", experiments=(experiment,)) == ""
