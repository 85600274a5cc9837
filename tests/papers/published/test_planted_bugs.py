"""Planted bugs, against tables that print the exchanged numbers, and those of the studies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.planted_bugs import Bug, check_bugs, judge, read_bugs
from fairpairs.papers.published.table import read_published

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "workflow/schemas/planted_bugs.schema.yaml"
STUDIES = sorted(
    path.parent.name for path in ROOT.glob("src/fairpairs/papers/studies/*/planted_bugs.yaml")
)
ROWS = ["none", "fairbalance", "reweighing"]
PRINTED = {"none": [0.9, 0.5], "fairbalance": [0.3, 0.31], "reweighing": [0.32, 0.4]}


@pytest.fixture
def table(tmp_path, make_published):
    """Three treatments by two groups; ours are the printed numbers."""
    columns = [{"name": f"group {g}", "key": {"group": g}} for g in (0, 1)]
    made = make_published([(row, "simulated", 2, PRINTED[row]) for row in ROWS], columns)
    keys = [
        {**key, "treatment": row} for row, key in zip(made.cells["row"], made.cells["key"],
                                                      strict=True)
    ]  # fmt: skip
    return replace(made, cells=made.cells.assign(key=keys))


@pytest.fixture
def ours(make_reproduced):
    return make_reproduced(*((row, f"group {g}", PRINTED[row][g]) for row in ROWS for g in (0, 1)))


def plant(table, ours, **bug):
    _, planted = judge([(table, compare(table, ours))], {table.study: [Bug("b", **bug)]}, seed=1)
    return planted.to_dict("records")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "printed"),
    [
        (
            {"exchange": {"treatment": {"fairbalance": "none"}}},
            {**PRINTED, "fairbalance": PRINTED["none"]},
        ),
        ({"exchange": {"group": {"0": 1, "1": 0}}}, {row: PRINTED[row][::-1] for row in ROWS}),
        (
            {"exchange": {"group": {"0": 1, "1": 0}}, "where": {"treatment": "none"}},
            {**PRINTED, "none": PRINTED["none"][::-1]},
        ),
        (
            {"reverse": True, "where": {"treatment": "none"}},
            {**PRINTED, "none": [-number for number in PRINTED["none"]]},
        ),
        # of a value that no cell has, every cell keeps its number
        ({"exchange": {"treatment": {"none": "magic", "reweighing": "none"}}},
         {**PRINTED, "reweighing": PRINTED["none"]}),
    ],
)  # fmt: skip
def test_a_bug_is_noticed_as_if_its_numbers_were_printed(table, ours, bug, printed):
    numbers = [printed[row][group] for row in ROWS for group in (0, 1)]
    bugged = compare(replace(table, cells=table.cells.assign(published=numbers)), ours)
    changed = table.cells["published"] != numbers
    (row,) = plant(table, ours, **bug)
    assert (row["cells"], row["changed"], row["differed"]) == (6, changed.sum(), 0)
    assert row["differs"] == (bugged["verdict"] == "differs")[changed].sum() > 0
    assert row["noticed"] is True


@pytest.mark.slow
def test_a_bug_that_changes_no_number_has_no_row_unless_it_names_the_table(table, ours):
    assert plant(table, ours, exchange={"treatment": {"magic": "none"}}) == []
    (row,) = plant(table, ours, tables=(table.number,))
    assert (row["changed"], row["differs"], row["noticed"]) == (0, 0, False)
    assert plant(table, ours, tables=("table_9",)) == []


def test_cells_that_differ_anyway_notice_nothing(table, ours):
    wrong = ours.assign(reproduced=0.7)
    (row,) = plant(table, wrong, exchange={"treatment": {"fairbalance": "reweighing"}})
    assert row["differed"] == row["differs"] == 2
    assert row["noticed"] is False


@pytest.mark.slow
def test_a_number_may_be_of_another_table_of_the_paper(make_published, make_reproduced):
    tables = []
    for number, coefficient, value in ((3, "spearman", 0.5), (4, "kendall", 0.2)):
        made = make_published(
            [("r", "simulated", 2, [value])], name=f"density_ratio/table_{number}", table=number,
            key={"coefficient": coefficient},
        )  # fmt: skip
        tables.append((made, compare(made, make_reproduced(("r", "ours", value)))))
    bug = Bug("b", exchange={"coefficient": {"spearman": "kendall"}})
    _, planted = judge(tables, {"density_ratio": [bug]}, seed=1)
    assert planted[["table", "changed", "differs"]].to_numpy().tolist() == [["table_3", 1, 1]]


def test_a_file_that_breaks_the_schema_is_one_sentence(tmp_path):
    path = tmp_path / "planted_bugs.yaml"
    path.write_text("bugs: [{exchange: {}}]")
    with pytest.raises(InputError, match="bug"):
        read_bugs(path, SCHEMA)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "should be non-empty"),
        ("[{bug: a}]", "the bug `a` changes nothing"),
        ("[{bug: a, reverse: false}]", "reverse"),
        ("[{bug: '', reverse: true}]", "expected: what goes wrong"),
        ("[{bug: a, reverse: true}, {bug: a, tables: [table_1]}]", "two bugs `a`"),
        ("[{bug: a, exchange: {group: {}}}]", "non-empty"),
    ],
)
def test_a_bug_without_a_name_or_an_effect_is_refused(tmp_path, text, words):
    path = tmp_path / "planted_bugs.yaml"
    path.write_text(f"bugs: {text}")
    with pytest.raises(InputError, match=words):
        read_bugs(path, SCHEMA)


@pytest.mark.parametrize(
    ("bug", "words"),
    [
        ({"exchange": {"treatmnt": {"none": "fairbalance"}}}, "did you mean `treatment`"),
        ({"exchange": {"treatment": {"non": "fairbalance"}}}, "did you mean `none`"),
        ({"exchange": {"treatment": {"none": "fairblance"}}}, "did you mean `fairbalance`"),
        ({"exchange": {"group": {"0": "1"}}}, "without quotes"),
        ({"reverse": True, "where": {"group": 2}}, "there is no `2`"),
        ({"tables": ("table_99",)}, "there is no table `table_99`"),
    ],
)
def test_a_bug_that_no_cell_has_is_refused_with_the_word_that_is_meant(table, bug, words):
    with pytest.raises(InputError, match=f"planted_bugs.yaml: the bug `b`.*{words}"):
        check_bugs([Bug("b", **bug)], [table], "planted_bugs.yaml")


@pytest.mark.parametrize("study", STUDIES)
def test_every_bug_of_a_study_reaches_a_cell(study, schema):
    """A typo in a key or a value would be a bug that nothing notices."""
    tables = {
        path.stem: read_published(path, schema)
        for path in sorted((ROOT / "config/published" / study).glob("*.yaml"))
    }
    keys = [key for table in tables.values() for key in table.cells["key"]]
    there = {frozenset(key.items()) for key in keys}
    for bug in read_bugs(ROOT / f"src/fairpairs/papers/studies/{study}/planted_bugs.yaml", SCHEMA):
        assert set(bug.tables) <= set(tables), bug.name
        assert any(bug.where.items() <= key.items() for key in keys), bug.name
        for name, exchanged in bug.exchange.items():
            values = {key[name] for key in keys if name in key}
            assert set(exchanged) <= set(map(str, values)), (bug.name, name)
            assert set(exchanged.values()) <= values, (bug.name, name)
        moved = [bug.source(key) for key in keys]
        reached = [new for key, new in zip(keys, moved, strict=True) if new != dict(key)]
        found = [new for new in reached if frozenset(new.items()) in there]
        assert found or bug.reverse or bug.tables, bug.name


@pytest.mark.slow
def test_an_exchange_of_measures_exchanges_tables_3_and_5(shipped):
    """Number by number: the bug of density ratios that nearly no cell notices."""
    bugs = read_bugs(ROOT / "src/fairpairs/papers/studies/density_ratio/planted_bugs.yaml", SCHEMA)
    first, second = (shipped(f"density_ratio/table_{number}") for number in (3, 5))
    compared = []
    for table in (first, second):
        ours = table.cells[["row", "column"]].assign(
            reproduced=table.cells["published"], standard_error=1e-6, run_sd=1e-6, runs=np.nan,
            note="",
        )  # fmt: skip
        compared.append((table, compare(table, ours)))
    _, planted = judge(compared, {"density_ratio": bugs}, seed=1)
    own = planted[planted["bug"].str.startswith("independence")]
    different = (first.cells["published"] != second.cells["published"]).sum()
    assert different == 52
    assert list(own["changed"]) == list(own["differs"]) == [52, 52]  # with errors near 0
