"""Do the tables of two runs agree but for what chance allows?"""

import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from fairpairs.base import schemas
from fairpairs.papers.run.agreement import RULES, compare, differing_cells

ROOT = Path(__file__).parents[3]
A = "results/tables/a.csv"
TABLE = "row,value,words\na,0.123456789012,0.117 ± 0.006\nb,250.0,H0c holds\n"
FORMS = {
    *("exact", "error", "spread", "share", "count", "variance", "written", "within"),
    *("follows", "verdict"),
}
MORE = {"constant", "runs", "times", "dependent", "kurtosis", "may_be_empty"}
CONFIG = {"seed": 1, "repeats": 100, "experiments": {"e": {"repeats": 10}}}


@pytest.mark.parametrize(
    ("ours", "differing"),
    [
        (TABLE, 0),
        (TABLE.replace("250.0", "250.02"), 0),
        (TABLE.replace("250.0", "250.03"), 1),
        (TABLE.replace("0.117", "0.118"), 1),
        (TABLE.replace("holds", "is violated"), 1),
        (TABLE.replace("H0c", "H1c"), 1),
        (TABLE.replace("250.0", ""), 1),
        (TABLE.replace("250.0", "-250.0").replace("0.117", "0.2"), 2),
        (TABLE.replace("value", "values"), 1),
        (TABLE + "c,1,2\n", 1),
        (TABLE.replace("b,250.0", "b"), 1),
        ("", 1),
    ],
)
def test_cells_are_compared(ours, differing):
    assert len(differing_cells(A, ours, TABLE)) == differing


def test_nothing_has_no_share():
    assert differing_cells(A, "p\n1e-60\n", "p\n0.0\n") == []
    assert differing_cells(A, "p\n1e-5\n", "p\n0.0\n") != []
    assert differing_cells(A, "sha256\nab1\n", "sha256\ncd2\n") == []


def agree(path, header, ours, theirs, **config):
    """Compare two tables of one row."""
    texts = [f"{header}\n{row}\n" for row in (ours, theirs)]
    return compare({path: tuple(texts)}, {**CONFIG, **config})


EXPERIMENT = "test,value,standard_error,repeats,tested,small_cells,smallest_cell"
COMPARISON = "paper,table,row,column,published,reproduced,standard_error,z,p_adjusted,verdict,note"


@pytest.mark.parametrize(
    ("ours", "theirs", "differs"),
    [
        ("x,0.51,0.01,50,,0,9", "x,0.5,0.01,50,,0,9", ""),  # a mean
        ("x,0.61,0.01,50,,0,9", "x,0.5,0.01,50,,0,9", "value"),
        ("x,0.55,0.01,4,,0,9", "x,0.5,0.01,4,,0,9", ""),  # t of 6 degrees of freedom, p is 0.01
        ("x,0.5,0.01,500,,0,9", "x,0.5,0.02,500,,0,9", "value"),  # its error
        ("x,0.5,0.01,500,,0,9", "x,0.5,0.011,500,,0,9", ""),
        ("x,1.0,0.0,50,50,0,9", "x,0.9,0.042426,50,50,0,9", ""),  # shares
        ("x,1.0,0.0,50,50,0,9", "x,0.5,0.070711,50,50,0,9", "value"),
        ("x,0.4,0.0,50,,0,9", "x,0.5,0.0,50,,0,9", "value"),  # nothing says that it may differ
        ("x,0.5,0.01,50,,0,9", "y,0.5,0.01,50,,0,9", "test"),
        ("x,0.5,0.01,50,,0,9", "x,,0.01,50,,0,9", "value"),
        ("x,0.5,,50,,0,9", "x,0.5,0.01,50,,0,9", "standard_error"),
        ("x,nan,0.01,50,,0,9", "x,0.5,0.01,50,,0,9", "value"),  # no number agrees with another
        ("x,inf,0.01,50,,0,9", "x,0.5,0.01,50,,0,9", "value"),
        ("x,nan,0.01,50,,0,9", "x,nan,0.01,50,,0,9", ""),
        ("x,0.5,nan,50,,0,9", "x,0.5,0.01,50,,0,9", "standard_error"),
        ("x,0.5,inf,50,,0,9", "x,0.5,0.01,50,,0,9", "standard_error"),
        ("x,0.5,word,50,,0,9", "x,0.5,0.01,50,,0,9", "standard_error"),
        ("x,0.5,-0.01,50,,0,9", "x,0.5,0.01,50,,0,9", "standard_error"),
        ("x,0.5,0.0,50,,0,9", "x,0.5,0.01,50,,0,9", "standard_error"),  # the same mean of constants
        ("x,0.5,0.0,50,,0,9", "x,0.505,0.01,50,,0,9", ""),
        ("x,0.5,0.01,50,word,0,9", "x,0.5,0.01,50,50,0,9", "tested"),
        ("x,0.5,0.01,50,,8,9", "x,0.5,0.01,50,,0,9", ""),  # a count
        ("x,0.5,0.01,50,,40,9", "x,0.5,0.01,50,,0,9", "small_cells"),
        ("x,0.5,0.01,50,,0,19", "x,0.5,0.01,50,,0,9", ""),  # a range
        ("x,0.5,0.01,50,,0,20", "x,0.5,0.01,50,,0,9", "smallest_cell"),
        ("x,0.5,0.01,51,,0,9", "x,0.5,0.01,50,,0,9", "repeats"),
    ],
)
def test_numbers_of_experiments_differ_as_chance_allows(ours, theirs, differs):
    found = agree(A, EXPERIMENT, ours, theirs)
    assert [d.position for d in found.differences] == ([(2, differs)] if differs else [])


