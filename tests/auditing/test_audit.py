"""The audit against the functions that it calls, Fairlearn, and arithmetic."""

import json
import re

import fairlearn.metrics as fairlearn
import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact
from sklearn.metrics import accuracy_score, precision_score, roc_auc_score
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    proportions_ztest,
)

import fairpairs as fp
from fairpairs.auditing.audit import schema
from fairpairs.auditing.criteria import CRITERIA
from fairpairs.auditing.criteria.average_odds import average_odds_test
from fairpairs.auditing.criteria.comparative_separation import MAX_REAL
from fairpairs.auditing.page import _by_criterion
from fairpairs.auditing.result import COLUMNS
from fairpairs.auditing.verdicts import VERDICTS

BINARY = [name for name in CRITERIA if name != "xauc"]
REAL = [name for name in BINARY if name not in ("separation", "average_odds")]


def people(n=1500, seed=0):
    """People whose model is harder on group b, and all right with c."""
    rng = np.random.default_rng(seed)
    race = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    sex = rng.choice(["f", "m"], n)
    y = (rng.random(n) < 0.4).astype(int)
    score = np.clip(0.3 + 0.3 * y - 0.15 * (race == "b") + rng.normal(0, 0.2, n), 0, 1)
    frame = pd.DataFrame({"y": y, "score": score, "race": race, "sex": sex})
    return frame.assign(yhat=(score > 0.5).astype(int), points=y + 3 * score + rng.normal(size=n))


@pytest.fixture(scope="module")
def data():
    return people()


@pytest.fixture(scope="module")
def full(data):
    return fp.audit(
        data["y"], data["yhat"], y_score=data["score"], sensitive_features=data[["race", "sex"]],
        intersections=True,
    )  # fmt: skip


def rows(result, **where):
    frame = result.to_frame()
    for name, value in where.items():
        frame = frame[frame[name] == value]
    return frame


def two(data, group, reference="a", attribute="race"):
    part = data[data[attribute].isin([group, reference])]
    return part, (part[attribute] == group).astype(int)


@pytest.mark.parametrize("group", ["b", "c"])
def test_the_rows_are_those_of_the_functions(data, full, group):
    part, member = two(data, group)
    y, yhat = part["y"], part["yhat"]
    own = {"attribute": "race", "group": group}
    options = {"sensitive_features": member, "correction": "none"}
    expected = {
        "separation": fp.separation_test(y, yhat, **options).difference,
        "comparative_separation": fp.comparative_separation_test(y, yhat, **options).difference,
        "differential_parity": fp.differential_parity_test(
            yhat, y, sensitive_features=member
        ).difference,
    }
    for criterion, difference in expected.items():
        found = rows(full, criterion=criterion, **own)
        assert_allclose(found["estimate"], difference.estimate)
        assert_allclose(found[["ci_low", "ci_high"]].T, [difference.ci_low, difference.ci_high])
        assert_allclose(found["pvalue"], difference.pvalue)
        assert_allclose(found["effect_size"], difference.effect_size)
        assert list(found["n"]) == list(difference.n)
        assert list(found["smallest_cell"]) == list(difference.smallest_cell)


def test_the_ranking_is_that_of_all_groups_at_once(data, full):
    theirs = fp.xauc(data["y"], data["score"], sensitive_features=data["race"])
    place = {"a": 0, "b": 1, "c": 2}
    for group in ("b", "c"):
        g = place[group]
        expected = [
            theirs.auc[g] - theirs.auc[0],
            theirs.xauc[g, 0] - theirs.xauc[0, g],
            theirs.xauc_1[g] - theirs.xauc_1[0],
            theirs.xauc_0[g] - theirs.xauc_0[0],
        ]
        found = rows(full, criterion="xauc", attribute="race", group=group)
        assert list(found["measure"]) == ["AUC", "xAUC", "xAUC_1", "xAUC_0"]
        assert_allclose(found["estimate"], expected)
        pair = 0 if group == "b" else 1  # a against b, a against c, b against c
        assert_allclose(found["pvalue"], theirs.difference.pvalue[4 * pair : 4 * pair + 4])


