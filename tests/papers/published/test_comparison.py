import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from fairpairs.papers.published.comparison import COLUMNS, compare, gather, tally


def only(frame):
    """The one row of a frame."""
    assert len(frame) == 1
    return frame.iloc[0]


@pytest.mark.parametrize(
    ("published", "digits", "ours", "verdict"),
    [
        (0.8, 1, 0.85, "agrees"),  # on the boundary: the last digit may have gone either way
        (0.8, 1, 0.75, "agrees"),
        (0.8, 1, 0.850001, "differs"),
        (0.8, 1, 0.749999, "differs"),
        (0.7464, 4, 0.74645, "agrees"),
        (0.7464, 4, 0.746451, "differs"),
        (-0.0, 3, 0.0, "agrees"),
        (0, 3, -0.0005, "agrees"),
        (0, 3, -0.000501, "differs"),
        (-0.053, 3, 0.053, "differs"),
        (7214, 0, 7214.5, "agrees"),
        (7214, 0, 7215, "differs"),
    ],
)
def test_a_computed_cell_agrees_when_it_rounds_to_the_printed_digits(
    make_published, make_reproduced, published, digits, ours, verdict
):
    table = make_published([("r", "computed", digits, [published])])
    cell = only(compare(table, make_reproduced(("r", "ours", ours))))
    assert cell["verdict"] == verdict
    assert np.isnan(cell["z"])
    assert np.isnan(cell["p_adjusted"])
    assert cell["note"] == ""


def test_the_z_of_a_share_by_hand(make_published, make_reproduced):
    # published 0.523 of 1,000 runs, 3 digits; ours 0.480 of 1,000: together 0.5015,
    # 0.5015 × 0.4985 × 2 / 1000 + 0.001² / 12 = 0.00050007883, its root 0.0223624424
    table = make_published([("r", "simulated", 3, [0.523])])
    cell = only(compare(table, make_reproduced(("r", "ours", 0.480, 0.0158))))
    assert cell["difference_error"] == pytest.approx(0.0223624424, rel=1e-7)
    assert cell["z"] == pytest.approx(-0.043 / 0.0223624424, rel=1e-7)
    assert cell["p_adjusted"] == pytest.approx(0.0544970, abs=1e-6)
    assert cell["verdict"] == "agrees"


def test_the_z_of_a_mean_uses_the_spread_of_a_run(make_published, make_reproduced):
    # published 0.79992 of 10,000 runs, 5 digits; ours 0.7956 ± 0.0017, a single run ± 0.024:
    # 0.0017² + 0.024² / 10000 + 0.00001² / 12 = 2.947608333e-06
    table = make_published([("r", "simulated", 5, [0.79992])], runs=10_000)
    cell = only(compare(table, make_reproduced(("r", "ours", 0.7956, 0.0017, 0.024))))
    assert cell["difference_error"] == pytest.approx(np.sqrt(2.947608333e-06), rel=1e-8)
    assert cell["z"] == pytest.approx(-0.00432 / np.sqrt(2.947608333e-06), rel=1e-8)
    assert cell["verdict"] == "differs"


def test_a_share_of_1_differs_by_what_the_pooled_share_allows(make_published, make_reproduced):
    table = make_published([("r", "simulated", 3, [1]), ("s", "simulated", 3, [1])])
    cells = compare(table, make_reproduced(("r", "ours", 1.0), ("s", "ours", 0.998)))
    rounding = 0.001**2 / 12
    expected = np.sqrt([rounding, 0.999 * 0.001 * 2 / 1000 + rounding])
    np.testing.assert_allclose(cells["difference_error"], expected)
    assert cells["z"].iloc[0] == 0
    assert list(cells["verdict"]) == ["agrees", "agrees"]


def test_no_violation_in_a_few_runs_is_no_difference(make_published, make_reproduced):
    table = make_published([("r", "simulated", 3, [0.3])])
    cell = only(compare(table, make_reproduced(("r", "ours", 0.0)).assign(runs=5.0)))
    assert cell["verdict"] == "agrees"
    many = only(compare(table, make_reproduced(("r", "ours", 0.0)).assign(runs=50.0)))
    assert many["verdict"] == "differs"


