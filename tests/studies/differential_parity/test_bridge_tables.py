"""Table 3 and section 4 of the paper on differential parity, and studies of its kind."""

import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, t as student

from fairpairs.fairness.effect_sizes import MAGNITUDES
from fairpairs.published.comparison import compare
from fairpairs.studies.differential_parity.bridge_study import ROWS
from fairpairs.studies.differential_parity.bridge_summaries import (
    COUNTED,
    KEYS,
    conclusions,
    counts,
    distributions,
    inconsistencies,
    misses,
    printed_counts,
    with_published,
)
from fairpairs.studies.differential_parity.bridge_tables import (
    PEOPLE,
    counts_table,
    display_table,
    mark,
    write_bridge_tables,
)

ROOT = Path(__file__).parents[3]
PAPER = ROOT.parent / "shared/papers/differential_parity.txt"
COLUMNS = list(PEOPLE.values())
NAMES = {column: name for name, column in PEOPLE.items()}
CROSSED = "Biased Bridge, cross-fitted"


@pytest.fixture
def printed(shipped):
    return shipped("differential_parity/table_3").cells


@pytest.fixture
def said(shipped):
    return shipped("differential_parity/section_4").cells


@pytest.fixture
def results():
    """A made study of 12 splits, two of them with the cross-fitted bridge, near the printed one."""
    rng = np.random.default_rng(7)
    frames = []
    for repeat in range(12):
        for attribute in ("sex", "race"):
            for decisions in COLUMNS:
                for reference in COLUMNS:
                    for row in ROWS if repeat < 2 else ROWS[:-1]:
                        label = row.startswith("Label")
                        dpd = 0.0 if label and decisions == reference else rng.normal(0, 0.2)
                        p = norm.sf(abs(dpd) / 0.1)
                        frames.append((repeat, attribute, decisions, reference, row, dpd, p))
    frame = pd.DataFrame(frames, columns=["repeat", *KEYS, "dpd", "pvalue_one_sided"])
    frame["pvalue"], frame["dpd_overall"] = 2 * frame["pvalue_one_sided"], 0.9 * frame["dpd"]
    frame["estimate"], frame["dpt"], frame["dof"] = frame["dpd"], frame["dpd"] * 10, 99.0
    frame["of_all_labels"] = 0.0
    return frame


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


# what is printed


@pytest.mark.parametrize(
    ("row", "column", "p", "dpd"),
    [  # typed from the paper
        ("R_1, Label Train", "R_2, Sex", 0.00, 0.43),
        ("R_1, Label Test", "R_3, Race", 0.27, 0.04),
        ("R_1, Model Test", "R_1, Sex", 0.05, -0.09),
        ("R_2, Model Train", "R_3, Sex", 0.09, 0.04),
        ("R_2, Model Test", "R_Avg, Race", 0.34, -0.03),
        ("R_2, Biased Bridge", "R_2, Sex", 0.36, 0.02),
        ("R_3, Label Train", "R_2, Race", 0.00, 0.15),
        ("R_3, Biased Bridge", "R_1, Race", 0.06, -0.11),
        ("R_3, Model Test", "R_Avg, Race", 0.01, 0.17),
        ("R_Avg, Label Test", "R_3, Race", 0.02, -0.15),
        ("R_Avg, Model Train", "R_Avg, Race", 0.21, 0.03),
        ("R_Avg, Biased Bridge", "R_2, Race", 0.40, 0.01),
    ],
)
def test_some_numbers_of_the_paper(printed, row, column, p, dpd):
    cells = printed.set_index(["row", "column"])["published"]
    assert (cells[f"{row}, p", column], cells[f"{row}, DPD", column]) == (p, dpd)


def test_the_printed_table_is_the_one_of_the_text(printed):
    if not PAPER.exists():
        pytest.skip("the text of the paper is not there")
    cells = printed.set_index(["row", "column"])["published"]
    columns = [f"{person}, {attribute}" for person in PEOPLE for attribute in ("Sex", "Race")]
    reference, compared = "", 0
    for line in PAPER.read_text("utf-8").splitlines():
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