def test_average_odds_and_selection_rates(data, full):
    part, member = two(data, "b")
    separation = fp.separation_test(
        part["y"], part["yhat"], sensitive_features=member, method="wald"
    )
    (row,) = rows(full, criterion="average_odds", group="b").to_dict("records")
    assert_allclose(row["estimate"], separation.aod)
    # the two differences rest on other items, so their variances add
    half = (separation.difference.ci_high - separation.difference.ci_low) / 2
    assert_allclose(row["ci_high"] - row["estimate"], np.sqrt((half**2).sum()) / 2)
    (row,) = rows(full, criterion="demographic_parity", group="b").to_dict("records")
    selected, sizes = part.groupby(member)["yhat"].sum(), member.value_counts().sort_index()
    low, high = confint_proportions_2indep(
        selected[1], sizes[1], selected[0], sizes[0], method="newcomb"
    )
    assert_allclose([row["ci_low"], row["ci_high"]], [low, high])


def test_the_rates_are_those_of_fairlearn(data, full):
    metrics = {
        "selection rate": fairlearn.selection_rate,
        "TPR": fairlearn.true_positive_rate,
        "FPR": fairlearn.false_positive_rate,
        "precision": precision_score,
        "accuracy": accuracy_score,
    }
    features = {"race": data["race"], "sex": data["sex"], "race & sex": data[["race", "sex"]]}
    for name, groups in features.items():
        frame = fairlearn.MetricFrame(
            metrics=metrics, y_true=data["y"], y_pred=data["yhat"], sensitive_features=groups
        )
        rates = full.rates[full.rates["attribute"] == name]
        ours = rates.pivot(index="group", columns="measure", values="estimate")
        assert_allclose(ours[list(metrics)], frame.by_group[list(metrics)].astype(float))
        largest = data.groupby(list(groups.columns) if groups.ndim == 2 else name).size().idxmax()
        theirs = frame.by_group["TPR"] - frame.by_group["TPR"][largest]
        eod = rows(full, attribute=name, measure="EOD").set_index("group")["estimate"]
        assert_allclose(eod, theirs.drop(largest).astype(float), atol=1e-12)
    auc = full.rates.query("attribute == 'race' and measure == 'AUC'").set_index("group")
    for group, own in data.groupby("race"):
        assert_allclose(auc.loc[group, "estimate"], roc_auc_score(own["y"], own["score"]))


def test_the_rates_have_wilsons_intervals(full):
    rates = full.rates[full.rates["count"].notna()]
    assert {"base rate", "TPR", "precision"} <= set(rates["measure"])
    low, high = proportion_confint(rates["count"], rates["n"], method="wilson")
    assert_allclose(rates["estimate"], rates["count"] / rates["n"])
    assert_allclose(rates[["ci_low", "ci_high"]].T, [low, high])


def test_pvalues_are_adjusted_within_attribute_and_criterion(full):
    frame = full.to_frame()
    for _, family in frame.groupby(["attribute", "criterion"]):
        expected = multipletests(family["pvalue"], method="holm")[1]
        assert_allclose(family["pvalue_adjusted"], expected)
    assert (frame["verdict"] == "violated").equals(frame["pvalue_adjusted"] < 0.05)


def test_the_model_is_found_to_be_hard_on_b_alone(full):
    found = rows(full, attribute="race", verdict="violated")
    assert set(found["group"]) == {"b"}
    assert (rows(full, group="b", measure="EOD")["estimate"] < 0).all()
    assert (rows(full, attribute="sex")["verdict"] == "not shown").all()
    assert full.violated is True


def test_the_intersections_are_all_attributes_together(data, full):
    names = full.about["attributes"]["race & sex"]
    sizes = data.groupby(["race", "sex"]).size()
    assert names["groups"] == {f"{race} & {sex}": n for (race, sex), n in sizes.items()}
    assert names["reference"] == max(names["groups"], key=names["groups"].get)
    assert len(rows(full, attribute="race & sex")) == 5 * 13


def test_another_reference_turns_the_signs(data):
    options = {"sensitive_features": data["sex"]}
    one, other = (
        fp.audit(data["y"], data["yhat"], reference={"sex": sex}, **options).to_frame()
        for sex in ("f", "m")
    )
    signed = ~one["criterion"].isin(["information_separation", "density_ratio_separation"])
    assert_allclose(one["estimate"][signed], -other["estimate"][signed], atol=1e-12)
    assert set(one["group"]) == {"m"}
    assert set(other["group"]) == {"f"}