@pytest.fixture
def holm(make_published, make_reproduced):
    """Six simulated cells, one of them absent, and a computed one between them."""
    printed = [0.523, 0.37, 0.18, 0.241, 0.245]
    ours = [0.480, 0.42, 0.25, 0.240, np.nan]
    table = make_published(
        [
            *((f"r{i}", "simulated", 3, [p]) for i, p in enumerate(printed[:2])),
            ("formula", "computed", 3, [0.5]),
            *((f"r{i}", "simulated", 3, [p]) for i, p in enumerate(printed[2:], start=2)),
            ("gone", "simulated", 3, [0.3]),
        ]
    )
    cells = [
        (f"r{i}", "ours", value, np.sqrt(value * (1 - value) / 1000))
        for i, value in enumerate(ours)
        if not np.isnan(value)
    ]
    return compare(table, make_reproduced(*cells, ("formula", "ours", 0.9)))


@pytest.mark.slow
def test_p_values_are_adjusted_by_holm_over_the_cells_that_are_compared(holm):
    compared = holm[holm["z"].notna()]
    assert list(compared["row"]) == ["r0", "r1", "r2", "r3"]
    from scipy.stats import norm

    raw = 2 * norm.sf(compared["z"].abs())
    np.testing.assert_allclose(compared["p_adjusted"], multipletests(raw, method="holm")[1])
    assert raw[1] < 0.05 < compared["p_adjusted"].iloc[1]  # the adjustment decides
    assert list(compared["verdict"]) == ["agrees", "agrees", "differs", "agrees"]
    absent = holm[holm["reproduced"].isna()]
    assert list(absent["row"]) == ["r4", "gone"]
    assert set(absent["verdict"]) == {"not comparable"}
    assert set(absent["note"]) == {"not part of this run"}
    assert absent[["z", "p_adjusted", "difference_error"]].isna().all(axis=None)
    formula = only(holm[holm["row"] == "formula"])
    assert formula["verdict"] == "differs"
    assert np.isnan(formula["p_adjusted"])


def test_a_data_set_is_named_by_the_key_and_not_by_the_label(make_published, make_reproduced):
    columns = (
        {"name": "German, age ≥ 25", "key": {"dataset": "german_age_25"}},
        {"name": "German, age", "key": {"dataset": "german"}},
        {"name": "Framingham, sex", "key": {"dataset": "framingham"}},
        {"name": "Adult, race", "key": {"attribute": "framingham"}},
        "ours",
    )
    about = {"from": {"experiments": ["one", "two"]}}
    table = make_published(
        [("Logistic regression, AUC", "computed", 3, [0.5] * 5)], columns, **about
    )
    cells = compare(
        table,
        make_reproduced(("Logistic regression, AUC", "ours", 0.5)),
        missing=["german_age_25", "framingham"],
    )
    assert list(cells["note"]) == [
        "not part of this run (unavailable: german_age_25)",
        "not part of this run",
        "not part of this run (unavailable: framingham)",
        "not part of this run",
        "",
    ]


def test_a_table_of_which_nothing_is_there_lacks_all_its_data_sets(make_published, make_reproduced):
    about = {"from": {"experiments": ["one"]}}
    table = make_published([("r", "computed", 3, [0.5, 0.5])], ("German, age", "ours"), **about)
    cells = compare(table, make_reproduced(), missing=["german_age_25", "jira"])
    assert set(cells["note"]) == {"not part of this run (unavailable: german_age_25, jira)"}


def test_a_note_of_ours_is_kept(make_published, make_reproduced):
    table = make_published([("r", "simulated", 3, [0.5, 0.5])], ("a", "b"))
    note = "a hypothesis could not be tested in 3 repeats"
    ours = make_reproduced(
        ("r", "a", 0.5, 0.01, np.nan, note), ("r", "b", np.nan, np.nan, np.nan, note)
    )
    cells = compare(table, ours)
    assert list(cells["note"]) == [note, note]
    assert list(cells["verdict"]) == ["agrees", "not comparable"]