@pytest.mark.parametrize(
    ("path", "header", "ours", "theirs", "differs"),
    [
        # 100 repeats by the config; 0.3 and 0.5 are shares of them
        (
            "results/tables/comparative_separation/table_5.csv",
            "row,X,X (standard error),X (published),Y",
            "a,0.3,0.0458258,0.5,word",
            "a,0.5,0.05,0.5,word",
            "",
        ),
        (
            "results/tables/comparative_separation/table_5.csv",
            "row,X,X (standard error),X (published),Y",
            "a,0.3,0.0458258,0.51,other",
            "a,0.7,0.0458258,0.5,word",
            "X X (published) Y",
        ),
        # the experiment has 10, its own number
        ("results/tables/differential_parity/e.csv", "d,violated", "d,0.6", "d,0.2", ""),
        ("results/tables/differential_parity/e.csv", "d,violated", "d,1.0", "d,0.0", "violated"),
        ("results/tables/differential_parity/f.csv", "d,violated", "d,0.6", "d,0.2", "violated"),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "dpd,dpd_sd,splits",
            "0.1,0.1,50",
            "0.15,0.1,50",
            "",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "dpd,dpd_sd,splits",
            "0.1,0.1,50",
            "0.3,0.1,50",
            "dpd",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "dpd_low,dpd_sd,splits",
            "0.1,0.1,50",
            "0.3,0.1,50",
            "",
        ),
        (
            "results/tables/differential_parity/bridges/b_conclusions.csv",
            "row,mean,standard_error,share_all,share_as_in_text,splits",
            "a,0.02,0.02,0.1,,50",
            "a,0.0,0.0,0.0,,50",
            "",
        ),
        (
            "results/tables/differential_parity/bridges/b_conclusions.csv",
            "row,mean,standard_error,share_all,splits",
            "a,28.0,0.3,0.5,48",
            "a,28.1,0.3,0.0,50",
            "share_all",
        ),
        (
            "results/tables/calibration/rejections.csv",
            "variance_ratio,used",
            "1.1,500",
            "1.0,500",
            "",
        ),
        (
            "results/tables/calibration/rejections.csv",
            "variance_ratio,used",
            "2.0,500",
            "1.0,500",
            "variance_ratio",
        ),
        ("results/tables/calibration/items.csv", "Items,H", "9,0.05 ± 0.01", "9,0.07 ± 0.01", ""),
        ("results/tables/calibration/items.csv", "Items,H", "9,0.05 ± 0.01", "9,0.15 ± 0.01", "H"),
        ("results/tables/calibration/items.csv", "Items,H", "9,0.05 ± 0.01", "9,", "H"),
        # means of 10 that share random numbers
        (
            "results/tables/density_ratio/estimators.csv",
            "bias,standard_error,n",
            "0.1,0.01,500",
            "0.2,0.01,500",
            "",
        ),
        (
            "results/tables/density_ratio/known_separation.csv",
            "bias,standard_error,n",
            "0.1,0.01,500",
            "0.2,0.01,500",
            "bias",
        ),
        # of a single split: the same seed, so rounding alone
        ("results/tables/density_ratio/table_1.csv", "X", "0.55", "0.5", ""),
        ("results/tables/density_ratio/table_1.csv", "X", "0.7", "0.5", "X"),
        ("results/tables/density_ratio/correlations.csv", "mean,sd,repeats", ",,0", "0.5,,1", ""),
        (
            "results/tables/density_ratio/correlations.csv",
            "mean,sd,repeats",
            "1,0,3",
            "0.9,0,3",
            "",
        ),
        (
            "results/tables/density_ratio/correlations.csv",
            "mean,sd,repeats",
            "1,0,50",
            "0.9,0,50",
            "mean",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "dpd,dpd_sd,splits",
            "nan,0.1,50",
            "0.1,0.1,50",
            "dpd",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "dpd,dpd_sd,splits",
            "0.1,nan,50",
            "0.1,0.1,50",
            "dpd_sd",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "place_p,splits",
            "nan,50",
            "0.31,50",
            "place_p",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "green,splits",
            "nan,50",
            "0.1,50",
            "green",
        ),
        (
            "results/tables/calibration/rejections.csv",
            "variance_ratio,used",
            "nan,500",
            "1.0,500",
            "variance_ratio",
        ),
        ("results/tables/calibration/items.csv", "Items,H", "9,nan ± 0.01", "9,0.07 ± 0.01", "H"),
        ("results/tables/calibration/items.csv", "Items,H", "9,0.07 ± inf", "9,0.07 ± 0.01", "H"),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "place_p,splits",
            "0.15,50",
            "0.31,50",
            "",
        ),
        (
            "results/tables/differential_parity/bridges/b.csv",
            "place_p,splits",
            "0.15,50",
            "0.71,50",
            "place_p",
        ),
        (
            "results/tables/differential_parity/table_3.csv",
            "row,X,X (standard error)",
            "p,1e-4,1e-4",
            "p,1e-8,1e-8",
            "",
        ),
        ("results/tables/differential_parity/raters/r.csv", "pvalue", "0.051", "0.05", "pvalue"),
    ],
)
def test_tables_say_how_their_numbers_may_differ(path, header, ours, theirs, differs):
    studies = {
        "comparative_separation": {"simulation": {"repeats": 100}},
        "density_ratio": {"repeats": 50},
        "differential_parity": {"bridges": {"split_80_20": {"repeats": 50}}},
    }
    found = agree(path, header, ours, theirs, **studies)
    assert " ".join(sorted(d.position[1] for d in found.differences)) == differs