def test_measures_of_counts_are_tested_by_shuffles(full):
    found = rows(full, criterion="information_separation", attribute="race")
    assert found.set_index("group").loc["b", "pvalue"] == 1e-4
    assert found["note"].str.contains("p by 9,999 shuffles").all()


def test_a_score_is_audited_without_a_threshold(data):
    result = fp.audit(data["y"], data["score"], sensitive_features=data["sex"])
    assert list(dict.fromkeys(result.to_frame()["criterion"])) == [
        name for name in CRITERIA if name in (*REAL, "xauc")
    ]
    assert set(result.about["not_applicable"]) == {"separation", "average_odds"}
    part, member = data, (data["sex"] == "f").astype(int)
    reference = result.about["attributes"]["sex"]["reference"]
    member = (data["sex"] != reference).astype(int)
    (row,) = rows(result, criterion="information_separation").to_dict("records")
    expected = fp.information_separation(part["y"], part["score"], sensitive_features=member)
    assert_allclose(row["estimate"], expected)
    assert row["verdict"] == "measured"
    assert row["note"].endswith("may be above 0 though separation holds")
    assert "may be above 0 and 1 though separation holds" in result.to_text().replace("\n ", "")
    (row,) = rows(result, criterion="density_ratio_separation").to_dict("records")
    assert row["note"].endswith("may be above 1 though separation holds")


def test_numbers_are_audited_with_balanced_labels(data):
    result = fp.audit(
        data["points"], data["score"], sensitive_features=data["sex"], n_permutations=19
    )
    assert list(dict.fromkeys(result.to_frame()["criterion"])) == REAL
    assert result.about["label"] == "real"
    member = (data["sex"] != result.about["attributes"]["sex"]["reference"]).astype(int)
    theirs = fp.comparative_separation_test(
        data["points"], data["score"], sensitive_features=member
    )
    assert theirs.balanced
    assert_allclose(
        rows(result, criterion="comparative_separation")["estimate"], theirs.difference.estimate
    )
    ratio = fp.density_ratio_fairness(data["points"], data["score"], sensitive_features=member)
    (row,) = rows(result, criterion="density_ratio_separation").to_dict("records")
    assert_allclose(row["estimate"], ratio.difference.estimate[1])
    assert row["pvalue"] * 20 == pytest.approx(round(row["pvalue"] * 20))
    assert "p by 19 shuffles" in row["note"]
    means = result.rates.pivot(index="group", columns="measure", values="estimate")
    assert_allclose(means["mean prediction"], data.groupby("sex")["score"].mean())