def test_the_printed_label_rows_are_antisymmetric(printed):
    cells = printed.set_index(["row", "column"])["published"]
    for one in PEOPLE:
        for other in PEOPLE:
            for attribute in ("Sex", "Race"):
                for row in ("Label Train", "Label Test"):
                    for what, sign in (("p", 1), ("DPD", -1)):
                        mirrored = cells[f"{one}, {row}, {what}", f"{other}, {attribute}"]
                        own = cells[f"{other}, {row}, {what}", f"{one}, {attribute}"]
                        assert own == sign * mirrored
                        if one == other:
                            assert own == (0.5 if what == "p" else 0)


def test_a_printed_p_is_one_sided(printed):
    p = printed[printed["row"].str.endswith(", p")]["published"]
    assert len(p) == 160
    assert p.between(0, 0.5).all()


def test_only_a_persons_own_labels_are_computed(printed):
    """They are exactly 0 on any split; all others depend on it."""
    own = [
        row.split(", ")[0] == column.split(", ")[0] and row.split(", ")[1].startswith("Label")
        for row, column in printed[["row", "column"]].itertuples(index=False)
    ]
    assert_array_equal(printed["kind"] == "computed", own)
    assert set(printed["kind"]) == {"computed", "simulated"}


# conclusions and their counts


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
                        if (*key, rows[0]) not in found:
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


def test_rows_that_a_study_has_not_are_not_counted(results):
    few = results[~results["row"].isin([CROSSED, "Biased Bridge, E0 from the fitting data"])]
    assert list(counts(few)) == list(COUNTED)[:4]


def test_the_printed_cells_agree_in_26_25_28_and_31_of_32(printed, said):
    found = printed_counts(printed)
    assert list(found.values()) == [26, 25, 28, 31]
    for column in ("Printed cells", "Ours"):
        text = said[said["column"] == column].set_index("row")["published"]
        assert list(found) == list(COUNTED)[:4] == list(text.index)[:4]
        assert list(text) == [27, 25, 29, 32, 0, 0.1]  # what the text says


def test_29_and_25_do_not_both_follow_from_two_p_values_that_are_printed_as_0_05(printed):
    """A p that rounds to 0.05 may lie above it: then 29 or 30 agree for the unbiased bridge."""
    unclear = printed["row"].str.endswith("Model Test, p") & (printed["published"] == 0.05)
    assert unclear.sum() == 2
    found = []
    for above in product((False, True), repeat=2):
        other = printed.copy()
        other.loc[unclear, "published"] = [0.0501 if one else 0.05 for one in above]
        found.append(tuple(printed_counts(other).values()))
    assert [(counted[1], counted[2]) for counted in found] == [
        (25, 28),
        (24, 29),
        (24, 29),
        (23, 30),
    ]
    assert {(counted[0], counted[3]) for counted in found} == {(26, 31)}


def test_27_of_32_is_impossible(results):
    """Labels of pairs are antisymmetric, and nobody disagrees with oneself."""
    wide = results.pivot(
        index=["repeat", "attribute", "row"], columns=["decisions", "reference"],
        values=["dpd", "pvalue_one_sided"],
    ).copy()  # fmt: skip
    for one, other in combinations(COLUMNS, 2):
        wide["dpd", other, one] = -wide["dpd", one, other]
        wide["pvalue_one_sided", other, one] = wide["pvalue_one_sided", one, other]
    parts = [
        wide.xs(pair, axis=1, level=("decisions", "reference")).assign(
            decisions=pair[0], reference=pair[1]
        )
        for pair in product(COLUMNS, repeat=2)
    ]
    own = pd.concat(parts).reset_index()
    numbers = counts(own)["RQ1, labels of train and test"]
    assert (numbers % 2 == 0).all()
    assert numbers.nunique() > 2


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


def test_the_printed_inconsistencies_are_larger_than_the_text_says(
    shipped, printed, reproduced_from
):
    """R_2 on race and R_3 on sex, both over R_Avg, by models; no conclusions are opposite."""
    published = shipped("differential_parity/section_4")
    cells = compare(published, reproduced_from(published.name)).set_index(["column", "row"])
    own = cells.loc["Printed cells"]
    assert list(own["reproduced"]) == [26, 25, 28, 31, 0, 0.14]
    assert list(own["verdict"]) == [
        *("not comparable", "agrees", "differs", "differs", "agrees", "differs")
    ]
    assert set(cells.loc["Ours", "verdict"]) == {"not comparable"}
    wide = printed.set_index(["row", "column"])["published"]
    assert wide["R_Avg, Model Train, DPD", "R_2, Race"] == 0.14
    assert wide["R_Avg, Model Train, DPD", "R_3, Sex"] == 0.13
    assert 27 / 32 == 0.84375
    assert 25 / 32 == 0.78125