def cell(reproduced, error, p, verdict, z=1):
    """A cell of Table V, where 0.5 is published."""
    return f"comparative_separation,5,r,c,0.5,{reproduced},{error},{z},{p},{verdict},"


@pytest.mark.parametrize(
    ("ours", "theirs", "flips", "differs"),
    [
        (cell(0.4, 0.0489898, 0.06, "agrees"), cell(0.35, 0.047697, 0.04, "differs"), 1, ""),
        # the number without a Monte Carlo error
        (cell(0.4, 0.0, 0.06, "agrees"), cell(0.4, 0.0, 0.04, "differs"), 0, "verdict"),
        # a number that is beyond chance
        (
            cell(0.6, 0.0489898, 0.06, "agrees"),
            cell(0.2, 0.04, 0.01, "differs"),
            0,
            "reproduced verdict",
        ),
        # only the p-value changed, as Holm's does with other cells; or z, which the number gives
        (cell(0.4, 0.0489898, 0.06, "agrees"), cell(0.4, 0.0489898, 0.04, "differs"), 1, ""),
        (
            cell(0.4, 0.0489898, 0.06, "agrees", z=2),
            cell(0.4, 0.0489898, 0.04, "differs"),
            0,
            "verdict",
        ),
        # a verdict that is not what its p-value says
        (cell(0.4, 0.0489898, 0.06, "differs"), cell(0.4, 0.0489898, 0.06, "agrees"), 0, "verdict"),
        (
            cell(0.35, 0.047697, "nan", "differs"),
            cell(0.4, 0.0489898, 0.06, "agrees"),
            0,
            "p_adjusted",
        ),
        (
            cell(0.4, 0.0489898, "", "not comparable"),
            cell(0.4, 0.0489898, 0.06, "agrees"),
            0,
            "verdict",
        ),
    ],
)
def test_a_verdict_may_change_where_chance_allows_it(ours, theirs, flips, differs):
    found = agree("results/comparison.csv", COMPARISON, ours, theirs)
    assert len(found.flips) == flips
    assert " ".join(sorted(d.position[1] for d in found.differences)) == differs


def test_flips_are_shown():
    found = agree(
        "results/comparison.csv",
        COMPARISON,
        cell(0.4, 0.0489898, 0.06, "agrees"),
        cell(0.35, 0.047697, 0.04, "differs"),
    )
    assert found.lines()[-2:] == [
        "    1 verdicts changed by chance:",
        f"      {found.flips[0]}",
    ]
    assert found.flips[0].endswith("line 2 (r; c), `verdict`: agrees where differs is committed")