def test_many_numbers_are_drawn_and_the_row_says_so():
    rng = np.random.default_rng(0)
    n = MAX_REAL + 1000
    y = rng.normal(size=n)
    group = rng.integers(0, 2, n)
    result = fp.audit(y, y + rng.normal(size=n) + 0.1 * group, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    assert found["note"].str.startswith(f"on {MAX_REAL:,} of {n:,} items, drawn at random").all()
    assert (found["n"] < MAX_REAL**2 / 2).all()
    assert found["verdict"].iloc[0] == "violated"
    # P(Z < 0.1 / √2 / √2 …) has no closed form here; the sign and the size are known
    assert 0.01 < abs(found["estimate"].iloc[0]) < 0.1


def test_what_cannot_be_estimated_is_a_row_with_the_reason():
    y = np.array([1, 0, 1, 0, 1, 0, 1, 0, 1, 1])
    yhat = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 0])
    group = np.array(["a"] * 8 + ["b"] * 2)  # b has no negative label
    result = fp.audit(y, yhat, y_score=yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    assert len(frame) == 13
    assert frame.loc["FPR difference", ["verdict", "note"]].tolist() == [
        "cannot be estimated", "empty cell"
    ]  # fmt: skip
    assert frame.loc["xAUC", "note"] == "a group without negative items"
    assert frame.loc["AOD", "verdict"] == "cannot be estimated"
    assert frame.loc["density ratio", "note"] == "a label that one group has not"
    assert (frame["note"] != "").all()  # the others have small cells
    rate = result.rates.query("group == 'b' and measure == 'FPR'").iloc[0]
    assert np.isnan(rate["estimate"])
    assert rate["note"] == "cannot be estimated: an empty cell"
    one = fp.audit(y, yhat / 2 + y / 4, sensitive_features=["a"] * 9 + ["c"]).to_frame()
    assert (one.set_index("criterion").loc["density_ratio_separation", "note"]) == (
        "a group with one item: a density needs two"
    )


def test_groups_that_do_not_overlap_have_no_ratio_and_no_word_of_options_that_there_are_not():
    y = np.arange(40.0)
    group = np.repeat(["low", "high"], 20)
    audited = fp.audit(y, y + 0.5, sensitive_features=group)
    (row,) = rows(audited, criterion="density_ratio_separation").to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert row["note"] == "the groups hardly overlap, so the ratio has no end"


def test_one_person_shows_no_violation():
    """Wald's variance of a rate of 0 or 1 is zero: z would be beyond any bound."""
    y = np.array([1] * 2000 + [0] * 2000 + [1, 0])
    yhat = np.array([1, 1, 1, 0] * 500 + [0, 0, 0, 1] * 500 + [0, 1])
    group = np.array(["many"] * 4000 + ["one"] * 2)
    result = fp.audit(y, yhat, y_score=yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    member = (group == "one").astype(int)
    assert fp.separation_test(y, yhat, sensitive_features=member, method="wald").violated
    assert not fp.separation_test(y, yhat, sensitive_features=member).violated
    rates = ["EOD", "FPR difference", "AOD", "across groups", "within groups", "selection rate"]
    assert "violated" not in set(frame.loc[rates, "verdict"])
    for measure, label in (("EOD", 1), ("FPR difference", 0)):
        table = pd.crosstab(member[y == label], yhat[y == label]).to_numpy()
        assert_allclose(frame.loc[measure, "pvalue"], fisher_exact(table).pvalue)
        assert "Fisher's exact test" in frame.loc[measure, "note"]
        assert frame.loc[measure, "ci_high"] - frame.loc[measure, "ci_low"] > 0.7
    assert frame.loc["AOD", "pvalue"] > 0.5
    assert np.isnan(frame.loc["across groups", "ci_low"])


def test_small_cells_have_newcombes_intervals():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 150)
    group = np.where(np.arange(300) % 10 < 1, "few", "many")
    yhat = np.where(group == "few", 1, rng.integers(0, 2, 300))  # all of the few are selected
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    low, high = confint_proportions_2indep(
        15, 15, yhat[(y == 1) & (group == "many")].sum(), 135, method="newcomb"
    )
    assert_allclose(frame.loc["EOD", ["ci_low", "ci_high"]].astype(float), [low, high])
    assert (frame.loc[["EOD", "FPR difference", "AOD"], "verdict"] == "violated").all()
    aod = frame.loc["AOD"]
    assert low < aod["ci_low"] < aod["estimate"] < aod["ci_high"]  # two cells tell more than one
    # 30 items, none of which is not selected, but more than 10 are expected to be: the pooled z
    selected = [30, yhat[group == "many"].sum()]
    theirs = proportions_ztest(selected, [30, 270])[1]
    assert_allclose(frame.loc["selection rate", "pvalue"], theirs)


def test_few_events_are_tested_by_fisher_and_marked():
    """0 of 50 against 60 of 3,000: Wald's z has no variance in the small group."""
    y = np.tile([0, 1], 3050)
    group = np.where(np.arange(6100) < 100, "few", "many")
    yhat = np.where(y == 1, np.arange(6100) % 6 < 3, 0)
    yhat[100:220:2] = 1  # 60 false positives, all of the many
    result = fp.audit(y, yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    theirs = fisher_exact([[0, 50], [60, 2940]]).pvalue
    assert frame.loc["FPR difference", "pvalue"] == pytest.approx(theirs)
    assert frame.loc["FPR difference", "verdict"] == "not shown"
    assert frame.loc["FPR difference", "ci_high"] > 0
    assert "5 or fewer positive or negative predictions in a cell" in frame.loc["AOD", "note"]
    assert frame.loc["EOD", "note"] == ""
    lines = {line[2:22].strip(): line for line in result.to_text().splitlines()}
    assert "!" in lines["FPR"]
    assert "!" not in lines["TPR (EOD)"]
    assert "! A cell below 30, few positive" in result.to_text()
    assert "50!" in result.to_html()


def test_small_classes_have_no_interval_of_pairs_but_a_pvalue():
    """With 6 items of a class the intervals of pairs cover far less than 0.95."""
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 600), np.repeat(["many", "few"], [580, 20])
    score = y + rng.normal(0, 2, 600)
    result = fp.audit(y, score, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    small = found["smallest_cell"] < 30
    assert small.any()
    assert found.loc[small, ["ci_low", "ci_high"]].isna().all(axis=None)
    assert found.loc[small, "note"].str.contains("a cell below 30: no interval").all()
    assert found["pvalue"].notna().all()


def test_small_classes_have_intervals_of_the_ranking():
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 600), np.repeat(["many", "few"], [580, 20])
    score = y + rng.normal(0, 2, 600)
    result = fp.audit(y, score, sensitive_features=group)
    found = rows(result, criterion="xauc")
    assert (found["smallest_cell"] < 30).all()
    assert (found["note"] == "a cell below 30").all()
    assert found[["ci_low", "ci_high", "pvalue"]].notna().all(axis=None)
    auc = result.rates[result.rates["measure"] == "AUC"].set_index("group")
    assert auc[["ci_low", "ci_high"]].notna().all(axis=None)
    assert auc["note"].to_dict() == {"many": "", "few": "a cell below 30"}


def test_xauc_of_two_groups_counts_their_items(data, full):
    found = rows(full, criterion="xauc", attribute="race").set_index(["group", "measure"])["n"]
    sizes = data["race"].value_counts()
    for group in ("b", "c"):
        for measure, n in {"AUC": sizes["a"] + sizes[group], "xAUC_1": len(data)}.items():
            assert found[group, measure] == n
        assert found[group, "xAUC"] == found[group, "AUC"]


@pytest.mark.parametrize(("correction", "needed"), [("holm", 40), ("sidak", 39), ("none", 20)])
def test_too_few_permutations_are_no_test(data, correction, needed):
    """Two groups against one: two hypotheses in a family."""

    def found(n):
        result = fp.audit(
            data["points"][:300], data["score"][:300], sensitive_features=data["race"][:300],
            correction=correction, n_permutations=n,
        )  # fmt: skip
        return rows(result, criterion="information_separation")

    few, enough = found(needed - 1), found(needed)
    assert (few["verdict"] == "cannot be tested").all()
    assert (
        few["note"].str.endswith(f"too few for a p below 0.05: at least {needed} are needed").all()
    )
    assert set(enough["verdict"]) <= {"violated", "not shown"}
    # the smallest p that so many shuffles have
    smallest = np.array([1 / (needed + 1)] * 2)
    adjust = {"holm": "holm", "sidak": "sidak"}.get(correction)
    assert (multipletests(smallest, method=adjust)[1] if adjust else smallest).max() < 0.05


def test_what_cannot_be_found_outranks_what_is_not_shown():
    table = pd.DataFrame(
        {
            "criterion": ["a", "a", "b", "b", "c", "c", "d"],
            "verdict": ["not shown", "cannot be estimated", "violated", "cannot be estimated",
                        "cannot be tested", "not shown", "not shown"],
        }
    )  # fmt: skip
    assert _by_criterion(table) == {
        "a": "cannot be estimated", "b": "violated", "c": "cannot be tested", "d": "not shown"
    }  # fmt: skip


def test_average_odds_of_few_items_are_tested_by_the_interval():
    rng = np.random.default_rng(2)
    n = np.array([[500, 400], [12, 9]])
    for _ in range(20):
        k = rng.binomial(n, rng.random((2, 2)))
        low, high, p = average_odds_test(k, n, 0.05)
        rate = k / n
        gaps, estimate = rate[1] - rate[0], (rate[1] - rate[0]).mean()
        ends = np.array(
            [
                confint_proportions_2indep(k[1, y], n[1, y], k[0, y], n[0, y], method="newcomb")
                for y in (0, 1)
            ]
        ).T
        below, above = np.sqrt(((gaps - ends) ** 2).sum(axis=1)) / 2
        assert_allclose([low, high], [max(estimate - below, -1), min(estimate + above, 1)])
        # the interval of the level p ends at 0
        assert_allclose(np.abs(average_odds_test(k, n, p)[:2]).min(), 0, atol=1e-9)
    assert average_odds_test(np.array([[50, 50], [5, 5]]), np.array([[100] * 2, [10] * 2]), 0.1)[
        2
    ] == pytest.approx(1)


def test_the_level_of_average_odds_where_opposite_gaps_cancel():
    """TPR higher by 0.1 and FPR lower by 0.1 in 15 items each: AOD is 0; standard error 0.006."""
    rng = np.random.default_rng(0)
    n = np.array([[1000, 1000], [15, 15]])
    drawn = rng.binomial(n, [[0.3, 0.7], [0.2, 0.8]], (1200, 2, 2))
    found = np.mean([average_odds_test(k, n, 0.05)[2] < 0.05 for k in drawn])
    assert abs(found - 0.045) < 0.02


def test_scores_on_another_scale_than_labels_have_no_difference(data):
    result = fp.audit(data["y"], 10 * data["score"], sensitive_features=data["sex"])
    (row,) = rows(result, criterion="differential_parity").to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert "on another scale than labels of 0 and 1" in row["note"]


def test_the_json_keeps_its_schema_and_holds_everything(full, data):
    validator = jsonschema.Draft202012Validator(json.loads(schema().read_text("utf-8")))
    validator.check_schema(validator.schema)
    empty = fp.audit([1, 1, 0, 1], [1, 0, 1, 1], sensitive_features=[0, 0, 1, 1])
    real = fp.audit(data["points"], data["score"], sensitive_features=data["sex"])
    for result in (full, empty, real):
        content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        validator.validate(content)
        assert len(content["tests"]) == len(result.tests)
        assert sum(content["verdicts"].values()) == len(result.tests)
    assert set(validator.schema["properties"]["verdicts"]["required"]) == set(VERDICTS)
    kinds = validator.schema["properties"]["tests"]["items"]["properties"]
    assert list(kinds) == list(COLUMNS)
    assert kinds["criterion"]["enum"] == list(CRITERIA)


def test_it_does_not_matter_how_the_values_come(data):
    expected = fp.audit(data["y"], data["yhat"], sensitive_features=data[["sex"]]).to_frame()
    words = data["y"].map({1: "yes", 0: "no"})
    for y, yhat, sex, positive in (
        (data["y"].to_numpy(), data["yhat"].tolist(), {"sex": data["sex"].to_numpy()}, None),
        (data["y"].astype(bool), data["yhat"] == 1, data["sex"], None),
        (words, data["yhat"].map({1: "yes", 0: "no"}), data["sex"].astype("category"), "yes"),
        (words, data["yhat"], data["sex"], "yes"),
        (data["y"], data["yhat"].map({1: "True", 0: "False"}), data["sex"], None),
        (1 - data["y"], data["yhat"].map({0: "true", 1: "false"}), data["sex"], 0),
        (data["y"] + 1, data["yhat"] + 1, data["sex"], 2),
        (data["y"].astype(str), data["yhat"].astype(float), data["sex"], 1),
    ):
        found = fp.audit(y, yhat, sensitive_features=sex, positive=positive).to_frame()
        pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (np.array([["a", "x"], ["b", "y"]] * 4), ["attribute 1", "attribute 2"]),
        (np.array(["a", "b"] * 4), ["group"]),
        (pd.DataFrame({"g": ["a", "b"] * 4, "h": [1, 0, 0, 1] * 2}), ["g", "h"]),
    ],
)
def test_attributes_have_names(features, names):
    result = fp.audit([1, 0, 0, 1] * 2, [1, 0, 1, 0] * 2, sensitive_features=features)
    assert list(result.about["attributes"]) == names


