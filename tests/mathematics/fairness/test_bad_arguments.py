import inspect
from types import SimpleNamespace

import numpy as np
import pytest

import fairpairs as fp
from fairpairs import power

from .test_gate import CALLS, NAMES

Y, S, G = [0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.8, 0.2], list("ababab")
X = [0, 1, 2, 1, 1, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fp.comparative_separation_test(
                Y, S, sensitive_features=G, pairs=9, random_state="x"
            ),
            "random_state must be a whole number from 0 on or a generator; it is 'x'",
        ),
        (lambda: fp.separation_permutation_test(Y, S, sensitive_features=G, n_permutations=1.5),
         "n_permutations must be a whole number from 1 to 1,000,000; it is 1.5"),
        (lambda: fp.permutation_test(lambda groups: np.zeros(3), G, n_permutations=9),
         r"statistic must return shape \(b,\) or \(b, q\)"),
        (lambda: fp.comparative_separation_slopes_test([0, 1], [0, 1], sensitive_features=[1, 2]),
         "alike in sensitive_features: no slope"),
        (lambda: fp.information_separation([1, 2, 3, 4], [1e-60] * 4, sensitive_features=G[:4]),
         "y_pred holds numbers no larger than 1e-60, .* multiply all by a large number"),
        (
            lambda: fp.information_separation(
                [1, 2, 3, 4], [1e200, -1e200, 1, 2], sensitive_features=G[:4]
            ),
            "y_pred holds numbers as large as 1e\\+200, .* divide all by a large number",
        ),
        (lambda: fp.two_proportion_test(Y, sensitive_features=G, alternative="both"),
         "alternative must be one of 'two-sided', 'greater', 'less'; it is 'both'"),
        (lambda: fp.two_proportion_test(Y, sensitive_features=G, method="G"),
         "method must be one of 'auto', 'z', 'fisher'; it is 'G'"),
        (lambda: fp.separation_test(Y, Y, sensitive_features=G, method="exact"),
         "method must be one of 'auto', 'wald'; it is 'exact'"),
        (lambda: fp.two_proportion_test(Y * 5, sensitive_features=[*range(30)]),
         "has 30 groups, more than 20: join some"),
        (lambda: fp.separation_test(X, Y, sensitive_features=G), "y_true must hold 0 and 1 only"),
        (lambda: fp.separation_test(Y, X, sensitive_features=G), "y_pred must hold 0 and 1 only"),
        (lambda: fp.chi_square_test(X, Y, sensitive_features=G), "y_true must hold 0 and 1 only"),
        (lambda: fp.xauc(X, S, sensitive_features=G), "y_true must hold 0 and 1 only; it holds 2"),
        (lambda: fp.xauc([1] * 6, S, sensitive_features=G), "y_true holds 1 only: a ranking has"),
        (lambda: fp.comparative_separation_slopes_test([1] * 6, S, sensitive_features=S),
         "y_true has only one value"),
        (
            lambda: fp.comparative_separation_slopes_test(
                Y, S, sensitive_features=S, attribute="logs"
            ),
            "attribute must be one of 'ranks', 'values'; it is 'logs'",
        ),
        (lambda: fp.differential_parity_test(S, S, sensitive_features=G, effect_size="hedges"),
         "effect_size must be one of 'pooled', 'overall'; it is 'hedges'"),
        (lambda: fp.two_proportion_test(S, sensitive_features=G), "y_pred must hold 0 and 1 only"),
        (lambda: fp.chi_square_test(Y, S, sensitive_features=G), "y_pred must hold 0 and 1 only"),
        (lambda: fp.cohens_h(0.5, 2), "Proportions must lie from 0 to 1"),
        (lambda: fp.cohens_h([0.5] * 2, [0.5] * 3),
         r"Proportions must have shapes that broadcast; they have \(2,\) and \(3,\)\."),
        (
            lambda: fp.unbiased_bridge(
                [[s] for s in S], S, [[s] for s in S], S, sensitive_features_1=G, model="ridge"
            ),
            r"The model cannot be fitted to the decisions: .*: take a scikit-learn regressor\.",
        ),
        (lambda: fp.permutation_test(lambda groups: [None] * len(groups), G, n_permutations=9),
         "The statistic cannot be computed for the groups as they are"),
        (lambda: fp.permutation_test(lambda groups: ["x"] * len(groups), G, n_permutations=9),
         "The values of the statistic must hold numbers"),
        (
            lambda: fp.density_ratio_fairness(
                S, S, sensitive_features=G, estimator=SimpleNamespace(fit=lambda one, zero: None)
            ),
            "The method fit of the estimator must return a function of points",
        ),
        (lambda: fp.differential_parity_of_raters(S, sensitive_features=G),
         r"ratings must be a table of numbers, shape \(n, R\): one column per rater\."),
        (lambda: power.smallest_number(0.5), "power_at must be a function of a number; it is 0.5"),
        (lambda: power.smallest_number(lambda n: "x"), "What power_at returns must hold numbers"),
        (lambda: power.power_curve([1], [9]), r"tests must name functions of a number; it is \[1"),
        (lambda: fp.audit(Y, Y, sensitive_features={"x": G, "y": G}, reference="a"),
         "reference a: write the attribute and its group, such as x="),
        (lambda: fp.cohens_h("x", 0.5), "Proportions must hold numbers"),
        (lambda: power.expected_rejection("all_pairs", np.ones((2, 2, 2)), n_items=9),
         "items must hold the probabilities of the cells"),
        (lambda: power.expected_rejection("all_pairs", power.items_from_rates(), n_items="x"),
         "n_items must lie between 1 and 1e\\+10; it is 'x'"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_explained(call, message):
    with pytest.raises(fp.InputError, match=message):
        call()


#: What an option must be, by its name; tests/base/test_inputs.py has these sentences in full.
REFUSED_OPTIONS = {
    "alpha": (2, "alpha must lie between 0 and 1; it is 2"),
    "correction": ("fdr", "correction must be one of 'none', 'holm', 'sidak'; it is 'fdr'"),
    "n_permutations": (-1, r"n_permutations must be a whole number from \d to 1,000,000; it is -1"),
    "ties": ("right", "ties must be one of 'wrong', 'half'.*; it is 'right'"),
    "weight_kind": ("other", "weight_kind must be one of 'frequency', .*; it is 'other'"),
}
#: Of these functions an option is not looked at here, or one group is enough, or unknown ones are.
TAKEN = {
    ("ties", "separation_permutation_test"), ("missing", "table"),
    ("one group", "fairbalance_weights"), ("one group", "reweighing_weights"),
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=NAMES)
def test_what_an_option_or_an_array_must_be_is_told(function):
    """Every option by its name; arrays that are shorter, or have a missing value; one group."""
    items, options = CALLS[function]

    def refused(words, kind, name, value):
        if (kind, function.__name__) not in TAKEN:
            with pytest.raises(fp.InputError, match=words):
                function(**{**items, **options, name: value})

    for name, (value, words) in REFUSED_OPTIONS.items():
        if name in options:
            refused(words, name, name, value)
    for name, values in items.items():
        shorter = "have shapes" if function is fp.cohens_h else "have one length|a row for each"
        refused(shorter, "short", name, values[:-1])
        if np.ndim(values) == 1 and function is not fp.cohens_h:
            group = name.startswith("sensitive")
            refused(" has 1 missing", "missing" if group else "", name, [None, *values[1:]])
            if group:
                only = "one group|one value|no shift|fewer than two known groups|two groups"
                refused(only, "one group", name, [1] * len(values))


def test_a_rate_of_one_has_an_interval_of_its_own_class_sizes():
    labels = [1] * 40 + [0] * 40 + [1, 0, 0]
    groups = ["a"] * 80 + ["b"] * 3
    rates = fp.comparative_separation_test(labels, labels, sensitive_features=groups).rates()
    width = (rates["ci_high"] - rates["ci_low"]).to_numpy()
    assert np.isfinite(width).all()
    assert width[0] < 0.11  # 40 winners and 40 losers of group a
    assert width[3] > 0.5  # one winner of group b


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        (fp.comparative_separation_slopes_test, "sensitive_feature", "sensitive_features"),
        (fp.differential_parity_slope_test, "sensitive_feature", "sensitive_features"),
        (fp.audit_judgments, "score", "y_score"), (fp.audit_judgments, "judge", "judges"),
        (fp.audit_judgments, "sensitive", "sensitive_features"),
        (fp.audit_judgments, "cluster", "clusters"), (fp.audit_judgments, "stratum", "strata"),
        (fp.audit_judgments, "item_cluster", "item_clusters"),
    ],
)  # fmt: skip
def test_an_old_name_of_an_argument_is_refused_with_the_new_one(function, old, new):
    with pytest.raises(fp.InputError, match=rf"has no argument {old}; name it {new}\.$"):
        function(**{old: [1]})
    assert new in inspect.signature(function).parameters


def test_of_several_old_names_the_same_one_is_refused_first():
    with pytest.raises(fp.InputError, match="no argument stratum; name it strata"):
        fp.audit_judgments(stratum="area", judge="judge", score="s", item_cluster="person")


def test_arguments_have_one_name_in_all_functions():
    """What is a group, a score, a cluster, a weight or a judge is called so everywhere."""
    others = {
        "sensitive", "sensitive_feature", "score", "scores", "y_prob", "cluster", "weight",
        "weights", "judge", "stratum", "item_cluster",
    }  # fmt: skip
    for name in fp.__all__:
        function = getattr(fp, name)
        if inspect.isfunction(function):
            assert not others & set(inspect.signature(function).parameters), name
