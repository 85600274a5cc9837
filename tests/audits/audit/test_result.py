"""The result of an audit, its rates, the words of its messages, and its groups compared."""

import html
import json
import re
from math import comb

import fairlearn.metrics as fairlearn
import jsonschema
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, precision_score, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

import fairpairs as fp
from fairpairs.audits.audit.fields import TESTS
from fairpairs.audits.criteria import ALL_CRITERIA
from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.rows import Measure
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import Settings
from fairpairs.audits.lines.verdicts import MEANINGS
from fairpairs.mathematics.arguments.design import SamplingDesign

from ..synthetic import rows


@pytest.mark.slow
def test_the_json_keeps_its_schema_and_holds_everything(full, data):
    validator = jsonschema.Draft202012Validator(fp.AuditResult.SCHEMA)
    validator.check_schema(validator.schema)
    empty = fp.audit([1, 1, 0, 1], [1, 0, 1, 1], sensitive_features=[0, 0, 1, 1])
    real = fp.audit(data["points"], data["score"], sensitive_features=data["sex"])
    classes = fp.audit(list("abcabc"), list("abcbca"), sensitive_features=[0, 0, 0, 1, 1, 1])
    ratings = fp.audit(
        [1, 2, 3] * 2, [2, 1, 3] * 2, sensitive_features=[0, 0, 0, 1, 1, 1], label_kind="ordinal"
    )
    for result in (full, empty, real, classes, ratings):
        content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        validator.validate(content)
        assert len(content["tests"]) == len(result.tests)
        assert sum(content["verdicts"].values()) == len(result.tests)
    assert set(validator.schema["properties"]["verdicts"]["required"]) == set(MEANINGS)
    kinds = validator.schema["properties"]["tests"]["items"]["properties"]
    assert list(kinds) == list(TESTS)
    assert kinds["criterion"]["enum"] == list(ALL_CRITERIA)


@pytest.mark.slow
def test_a_notebook_explains_every_verdict_of_the_lines(full, data):
    real = fp.audit(data["points"], data["score"], sensitive_features=data["race"], margin=0.2)
    margin = fp.audit(data["y"], data["yhat"], sensitive_features=data["race"], margin=0.1)
    few = fp.audit([1, 1, 0, 1], [1, 0, 1, 1], sensitive_features=[0, 0, 1, 1])
    explained = set()
    for result in (full, real, margin, few):
        page = html.unescape(result._repr_html_())
        for verdict in set(result.tests["verdict"]):
            assert MEANINGS[verdict] in page
            explained.add(verdict)
    assert len(explained) >= 6