Y, P, A = [1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0], list("aabbab")
SIX = [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"y_true": [1, 0, 2, 0, 1, 0]},
            "y_true has 3 values, while y_pred has two; the rarest, '2', .* in row 3: keep",
        ),
        (
            {"y_true": [3, 1, 3, 1, 3, 1]},
            "values 1, 3: say which one is positive, such as positive='3'.",
        ),
        ({"y_true": list("yynnyy")}, "y_true has the values n, y: say which one is positive"),
        ({"y_true": list("yynnyy"), "positive": "x"}, "'x' is none of them: name one of these"),
        ({"y_true": [1, 0, np.nan, 0, 1, 0]}, "y_true has 1 missing value"),
        ({"y_pred": [1, 0, np.nan, 0, 1, 0]}, "y_pred has 1 missing value"),
        ({"y_score": [1, 0, np.nan, 0, 1, 0]}, "y_score has 1 missing value"),
        ({"y_score": [1, 0, np.inf, 0, 1, 0]}, "y_score holds an infinite value"),
        ({"y_score": list("abcdef")}, "y_score must hold numbers and holds 'a' in row 1"),
        ({"y_score": [1.0]}, "y_score"),
        ({"y_pred": [1] * 6}, "y_pred is 1 in every row: there is nothing to compare"),
        ({"y_true": [0] * 6}, "y_true is 0 in every row"),
        (
            {"y_pred": ["1", "0", "x", "1", "1", "0"]},
            "0, 1, the values of the label, and holds 'x' in row 3",
        ),
        (
            {"y_true": [1, 2, 1, 2, 1, 2], "positive": 1},
            "0, 1, where y_true has 1, 2: code both alike",
        ),
        (
            {"y_true": SIX, "y_pred": SIX, "y_score": P},
            "y_score is for a label of two values, .* has 6",
        ),
        ({"y_true": SIX, "y_pred": list("abcdef")}, "must hold numbers and holds 'a' in row 1"),
        ({"sensitive_features": ["a"] * 6}, "`group` has one group only, 'a'.* drop it"),
        ({"sensitive_features": {"age": range(6)}, "y_true": Y}, None),
        ({"sensitive_features": {}}, "sensitive_features is empty"),
        ({"intersections": True}, "Intersections need two sensitive attributes"),
        ({"reference": {"group": "z"}}, "'z' is no group of .* `group`, which has a, b"),
        ({"reference": {"sex": "a"}}, "The reference names the attribute `sex`; there are `group`"),
        ({"alpha": 1}, "alpha must lie between 0 and 1"),
        ({"correction": "fdr"}, "correction must be one of 'none', 'holm', 'sidak'"),
        ({"n_permutations": -1}, "n_permutations must be a whole number from 0 to 1,000,000"),
        ({"random_state": None}, "random_state must be a whole number from 0 on"),
    ],
)
def test_bad_input_is_one_sentence(change, sentence):
    given = {"y_true": Y, "y_pred": P, "sensitive_features": A, **change}
    y_true, y_pred = given.pop("y_true"), given.pop("y_pred")
    if sentence is None:  # six groups are not too many
        assert len(fp.audit(y_true, y_pred, **given).about["attributes"]["age"]["groups"]) == 6
        return
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(y_true, y_pred, **given)


