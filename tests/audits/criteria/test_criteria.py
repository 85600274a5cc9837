"""Criteria: which count, their lines, and what the tests of each rest on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import fairpairs as fp
from fairpairs.audits.audit.interface import audit
from fairpairs.audits.criteria import CRITERIA
from fairpairs.audits.criteria.comparative_separation import MAX_REAL
from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.criterion import Criterion, lacking
from fairpairs.audits.criteria.rates import average_odds_contrast
from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import Settings
from fairpairs.base.errors import InputError
from fairpairs.mathematics.arguments.design import SamplingDesign

from ..synthetic import audited, loans, people, rows, two


def test_by_default_separation_counts_and_the_ranking_of_a_score():
    assert audited().about["gate"]["criteria"] == ["separation", "xauc"]
    assert audited(score=False).about["gate"]["criteria"] == ["separation"]
    label, _, score, features = loans()
    probabilities = fp.audit(label, 1 / (1 + np.exp(-score)), sensitive_features=features)
    assert probabilities.about["gate"]["criteria"] == ["xauc"]
    numbers = fp.audit(score, score + label, sensitive_features=features)
    assert numbers.about["gate"]["criteria"] == ["comparative_separation"]


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        ("sepration", r"^criterion: 'sepration' is not a criterion: name one of separation,"),
        ([], "^criterion is empty: name at least one of separation, "),
        ("separation,xauc", r"^criterion: 'separation,xauc' holds several criteria: give a list, "),
        (["separation", 5], "^criterion: 5 is not a criterion: name one of"),
        ("xauc",
         r"^criterion xauc does not apply \(no score is given\): name one of separation, .*n\.$"),
    ],
)  # fmt: skip
def test_a_criterion_that_cannot_count_is_refused(criterion, sentence):
    with pytest.raises(fp.InputError, match=sentence) as error:
        audited(score=False, criterion=criterion)
    if "no criterion" in sentence:
        assert str(error.value).endswith(f"{', '.join(CRITERIA)}.")


def test_a_criterion_without_a_test_is_refused():
    label, _, score, features = loans(n=200)
    sentence = "no test of real predictions without shuffles: give n_permutations too"
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(
            score, score + label, sensitive_features=features, criterion="information_separation"
        )


def test_what_a_test_refuses_is_a_row_for_each_measure():
    def refuse(comparison):
        raise InputError("Too few items: add some.")

    measures = (Measure("first", "{a} = {b}"), Measure("second", "{a} < {b}"))
    criterion = Criterion("new", "New", "Is it fair?", measures, refuse, refuse)
    y = np.array([0.0, 1, 0, 1])
    roles = Roles(y, y, None, "binary", "binary", "1")
    attribute = Attribute("g", np.array([0, 0, 1, 1]), ("a", "b"), reference=0)
    comparison = Comparison(
        AttributeItems(roles, attribute, Settings(), SamplingDesign(4)), *attribute.pairs[0]
    )
    rows = criterion.rows(comparison)
    assert [row.measure for row in rows] == ["first", "second"]
    assert {row.criterion for row in rows} == {"new"}
    assert {row.note for row in rows} == {"Too few items: add some"}
    assert np.isnan([row.estimate for row in rows]).all()
    assert lacking(roles)[criterion.needs] == ""


@pytest.mark.slow
def test_measures_of_counts_are_tested_by_shuffles(full):
    found = rows(full, criterion="information_separation", attribute="race")
    assert found.set_index("group").loc["b", "pvalue"] == 1e-4
    assert found["note"].str.contains("p by 9,999 shuffles").all()


def test_groups_that_do_not_overlap_have_no_ratio_and_no_word_of_options_that_there_are_not():
    y = np.arange(40.0)
    group = np.repeat(["low", "high"], 20)
    audited = fp.audit(y, y + 0.5, sensitive_features=group)
    (row,) = rows(audited, criterion="density_ratio_separation").to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert row["note"] == "the groups hardly overlap, so the ratio is unbounded"


MEASURED = {"I_sep", "density ratio"}


@pytest.fixture
def margins_rows(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """All rows of the audits of a test."""
    seen: list[Row] = []
    compare = Criterion.rows

    def kept(self: Criterion, comparison: Comparison, **more: bool) -> list[Row]:
        found = compare(self, comparison, **more)
        seen.extend(found)
        return found

    monkeypatch.setattr(Criterion, "rows", kept)
    return seen


@pytest.mark.parametrize("kind", ["decisions", "probabilities", "numbers"])
def test_every_signed_line_has_tests_of_its_difference(kind: str, margins_rows: list[Row]) -> None:
    rng = np.random.default_rng(0)
    n = 600
    group = rng.choice(list("abc"), size=n)
    label = rng.integers(2, size=n).astype(float)
    score = np.clip(0.3 + 0.4 * label + 0.15 * rng.normal(size=n), 0, 1)
    if kind == "decisions":
        audit(label, (score > 0.5).astype(int), y_score=score, sensitive_features=group)
    elif kind == "probabilities":
        audit(label, score, y_score=score, sensitive_features=group)
    else:
        label = rng.normal(size=n)
        audit(label, label + rng.normal(size=n), sensitive_features=group, label_kind="number")
    assert margins_rows
    for row in margins_rows:
        if row.measure in MEASURED or not np.isfinite(row.estimate):
            assert row.contrast is None
            continue
        assert row.contrast is not None, row.measure
        assert row.contrast.estimate == pytest.approx(row.estimate, abs=1e-9), row.measure
        low, high = row.contrast.limits(0.05)
        assert low < row.estimate < high
        # nearly the interval of the line, which serves another purpose
        if np.isfinite(row.ci_low):
            assert (low, high) == pytest.approx((row.ci_low, row.ci_high), abs=0.06), row.measure


def counts(successes, n):
    """Cells by group, label and prediction."""
    return np.stack([n - successes, successes], axis=-1)


@pytest.mark.slow
def test_average_odds_is_the_mean_of_both_differences(data, full):
    part, member = two(data, "b")
    separation = fp.separation_test(
        part["y"], part["yhat"], sensitive_features=member, method="wald"
    )
    (row,) = rows(full, criterion="average_odds", group="b").to_dict("records")
    assert_allclose(row["estimate"], separation.difference.estimate.mean())
    # the two differences rest on other items, so their variances add
    half = (separation.difference.ci_high - separation.difference.ci_low) / 2
    assert_allclose(row["ci_high"] - row["estimate"], np.sqrt((half**2).sum()) / 2, rtol=0.03)


def test_the_rates_at_a_null_value_are_the_likeliest_ones():
    """The score statistic, and the correction of its skewness, from a numerical optimum."""
    n, k, null = np.array([[50, 40], [12, 9]]), np.array([[10, 31], [3, 8]]), 0.1
    contrast = average_odds_contrast(counts(k, n))
    factors = np.array([[-0.5, -0.5], [0.5, 0.5]])

    def minus_likelihood(p):
        p = p.reshape(2, 2)
        return -(k * np.log(p) + (n - k) * np.log1p(-p)).sum()

    equal = {"type": "eq", "fun": lambda p: (p * factors.ravel()).sum() - null}
    p = minimize(
        minus_likelihood, (k / n).ravel(), bounds=[(1e-4, 1 - 1e-4)] * 4, constraints=equal,
        tol=1e-12,
    ).x.reshape(2, 2)  # fmt: skip
    variance = (factors**2 * p * (1 - p) / n).sum()
    third = (factors**3 * p * (1 - p) * (1 - 2 * p) / n**2).sum()
    z = contrast.statistic(null)
    t = z + third / variance**1.5 / 6 * (z**2 - 1)
    apart = contrast.estimate - null + contrast.nearer  # below the null value
    assert t == pytest.approx(apart / np.sqrt(variance), abs=1e-4)
    low, high = contrast.limits(0.1)
    assert contrast.pvalue_above(low) == pytest.approx(0.05, abs=1e-9)
    assert contrast.pvalue_below(high) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.slow
def test_many_numbers_are_drawn_and_the_row_says_so():
    rng = np.random.default_rng(0)
    n = MAX_REAL + 1000
    y = rng.normal(size=n)
    group = rng.integers(0, 2, n)
    result = fp.audit(y, y + rng.normal(size=n) + 0.1 * group, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    assert found["note"].str.startswith(f"on {MAX_REAL:,} of {n:,} rows, drawn at random").all()
    assert (found["n"] < MAX_REAL**2 / 2).all()
    assert found["verdict"].iloc[0] == "violated"
    # P(Z < 0.1 / √2 / √2 …) has no closed form here; the sign and the size are known
    assert 0.01 < abs(found["estimate"].iloc[0]) < 0.1


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


def test_ranks_are_those_of_xauc():
    data = people()
    result = fp.audit(
        data["y"], data["yhat"], y_score=data["score"], sensitive_features=data["sex"]
    )
    reference = result.about["attributes"]["sex"]["reference"]
    other = (data["sex"] != reference).astype(int)
    of_items = fp.xauc(data["y"], data["score"], sensitive_features=other, correction="none")
    of_items = of_items.to_frame()
    found = rows(result, criterion="xauc")
    for column in ("estimate", "ci_low", "ci_high", "statistic", "pvalue"):
        assert_allclose(found[column].to_numpy(), of_items[column].to_numpy(), rtol=1e-12)


@pytest.mark.slow
def test_the_ranking_is_that_of_all_groups_at_once(data, full):
    theirs = fp.xauc(data["y"], data["score"], sensitive_features=data["race"])
    place = {"a": 0, "b": 1, "c": 2}
    for group, reference in (("b", "a"), ("c", "a"), ("c", "b")):
        g, h = place[group], place[reference]
        expected = [
            theirs.auc[g] - theirs.auc[h],
            theirs.xauc[g, h] - theirs.xauc[h, g],
            theirs.rates_of_all.tpr[g, -1] - theirs.rates_of_all.tpr[h, -1],
            theirs.rates_of_all.tpr[-1, g] - theirs.rates_of_all.tpr[-1, h],
        ]
        found = rows(full, criterion="xauc", attribute="race", group=group, reference=reference)
        assert list(found["measure"]) == ["AUC", "xAUC", "xAUC_1", "xAUC_0"]
        assert_allclose(found["estimate"], expected)
        pair = h + g - 1  # a against b, a against c, b against c
        assert_allclose(found["pvalue"], theirs.difference.pvalue[4 * pair : 4 * pair + 4])


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
    found = rows(full, criterion="xauc", attribute="race", reference="a")
    found = found.set_index(["group", "measure"])["n"]
    sizes = data["race"].value_counts()
    for group in ("b", "c"):
        for measure, n in {"AUC": sizes["a"] + sizes[group], "xAUC_1": len(data)}.items():
            assert found[group, measure] == n
        assert found[group, "xAUC"] == found[group, "AUC"]