def test_an_input_is_not_compared_unless_it_was_changed(make_published, make_reproduced):
    table = make_published([("r", "input", 3, [0.22, 0.055])], ("a", "b"))
    cells = compare(table, make_reproduced(("r", "a", 0.22), ("r", "b", 0.075)))
    assert list(cells["verdict"]) == ["not comparable", "differs"]
    assert list(cells["note"]) == ["an input, taken from the paper", ""]
    assert cells["z"].isna().all()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("impossible", "impossible: no data give the printed number"),
        ("universal", "said of all cases: judged among the conclusions"),
    ],
)
def test_a_number_that_is_impossible_or_of_all_cases_gets_no_verdict(
    make_published, make_reproduced, kind, reason
):
    rows = [("r", [kind, kind, "simulated"], 0, [27, 26, 27])]
    table = make_published(rows, ("a", "b", "c"))
    ours = make_reproduced(
        ("r", "a", 26, 0.1, 1.0, "a note"), ("r", "b", 26), ("r", "c", 26, 0.1, 1.0)
    ).assign(z=[-3.0, np.nan, -2.1])
    cells = compare(table, ours)
    assert list(cells["verdict"]) == ["not comparable", "not comparable", "differs"]
    assert list(cells["note"]) == ["a note", reason, ""]
    assert cells["z"].isna().tolist() == [True, True, False]
    # Holm counts one comparison, not three
    assert cells["p_adjusted"].iloc[2] == pytest.approx(0.0357288, rel=1e-5)


def test_the_columns(make_published, make_reproduced):
    ours = make_reproduced(("r", "ours", 1))
    in_table = compare(make_published([("r", "computed", 0, [1])]), ours)
    more = ["digits", "kind", "difference_error", "published_error", "run_sd"]
    more += ["mark", "published_mark"]
    assert list(in_table) == ["paper", "table", *COLUMNS, *more]
    assert only(in_table)["paper"] == "comparative_separation"
    assert only(in_table)["table"] == 3
    text = make_published([("r", "computed", 0, [1])], section="4.1.2", drop=("table",))
    in_text = compare(text, ours)
    assert list(in_text) == ["paper", "section", *COLUMNS, *more]
    assert only(in_text)["section"] == "4.1.2"


def test_a_cell_that_is_reproduced_twice_is_refused(make_published, make_reproduced):
    table = make_published([("r", "computed", 0, [1])])
    with pytest.raises(pd.errors.MergeError):
        compare(table, make_reproduced(("r", "ours", 1), ("r", "ours", 2)))


def test_tally_counts_each_verdict(holm):
    assert tally(holm) == {"agrees": 3, "differs": 2, "not comparable": 2}
    assert tally(holm.iloc[:0]) == {"agrees": 0, "differs": 0, "not comparable": 0}


def test_gather_orders_tables_and_sets_the_text_apart(make_published, make_reproduced):
    ours = make_reproduced(("s", "ours", 2), ("r", "ours", 1))
    rows = [("s", "computed", 0, [2]), ("r", "computed", 0, [1])]
    parts = [
        compare(make_published(rows, table=number), ours)
        if number
        else compare(make_published(rows, section="4.1.2", drop=("table",)), ours)
        for number in (5, 0, 2)
    ]
    assert [len(frame) for frame in gather([])] == [0, 0]
    tables, text = gather(iter(parts))
    assert list(tables) == ["paper", "table", *COLUMNS]
    assert list(tables["table"]) == [2, 2, 5, 5]
    assert list(tables["row"]) == ["s", "r", "s", "r"]
    assert list(text) == ["paper", "section", *COLUMNS]
    assert list(text["section"]) == ["4.1.2", "4.1.2"]


def test_a_z_that_is_given_stands_in_for_the_one_of_the_spread(make_published, make_reproduced):
    """As of a p-value, whose distance from the printed one is no multiple of its spread."""
    rows = [("r", "simulated", 2, [0.5] * 3), ("s", "computed", 2, [0.5] * 3)]
    table = make_published(rows, ("a", "b", "c"))
    cells = [("r", "a", 0.9, 0.01, 0.1), ("r", "b", 0.5, 0.01, 0.1), ("r", "c", 0.6, 0.01, 0.1)]
    ours = make_reproduced(*cells, ("s", "a", 0.5)).assign(z=[0.0, -4.0, np.nan, np.nan])
    found = compare(table, ours).set_index(["row", "column"])
    error = np.sqrt(0.01**2 + 0.1**2 / 1000 + 0.01**2 / 12)
    np.testing.assert_allclose(found.loc["r", "z"], [0, -4, 0.1 / error])
    from scipy.stats import norm

    raw = 2 * norm.sf([0, 4, 0.1 / error])
    np.testing.assert_allclose(found.loc["r", "p_adjusted"], multipletests(raw, method="holm")[1])
    assert list(found.loc["r", "verdict"]) == ["agrees", "differs", "differs"]
    np.testing.assert_allclose(found.loc["r", "difference_error"], error)
    assert np.isnan(found.loc[("s", "a"), "z"])
    assert found.loc[("s", "a"), "verdict"] == "agrees"