def test_too_many_groups_are_refused():
    y, yhat = [1, 0] * 30, [1, 0, 0, 1] * 15
    with pytest.raises(fp.InputError, match="`group` has 60 groups, more than 20: join some"):
        fp.audit(y, yhat, sensitive_features=range(60))
    both = {"g": [i % 6 for i in range(60)], "h": [i % 5 for i in range(60)]}
    with pytest.raises(fp.InputError, match="have 30 combinations, more than 20"):
        fp.audit(y, yhat, sensitive_features=both, intersections=True)


@pytest.mark.parametrize("kind", [int, float, str, "Int64", "category"])
def test_a_few_whole_numbers_may_be_classes_so_it_asks(kind):
    y, yhat = ([*values] * 4 for values in ([0, 1, 2, 3, 1], [0, 2, 2, 3, 1]))
    given = [pd.Series(values).astype(kind) for values in (y, yhat)]
    group = ["a", "b"] * 10
    sentence = (
        r"^y_true has 4 values, all whole numbers \(0, 1, 2, 3\), which may be numbers or classes: "
        r"for numbers, such as ratings or counts, give label_kind='number'; for classes, audit one "
        r"against the others, with y_true == 3 and y_pred == 3\.$"
    )
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(*given, sensitive_features=group)
    numbers = fp.audit(*given, sensitive_features=group, label_kind="number")
    assert (numbers.about["label"], numbers.about["prediction"]) == ("real", "real")
    assert not any("taken for numbers" in note for note in numbers.about["notes"])
    mean = rows(numbers, criterion="differential_parity")["estimate"].item()
    errors = pd.Series(yhat) - pd.Series(y)
    assert mean == pytest.approx(errors[1::2].mean() - errors[::2].mean())
    one = fp.audit(np.array(y) == 3, np.array(yhat) == 3, sensitive_features=group)
    assert one.about["label"] == "binary"


