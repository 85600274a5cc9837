"""Every public function with every kind of bad value: one sentence, or a valid result."""

import datetime
import decimal
import tempfile
import types
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from sklearn.linear_model import LinearRegression

import fairpairs as fp

pytestmark = pytest.mark.slow

N = 24
RNG = np.random.default_rng(0)
Y, C = ([0, 1, 1, 0, 0, 1] * N)[:N], ([0, 1, 0, 0, 1, 1, 1] * N)[:N]
S, R, Q, A = (RNG.normal(5, 1, (4, N)) / 10).round(3).tolist()
G = (["a", "b", "a"] * N)[:N]
X = np.column_stack([R, A])
PAIRS = np.arange(N), np.roll(np.arange(N), 1)


def share(groups):
    return (groups == "a") @ np.array(S)


#: Items and judgments of them, as tables.
ITEMS = pd.DataFrame({"id": range(N), "s": S, "g": G, "of": [*range(N // 2)] * 2})
JUDGMENTS = pd.DataFrame({
    "i": PAIRS[0], "j": PAIRS[1], "won": np.where(RNG.random(N) < 0.5, *PAIRS),
    "verdict": PAIRS[0], "judge": ["x", "y", "z"] * (N // 3),
    "cluster": ITEMS["of"], "stratum": ["p", "q"] * (N // 2),
})  # fmt: skip

#: Clusters and weights of the items.
SAMPLED = {"clusters": list(range(N // 2)) * 2, "sample_weight": [1.0, 2.0, 0.5] * (N // 3)}

#: Judgments of pairs of the items.
JUDGED = {
    "left": PAIRS[0], "right": PAIRS[1], "outcome": [1, -1, 0, 1] * (N // 4),
    "sensitive_features": G, "judges": ["x", "y", "z"] * (N // 3),
    "clusters": list(range(N // 2)) * 2, "item_clusters": list(range(N // 2)) * 2,
}  # fmt: skip

#: A call of every public function, and which of its arguments hold one value an item.
CALLS = {
    fp.audit: ({"y_true": Y, "y_pred": C, "y_score": S, "sensitive_features": G, **SAMPLED}, {
        "positive": 1, "label_kind": "auto", "intersections": False, "reference": {"group": "a"},
        "alpha": 0.1, "correction": "holm", "criterion": ["separation", "xauc"], "margin": None,
        "weight_kind": "sampling", "missing_group": False, "n_permutations": 0, "random_state": 0,
    }),
    fp.audit_groups: ({"y_true": Y, "y_pred": C, "sensitive_features": G},
        {"depth": 1, "smallest": 5, "criterion": ["separation", "accuracy"], "margin": 0.2,
         "alpha": 0.1, "positive": 1, "missing_group": False}),
    fp.audit_judgments: ({},
        {"judgments": JUDGMENTS, "predictions": ITEMS, "left": "i", "right": "j",
         "outcome": "won", "winner_by": "id", "chosen": (), "rejected": (), "group": None,
         "pair": None, "within_only": False, "item": "id", "y_score": "s", "verdict": ["verdict"],
         "sensitive_features": "g", "judges": "judge", "clusters": "cluster",
         "item_clusters": "of", "strata": "stratum", "intersections": False, "ties": "wrong",
         "ties_in_outcome": "half", "order": True, "alpha": 0.1, "correction": "holm"}),
    fp.compare: (
        {"y_true": Y, "y_pred_old": C, "y_pred_new": C[::-1], "y_score_old": S,
         "y_score_new": S[::-1], "sensitive_features": G, "items": list(range(N)), **SAMPLED},
        {"positive": 1, "label_kind": "auto", "intersections": False, "reference": {"group": "a"},
         "alpha": 0.1, "correction": "holm", "criterion": ["separation", "xauc"], "margin": None,
         "weight_kind": "sampling", "missing_group": False}),
    fp.choose: ({"y_pred": C, "sensitive_features": G, "cheap_label": Y},
        {"y_true": None, "n": 5, "criterion": "separation", "positive": 1, "missing_group": False,
         "random_state": 0}),
    fp.table: ({"y_pred": C, "sensitive_features": G, "clusters": list(range(N // 2)) * 2},
        {"form": "four-fifths", "positive": 1, "unknown": ("c",), "leave_out_small": False,
         "alpha": 0.1}),
    fp.check_promises: ({},
        {"test": fp.separation_test, "world": min(fp.worlds()), "sets": 2, "seed": 0,
         "alpha": 0.05, "power": 0.5, "tolerance": 0.01, "processes": 1}),
    fp.worlds: ({}, {}),
    fp.monitor: ({}, {
        "state": f"{tempfile.mkdtemp()}/s", "data": pd.DataFrame({"y": Y, "c": C, "s": S, "g": G}),
        "y_true": "y", "y_pred": "c", "y_score": "s", "sensitive_features": "g",
        "judgments": None, "outcome": None, "chosen": None, "rejected": None, "positive": 1,
        "label_kind": "binary", "reference": {"g": "a"}, "groups": {"g": ["c"]},
        "criterion": ["separation", "xauc"], "margin": 0.2, "gap": 0.2, "alpha": 0.1,
        "score_range": (0, 1), "missing_group": False, "again": True,
    }),
    fp.biased_bridge: (
        {"features_0": X, "decisions_0": R, "features_1": X, "decisions_1": Q,
         "sensitive_features_0": G, "sensitive_features_1": G},
        {"model": LinearRegression(), "errors": "cross-fitted", "folds": 2, "random_state": 0,
         "alpha": 0.1}),
    fp.bridge_from_errors: ({
        "errors_0": R, "errors_1": Q, "sensitive_features_0": G, "sensitive_features_1": G,
    }, {"alpha": 0.1}),
    fp.unbiased_bridge: (
        {"features_0": X, "decisions_0": R, "features_1": X, "decisions_1": Q,
         "sensitive_features_1": G}, {"model": LinearRegression(), "alpha": 0.1}),
    fp.chi_square_test: ({"y_true": Y, "y_pred": C, "sensitive_features": G}, {"alpha": 0.1}),
    fp.cochran_mantel_haenszel_test: ({"y_true": Y, "y_pred": C, "sensitive_features": G},
        {"alpha": 0.1}),
    fp.conditional_chi_square_test: ({"y_true": Y, "y_pred": C, "sensitive_features": G},
        {"alpha": 0.1}),
    fp.cohens_h: ({"p1": S, "p2": Q}, {}),
    fp.outcome_ties_test: (JUDGED, {"alpha": 0.1, "correction": "holm"}),
    fp.first_place_test: (JUDGED, {"alpha": 0.1, "correction": "holm"}),
    fp.judge_lean_test: (JUDGED, {"alpha": 0.1, "correction": "holm"}),
    fp.judge_agreement: ({name: JUDGED[name] for name in ("left", "right", "outcome", "judges")},
        {"alpha": 0.1}),
    fp.comparative_separation_by: ({
        "parts": ["u", "v"] * (N // 2), "left": PAIRS[0], "right": PAIRS[1],
        "outcome": [1, -1] * (N // 2), "y_score": S, "sensitive_features": G,
        "judges": ["x", "y", "z"] * (N // 3),
    }, {"ties_in_outcome": "half", "alpha": 0.1, "correction": "holm"}),
    fp.comparative_separation_from_judgments: (
        {"left": PAIRS[0], "right": PAIRS[1], "outcome": [1, -1] * (N // 2), "y_score": S,
         "sensitive_features": G, "judges": ["x", "y", "z"] * (N // 3),
         "clusters": list(range(N // 2)) * 2, "item_clusters": list(range(N // 2)) * 2,
         "strata": ["u", "v"] * (N // 2)},
        {"ties_in_outcome": "half", "variance": "auto", "ties": "wrong", "alpha": 0.1,
         "correction": "holm"}),
    fp.comparative_separation_slopes_test: ({"y_true": Y, "y_score": S, "sensitive_features": A},
        {"ties": "wrong", "alpha": 0.1, "correction": "holm"}),
    fp.comparative_separation_test: (
        {"y_true": R, "y_score": S, "sensitive_features": G, **SAMPLED},
        {"pairs": "all", "variance": "auto", "balance_labels": "auto", "ties": "wrong",
         "alpha": 0.1, "correction": "holm", "random_state": 0, "weight_kind": "sampling"}),
    fp.conditional_xauc: ({"y_true": Y, "y_score": S, "sensitive_features": G}, {"ties": "half"}),
    fp.density_ratio_fairness: ({"y_true": R, "y_pred": Q, "sensitive_features": G},
        {"estimator": "ridge", "cap": 0.99, "n_permutations": 0, "alpha": 0.1,
         "correction": "holm", "random_state": 0}),
    fp.differential_parity_of_raters: ({"ratings": X, "sensitive_features": G},
        {"effect_size": "pooled"}),
    fp.differential_parity_permutation_test: (
        {"decisions": R, "reference": Q, "sensitive_features": G},
        {"n_permutations": 9, "alpha": 0.2, "random_state": 0}),
    fp.differential_parity_slope_test: ({"decisions": R, "reference": Q, "sensitive_features": A},
        {"alpha": 0.1}),
    fp.differential_parity_test: ({"decisions": R, "reference": Q, "sensitive_features": G},
        {"effect_size": "pooled", "alpha": 0.1}),
    fp.equalize_xauc: ({"y_true": Y, "y_score": S, "sensitive_features": G},
        {"reference": "a", "scale": "log odds"}),
    fp.equalize_xauc(Y, S, sensitive_features=G).transform: (
        {"y_score": S, "sensitive_features": G}, {}),
    fp.fair_reweighing_weights: ({"y": R, "sensitive_features": A},
        {"density": "neighbors", "radius": 0.5, "bandwidth": 0.2}),
    fp.fairbalance_weights: ({"y": Y, "sensitive_features": G}, {}),
    fp.reweighing_weights: ({"y": Y, "sensitive_features": G}, {}),
    fp.information_fairness: ({"y_true": R, "y_pred": Q, "sensitive_features": G},
        {"normalize": True, "cross_fitted": True}),
    fp.information_separation: ({"y_true": R, "y_pred": Q, "sensitive_features": G},
        {"normalize": True}),
    fp.permutation_test: ({"sensitive_features": G, "strata": Y},
        {"statistic": share, "vectorized": True, "n_permutations": 9, "alternative": "less",
         "alpha": 0.2, "random_state": 0}),
    fp.separation_permutation_test: ({"y_true": Y, "y_pred": Q, "sensitive_features": G},
        {"statistic": "rates", "ties": "wrong", "n_permutations": 9, "alpha": 0.2,
         "random_state": 0}),
    fp.separation_test: ({"y_true": Y, "y_pred": C, "sensitive_features": G},
        {"alpha": 0.1, "correction": "holm"}),
    fp.two_proportion_test: ({"y_pred": C, "sensitive_features": G},
        {"alternative": "two-sided", "alpha": 0.1, "correction": "holm", "method": "auto"}),
    fp.xauc: ({"y_true": Y, "y_score": S, "sensitive_features": G},
        {"ties": "half", "alpha": 0.1, "correction": "holm"}),
    fp.xauc_of_normal_scores: ({"mean": X, "sd": X}, {}),
    fp.xroc_curve: ({"y_true": Y, "y_score": S, "sensitive_features": G},
        {"positive": "a", "negative": "b"}),
}  # fmt: skip
#: Loans, and what two treatments did in two repeats.
LOANS = pd.DataFrame({"x": S, "g": G, "y": Y})
TIDY = pd.DataFrame({
    "treatment": ["none", "none", "fair", "fair"], "repeat": [0, 1] * 2, "measure": "accuracy",
    "value": [0.7, 0.8, 0.6, 0.9],
})  # fmt: skip
CALLS |= {
    fp.experiment: ({}, {
        "data": LOANS, "label": "y", "sensitive_features": "g", "models": ["logistic_regression"],
        "treatments": ["none"], "measures": ["accuracy"], "positive": 1, "reference": None,
        "features": None, "repeats": 2, "test_fraction": 0.3, "seed": 0, "name": "data",
    }),
    fp.card: ({}, {
        "data": LOANS, "label": "y", "sensitive_features": "g", "positive": 1, "numeric": False,
        "above": None, "at_least": None, "below": None, "at_most": None,
        "reference": None, "features": None, "openml": None, "separator": None,
        "out": None,
    }),
    fp.score_once: ({}, {
        "data": LOANS, "label": "y", "sensitive_features": "g", "models": ["logistic_regression"],
        "treatments": ["none"], "positive": 1, "reference": None, "features": None, "folds": 2,
        "seed": 0, "as_scores": True, "name": "data",
    }),
    fp.compare_treatments: ({}, {
        "frame": TIDY, "against": "none", "margin": None, "better": None, "test_train_ratio": 0.4,
        "alpha": 0.1,
    }),
    fp.describe_treatments: ({}, {
        "comparison": fp.compare_treatments(TIDY, test_train_ratio=0.4),
    }),
}  # fmt: skip
NAMES = [function.__name__ for function in CALLS]


def sets_of_items(items):
    """Return the names of the arguments that are of the same items."""
    if "left" in items:
        of_items = "y_score", "sensitive_features", "item_clusters"
        sets = [[name for name in items if (name in of_items) == inside] for inside in (0, 1)]
        return [names for names in sets if names]
    sets = [tuple(name for name in items if name.endswith(end)) for end in ("_0", "_1")]
    return [names for names in sets if names] or [tuple(items)] * bool(items)


class Thing:
    """What is no value."""


class Stubborn:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array\nof mine")


class BelowZero:
    """Values of a length that is none."""

    length = -1

    def __len__(self):
        return self.length


#: Only equality counts of these, or those of an audit are read alike.
WITHOUT_SIZE = {
    "items", "clusters", "item_clusters", "y_pred_new", "y_score_old", "y_score_new",
}  # fmt: skip
#: What `compare` reads as `audit` does.
OF_AUDIT = {"y_true", "sensitive_features", "clusters", "sample_weight"}


def bad_arrays(name, values):
    """Return an array of each kind that no function is made for, or hardly one."""
    n = len(values)
    rest = list(values[1:]) if np.ndim(values) == 1 else [0.5] * (n - 1)
    floats = np.linspace(0.1, 0.9, n)
    return {
        "None": None, "number": 5, "word": "abc", "dict": {"a": 1}, "object": Thing(),
        "generator": (i for i in range(n)), "no array": Stubborn(), "empty": [],
        "objects": [Thing()] * n, "one object": [*rest, Thing()],
        "complex": floats + 1j, "real complex": [complex(x) for x in floats],
        "one complex": [*rest, 1j], "ragged": [[1], [1, 2]] * (n // 2), "one list": [*rest, [1]],
        "lists": pd.Series([[1, 2]] * n), "dicts": [{"a": 1}] * n, "sets": [{1}] * n,
        "tuples": pd.Series([(1, 2)] * n), "arrow lists": pa.array([[1, 2]] * n),
        "records": np.zeros(n, [("a", int), ("b", float)]), "cube": np.zeros((n, 2, 2)),
        "row": floats[None], "wide": np.zeros((n, 30)),
        "missing": [None, *rest], "all missing": pd.array([pd.NA] * n), "infinite": [np.inf, *rest],
        "signalling": [decimal.Decimal("sNaN")] * n, "digits": [10**400, *rest],
        "huge integers": np.full(n, 2**64 - 1, np.uint64), "mixed": [1, "a"] * (n // 2),
        "lines": ["x\ny", "u\r\nv"] * (n // 2), "long": ["x" * 9999, "y z" * 9999] * (n // 2),
        "one line": ["x\ny"] * n, "unique": [f"w{i}" for i in range(n)], "bytes": [b"a"] * n,
        "dates": [datetime.date(2020, 1, 1 + i % 2) for i in range(n)],
        "short": [*rest], "constant": [0.5] * n, "table": pa.table({"x": floats, "z": G[:n]}),
        "1e308": [1e308, *floats[1:]],
        "half a character": ["\ud800", "b"] * (n // 2), "bytes of no type": [*rest, np.void(b"x")],
        "masked": np.ma.masked, "below 0": BelowZero(), "no unit": np.arange(n).astype("m8"),
        "a time": [*rest, datetime.time(1)], "a day": [*rest, np.timedelta64(1, "D")],
    } | ({} if name in WITHOUT_SIZE or isinstance(values[0], str) else {
        "1e155": [1e155, *floats[1:]], "±1e300": [1e300, -1e300, *floats[2:]],
        **{f"all 1e{e}": floats * 10.0**e for e in (-300, -60, 60, 308)},
    })  # fmt: skip


#: Options of each kind that no function is made for, or hardly one.
BAD_OPTIONS = {
    "None": None, "word": "x", "no word": "", "0": 0, "-1": -1, "1.5": 1.5, "NaN": float("nan"),
    "infinity": float("inf"), "1e-320": 1e-320, "1e-20": 1e-20, "1e12": 10**12, "digits": 10**400,
    "True": True, "list": list(range(9999)), "array": np.zeros((50, 50)), "word in array":
    np.array("holm"), "dict": {1: None}, "object": Thing(), "type": Thing, "complex": 0.05 + 0j,
    "bytes": b"holm", "decimal": decimal.Decimal("0.05"), "NA": pd.NA, "Series": pd.Series([1, 2]),
    "frame": pd.DataFrame({"a": range(99)}), "no array": Stubborn(), "long": "x" * 9999,
    "lines": "a\nb", "long double": np.longdouble("0.05"), "date": datetime.date(2020, 1, 1),
    "days": np.timedelta64(5, "D"), "masked": np.ma.masked,
}  # fmt: skip


def answered(function, arguments):
    """Call it: a result without a warning, or one short line."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return function(**arguments)
        except fp.InputError as error:
            sentence = str(error)
    assert sentence.splitlines() == [sentence]
    assert 10 < len(sentence) < 450
    assert sentence.endswith((".", "?"))
    return None


def test_every_public_function_is_called_here():
    public = {name for name in fp.__all__ if isinstance(getattr(fp, name), types.FunctionType)} | {
        "transform"
    }
    assert {name for name in NAMES if not hasattr(fp.power, name)} == public
    for function, (items, options) in CALLS.items():
        assert answered(function, {**items, **options}) is not None, function.__name__


@pytest.mark.parametrize("function", CALLS, ids=NAMES)
def test_bad_arrays_are_one_sentence_or_a_result(function):
    items, options = CALLS[function]
    for name in [name for name in items if function is not fp.compare or name not in OF_AUDIT]:
        for kind, bad in bad_arrays(name, items[name]).items():
            try:
                answered(function, {**items, **options, name: bad})
            except Exception as error:
                raise AssertionError(f"{name}: {kind}") from error


@pytest.mark.parametrize("function", CALLS, ids=NAMES)
def test_bad_options_are_one_sentence_or_a_result(function, folder):
    items, options = CALLS[function]
    for name in options:
        for kind, bad in BAD_OPTIONS.items():
            if kind == "type" and name in ("statistic", "estimator"):
                continue  # a function of the user's own
            try:
                answered(function, {**items, **options, name: bad})
            except Exception as error:
                raise AssertionError(f"{name}: {kind}") from error


def labelled(values, index):
    """Return values as a pandas object with an index."""
    of = pd.DataFrame if np.ndim(values) == 2 else pd.Series
    return of(values, index=index)


def same(one, other):
    """Say whether two results are one, whatever they are."""
    if hasattr(one, "to_frame"):
        return same(one.to_frame(), other.to_frame())
    if isinstance(one, pd.DataFrame):
        assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))
        return True
    return str(one) == str(other)


@pytest.mark.parametrize(
    "function",
    [function for function, (items, _) in CALLS.items() if items],
    ids=[function.__name__ for function, (items, _) in CALLS.items() if items],
)
def test_items_are_taken_by_position_and_an_index_in_another_order_is_refused(function):
    items, options = CALLS[function]
    plain = function(**items, **options)
    alike = {
        name: labelled(values, range(100, 100 + len(values))) for name, values in items.items()
    }
    assert same(plain, function(**alike, **options))
    for names in sets_of_items(items):
        last, n = names[-1], len(items[names[-1]])
        for index, how in (
            (range(99 + n, 99, -1), "the same labels in another order"),
            (range(1, n + 1), "different labels"),
        ):
            other = {**alike, last: labelled(items[last], index)}
            with pytest.raises(fp.InputError, match=f"{last}.* have an index with {how}: bring .*"):
                function(**other, **options)
            # against arrays there is no index to compare
            assert same(plain, function(**{**items, last: other[last]}, **options))
        # new predictions of filtered rows have a default index
        new = {**alike, last: labelled(items[last], range(n))}
        assert same(plain, function(**new, **options))
        shuffled = {name: labelled(items[name], range(n)) for name in names}
        shuffled[last] = labelled(items[last], range(n)[::-1])
        if len(names) > 1:
            with pytest.raises(fp.InputError, match="the same labels in another order"):
                function(**{**items, **shuffled}, **options)


def test_an_attribute_of_an_audit_has_the_index_of_the_labels():
    labels = pd.Series(Y, index=range(5, N + 5))
    turned = pd.Series(G, index=range(5, N + 5)[::-1])
    for features in (
        turned, turned.to_frame("sex"), {"sex": G, "race": turned}, {"sex": turned, "race": G}
    ):  # fmt: skip
        with pytest.raises(fp.InputError, match=r"^y_true and .* index with the same labels in an"):
            fp.audit(labels, C, sensitive_features=features)
    with pytest.raises(fp.InputError, match=r"`sex` and .*`race` have an index with different"):
        fp.audit(
            Y, C, sensitive_features={"sex": turned, "race": pd.Series(G, index=range(1, N + 1))}
        )


@pytest.mark.parametrize(
    ("function", "items", "options"),
    [
        (fp.audit, [Y, C], ["control", "clusters", "sample_weight"]),
        (fp.audit, [None, C], ["control"]),
        (fp.audit, [[1.0, np.nan] * (N // 2), C], ["cheap_label", "chance", "drawn_within"]),
        (fp.audit_groups, [Y, C], ["control", "clusters"]),
        (fp.audit_groups, [None, C], ["control"]),
        (fp.compare, [Y, C, C[::-1]], ["control", "clusters", "sample_weight"]),
        (fp.choose, [[1.0, np.nan] * (N // 2), C], ["cheap_label", "chance", "drawn_within"]),
    ],
)  # fmt: skip
def test_any_column_of_an_audit_has_the_index_of_the_others(function, items, options):
    more = {"n": 5} if function is fp.choose else {}
    more |= {"cheap_label": Y} if "cheap_label" in options else {}
    first, second, *rest = items
    for name in options:
        turned = more | {name: labelled(Y, range(N)[::-1])}
        for y_pred, groups in ((second, labelled(G, range(N))), (labelled(second, range(N)), G)):
            with pytest.raises(fp.InputError, match="the same labels in another order"):
                function(first, y_pred, *rest, sensitive_features=groups, **turned)


def test_probabilities_of_two_classes_are_refused_with_the_column_to_take():
    two = np.column_stack([1 - np.array(S), S])
    for function in (fp.xauc, fp.comparative_separation_test, fp.conditional_xauc):
        with pytest.raises(fp.InputError, match=r"take those of the second, y_score\[:, 1\]\.$"):
            function(Y, two, sensitive_features=G)
    with pytest.raises(fp.InputError, match=r"take those of the second, y_score\[:, 1\]\.$"):
        fp.audit(Y, C, y_score=two, sensitive_features=G)
    with pytest.raises(fp.InputError, match=r"it has the shape \(24, 2\)\.$"):
        fp.xauc(Y, X, sensitive_features=G)