def test_changed_numbers_are_counted():
    chance = agree(A, EXPERIMENT, "x,0.51,0.01,50,,0,9", "x,0.5,0.01,50,,0,9")
    (line,) = chance.lines()
    assert ", of which 1 changed: the smallest p-value" in line
    within = agree("results/tables/density_ratio/caps.csv", "value", "1.005", "1.0")
    assert within.lines() == ["    1 other numbers changed within the stated range"]


def test_tables_of_one_split_are_not_compared_with_another_seed():
    path, texts = "results/tables/density_ratio/conclusions.csv", ("mean\n0.9\n", "mean\n0.1\n")
    assert len(compare({path: texts}, CONFIG).differences) == 1
    found = compare({path: texts}, CONFIG, other_seed=True)
    assert (found.differences, found.skipped) == ([], [path])
    assert found.lines()[-1].startswith("    1 tables of a single split: not compared")


@pytest.mark.parametrize(("other_seed", "differs"), [(False, ["reproduced"]), (True, [])])
def test_cells_of_tables_of_one_split_are_not_either(other_seed, differs):
    rows = [f"density_ratio,1,r,c,0.5,{value},0.0,,,not comparable," for value in (0.9, 0.1)]
    texts = tuple(f"{COMPARISON}\n{row}\n" for row in rows)
    found = compare({"results/comparison.csv": texts}, CONFIG, other_seed=other_seed)
    assert [d.position[1] for d in found.differences] == differs
    other = texts[0].replace("not comparable", "agrees"), texts[1]
    found = compare({"results/comparison.csv": other}, CONFIG, other_seed=other_seed)
    assert [d.position[1] for d in found.differences if d.position[1] == "verdict"] == ["verdict"]


def test_many_tests_are_adjusted_together():
    rows = "".join(f"x{i},0.5,0.01,50,,0,9\n" for i in range(500))
    kept = EXPERIMENT + "\n" + rows
    one = kept.replace("x7,0.5,", "x7,0.565,")  # p is 2e-5
    assert not compare({A: (one, kept)}, CONFIG).differences
    alone = [EXPERIMENT + "\nx7," + value + ",0.01,50,,0,9\n" for value in ("0.565", "0.5")]
    assert compare({A: (alone[0], alone[1])}, CONFIG).differences


@pytest.mark.slow
@pytest.mark.parametrize("damaged", ["nan", "inf", "-inf", "1e999", "abc", "٣"])
@pytest.mark.parametrize("place", range(1, 7))
def test_a_cell_that_is_no_number_where_one_is_committed_differs(place, damaged):
    row = ["x", "0.5", "0.01", "50", "50", "8", "9"]
    cells = [*row[:place], damaged, *row[place + 1 :]]
    path = "results/experiments/e/estimates.csv"
    (difference,) = agree(path, EXPERIMENT, ",".join(cells), ",".join(row)).differences
    assert difference.position == (2, EXPERIMENT.split(",")[place])


@pytest.mark.parametrize("damaged", ["1e300", "-1e300", "-0.01"])
@pytest.mark.parametrize("place", [2, 3, 4])
def test_an_error_or_a_count_that_cannot_be_differs(place, damaged):
    row = ["x", "0.5", "0.01", "50", "50", "0", "9"]
    cells = [*row[:place], damaged, *row[place + 1 :]]
    path = "results/experiments/e/estimates.csv"
    assert agree(path, EXPERIMENT, ",".join(cells), ",".join(row)).differences


def test_other_rows_are_a_difference():
    (difference,) = compare({A: (TABLE + "c,1,2\n", TABLE)}, CONFIG).differences
    assert str(difference).startswith(f"{A}: 4 lines where 3 are committed")


def test_the_rules_are_of_forms_that_are_known():
    for path, table in schemas.read_yaml(RULES)["tables"].items():
        assert set(table) <= {"runs", "rows_of", "columns", "one_split"}, path
        for column, rule in table.get("columns", {}).items():
            assert len(FORMS & set(rule)) == 1, (path, column)
            assert set(rule) <= FORMS | MORE, (path, column)
            assert set(rule.get("within", {})) <= {"absolute", "relative"}, (path, column)


@pytest.fixture(scope="module")
def headers():
    """The columns of every committed table."""
    with zipfile.ZipFile(ROOT / "expected/tables.zip") as kept:
        return {
            name: kept.read(name).decode().splitlines()[0]
            for name in kept.namelist()
            if name.endswith(".csv")
        }


def test_every_rule_is_of_a_table(headers):
    for path, table in schemas.read_yaml(RULES)["tables"].items():
        tables = [header for name, header in headers.items() if fnmatchcase(name, path)]
        assert tables, path
        for column in table.get("columns", {}):
            if "*" not in column:
                assert any(column in header for header in tables), (path, column)