# the distribution over the splits, and the printed number in it


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


def test_the_place_of_a_number_by_hand(printed):
    values = [0.40, 0.424, 0.43, 0.432, 0.434, 0.45]  # the paper has 0.43
    results = pd.DataFrame(
        {
            "repeat": range(6), "attribute": "sex", "decisions": "P2", "reference": "P1",
            "row": "Label Train", "dpd": values, "dpd_overall": values,
            "pvalue_one_sided": 0.004, "pvalue": 0.008,
        }
    )  # fmt: skip
    cell = with_published(distributions(results), results, printed).iloc[0]
    assert (cell["published_dpd"], cell["published_p"]) == (0.43, 0.0)
    assert cell["place_dpd"] == pytest.approx((2 + 3 / 2) / 6)
    assert cell["place_p"] == 0.5  # all round to the printed 0.00


def test_other_people_have_no_published_number(results, printed):
    other = results.replace({"P1": "Ann", "P2": "Bob", "P3": "Cid", "Average": "Dan"})
    cells = with_published(distributions(other), other, printed)
    assert cells[["published_p", "published_dpd", "place_p", "place_dpd"]].isna().all(axis=None)
    assert len(cells) == 2 * 16 * 7


# beside the published tables


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


def test_a_p_of_a_negative_dpd_lies_on_the_other_side(cell_of):
    row, column = "R_1, Model Test, p", "R_1, Race"  # printed (0.10) -0.09
    score = np.array([-1.5, -1.2, -1.3, -1.4])
    low, high = -norm.isf(0.095), -norm.isf(0.105)
    results = study_of(
        [-0.1] * 4, norm.sf(-score), row="Model Test", decisions="P1", attribute="race"
    )
    wide = np.std(score, ddof=1) * np.sqrt(1.25)
    assert low < high
    expected = normal_score((score.mean() - low) / wide, 4)
    assert cell_of(results, row, column)["z"] == pytest.approx(expected)
    mirrored = results.assign(dpd=0.1)
    expected = normal_score((-score.mean() - high) / wide, 4)
    assert cell_of(mirrored, row, column)["z"] == pytest.approx(expected)


def test_a_p_printed_as_0_00_is_any_small_one(cell_of):
    row, column = "R_1, Label Train, p", "R_2, Sex"
    small = study_of([0.4, 0.5, 0.45], [1e-40, 0.0, 1e-12])
    assert cell_of(small, row, column)["z"] == 0
    score = np.array([1.0, 1.5, 2.0])
    large = study_of([0.1, 0.1, 0.1], norm.sf(score))
    expected = (1.5 - norm.isf(0.005)) / (0.5 * np.sqrt(4 / 3))
    assert cell_of(large, row, column)["z"] == pytest.approx(normal_score(expected, 3))


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


def test_the_published_number_itself_agrees_everywhere(shipped, reproduced_from):
    """A study that scatters around the printed numbers, p and DPD together."""
    published = shipped("differential_parity/table_3")
    wide = published.cells.assign(
        what=published.cells["row"].str.rpartition(", ")[2],
        line=published.cells["row"].str.rpartition(", ")[0],
    ).pivot(index=["line", "column"], columns="what", values="published")
    rows = []
    for (line, column), cell in wide.iterrows():
        (reference, row), (decisions, attribute) = line.split(", "), column.split(", ")
        own = row.startswith("Label") and reference == decisions
        for repeat, shift in enumerate((-0.1, 0.1)):
            score = norm.isf(min(max(cell["p"], 0.001), 0.5)) + shift * (not own)
            dpd = cell["DPD"] + shift * (not own)
            sign = np.sign(cell["DPD"])
            score = score * sign if sign else score
            rows.append(
                (
                    *(repeat, attribute.lower(), PEOPLE[decisions], PEOPLE[reference], row),
                    *(dpd, norm.sf(abs(score))),
                )
            )
    results = pd.DataFrame(rows, columns=["repeat", *KEYS, "dpd", "pvalue_one_sided"])
    ours = reproduced_from(published.name, results=results)
    of_dpd = ours[ours["row"].str.endswith("DPD") & ours["z"].notna()]
    assert len(of_dpd) == 160 - 16
    assert_allclose(of_dpd["z"], 0, atol=1e-9)
    comparison = compare(published, ours)
    assert "not comparable" not in set(comparison["verdict"])
    assert (comparison[comparison["row"].str.endswith("DPD")]["verdict"] == "agrees").all()


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
    runs = table.count()
    printed = published.cells.set_index(["row", "column"])["published"]
    for name, own in ours.iterrows():
        value = printed[name, "Ours"]
        bounds = (0, 0.105) if "largest" in name else (value - 0.5, value + 0.5)
        away = own["reproduced"] - np.clip(own["reproduced"], *bounds)
        t = away / (own["run_sd"] * np.sqrt(1 + 1 / runs[name]))
        expected = np.nan if "labels" in name else normal_score(t, runs[name])
        assert comparison.loc[(name, "Ours"), "z"] == pytest.approx(
            expected, abs=1e-12, nan_ok=True
        )
    assert set(comparison["section"]) == {"4"}


