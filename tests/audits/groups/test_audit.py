"""Audits of many groups, beside loops over the groups with the tests of scipy and statsmodels."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact
from statsmodels.stats.multitest import multipletests

import fairpairs as fp
from fairpairs.audits.groups import audit
from fairpairs.audits.groups.settings import MOST_GROUPS
from fairpairs.audits.lines.verdicts import BEYOND, NOT_ESTIMATED, VIOLATED, VIOLATED_WITHIN, WITHIN
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.many_tables import simultaneous_limits


def people(n=3000, seed=0):
    """Predictions that find fewer positives in group b of the north."""
    rng = np.random.default_rng(seed)
    sex, area = rng.choice(["a", "b"], n), rng.choice(["north", "south", "west"], n)
    age, y = rng.integers(1, 6, n), rng.integers(0, 2, n)
    found = 0.2 + 0.6 * y - 0.35 * ((sex == "b") & (area == "north")) * y
    return pd.DataFrame({
        "y": y, "p": (rng.random(n) < found).astype(int), "sex": sex, "area": area, "age": age,
    })  # fmt: skip


ATTRIBUTES = ["sex", "area", "age"]


def audited(frame, **options):
    return fp.audit_groups(
        frame["y"], frame["p"], sensitive_features=frame[ATTRIBUTES], **{"depth": 3, **options}
    )


def by_loops(frame, measure):
    """Each group with its difference and its p-value, one group at a time."""
    rows, larger = {}, (frame["sex"].value_counts().index[0],)
    for size in (1, 2, 3):
        for several in combinations(ATTRIBUTES, size):
            for values, part in frame.groupby(list(several)):
                if len(part) < 10 or (several, values) == (("sex",), larger):
                    continue
                name = " & ".join(f"{a}={v}" for a, v in zip(several, values, strict=True))
                inside = frame.index.isin(part.index)
                kept = frame["y"].isin({"TPR": [1], "FPR": [0]}.get(measure, [0, 1]))
                hit = frame["p"] == (frame["y"] if measure == "accuracy" else 1)
                table = [
                    [(hit & kept & side).sum(), (~hit & kept & side).sum()]
                    for side in (inside, ~inside)
                ]
                tails = [fisher_exact(table, side)[1] for side in ("less", "greater")]
                rates = [row[0] / sum(row) for row in table]
                rows[name, measure] = rates[0] - rates[1], min(1, 2 * min(tails))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("criterion", "measures"),
    [
        (None, ["TPR", "FPR"]), ("demographic_parity", ["selection rate"]),
        (["accuracy", "equalized_odds"], ["TPR", "FPR", "accuracy"]),
        ("equal_opportunity", ["TPR"]),
    ],
)  # fmt: skip
def test_lines_are_those_of_loops(criterion, measures, monkeypatch):
    monkeypatch.setattr(audit, "FEW_LINES", 0)  # which have the tests of `audit`
    frame = people(600)
    tests = audited(frame, criterion=criterion).to_frame()
    expected = {line: of for measure in measures for line, of in by_loops(frame, measure).items()}
    found = {(row.group, row.measure): row for row in tests.itertuples()}
    assert set(found) == set(expected)
    rows = [found[line] for line in expected]
    apart, pvalues = map(np.array, zip(*expected.values(), strict=True))
    np.testing.assert_allclose([row.estimate for row in rows], apart, atol=1e-12)
    np.testing.assert_allclose([row.pvalue for row in rows], pvalues, rtol=1e-9)
    adjusted = multipletests(pvalues, method="bonferroni")[1]
    np.testing.assert_allclose([row.pvalue_adjusted for row in rows], adjusted, rtol=1e-9)


def test_the_worst_group_is_first_and_found():
    result = audited(people())
    first = result.to_frame().iloc[0]
    assert (first["group"], first["measure"]) == ("sex=b & area=north", "TPR")
    assert first["verdict"] == VIOLATED and first["ci_high"] < 0 and result.violated
    assert first["rank"] == 1 and first["items"] == first["n"] + result.tests.loc[
        (result.tests["group"] == first["group"]) & (result.tests["measure"] == "FPR"), "n"
    ].item()  # fmt: skip
    away = np.fmax(np.fmax(result.tests["ci_low"], -result.tests["ci_high"]), 0)
    assert (np.diff(away) <= 1e-9).all()


def test_costs_are_listed_before_advantages_each_in_the_order_that_is_stated():
    frame = people()
    for good, sides in (("1", ("cost", "advantage")), (0, ("advantage", "cost"))):
        result = audited(frame, favourable=good)
        found = [one for one in result.answer.findings if one.state == "differs"]
        assert result.about["favourable"] == str(good)
        assert {one.cost for one in found if "north" in one.group} == {sides[0] == "cost"}
        assert [one.cost for one in found] == sorted((one.cost for one in found), reverse=True)
        for cost in (True, False):  # the end of the interval that is nearer to 0
            ends = [min(abs(one.low), abs(one.high)) for one in found if one.cost is cost]
            assert ends == sorted(ends, reverse=True)
        text = result.to_text()
        assert "Harms the group, the largest first, by the end of the interval" in text
        assert text.index("Harms the") < text.index("Favours the")
    assert {one.cost for one in audited(frame).answer.findings} == {None}


def test_of_two_halves_the_one_with_the_cost_is_named():
    """Half a gets 20 points more than half b, which is the same difference the other way."""
    y, half = [1] * 800, ["a", "b"] * 400
    predicted = [
        int(i % 10 < (8 if h == "a" else 6)) for i, h in zip(range(800), half, strict=True)
    ]
    for good, named in ((1, "half=b"), (0, "half=a")):
        result = fp.audit_groups(
            None, predicted, sensitive_features={"half": half}, favourable=good
        )
        assert [one.group for one in result.answer.findings] == [named], y


def test_few_lines_have_the_tests_of_the_audit_and_two_groups_one_line():
    frame = people(500)
    frame.loc[(frame["sex"] == "a") & (frame.index % 4 == 0), "sex"] = "b"
    result = fp.audit_groups(frame["y"], frame["p"], sensitive_features=frame["sex"])
    lines = result.to_frame().set_index("measure")
    assert {*lines["group"]} == {"sex=a"} and {*lines["others"]} == {"sex=b"}
    assert (result.about["groups"], result.about["lines"]) == (2, 2)
    pair = fp.audit(
        frame["y"], frame["p"], sensitive_features=frame["sex"], reference={"sex": "b"},
        criterion="separation", alpha=0.025,
    ).to_frame().set_index("measure")  # fmt: skip
    for name in ("estimate", "ci_low", "ci_high", "pvalue"):
        np.testing.assert_allclose(lines[name], pair.loc[lines.index, name])
    turned = {"a": "z", "b": "b"}
    other = fp.audit_groups(frame["y"], frame["p"], sensitive_features=frame["sex"].map(turned))
    numbers = ["estimate", "ci_low", "ci_high", "pvalue_adjusted", "verdict", "items"]
    pd.testing.assert_frame_equal(result.tests[numbers], other.tests[numbers])


@pytest.mark.parametrize(
    "criterion", ["separation", "accuracy", "demographic_parity", "equal_opportunity"]
)
@pytest.mark.parametrize("within", [True, False])
def test_lines_in_clusters_have_the_tests_of_the_audit(criterion, within):
    """Four résumés for one job ad, of both groups or of one; an intersection against the rest."""
    rng, ads = np.random.default_rng(7), 120
    ad = np.repeat(np.arange(ads), 4)
    sex = (
        np.tile(["f", "f", "m", "m"], ads) if within else np.repeat(rng.choice(["f", "m"], ads), 4)
    )
    chance = 1 / (1 + np.exp(-np.repeat(rng.normal(size=ads), 4) - 0.7 * (sex == "m")))
    frame = pd.DataFrame({"y": rng.integers(0, 2, 4 * ads), "p": rng.random(4 * ads) < chance})
    frame = frame.assign(sex=sex, area=rng.choice(["n", "s", "w"], 4 * ads), ad=ad)
    frame["both"] = np.where((sex == "f") & (frame["area"] == "n"), "fn", "rest")
    options = {"clusters": "ad", "criterion": criterion, "data": frame}
    result = fp.audit_groups("y", "p", sensitive_features=["sex", "area"], **options)
    assert "480 rows in 120 clusters, " in str(result) and result.about["clusters"] == ads
    lines = result.to_frame().set_index(["group", "measure"])
    (sex,) = {group for group, _ in lines.index if group in ("sex=f", "sex=m")}
    level = 0.05 / result.about["tested"]
    for group, attribute, other in (
        (sex, "sex", "m" if sex == "sex=f" else "f"),
        ("sex=f & area=n", "both", "rest"),
    ):
        audit_of = {"sensitive_features": attribute, "reference": other, "alpha": level}
        theirs = fp.audit("y", "p", **audit_of, **options).to_frame().set_index("measure")
        for measure in set(result.tests["measure"]):
            for name in ("estimate", "pvalue", "ci_low", "ci_high"):
                ours = lines.loc[(group, measure), name]
                assert ours == pytest.approx(theirs.loc[measure, name], rel=1e-6, abs=1e-4), name


def test_clusters_of_one_row_are_none_and_other_forms_are_refused(monkeypatch):
    frame = people(400).assign(id=range(400), one=1, n=5)
    given = {"sensitive_features": ["sex", "area"], "data": frame}
    plain = fp.audit_groups("y", "p", **given)
    each = fp.audit_groups("y", "p", clusters="id", **given)
    pd.testing.assert_frame_equal(plain.to_frame(), each.to_frame())
    arrays = {"sensitive_features": frame["sex"], "clusters": frame["id"] // 4}
    assert fp.audit_groups(frame["y"], frame["p"], **arrays).about["clusters"] == 100
    alone = {"sensitive_features": frame["id"] // 40, "clusters": frame["id"] // 40}
    untested = fp.audit_groups(frame["y"], frame["p"], **alone)
    assert untested.counts["cannot be tested"] == 20
    assert untested.answer.sentence == "too few clusters to test any group"
    assert untested.answer.next.startswith("Next: collect rows of more clusters")
    for options, message in (
        ({"clusters": "one"}, "one value"),
        ({"clusters": "no"}, "there is no column `no`"),
        ({"clusters": "id", "control": "age"}, "clusters needs a row per person, and has no form"),
    ):
        with pytest.raises(InputError, match=message):
            fp.audit_groups("y", "p", **given, **options)
    monkeypatch.setattr(audit, "MOST_READ", 100)
    frame["id"] //= 2
    with pytest.raises(
        InputError, match="clusters: 20 comparisons of 400 rows would take too long"
    ):
        fp.audit_groups("y", "p", clusters="id", **given)


@pytest.mark.slow
@pytest.mark.parametrize("few", [0, 100])
def test_a_line_is_found_exactly_where_its_interval_leaves_out_0(few, monkeypatch):
    monkeypatch.setattr(audit, "FEW_LINES", few)
    found = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([60, 150, 600]))
        groups = {name: rng.integers(0, k, n) for name, k in (("a", 2), ("b", rng.integers(2, 6)))}
        control = {"control": rng.integers(0, 3, n)} if seed % 3 == 0 else {}
        y, base, gap = rng.integers(0, 2, n), rng.choice([0.1, 0.4]), rng.choice([0, 0.3, 0.5])
        p = (rng.random(n) < base + gap * (groups["a"] == 1)).astype(int)
        result = fp.audit_groups(y, p, sensitive_features=groups, margin=0.05, **control)
        tests = result.tests.dropna(subset="estimate")
        apart = (tests["ci_low"] > 0) | (tests["ci_high"] < 0)
        assert (apart == tests["verdict"].isin([BEYOND, VIOLATED, VIOLATED_WITHIN])).all()
        assert (apart == (tests["pvalue_adjusted"] < 0.05)).all()
        assert tests["estimate"].between(tests["ci_low"], tests["ci_high"]).all()
        found += int(apart.sum())
    assert found > 25


def test_intervals_are_simultaneous_over_all_lines(monkeypatch):
    monkeypatch.setattr(audit, "FEW_LINES", 0)
    tests = audited(people()).tests
    counts = [
        (tests[rate] * tests[n]).round().to_numpy()
        for rate, n in (("rate", "n"), ("rate_others", "n_others"))
    ]
    low, high = simultaneous_limits(
        counts[0], tests["n"].to_numpy(), counts[1], tests["n_others"].to_numpy(), alpha=0.05
    )
    agree = ((low > 0) | (high < 0)) == (tests["verdict"] == VIOLATED)
    assert agree.mean() > 0.9  # the others have an end moved
    np.testing.assert_allclose(tests["ci_low"][agree], low[agree])
    np.testing.assert_allclose(tests["ci_high"][agree], high[agree])


def test_margins_are_decided_by_the_intervals():
    frame = pd.concat([people(40_000, seed) for seed in range(3)], ignore_index=True)
    result = audited(frame, margin=0.1, depth=2)
    tests = result.tests
    low, high, margin = tests["ci_low"], tests["ci_high"], 0.1
    beyond = (low > margin) | (high < -margin)
    assert (beyond == (tests["verdict"] == BEYOND)).all() and beyond.any() and result.violated
    within = (low > -margin) & (high < margin)
    assert (within == tests["verdict"].isin([WITHIN, VIOLATED_WITHIN])).all() and within.any()
    assert result.shown is False and (tests["verdict"] == VIOLATED_WITHIN).any()
    everything = audited(frame, margin=0.9, depth=2)
    assert everything.shown is True and everything.violated is False
    assert audited(frame).shown is None


def test_groups_of_the_same_items_and_small_ones_are_left_out():
    frame = people(500).assign(age=lambda rows: rows["area"].str.upper())
    result = audited(frame, smallest=100)
    about = result.about
    assert about["groups"] == result.tests["group"].nunique() + 1 == 5
    assert about["left_out"] == {"small": 18, "same": 6}
    assert not result.tests["group"].str.contains("age").any()
    assert (
        "Left out: 18 groups with fewer than 100 rows; 6 groups with the same" in result.to_text()
    )


def test_without_labels_selection_rates_are_compared():
    frame = people()
    result = fp.audit_groups(None, frame["p"], sensitive_features=frame["area"])
    assert set(result.tests["measure"]) == {"selection rate"}
    assert "no labels: only selection rates" in result.to_text()
    same = fp.audit_groups(
        frame["y"], frame["p"], sensitive_features=frame["area"], criterion="demographic_parity"
    )
    pd.testing.assert_frame_equal(result.tests, same.tests)


def test_a_group_without_a_label_is_named_and_does_not_count():
    frame = people(300)
    frame.loc[frame["area"] == "west", "y"] = 1
    result = audited(frame, depth=1)
    assert result.counts[NOT_ESTIMATED] == 1
    last = result.tests.iloc[-1]
    assert (last["group"], last["measure"]) == ("area=west", "FPR") and np.isnan(last["pvalue"])
    assert result.about["tested"] == result.about["lines"] - 1
    assert "cannot be estimated" in result.to_text() and "FPR" in result.to_html()


def test_many_groups_of_one_attribute():
    rng = np.random.default_rng(0)
    n = 20_000
    y, region = rng.integers(0, 2, n), rng.integers(0, 900, n)
    p = np.where(region == 7, 1 - y, y)
    result = fp.audit_groups(y, p, sensitive_features={"region": region})
    assert result.about["groups"] == len(np.unique(region)) - result.about["left_out"]["small"]
    assert list(result.tests["group"][:2]) == ["region=7", "region=7"]
    assert list(result.tests["verdict"][:2]) == [VIOLATED, VIOLATED]


def test_a_class_is_compared_against_the_rest():
    frame = people()
    result = audited(frame)
    words = fp.audit_groups(
        frame["y"].map({1: "cat", 0: "dog"}).where(frame.index % 5 > 0, "cow"),
        frame["p"].map({1: "cat", 0: "dog"}), sensitive_features=frame[ATTRIBUTES],
        positive="cat", depth=3,
    )  # fmt: skip
    assert (words.about["positive"], words.about["rest"]) == ("cat", ["cow", "dog"])
    assert words.tests["group"][0] == result.tests["group"][0]


Y, P, G = [0, 1, 1, 0] * 30, [0, 1, 0, 1] * 30, ["a", "a", "b"] * 40


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sensitive_features": ["a"] * 120}, "has only one group, 'a'"),
        ({"sensitive_features": {}}, "sensitive_features is empty"),
        ({"depth": 0}, "depth must be a whole number from 1 on; it is 0"),
        ({"depth": 2}, r"depth is 2, and there are 1 sensitive attribute\(s\): give 1 at most"),
        ({"depth": 1.5}, "depth must be a whole number"),
        ({"smallest": 0}, "smallest must be a whole number from 1 to"),
        ({"smallest": 1000}, "No group has 1000 rows, the smallest group that is compared"),
        ({"criterion": "xauc"}, "'xauc' is not a criterion .* name one of separation"),
        ({"criterion": "seperation"}, r"did you mean `separation`\?"),
        ({"criterion": []}, "criterion is empty: name at least one of separation"),
        ({"criterion": ["separation", "equal_opportunity"]}, "separation has the comparisons of "),
        ({"y_true": None, "criterion": "separation"}, "separation needs labels, and none are"),
        ({"margin": 0}, "margin must lie between 0 and 1, without these; it is 0"),
        ({"alpha": 2}, "alpha must lie between 0 and 1"),
        ({"missing_group": "yes"}, "missing_group must be True or False"),
        ({"y_true": list(range(120))}, "y_true has 120 values, and groups are compared by rates"),
        ({"y_pred": [i / 200 for i in range(120)]}, "y_pred holds numbers, and groups are comp"),
        ({"y_true": [1] * 120}, "y_true is 1 in every row"),
        ({"y_true": ["x", "y"] * 60, "y_pred": ["x", "y"] * 60}, "name the positive one"),
        ({"y_true": Y[1:]}, "120"),
        ({"y_pred": None}, "y_pred"),
        ({"sensitive_features": [None, *G[1:]]}, r"1 missing value\(s\)"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(change, message):
    given = {"y_true": Y, "y_pred": P, "sensitive_features": G, **change}
    with pytest.raises(InputError, match=message):
        fp.audit_groups(given.pop("y_true"), given.pop("y_pred"), **given)


@pytest.mark.slow
def test_more_than_100_000_groups_are_refused_with_what_to_give():
    rng = np.random.default_rng(0)
    n = 300_000
    y, many = rng.integers(0, 2, n), rng.integers(0, 500, (n, 2))
    features = {"a": many[:, 0], "b": many[:, 1]}
    with pytest.raises(InputError, match="more than 100,000 groups of 1 or more rows: give a dep"):
        fp.audit_groups(y, 1 - y, sensitive_features=features, smallest=1)
    with pytest.raises(InputError, match=f"150,000 groups, more than {MOST_GROUPS:,}: join some"):
        fp.audit_groups(y, 1 - y, sensitive_features=np.arange(n) // 2)
    assert fp.audit_groups(y, 1 - y, sensitive_features=features, depth=1).about["groups"] == 1000


def test_an_audit_of_more_than_20_groups_names_this_one():
    groups = [i % 30 for i in range(120)]
    with pytest.raises(
        InputError, match=r"more than 20: .* or take fairpairs.audit_groups for many"
    ):
        fp.audit(Y, P, sensitive_features=groups)
    two = {"a": [i % 10 for i in range(120)], "b": [i % 7 for i in range(120)]}
    with pytest.raises(InputError, match=r"70 combinations.*or fairpairs.audit_groups for many"):
        fp.audit(Y, P, sensitive_features=two, intersections=True)