@pytest.mark.slow
def test_the_rates_are_those_of_fairlearn(data, full):
    metrics = {
        "selection rate": fairlearn.selection_rate,
        "TPR": fairlearn.true_positive_rate,
        "FPR": fairlearn.false_positive_rate,
        "FNR": fairlearn.false_negative_rate,
        "precision": precision_score,
        "FDR": lambda y, yhat: 1 - precision_score(y, yhat),
        "FOR": lambda y, yhat: 1 - precision_score(y, yhat, pos_label=0),
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
        gaps = rows(full, attribute=name, measure="TPR")
        assert len(gaps) == comb(len(ours), 2)
        first, second = (ours["TPR"][gaps[side]].to_numpy() for side in ("group", "reference"))
        assert_allclose(gaps["estimate"], first - second, atol=1e-12)
    auc = full.rates.query("attribute == 'race' and measure == 'AUC'").set_index("group")
    for group, own in data.groupby("race"):
        assert_allclose(auc.loc[group, "estimate"], roc_auc_score(own["y"], own["score"]))


def test_the_rates_have_wilsons_intervals(full):
    rates = full.rates[full.rates["count"].notna()]
    assert {"base rate", "TPR", "precision"} <= set(rates["measure"])
    low, high = proportion_confint(rates["count"], rates["n"], method="wilson")
    assert_allclose(rates["estimate"], rates["count"] / rates["n"])
    assert_allclose(rates[["ci_low", "ci_high"]].T, [low, high])


def test_a_score_from_0_to_1_has_a_mean(data, full):
    found = full.rates.query("attribute == 'race' and measure == 'mean score'").set_index("group")
    assert_allclose(found["estimate"], data.groupby("race")["score"].mean())
    beyond = fp.audit(
        data["y"], data["yhat"], y_score=2 * data["score"], sensitive_features=data["race"]
    )
    alone = fp.audit(data["y"], data["score"], sensitive_features=data["race"])
    for result in (beyond, alone):
        assert "mean score" not in set(result.rates["measure"])


@pytest.mark.parametrize(("named", "word"), [(True, "yes"), (False, "no")])
def test_yes_without_quotes_in_yaml_is_explained(named, word):
    y, group = ["no", "yes"] * 6, ["yes", "yes", "no", "no"] * 3
    sentence = f'; in YAML, write "{word}" in quotes, without which it is read as {named}.'
    with pytest.raises(fp.InputError, match=re.escape(f"'{named}' is none of them: name one")) as e:
        fp.audit(y, y[::-1], sensitive_features=group, positive=named)
    assert str(e.value).endswith(sentence)
    reference = {"group": named}
    with pytest.raises(fp.InputError, match=f"'{named}' is not a group of sensitive_feat") as e:
        fp.audit(y, y[::-1], sensitive_features=group, positive="yes", reference=reference)
    assert str(e.value).endswith(sentence)
    with pytest.raises(fp.InputError, match=r"none of them: name one .* positive='b'\.$"):
        fp.audit(["a", "b"] * 6, ["b", "a"] * 6, sensitive_features=group, positive=named)


def of_groups(names=("a", "b", "c")):
    """Items of groups 0, 1, 2, 0, 1, 2, …; group b is the reference."""
    y = np.array([1.0, 0, 1, 0, 1, 1, 0, 0, 1])
    roles = Roles(y, 1 - y, None, "binary", "binary", "1")
    attribute = Attribute("g", np.arange(9) % 3, names, reference=1)
    design = SamplingDesign(len(roles.y_true))
    items = AttributeItems(roles, attribute, Settings(), design)
    return [Comparison(items, *two) for two in attribute.pairs]


def test_each_group_is_compared_with_the_reference():
    first, second = of_groups()
    assert [(one.group, one.reference) for one in (first, second)] == [("a", "b"), ("c", "b")]
    assert_array_equal(first.member, [1, 0, 1, 0, 1, 0])
    assert_array_equal(first.roles.y_true, [1, 0, 0, 1, 0, 0])
    assert_array_equal(first.counts, [[[0, 2], [1, 0]], [[0, 2], [1, 0]]])
    assert_array_equal(second.sizes, [3, 3])


def test_random_numbers_depend_on_the_groups_compared_alone():
    first, second = (one.generator.random(3) for one in of_groups())
    assert_array_equal(first, of_groups()[0].generator.random(3))
    assert (first != second).all()


def test_a_row_names_the_groups_as_they_are_written():
    comparison = of_groups(names=("{b}", "x {a}", "c"))[0]
    row = comparison.row(Measure("m", "TPR({a}) = TPR({b})"), estimate=0.5)
    assert row.hypothesis == "TPR({b}) = TPR(x {a})"
    assert (row.n, row.smallest_cell, row.estimate) == (6, 3, 0.5)


def test_mean_errors_are_of_the_pair_that_decides_whatever_its_names():
    rng = np.random.default_rng(0)
    names = np.repeat(["white", "white (rest)", "black"], 300)
    wage = rng.normal(500, 100, 900)
    low = np.select([names == "black", names == "white"], [-100.0, 100.0], 50.0)
    predicted, groups = wage + low + rng.normal(0, 20, 900), {"race, as told": names}
    result = fp.audit(wage, predicted, sensitive_features=groups)
    told = [line for line in str(result.answer).splitlines() if line.startswith("- Mean error")]
    assert len(told) == 1
    assert "(white)" in told[0] or "(black)" in told[0]