def test_table_2_counts_images_groups_and_raters(shipped, reproduced_from):
    published = shipped("differential_parity/table_2")
    people = {f"decision_P{i}": [1.0, 2, 3] for i in (1, 2, 10)}
    items = pd.DataFrame({"sensitive_sex": [1, 0, 1], "sensitive_race": [0, 0, 1], **people})
    items = items.astype({"sensitive_sex": "int8", "sensitive_race": "int8"})
    ours = reproduced_from(published.name, items=items.assign(decision_Average=2.0))
    assert dict(zip(ours["column"], ours["reproduced"], strict=True)) == {
        "#Images": 3, "Sex-Female": 1, "Sex-Male": 2, "Race-Asian": 1, "Race-Caucasian": 2,
        "# Raters": 3,
    }  # fmt: skip


def test_table_2_is_the_one_of_the_text(shipped):
    if not PAPER.exists():
        pytest.skip("the text of the paper is not there")
    lines = PAPER.read_text("utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("$350 \\times 350$"))
    numbers = [int(n.replace(",", "")) for n in re.findall(r"\d,\d{3}|\b60\b", line)]
    assert list(shipped("differential_parity/table_2").cells["published"]) == numbers


def test_table_1_of_the_paper_is_the_scale_of_magnitudes():
    words = {"Very Small": 0.01, "Small": 0.2, "Medium": 0.5, "Large": 0.8, "Very Large": 1.2,
             "Huge": 2.0}  # fmt: skip
    assert {word.capitalize(): d for d, word in MAGNITUDES["d"].items() if d > 0} == {
        word.capitalize(): d for word, d in words.items()
    }
    if not PAPER.exists():
        pytest.skip("the text of the paper is not there")
    text = PAPER.read_text("utf-8").split("Table 1: Effect sizes.")[1].split("Note that")[0]
    pairs = re.findall(r"([A-Z][A-Za-z ]+)\t([0-9.]+)", text)
    assert {word: float(d) for word, d in pairs} == words


def test_a_run_without_the_study_has_nothing_to_compare(shipped, reproduced_from):
    published = shipped("differential_parity/table_3")
    comparison = compare(published, reproduced_from(published.name))
    assert set(comparison["verdict"]) == {"not comparable"}
    assert set(comparison["note"]) == {"not part of this run"}


# tables for people


def test_a_mark_is_what_most_splits_find():
    assert mark({"green": 0.51, "red": 0.0}) == "▲"
    assert mark({"green": 0.0, "red": 0.51}) == "▼"
    assert mark({"green": 0.5, "red": 0.5}) == ""


def test_a_study_is_laid_out_as_table_3(results, printed):
    cells = with_published(distributions(results), results, printed)
    table = display_table(cells)
    assert table.index.name == "R_j \\ R_i"
    assert list(table.index) == [f"{person}, {row}" for person in PEOPLE for row in ROWS]
    assert list(table.columns) == [f"{p}, {a}" for p in PEOPLE for a in ("Sex", "Race")]
    assert table.notna().all(axis=None)
    for cell in cells.to_dict("records"):
        text = table.loc[
            f"{NAMES[cell['reference']]}, {cell['row']}",
            f"{NAMES[cell['decisions']]}, {cell['attribute'].capitalize()}",
        ]
        ours, _, beside = text.partition(" [")
        p, dpd = re.fullmatch(r"\((\S+)\) (\S+)(?: [▲▼])?", ours).groups()
        assert float(p) == pytest.approx(cell["p_one_sided"], abs=0.00501)
        assert float(dpd) == pytest.approx(cell["dpd"], abs=0.00501)
        assert ("▲" in text) == (cell["green"] > 0.5)
        assert ("▼" in text) == (cell["red"] > 0.5)
        assert bool(beside) == (cell["row"] in ROWS[:5])
    assert "(0.50) 0.00 [(0.50) 0.00]" in set(table.to_numpy().ravel())


def test_other_people_keep_their_names(results, printed):
    few = results[results["decisions"].isin(["P1", "P2"]) & results["reference"].isin(["P1", "P2"])]
    other = few.replace({"P1": "Ann", "P2": "Bob"})
    table = display_table(with_published(distributions(other), other, printed))
    assert list(table.columns) == ["Ann, Sex", "Ann, Race", "Bob, Sex", "Bob, Race"]
    assert list(table.index) == [f"{person}, {row}" for person in ("Ann", "Bob") for row in ROWS]
    assert not table.map(lambda text: "[" in text).any(axis=None)


def test_the_counts_stand_beside_those_of_the_text_and_of_the_printed_cells(results, printed, said):
    table = counts_table(results, printed, said)
    assert list(table.index) == list(COUNTED)
    assert list(table["in the text"]) == ["27", "25", "29", "32", "–", "–"]
    assert list(table["of the printed cells"]) == ["26", "25", "28", "31", "–", "–"]
    assert list(table["splits"]) == ["12"] * 5 + ["2"]
    assert set(table["of"]) == {"32"}
    for name, values in counts(results).items():
        own = values.dropna()
        mean, error = table.loc[name, "ours, mean ± SE"].split(" ± ")
        assert float(mean) == pytest.approx(own.mean(), abs=0.0501)
        assert float(error) == pytest.approx(own.std() / np.sqrt(len(own)), abs=0.0501)
        low, high = table.loc[name, "ours, middle 95 % of splits"].split(" to ")
        assert float(low) == pytest.approx(np.quantile(own, 0.025), abs=0.501)
        assert float(high) == pytest.approx(np.quantile(own, 0.975), abs=0.501)


def test_of_one_split_there_is_no_standard_error(results, printed, said):
    crossed = results[(results["row"] != CROSSED) | (results["repeat"] == 0)]
    table = counts_table(crossed, printed, said)
    own = table.loc["RQ2, biased bridge, cross-fitted"]
    assert own["splits"] == "1"
    assert re.fullmatch(r"\d+\.0 ± –", own["ours, mean ± SE"])


def test_both_tables_are_written(results, printed, said, tmp_path):
    stems = [tmp_path / "study.csv", tmp_path / "study_conclusions.csv"]
    write_bridge_tables(results, printed, said, stems, title="A made & small study")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{stem}.{ending}"
        for stem in ("study", "study_conclusions")
        for ending in ("csv", "md", "tex")
    ]
    cells = with_published(distributions(results), results, printed)
    pd.testing.assert_frame_equal(pd.read_csv(stems[0]), cells, check_dtype=False)
    markdown = stems[0].with_suffix(".md").read_text("utf-8")
    assert markdown.startswith("# A made & small study\n")
    assert "over 12 random splits" in markdown
    assert markdown.count("\n| R_") == 28 + 1  # with the header
    conclusions_md = stems[1].with_suffix(".md").read_text("utf-8")
    assert "# A made & small study: agreeing conclusions" in conclusions_md
    assert "the text's 27 is not possible" in conclusions_md
    table = pd.read_csv(stems[1], dtype=str, index_col=0)
    pd.testing.assert_frame_equal(table, counts_table(results, printed, said))


def test_the_latex_has_nothing_that_latex_cannot_read(results, printed, said, tmp_path):
    stems = [tmp_path / "study.csv", tmp_path / "study_conclusions.csv"]
    write_bridge_tables(results, printed, said, stems, title="A made & small study")
    texts = [stem.with_suffix(".tex").read_text("utf-8") for stem in stems]
    marked = display_table(with_published(distributions(results), results, printed))
    signs = "".join(marked.to_numpy().ravel())
    for sign, command in (("▲", r"$\bigtriangleup$"), ("▼", r"$\bigtriangledown$")):
        assert signs.count(sign) > 3
        assert texts[0].count(command) == signs.count(sign) + 1  # and in the note
    for text in texts:
        assert text.isascii()
        assert not re.search(r"(?<!\\)[_%#^~]", text)
        assert r"A made \& small study" in text
