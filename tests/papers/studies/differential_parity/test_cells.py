"""Tables 2 and 3 and section 4 of the paper: what is printed, and cells from results."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t as student

from fairpairs.papers.published.comparison import compare
from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_tables import (
    PEOPLE,
    counts,
    inconsistencies,
)
from fairpairs.papers.studies.differential_parity.cells import UNIVERSAL

ROOT = Path(__file__).parents[4]
PAPER = "differential_parity"


def test_the_printed_table_is_the_one_of_the_text(printed, paper):
    cells = printed.set_index(["row", "column"])["published"]
    columns = [f"{person}, {attribute}" for person in PEOPLE for attribute in ("Sex", "Race")]
    reference, compared = "", 0
    for line in paper(PAPER).splitlines():
        parts = [part.strip() for part in line.split("\t")]
        if parts[0] not in ROWS or len(parts) != 10:
            continue
        reference = parts[1].strip("$").replace("{Avg}", "Avg") or reference
        for column, text in zip(columns, parts[2:], strict=True):
            p, dpd = re.fullmatch(r"\((\S+)\) (\S+)", text).groups()
            assert cells[f"{reference}, {parts[0]}, p", column] == float(p)
            assert cells[f"{reference}, {parts[0]}, DPD", column] == float(dpd)
            compared += 1
    assert compared == 160


def test_the_printed_inconsistencies_are_larger_than_the_text_says(shipped, reproduced_from):
    """R_2 on race and R_3 on sex, both over R_Avg, by models; no conclusions are opposite."""
    published = shipped("differential_parity/section_4")
    cells = compare(published, reproduced_from(published.name)).set_index(["column", "row"])
    own = cells.loc["Printed cells"]
    assert list(own["reproduced"]) == [26, 25, 28, 31, 0, 0.14]
    assert list(own["verdict"]) == [
        *("not comparable", "agrees", "differs", "differs", "agrees", "differs")
    ]
    assert set(cells.loc["Ours", "verdict"]) == {"not comparable"}


def study_of(dpd, p, *, row="Label Train", decisions="P2", reference="P1", attribute="sex"):
    return pd.DataFrame(
        {
            "repeat": range(len(dpd)), "attribute": attribute, "decisions": decisions,
            "reference": reference, "row": row, "dpd": dpd, "pvalue_one_sided": p,
        }
    )  # fmt: skip


@pytest.fixture
def cell_of(reproduced_from):
    """A function that returns our cell of Table 3 from the results of a study."""

    def cell_of(results, row, column):
        cells = reproduced_from("differential_parity/table_3", results=results)
        return cells.set_index(["row", "column"]).loc[(row, column)]

    return cell_of


def normal_score(t, n):
    """The normal score of a t of n runs, with its sign."""
    return float(np.sign(t) * norm.isf(student.sf(abs(t), n - 1)))


@pytest.mark.slow
def test_z_is_0_inside_the_printed_interval_and_else_counts_from_its_end(cell_of):
    row, column = "R_1, Label Train, DPD", "R_2, Sex"  # printed 0.43
    spread = np.array([-0.02, -0.01, 0, 0.01, 0.02])
    wide = np.std(spread, ddof=1) * np.sqrt(1 + 1 / 5)
    for middle, expected in (
        (0.43, 0),
        (0.4349, 0),
        (0.4251, 0),
        (0.445, 0.01 / wide),
        (0.405, -0.02 / wide),
        (-0.43, -0.855 / wide),
    ):
        results = study_of(middle + spread, 0.001)
        z = cell_of(results, row, column)["z"]
        assert z == pytest.approx(normal_score(expected, 5), abs=1e-9)


@pytest.mark.slow
def test_a_p_is_compared_as_the_normal_score_of_its_tail(cell_of):
    row, column = "R_1, Label Test, p", "R_3, Race"  # printed (0.27) 0.04
    score = np.array([0.2, 0.5, 0.6, 0.9])
    low, high = norm.isf(0.275), norm.isf(0.265)
    wide = np.std(score, ddof=1) * np.sqrt(1.25)

    def z(scores):
        results = study_of(
            np.sign(scores) * 0.1, norm.sf(np.abs(scores)), row="Label Test", decisions="P3",
            attribute="race",
        )  # fmt: skip
        return cell_of(results, row, column)["z"]

    inside = score - score.mean() + (low + high) / 2
    assert z(inside) == pytest.approx(0, abs=1e-12)
    above, below = (score.mean() + 1 - high) / wide, (score.mean() - 1 - low) / wide
    assert z(score + 1) == pytest.approx(normal_score(above, 4))
    assert z(score - 1) == pytest.approx(normal_score(below, 4))  # of the other sign


def test_a_p_printed_as_0_00_is_any_small_one(cell_of):
    row, column = "R_1, Label Train, p", "R_2, Sex"
    small = study_of([0.4, 0.5, 0.45], [1e-40, 0.0, 1e-12])
    assert cell_of(small, row, column)["z"] == 0
    score = np.array([1.0, 1.5, 2.0])
    large = study_of([0.1, 0.1, 0.1], norm.sf(score))
    expected = (1.5 - norm.isf(0.005)) / (0.5 * np.sqrt(4 / 3))
    assert cell_of(large, row, column)["z"] == pytest.approx(normal_score(expected, 3))


@pytest.mark.slow
def test_a_cell_has_the_mean_its_error_and_the_spread_of_a_split(cell_of, reproduced_from):
    dpd = np.array([0.4, 0.5, 0.48])
    study = study_of(dpd, [0.001, 0.01, 0.04])
    own = cell_of(study, "R_1, Label Train, DPD", "R_2, Sex")
    assert own["reproduced"] == pytest.approx(dpd.mean())
    assert own["run_sd"] == pytest.approx(dpd.std(ddof=1))
    assert own["standard_error"] == pytest.approx(dpd.std(ddof=1) / np.sqrt(3))
    own = cell_of(study, "R_1, Label Train, p", "R_2, Sex")
    assert own["reproduced"] == pytest.approx(0.017)
    assert len(reproduced_from("differential_parity/table_3", results=study)) == 2


@pytest.mark.slow
def test_the_whole_table_is_compared(shipped, results, reproduced_from):
    published = shipped("differential_parity/table_3")
    narrow = results.assign(dpd=results["dpd"] / 4)  # so that some printed numbers lie outside
    ours = reproduced_from(published.name, results=narrow)
    comparison = compare(published, ours)
    assert len(ours) == 320
    assert "not comparable" not in set(comparison["verdict"])
    given = ours.set_index(["row", "column"])["z"]
    for cell in comparison.to_dict("records"):
        z = given[cell["row"], cell["column"]]
        if cell["kind"] == "computed":
            assert np.isnan(z)
            assert np.isnan(cell["z"])
            assert cell["verdict"] == "agrees"
        else:
            assert cell["z"] == z
            assert (cell["verdict"] == "agrees") == (cell["p_adjusted"] >= 0.05)
    assert {"agrees", "differs"} == set(comparison["verdict"])


@pytest.mark.slow
def test_the_numbers_of_the_text_are_the_means_over_the_splits(shipped, results, reproduced_from):
    published = shipped("differential_parity/section_4")
    both = reproduced_from(published.name, results=results)
    ours = both[both["column"] == "Ours"].set_index("row")
    table = counts(results).join(inconsistencies(results))
    for name in ours.index:
        assert ours.loc[name, "reproduced"] == pytest.approx(table[name].mean())
        assert ours.loc[name, "run_sd"] == pytest.approx(table[name].std())
        assert ours.loc[name, "standard_error"] == pytest.approx(table[name].sem())
    comparison = compare(published, both).set_index(["row", "column"])
    apart = comparison[comparison["verdict"] == "not comparable"].xs("Ours", level="column")
    assert list(apart.index) == ["RQ1, labels of train and test", *UNIVERSAL]
    for name, claim in UNIVERSAL.items():
        assert apart.loc[name, "note"] == f"said of all cases: judged as the conclusion {claim}"
    runs = table.count()
    printed = published.cells.set_index(["row", "column"])["published"]
    for name, own in ours.iterrows():
        value = printed[name, "Ours"]
        away = own["reproduced"] - np.clip(own["reproduced"], value - 0.5, value + 0.5)
        t = away / (own["run_sd"] * np.sqrt(1 + 1 / runs[name]))
        expected = np.nan if name in apart.index else normal_score(t, runs[name])
        assert comparison.loc[(name, "Ours"), "z"] == pytest.approx(
            expected, abs=1e-12, nan_ok=True
        )
    assert set(comparison["section"]) == {"4"}


def test_table_2_counts_images_groups_and_raters(shipped, reproduced_from):
    published = shipped("differential_parity/table_2")
    people = {f"decision_P{i}": [1.0, 2, 3] for i in (1, 2, 10)}
    items = pd.DataFrame({**people, "decision_Average": 2.0})
    counts = {"rows": 3, "sensitive.sex": 2, "sensitive.race": 1}
    described = {"scut_fbp5500": {"counts": counts}}
    ours = reproduced_from(published.name, datasets=described, items=items)
    assert dict(zip(ours["column"], ours["reproduced"], strict=True)) == {
        "#Images": 3, "Sex-Female": 1, "Sex-Male": 2, "Race-Asian": 1, "Race-Caucasian": 2,
        "# Raters": 3,
    }  # fmt: skip


def test_table_2_is_the_one_of_the_text(shipped, paper):
    lines = paper(PAPER).splitlines()
    (line,) = (line for line in lines if line.startswith("$350 \\times 350$"))
    numbers = [int(n.replace(",", "")) for n in re.findall(r"\d,\d{3}|\b60\b", line)]
    assert list(shipped("differential_parity/table_2").cells["published"]) == numbers


#: Table 1 of the paper.
WORDS = {"Very Small": 0.01, "Small": 0.2, "Medium": 0.5, "Large": 0.8, "Very Large": 1.2,
         "Huge": 2.0}  # fmt: skip


def test_table_1_is_the_one_of_the_text(paper):
    text = paper(PAPER).split("Table 1: Effect sizes.")[1].split("Note that")[0]
    pairs = re.findall(r"([A-Z][A-Za-z ]+)\t([0-9.]+)", text)
    assert {word: float(d) for word, d in pairs} == WORDS
