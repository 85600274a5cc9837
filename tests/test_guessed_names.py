"""What users of fairlearn, aif360, scikit-learn and pandas write at first works, or is answered."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp

RNG = np.random.default_rng(1)
N = 600
ROWS = pd.DataFrame({
    "degree": RNG.choice(["graduate", "none", "school"], N),
    "sex": RNG.choice(["f", "m"], N), "area": RNG.choice(["n", "s"], N),
    "repaid": RNG.integers(0, 2, N), "score": RNG.random(N).round(3),
})  # fmt: skip
ROWS["approved"] = (ROWS["score"] + 0.3 * ROWS["repaid"] > 0.6).astype(int)
Y, P, S, G = ROWS["repaid"], ROWS["approved"], ROWS["score"], ROWS["degree"]

#: What is guessed → the name that answers it; "" if it works.
GUESSES = {
    "result.passed": "", "result.by_group": "", "result.overall": "", "result.difference": "",
    "result.summary()": "", "result.plot()": "", "result.save('audit.html')": "",
    "result.write('audit.html')": "", "result.to_csv('a.csv')": "", "result.to_json('a.json')": "",
    "result.to_html()": "", "result.to_dataframe()": "to_frame()", "result.df": "to_frame()",
    "result.results": "to_frame()", "result.p_value": "pvalue", "result.conf_int()": "to_frame()",
    "result.verdict": "answer.verdict", "result.group_min()": "by_group.min()",
    "result.metrics": "by_group", "result.ratio": "four_fifths()",
    "result.to_markdown()": "to_card()", "result.to_excel('a.xlsx')": "to_frame().to_excel()",
    "result.show()": "summary()", "result.disparate_impact": "four_fifths()",
    "audit(Y, P, sensitive_features=G, reference='graduate')": "",
    "audit(Y, P, G)": "sensitive_features",
    "audit(Y, y_proba=S, sensitive_features=G)": "y_score",
    "audit(Y, y_prob=S, sensitive_features=G)": "y_score",
    "audit(Y, P, sensitive_features=G, control_features=ROWS.area)": "control",
    "audit(Y, P, sensitive_features=G, weights=S)": "sample_weight",
    "audit(Y, P, sensitive_features=G, pos_label=1)": "positive",
    "audit(Y, P, protected_attribute=G)": "sensitive_features",
    "audit(Y, P, groups=G)": "sensitive_features",
    "audit(Y, P, sensitive_features=G, privileged_groups=[{'degree': 'none'}])": "reference",
    "audit(Y, P, sensitive_features=G, metrics=['accuracy'])": "criterion",
    "audit(Y, P, sensitive_features=G, tolerance=0.1)": "margin",
    "audit(df=ROWS, y_true='repaid', y_pred='approved', sensitive_features='sex')": "data",
    "audit(Y, preds=P, sensitive_features=G)": "y_pred",
    "MetricFrame": "audit", "demographic_parity_difference(Y, P)": "two_proportion_test",
}  # fmt: skip


@pytest.fixture(scope="module")
def result():
    return fp.audit(Y, P, sensitive_features=G)


def answer_of(guess, result):
    """Evaluate what is guessed; return "" if it works, and else what is said."""
    expression = guess if guess.startswith("result") else f"fp.{guess}"
    try:
        eval(expression, globals() | {"result": result})
    except (fp.InputError, AttributeError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guessed_name_works_or_is_answered_with_ours(guess, result, folder):
    said = answer_of(guess, result)
    assert bool(said) == bool(GUESSES[guess]), said
    assert GUESSES[guess] in said and len(said) < 150


def test_there_are_forty_guesses():
    assert len(GUESSES) == 40


RESULTS = {
    "audit": lambda: fp.audit(Y, P, y_score=S, sensitive_features=ROWS[["degree", "sex"]]),
    "numbers": lambda: fp.audit(S + Y, S, sensitive_features=G),
    "compare": lambda: fp.compare(Y, P, 1 - P, sensitive_features=G),
    "groups": lambda: fp.audit_groups(Y, P, sensitive_features=ROWS[["degree", "sex"]]),
    "table": lambda: fp.table(P, form="four-fifths", sensitive_features=G),
    "two proportions": lambda: fp.two_proportion_test(P, sensitive_features=G),
    "separation": lambda: fp.separation_test(Y, P, sensitive_features=G),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_is_drawn_saved_and_has_no_names_of_ours_alone(kind, tmp_path):
    result = RESULTS[kind]()
    assert len(result.by_group) >= 3
    axes = result.plot()
    assert len(axes.get_yticklabels()) == len(axes.lines[0].get_xdata()) >= 2
    for ending in ("html", "csv", "json", "txt"):
        result.save(tmp_path / f"x.{ending}")
    for ending, start in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        result.save(tmp_path / f"x.{ending}")
        content = (tmp_path / f"x.{ending}").read_bytes()
        result.save(tmp_path / f"x.{ending}")
        assert content.startswith(start) and content == (tmp_path / f"x.{ending}").read_bytes()
    assert "<html" in (tmp_path / "x.html").read_text()
    assert (tmp_path / "x.csv").read_text() == result.to_csv()
    assert json.loads((tmp_path / "x.json").read_text()) == json.loads(result.to_json())
    assert {"summary", "plot", "passed"} <= {*dir(result)}
    assert not any(name.startswith("_") or name.isupper() for name in dir(result))
    assert str(pickle.loads(pickle.dumps(result))) == str(result) == result.summary()


def test_rates_by_group_and_over_all_are_those_of_plain_means(result):
    grouped = ROWS[ROWS["repaid"] == 1].groupby("degree")["approved"].mean()
    assert np.allclose(result.by_group["TPR"], grouped)
    assert result.by_group.index.name == "degree" and [*result.by_group.index] == [*grouped.index]
    assert np.isclose(result.difference["TPR"], grouped.max() - grouped.min())
    assert np.isclose(result.overall["TPR"], P[Y == 1].mean())
    assert np.isclose(result.overall["accuracy"], (Y == P).mean())
    wide = RESULTS["groups"]()
    assert np.isclose(wide.overall["TPR"], P[Y == 1].mean())
    assert np.isclose(wide.by_group.loc["sex=m", "FPR"], P[(Y == 0) & (ROWS["sex"] == "m")].mean())
    errors = RESULTS["numbers"]()
    assert np.isclose(errors.overall["mean error"], -Y.mean())
    weighted = fp.audit(Y, P, sensitive_features=G, sample_weight=S + 0.1)
    with pytest.raises(AttributeError, match="unweighted"):
        _ = weighted.overall


def test_passed_is_what_the_answer_says():
    same, other = ["a", "b"] * 2000, [0] * 2000 + [1] * 2000
    label = [1, 1, 0, 0] * 1000
    pred = [1, 1, 0, 0] * 1000
    assert fp.audit(label, pred, sensitive_features=same).passed is None
    assert fp.audit(label, pred, sensitive_features=same, margin=0.1).passed is True
    turned = np.where(np.array(other) == 1, 1 - np.array(pred), pred)
    for margin in (None, 0.1):
        assert fp.audit(label, turned, sensitive_features=other, margin=margin).passed is False
    test = fp.separation_test(label, turned, sensitive_features=other)
    assert test.passed is False and test.within(0.1).passed is None
    assert fp.separation_test(label, pred, sensitive_features=same).within(0.1).passed is True
    assert fp.table(pred, form="four-fifths", sensitive_features=same).passed is True


def test_a_probability_is_told_from_a_decision():
    with pytest.raises(fp.InputError, match=r"a probability: .*y_pred >= 0\.5"):
        fp.separation_test(Y, S, sensitive_features=G)
    checks = fp.audit(Y, S, sensitive_features=G).answer.checks
    assert [text for text in checks if "probabilities" in text and "threshold=0.5" in text]


def test_series_and_one_attribute_need_no_further_names():
    result = fp.audit(Y, P, sensitive_features=G, reference="graduate")
    assert result.about["attributes"]["degree"]["reference"] == "graduate"
    assert "repaid" in str(result) and "approved" in str(result)
    with pytest.raises(fp.InputError, match="write the attribute and its group, such as degree="):
        fp.audit(Y, P, sensitive_features=ROWS[["degree", "sex"]], reference="graduate")
