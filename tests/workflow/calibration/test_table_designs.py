"""The rule table_designs: the study in one long table, and in two for people."""

import pandas as pd
import pytest


def text(row):
    return f"{row.rejected:.3f} ± {row.standard_error:.3f}"


def test_the_long_table_is_all_designs_in_the_order_of_the_config(calibrated):
    parts = [calibrated.frame(f"results/calibration/designs/{d}.parquet") for d in ("f0", "points")]
    whole = calibrated.frame("results/tables/calibration/rejections.csv")
    pd.testing.assert_frame_equal(
        whole, pd.concat(parts, ignore_index=True), check_dtype=False, rtol=1e-14
    )


def table(project, kind):
    path = project / f"results/tables/calibration/{kind}.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_the_table_of_items_has_a_row_a_design_and_size(calibrated):
    found = table(calibrated, "items")
    rows = found[["Design", "Separation", "Items"]].to_numpy().tolist()
    assert [[*row[:2], row[2].removesuffix(" †")] for row in rows] == [
        ["f0 of Table I", "holds", "100"],
        ["f0 of Table I", "holds", "200"],
        ["points", "violated", "60"],
    ]
    assert rows[0][2].endswith(" †")  # a class of 25 items


def test_the_table_of_pairs_has_a_row_for_each_number_of_them(calibrated):
    found = table(calibrated, "pairs")
    sizes = found[["Design", "Items", "Pairs per item"]].to_numpy().tolist()
    assert [[design, n.removesuffix(" †"), ratio] for design, n, ratio in sizes] == [
        *(["f0 of Table I", n, ratio] for n in ("100", "200") for ratio in ("1", "4")),
        ["points", "60", "2"],
    ]


@pytest.mark.parametrize(
    ("kind", "design", "n", "ratio", "test", "quantity", "column"),
    [
        ("items", "f0", 200, None, "all_pairs", "holm", "All pairs, Holm"),
        ("items", "f0", 200, None, "separation", "either", "Separation, either"),
        ("items", "points", 60, None, "permutation", "joint", "Permutation, gaps"),
        ("items", "points", 60, None, "residuals", "joint", "Regression of the score"),
        ("pairs", "f0", 200, 4, "binomial", "either", "Drawn pairs, paper, either"),
        ("pairs", "f0", 200, 4, "drawn_pairs", "H0w", "Drawn pairs, dyadic, H0w"),
    ],
)
def test_a_cell_is_a_number_of_the_study(
    calibrated, kind, design, n, ratio, test, quantity, column
):
    study = calibrated.frame("results/tables/calibration/rejections.csv")
    keys = {"design": design, "n": n, "test": test, "quantity": quantity}
    own = study[(study[list(keys)] == pd.Series(keys)).all(axis=1)]
    own = own[own["pairs_per_item"].isna() if ratio is None else own["pairs_per_item"] == ratio]
    (row,) = own.itertuples()
    found = table(calibrated, kind)
    found = found[found["Design"].eq(row.title) & found["Items"].str.removesuffix(" †").eq(str(n))]
    if ratio is not None:
        found = found[found["Pairs per item"] == str(ratio)]
    assert list(found[column]) == [text(row)]


@pytest.mark.parametrize("kind", ["items", "pairs"])
def test_the_display_tables_say_what_a_cell_is(calibrated, kind):
    markdown = calibrated.text(f"results/tables/calibration/{kind}.md")
    assert markdown.startswith(f"# Rejections of simulated test sets, tests on {kind}\n")
    assert "share of simulated test sets with a rejection" in markdown
    assert "† more than 5 %" in markdown
    latex = calibrated.text(f"results/tables/calibration/{kind}.tex")
    assert latex.isascii()
    assert latex.rstrip().endswith(r"\end{table}")