@pytest.mark.parametrize(("levels", "asks"), [(3, True), (10, True), (11, False)])
def test_more_than_ten_whole_numbers_are_numbers(levels, asks):
    y = np.arange(60) % levels
    features = {"sensitive_features": ["a", "b", "c"] * 20}
    if asks:
        with pytest.raises(fp.InputError, match=f"has {levels} values, all whole numbers"):
            fp.audit(y, y + 0.5 * (np.arange(60) % 7), **features)
        return
    result = fp.audit(y, y + 0.5 * (np.arange(60) % 7), **features)
    assert any("has 11 values, which are taken for numbers" in n for n in result.about["notes"])


def test_numbers_that_are_not_whole_are_numbers():
    y, yhat = [0.5, 1, 2] * 4, [1, 2, 2, 0.5] * 3
    assert fp.audit(y, yhat, sensitive_features=["a", "b"] * 6).about["label"] == "real"


def test_two_values_may_be_numbers_too():
    y, yhat, group = [3, 5, 3, 5, 5, 3] * 4, [3, 4, 4, 5, 3, 3] * 4, ["a", "b"] * 12
    result = fp.audit(y, yhat, sensitive_features=group, label_kind="number")
    assert result.about["label"] == "real"
    expected = fp.comparative_separation_test(y, yhat, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    assert_allclose(found["estimate"], expected.difference.estimate)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"label_kind": "class"}, "label_kind must be one of 'auto', 'binary', 'number'; it is"),
        ({"label_kind": "binary"}, "y_true has 3 values; the rarest, '3'"),
        ({"label_kind": "number", "y_true": list("abc") * 4}, "y_true must hold numbers and holds"),
        (
            {"label_kind": "number", "positive": 1},
            "takes the label for numbers, of which none is positive",
        ),
        ({"label_kind": "number", "y_score": [0.5] * 12}, "two values, and y_true is a number"),
        ({"y_true": [True, False] * 6, "positive": "yes"}, "'yes' is none of them"),
    ],
)
def test_a_kind_that_the_label_is_not_is_refused(change, sentence):
    given = {"y_true": [1, 2, 1, 3] * 3, "y_pred": [1, 3, 2] * 4, "sensitive_features": "ab" * 6}
    given["sensitive_features"] = list(given["sensitive_features"])
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**{**given, **change})


@pytest.mark.parametrize(("named", "word"), [(True, "yes"), (False, "no")])
def test_yes_without_quotes_in_yaml_is_explained(named, word):
    y, group = ["no", "yes"] * 6, ["yes", "yes", "no", "no"] * 3
    sentence = f'; in YAML, write "{word}" in quotes, without which it is read as {named}.'
    with pytest.raises(fp.InputError, match=re.escape(f"'{named}' is none of them: name one")) as e:
        fp.audit(y, y[::-1], sensitive_features=group, positive=named)
    assert str(e.value).endswith(sentence)
    reference = {"group": named}
    with pytest.raises(fp.InputError, match=f"'{named}' is no group of sensitive_feat") as e:
        fp.audit(y, y[::-1], sensitive_features=group, positive="yes", reference=reference)
    assert str(e.value).endswith(sentence)
    with pytest.raises(fp.InputError, match=r"none of them: name one .* positive='b'\.$"):
        fp.audit(["a", "b"] * 6, ["b", "a"] * 6, sensitive_features=group, positive=named)
