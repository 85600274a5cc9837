"""What the paper prints of each model, against plain formulas."""

import json

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from fairpairs.base.errors import InputError
from fairpairs.papers.studies.rejected_dialects import measures


def test_the_effects_are_those_of_plain_formulas(make_scores):
    scores = make_scores(1, lean=0.2, worse=0.1)
    effects = measures.measure_effects({"a/b": scores}).set_index("quantity")
    right_wme, right_aal = (
        [chosen > rejected for chosen, rejected in own] for own in (scores["wme"], scores["aal"])
    )
    n = len(right_wme)
    assert effects.loc["accuracy", "estimate"] == pytest.approx(sum(right_wme) / n)
    assert effects.loc["drop", "estimate"] == pytest.approx((sum(right_aal) - sum(right_wme)) / n)
    lost = sum(w and not a for w, a in zip(right_wme, right_aal, strict=True))
    won = sum(a and not w for w, a in zip(right_wme, right_aal, strict=True))
    expected = stats.chi2.sf((lost - won) ** 2 / (lost + won), 1)
    assert effects.loc["drop", "pvalue"] == pytest.approx(expected)
    assert effects["pvalue"].isna().sum() == 1  # an accuracy alone is not tested
    pairs = {
        "d_translated": (scores["wme"], scores["aal"]),
        "d_aal_prompt": (scores["aal"], scores["aal_prompt_wme_answers"]),
        "d_wme_prompt": (scores["wme"], scores["wme_prompt_aal_answers"]),
    }
    for name, (first, second) in pairs.items():
        a, b = first[:, 0], second[:, 0]
        d = (a.mean() - b.mean()) / np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        t = (a - b).mean() / ((a - b).std(ddof=1) / np.sqrt(n))
        assert effects.loc[name, "estimate"] == pytest.approx(d)
        assert effects.loc[name, "pvalue"] == pytest.approx(2 * stats.t.sf(abs(t), n - 1))


def test_pvalues_are_adjusted_over_the_models(make_scores):
    models = {f"o/{i}": make_scores(i, n=80, lean=0.02, worse=0.05) for i in range(4)}
    effects = measures.measure_effects(models)
    for _, own in effects[effects["quantity"] != "accuracy"].groupby("quantity"):
        order = own.sort_values("pvalue")
        holm = np.maximum.accumulate(order["pvalue"].to_numpy() * [4, 3, 2, 1]).clip(max=1)
        np.testing.assert_allclose(order["pvalue_holm"], holm)


def test_what_does_not_vary_is_not_significant():
    same = np.array([True, False, True])
    assert measures.mcnemar_pvalue(same, same) == 1
    d, pvalue = measures.difference(np.ones(3), np.ones(3))
    assert np.isnan(d)
    assert np.isnan(pvalue)


def paired(first, second):
    """The gap of two rates of the same prompts, with its paired standard error: the oracle."""
    differences = [float(a) - float(b) for a, b in zip(first, second, strict=True)]
    n = len(differences)
    gap = sum(differences) / n
    return gap, (sum((d - gap) ** 2 for d in differences) / n**2) ** 0.5


def test_the_gaps_are_those_of_the_plain_formula(make_scores):
    scores = make_scores(3, lean=0.5, worse=0.2)
    gaps = measures.measure_gaps({"a/b": scores}).set_index("hypothesis")
    wme, aal, other = scores["wme"], scores["aal"], scores["wme_prompt_aal_answers"]
    rights = {
        "within": ([c > r for c, r in aal], [c > r for c, r in wme]),
        "across": (
            [c > r for c, r in zip(wme[:, 0], other[:, 1], strict=True)],
            [c > r for c, r in zip(other[:, 0], wme[:, 1], strict=True)],
        ),
    }
    n = len(scores["wme"])
    for hypothesis, (first, second) in rights.items():
        gap, error = paired(first, second)
        row = gaps.loc[hypothesis]
        assert row["first"] == pytest.approx(np.mean(first))
        assert row["second"] == pytest.approx(np.mean(second))
        assert row["estimate"] == pytest.approx(gap)
        # under equal rates the variance is that of McNemar's test
        z = norm.isf(row["pvalue"] / 2)
        assert z == pytest.approx(abs(gap) / np.hypot(error, gap / n**0.5), rel=0.03)
        limits = gap - 1.96 * error, gap + 1.96 * error
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(limits, abs=0.2 * error)
        assert row["prompts"] == n
    assert gaps.loc["within", "estimate"] < 0 < gaps.loc["across", "estimate"]


@pytest.mark.slow
def test_pvalues_of_gaps_are_adjusted_over_the_models(make_scores):
    models = {f"o/{i}": make_scores(i, lean=0.03, worse=0.05) for i in range(3)}
    for _, own in measures.measure_gaps(models).groupby("hypothesis"):
        order = own.sort_values("pvalue")
        holm = np.maximum.accumulate(order["pvalue"].to_numpy() * [3, 2, 1]).clip(max=1)
        np.testing.assert_allclose(order["pvalue_holm"], holm)


GOOD = '{"chosen": 1.5, "rejected": -2}'


@pytest.fixture
def write(tmp_path):
    def write_lines(*lines, name="scores.jsonl"):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return tmp_path / name

    return write_lines


def test_a_score_is_a_number_or_a_list_of_one(write):
    scores = measures.read_scores(write(GOOD, '{"chosen": [0.25], "rejected": [3]}'))
    assert scores.tolist() == [[1.5, -2.0], [0.25, 3.0]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"chosen": [1, 2], "rejected": 0}', "column `chosen` holds lists"),
        ('{"chosen": [], "rejected": 0}', "column `chosen` holds lists"),
        ('{"chosen": 1}', "column `rejected` has 1 missing value(s), the first in row 2"),
        ('{"chosen": "high", "rejected": 0}', "column `chosen` must hold finite numbers"),
        ('{"chosen": NaN, "rejected": 0}', "column `chosen` has 1 missing value(s)"),
        ("[1, 2]", "it holds [1, 2], which is no object"),
        ("{", "line 2 is not JSON"),
        (None, "there is no column `rejected`; it has chosen, text"),
    ],
)
def test_a_line_that_is_no_pair_of_scores_is_refused(write, line, words):
    lines = ['{"chosen": 1, "text": "a"}'] if line is None else [GOOD, line, GOOD]
    with pytest.raises(InputError) as error:
        measures.read_scores(write(*lines))
    assert words in str(error.value)


def test_the_four_files_have_the_same_prompts(write):
    files = [write(json.dumps({"chosen": i, "rejected": 0}), name=f"{i}") for i in range(4)]
    scores = measures.read_dialects(files)
    assert (scores["wme"][0, 0], scores["aal"][0, 0]) == (0, 1)
    assert scores["wme_prompt_aal_answers"][0, 0] == 2
    assert scores["aal_prompt_wme_answers"][0, 0] == 3
    write(GOOD, GOOD, name="2")
    with pytest.raises(InputError, match=r"2: 2 prompts, and .*0 has 1: give both the same"):
        measures.read_dialects(files)
