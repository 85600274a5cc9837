"""Conclusions of a study of bridges, counted, and its cells over the splits."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_tables import (
    COUNTED,
    KEYS,
    MISSED_BY_BIASED,
    MISSED_BY_OTHERS,
    PEOPLE,
    TWO_PEOPLE,
    UNBIASED,
    conclusions,
    counts,
    distributions,
    inconsistencies,
    missed_by_bias,
    misses,
    printed_split,
    with_published,
)

pytestmark = pytest.mark.slow

COLUMNS = list(PEOPLE.values())
NAMES = {column: name for name, column in PEOPLE.items()}
CROSSED = "Biased Bridge, cross-fitted"


def test_misses_are_counted_one_by_one(results):
    frame = results.assign(of_all_labels=0.05)
    expected = {}
    for row in ("Model Test", *ROWS[4:]):
        own = frame[frame["row"] == row]
        outside = [
            2 * student.sf(abs(cell.estimate - 0.05) / abs(cell.estimate / cell.dpt), cell.dof)
            < 0.05
            for cell in own.itertuples()
        ]
        expected[row] = np.mean(outside)
    assert misses(frame) == pytest.approx(expected)
    assert len(set(expected.values())) > 1


@pytest.mark.parametrize(
    ("dpd", "p", "found"),
    [
        (0.3, 0.05, 1),
        (-0.3, 0.05, -1),
        (0.3, 0.0500001, 0),
        (0.3, 0.0, 1),
        (-0.01, 0.049, -1),
        (0.0, 0.5, 0),
        (0.0, 0.0, 0),
        (0.3, np.nan, 0),
        (np.inf, 0.0, 1),
    ],
)
def test_a_conclusion_is_the_sign_where_p_is_at_most_0_05(dpd, p, found):
    assert conclusions([dpd], [p])[0] == found


def count_in_loops(results):
    """How many conclusions agree, for each repeat, one pair of people after the other."""
    found = {}
    for row in results.to_dict("records"):
        sign = 0 if not row["pvalue_one_sided"] <= 0.05 else (1 if row["dpd"] > 0 else -1)
        sign = 0 if row["dpd"] == 0 else sign
        found[row["repeat"], row["attribute"], row["decisions"], row["reference"], row["row"]] = (
            sign
        )
    numbers = {}
    for repeat in sorted(set(results["repeat"])):
        for name, rows in COUNTED.items():
            for attribute in ("sex", "race"):
                for i in COLUMNS:
                    for j in COLUMNS:
                        key = (repeat, attribute, i, j)
                        if (*key, rows[0]) not in found or (name == TWO_PEOPLE and i == j):
                            continue
                        own = found[*key, rows[0]]
                        others = (
                            [rows[1]] if name.startswith("RQ1") else ["Label Train", "Label Test"]
                        )
                        agrees = any(own == found[*key, other] for other in others)
                        place = (repeat, name)
                        numbers[place] = numbers.get(place, 0) + agrees
    return numbers


def test_agreeing_conclusions_are_counted(results):
    table = counts(results)
    expected = count_in_loops(results)
    assert list(table) == list(COUNTED)
    assert list(table.index) == list(range(12))
    for repeat in range(12):
        for name in COUNTED:
            if repeat >= 2 and "cross-fitted" in name:
                assert np.isnan(table.loc[repeat, name])
                assert (repeat, name) not in expected
            else:
                assert table.loc[repeat, name] == expected[repeat, name]
    assert table.nunique().max() > 3


def test_the_printed_cells_agree_in_26_25_28_and_31_of_32(printed, said):
    found = dict(counts(printed_split(printed)).iloc[0])
    assert found.pop(TWO_PEOPLE) == 19
    assert list(found.values()) == [26, 25, 28, 31]
    for column in ("Printed cells", "Ours"):
        text = said[said["column"] == column].set_index("row")["published"]
        assert (
            list(found) == [n for n in list(COUNTED)[:5] if n != TWO_PEOPLE] == list(text.index)[:4]
        )
        assert list(text) == [27, 25, 29, 32, 0, 0.1]  # what the text says


def inconsistent_in_loops(results, repeat):
    """Opposite conclusions, and the largest |DPD| of inconsistent ones, pair by pair."""
    own = results[results["repeat"] == repeat].set_index([*KEYS[:3], "row"])
    opposite, largest = 0, []
    for key in dict.fromkeys(index[:3] for index in own.index):
        for kind in ("Label", "Model"):
            cells = [own.loc[(*key, f"{kind} {part}")] for part in ("Train", "Test")]
            signs = [
                int(np.sign(cell["dpd"])) if cell["pvalue_one_sided"] <= 0.05 else 0
                for cell in cells
            ]
            opposite += signs[0] * signs[1] == -1
            if signs[0] != signs[1]:
                largest += [abs(cell["dpd"]) for cell in cells]
    return opposite, max(largest, default=np.nan)


def test_inconsistencies_are_those_of_loops(results):
    table = inconsistencies(results)
    for repeat in range(12):
        expected = inconsistent_in_loops(results, repeat)
        assert tuple(table.loc[repeat]) == pytest.approx(expected)
    assert (table.iloc[:, 0] > 0).any()


def missed_in_loops(results, repeat):
    """Wrong and all cases of the unbiased bridge, of biased models and of others."""
    own = results[results["repeat"] == repeat].set_index([*KEYS[:3], "row"])

    def sign(*key):
        cell = own.loc[key]
        return int(np.sign(cell["dpd"])) if cell["pvalue_one_sided"] <= 0.05 else 0

    wrong, cases = {True: 0, False: 0}, {True: 0, False: 0}
    for attribute, i, j in product(("sex", "race"), COLUMNS, COLUMNS):
        biased = sign(attribute, i, i, "Model Train") != 0
        labels = [sign(attribute, i, j, f"Label {part}") for part in ("Train", "Test")]
        cases[biased] += 1
        wrong[biased] += sign(attribute, i, j, "Model Test") not in labels
    return wrong, cases


def test_what_biased_models_miss_is_counted(results):
    shares, agreeing = missed_by_bias(results), counts(results)[UNBIASED]
    for repeat in range(12):
        wrong, cases = missed_in_loops(results, repeat)
        assert sum(wrong.values()) == 32 - agreeing[repeat]
        for name, biased in ((MISSED_BY_BIASED, True), (MISSED_BY_OTHERS, False)):
            expected = wrong[biased] / cases[biased] if cases[biased] else np.nan
            assert shares.loc[repeat, name] == pytest.approx(expected, nan_ok=True)
    assert shares.nunique().min() > 3


def test_a_cell_is_summarised_over_its_splits(results):
    cells = distributions(results)
    assert list(cells) == [
        *(*KEYS, "splits", "dpd", "dpd_sd", "dpd_low", "dpd_high", "dpd_overall"),
        *("p_one_sided", "p_two_sided", "green", "red"),
    ]
    assert not cells[KEYS].duplicated().any()
    assert len(cells) == 2 * 16 * 7
    for key, cell in cells.set_index(KEYS).iterrows():
        own = results
        for name, value in zip(KEYS, key, strict=True):
            own = own[own[name] == value]
        assert cell["splits"] == len(own) == (2 if key[-1] == CROSSED else 12)
        assert cell["dpd"] == pytest.approx(np.mean(own["dpd"]))
        assert cell["dpd_sd"] == pytest.approx(np.std(own["dpd"], ddof=1))
        low, high = np.quantile(own["dpd"], [0.025, 0.975])
        assert (cell["dpd_low"], cell["dpd_high"]) == pytest.approx((low, high))
        assert cell["dpd_overall"] == pytest.approx(0.9 * np.mean(own["dpd"]))
        assert cell["p_one_sided"] == pytest.approx(np.median(own["pvalue_one_sided"]))
        assert cell["p_two_sided"] == pytest.approx(np.median(own["pvalue"]))
        sure = own["pvalue_one_sided"] <= 0.05
        assert cell["green"] == pytest.approx((sure & (own["dpd"] > 0)).mean())
        assert cell["red"] == pytest.approx((sure & (own["dpd"] < 0)).mean())


def test_the_printed_numbers_stand_beside_with_their_place(results, printed):
    cells = with_published(distributions(results), results, printed)
    assert len(cells) == 2 * 16 * 7
    published = printed.set_index(["row", "column"])["published"]
    places = []
    for cell in cells.to_dict("records"):
        row, column = (
            f"{NAMES[cell['reference']]}, {cell['row']}",
            f"{NAMES[cell['decisions']]}, {cell['attribute'].capitalize()}",
        )
        if cell["row"] not in ROWS[:5]:  # the paper has no other bridge
            names = ("published_p", "published_dpd", "place_p", "place_dpd")
            assert all(np.isnan(cell[name]) for name in names)
            continue
        own = results
        for key in KEYS:
            own = own[own[key] == cell[key]]
        for what, name in (("p", "pvalue_one_sided"), ("DPD", "dpd")):
            number = published[f"{row}, {what}", column]
            values = [round(value, 2) for value in own[name]]
            smaller = sum(value < number - 1e-9 for value in values)
            equal = sum(abs(value - number) < 1e-9 for value in values)
            assert cell[f"published_{what.lower()}"] == number
            assert cell[f"place_{what.lower()}"] == pytest.approx((smaller + equal / 2) / 12)
            places.append(cell[f"place_{what.lower()}"])
    assert min(places) == 0
    assert max(places) == 1
    assert len(set(places)) > 6
