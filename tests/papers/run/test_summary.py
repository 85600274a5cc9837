"""What a run prints at its end."""

import re

import pandas as pd
import pytest

from fairpairs.papers.display.tables import write_long_table
from fairpairs.papers.display.treatments import write_treatments
from fairpairs.papers.published.comparison import COLUMNS, gather
from fairpairs.papers.run.summary import summary_text

PAPER = "comparative_separation"
PLACE = "comparative_separation, table 3, f1, Simulation, n=1,000"


def cell(row, published, reproduced, verdict, p_adjusted=float("nan")):
    values = (row, "n=1,000", published, reproduced, 0.01, 0.0, p_adjusted, verdict, "")
    return dict(zip(COLUMNS, values, strict=True))


@pytest.fixture
def write(tmp_path):
    """A function that writes the comparison of two tables and a section; `simulated` differs."""

    def write(expected=0.4743, verdict="agrees"):
        given = [cell(f"P{i}", 0.1, 0.1, "not comparable") for i in range(3)]
        tables = [
            *(cell | {"table": 1} for cell in given),
            cell("f1, Expected", 0.4743, expected, verdict) | {"table": 3},
            cell("f1, Simulation", 0.4772, 0.9, "differs", 1e-20) | {"table": 3},
        ]
        text = [cell("mean", 0.58, 0.58, "agrees") | {"section": "4.1.2"}]
        for name, cells in (("comparison", tables), ("comparison_of_text", text)):
            frame = pd.DataFrame(cells).assign(paper=PAPER)
            write_long_table(frame, tmp_path / name, title=name)
        return tmp_path

    return write


def test_the_summary_counts_each_table(write):
    results = write()
    lines = summary_text(results).splitlines()
    assert lines[:6] == [
        "",
        "FairPairs: the published cells, and ours",
        "  comparative separation, table 1: 0 agree, 0 differ, 3 not comparable",
        "  comparative separation, table 3: 1 agree, 1 differ",
        "  comparative separation, section 4.1.2: 1 agree, 0 differ",
        "  all: 2 agree, 1 differ, 3 not comparable",
    ]
    assert lines[-1] == f"  report: {results.resolve() / 'report.html'}"


def test_the_summary_of_results_without_a_digest_is_one_sentence(write):
    results = write()
    (results / "comparison.provenance.json").write_text("{}")
    sentence = r"fairpairs: .*no digest of FairPairs is in it.*`make clean`.*\."
    assert re.fullmatch(sentence, summary_text(results))


def test_the_summary_names_what_differs(write):
    text = summary_text(write())
    assert f"  differs: {PLACE}: 0.9 where " in text
    assert "0.4772 is published (Holm-adjusted p < 0.001)" in text


def test_tables_have_numbers_or_names(tmp_path):
    named = (("loans", "heart_ranks"), ("credit", 10), ("credit", 2))
    cells = [
        cell("a", 0.4, 0.3, "differs") | {"paper": p, "table": t, "note": ""} for p, t in named
    ]
    gathered, text = gather([pd.DataFrame([one]) for one in cells])
    assert list(gathered["table"]) == [2, 10, "heart_ranks"]
    write_long_table(gathered, tmp_path / "comparison", title="")
    write_long_table(text, tmp_path / "comparison_of_text", title="")
    said = summary_text(tmp_path)
    assert "differs: credit, table 10, a," in said
    assert "loans, table heart_ranks: 0 agree, 1 differ" in said


def test_the_treatment_none_is_a_word(tmp_path):
    """A row called None or nan is named so, and a number that is missing is missing."""
    cells = [cell(row, 0.4, 0.3, "differs") | {"table": 1} for row in ("None", "nan")]
    write_long_table(pd.DataFrame(cells).assign(paper="loans"), tmp_path / "comparison", title="")
    write_long_table(gather([])[1], tmp_path / "comparison_of_text", title="")
    text = summary_text(tmp_path)
    for row in ("None", "nan"):
        place = f"  differs: loans, table 1, {row}, n=1,000: "
        assert f"{place}0.3 where 0.4 is published\n" in text


def test_the_summary_of_a_run_without_published_cells(tmp_path):
    for part, stem in zip(gather([]), ("comparison", "comparison_of_text"), strict=True):
        write_long_table(part, tmp_path / f"{stem}.csv", title=stem)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/of_an_older_config.csv").touch()
    assert summary_text(tmp_path, None, ["results/tables/mine.csv"]).splitlines() == [
        *("", "FairPairs", "  table: results/tables/mine.csv"),
        f"  report: {tmp_path.resolve() / 'report.html'}",
    ]


def test_what_treatments_do_comes_first(tmp_path, write):
    """In an experiment on data of the project, or where no number is published."""
    steps = ["treatment", *(f"t{i}" for i in range(13))]
    rows = [
        ("loans", step, repeat, 70, 30, "m", "auc", "", 0.8 - 0.1 * i + 0.01 * (i * repeat % 3))
        for i, step in enumerate(["none", *steps])
        for repeat in range(10)
    ]
    columns = ["dataset", "treatment", "repeat", "n_train", "n_test", "model", "measure"]
    measures = pd.DataFrame(rows, columns=[*columns, "attribute", "value"])
    (tmp_path / "treatments").mkdir()
    file, compare = tmp_path / "treatments/mine.csv", {"against": "none", "alpha": 0.05}
    named = {"title": "", "titles": {}, "searches": {}}
    write_treatments(file, measures, compare=compare, **named)
    experiments = {"mine": {"title": "Mine", "compare": compare}, "new": {"compare": compare}}
    reported = {"experiments": experiments, "titles": {"mine": {"loans": "Made loans"}}}
    own = {**reported, "project_experiments": ["mine", "new"]}
    said = summary_text(write(), reported=own).splitlines()
    assert said[1:3] == ["Mine: Made loans", "- Treatment worsens AUC (0.800 → 0.709)."]
    more = said.index("- 2 more: see the report.")
    assert sum(line.startswith("- ") for line in said[:more]) == 12
    assert said[more + 2].startswith("FairPairs: the published cells")
    others = {**reported, "project_experiments": []}
    assert "Made loans" not in summary_text(tmp_path, reported=others)
    for part, stem in zip(gather([]), ("comparison", "comparison_of_text"), strict=True):
        write_long_table(part, tmp_path / f"{stem}.csv", title=stem)
    assert summary_text(tmp_path, reported=others).splitlines()[: more + 1] == said[: more + 1]


def test_a_section_is_named_as_the_paper_does(tmp_path):
    """5 and 5.1 are words, not numbers."""
    columns = "row,column,published,reproduced,standard_error,z,p_adjusted,verdict,note\n"
    (tmp_path / "comparison.csv").write_text(f"paper,table,{columns}")
    rows = "".join(f"xauc,{name},n,p,1,1,0,,,agrees,\n" for name in ("5", "5.1"))
    (tmp_path / "comparison_of_text.csv").write_text(f"paper,section,{columns}{rows}")
    text = summary_text(tmp_path)
    assert "  xauc, section 5: 1 agree, 0 differ\n" in text
    assert "  xauc, section 5.1: 1 agree, 0 differ\n" in text
    assert "  all: 2 agree, 0 differ\n" in text


def test_the_summary_counts_the_conclusions(write):
    results = write()
    assert "conclusions" not in summary_text(results)
    claims = pd.DataFrame({"study": PAPER, "verdict": ["holds", "cannot be told"]})
    claims.to_csv(results / "claims.csv", index=False)
    line = "  of 2 conclusions, 1 holds, 1 cannot be told: claims.csv\n"
    assert line in summary_text(results)
