import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.proportion import test_proportions_2indep as proportions_test

import fairpairs as fp
from fairpairs.base.files import write_text
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.pair_counts import draw_cell_counts
from fairpairs.papers.experiments.predictions import Settings, run_tests
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.registry import known

SETTINGS = Settings(seed=11, alpha=0.1, pairs_per_item=2.0)
REPEATS = [4, 5, 9]
TESTS = set(known("tests"))
#: They need a binary label.
RANKING = ("xauc", "ranking", "xauc_adjustment")


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch):
    """A tenth of the default, which a second number would contradict."""

    def few(*data, **options):
        return fp.separation_permutation_test(*data, n_permutations=99, **options)

    module = "fairpairs.papers.fairness_tests.separation_permutation"
    monkeypatch.setattr(f"{module}.separation_permutation_test", few)


@pytest.fixture
def predictions(small_dataset):
    """What a careless model says: right three times in four, in repeats of several sizes."""
    rng = np.random.default_rng(0)
    frames = []
    for repeat, size in zip(REPEATS, (300, 250, 200), strict=True):
        item = np.sort(rng.choice(500, size, replace=False))
        wrong = (rng.random(size) < 0.25).astype(np.int8)
        frames.append(
            pd.DataFrame(
                {
                    "repeat": np.int32(repeat),
                    "item": item.astype(np.int32),
                    "score": 0.5,
                    "prediction": small_dataset.label[item].astype(np.int8) ^ wrong,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def run(test, predictions, dataset, settings=SETTINGS, treatment="none"):
    return run_tests([test], predictions, dataset, treatment=treatment, settings=settings)


def groups_of(part, dataset, attribute):
    """Return the group of the item of each row of the predictions."""
    return dataset.frame[f"sensitive_{attribute}"].to_numpy()[part["item"]]


def counts_of(part, dataset, attribute):
    """Count the cells (a, y, c) of one repeat in a plain loop."""
    counts = np.zeros((2, 2, 2), dtype=int)
    frame = dataset.frame
    for item, prediction in zip(part["item"], part["prediction"], strict=True):
        row = frame.iloc[item]
        counts[row[f"sensitive_{attribute}"], row["label"], prediction] += 1
    return counts


def test_separation_is_tested_as_repeat_by_repeat(small_dataset, predictions):
    frame = run("separation", predictions, small_dataset)
    for repeat, part in predictions.groupby("repeat"):
        for attribute in ("sex", "race"):
            result = fp.separation_test(
                small_dataset.label[part["item"]],
                part["prediction"],
                sensitive_features=groups_of(part, small_dataset, attribute),
                correction="none",
                method="wald",
            )
            rows = frame[(frame["repeat"] == repeat) & (frame["attribute"] == attribute)]
            alone = result.to_frame()
            assert_array_equal(rows["hypothesis"], ["H0t", "H0f"])
            assert_array_equal(rows["estimate"], alone["estimate"])
            assert_array_equal(rows["statistic"], alone["statistic"])
            assert_array_equal(rows["p_value"], alone["pvalue"])
            assert_array_equal(rows["rejected"], alone["pvalue"] < 0.1)
            assert_array_equal(rows["n"], alone["n"])
            assert_array_equal(rows["smallest_cell"], alone["smallest_cell"])
            assert_array_equal(rows["note"], alone["note"])


@pytest.mark.slow
def test_comparative_separation_is_tested_on_the_pairs_of_the_documented_stream(
    small_dataset, predictions
):
    frame = run("comparative_separation", predictions, small_dataset, treatment="fairbalance")
    for repeat, part in predictions.groupby("repeat"):
        for attribute in ("sex", "race"):
            counts = counts_of(part, small_dataset, attribute)
            rng = stream(11, "pairs", "small", "none", attribute, repeat)
            pairs = draw_cell_counts(cell_probabilities(counts / len(part)), 2 * len(part), rng)
            rows = frame[(frame["repeat"] == repeat) & (frame["attribute"] == attribute)]
            keys = rows[["dataset", "treatment", "test"]].drop_duplicates().to_numpy().tolist()
            assert keys == [["small", "fairbalance", "comparative_separation"]]
            for hypothesis, first, second in (("H0c", (1, 0), (0, 1)), ("H0w", (1, 1), (0, 0))):
                row = rows.set_index("hypothesis").loc[hypothesis]
                expected = proportions_test(
                    pairs.concordant[first], pairs.comparable[first],
                    pairs.concordant[second], pairs.comparable[second],
                    method="wald", compare="diff",
                )  # fmt: skip
                assert_allclose(row["estimate"], expected.diff, rtol=1e-10)
                assert_allclose(row["statistic"], expected.statistic, rtol=1e-10)
                assert_allclose(row["p_value"], expected.pvalue, rtol=1e-10)
                assert row["rejected"] == (expected.pvalue < 0.1)
                assert row["n"] == pairs.comparable[first] + pairs.comparable[second]
                assert row["smallest_cell"] == min(
                    pairs.comparable[first], pairs.comparable[second]
                )


@pytest.mark.slow
def test_tests_together_give_the_rows_of_each_in_the_order_of_their_names(
    small_dataset, predictions
):
    names = ["xauc", *sorted(TESTS - {"xauc"}, reverse=True)]
    together = run_tests(names, predictions, small_dataset, treatment="none", settings=SETTINGS)
    alone = [run(name, predictions, small_dataset) for name in names]
    pd.testing.assert_frame_equal(together, pd.concat(alone, ignore_index=True), check_exact=True)


def test_a_seed_has_pairs_of_its_own_and_treatments_share_them(small_dataset, predictions):
    """Equal predictions get equal verdicts."""
    one = run("comparative_separation", predictions, small_dataset)
    other = Settings(seed=12, alpha=0.1, pairs_per_item=2.0)
    changed = run("comparative_separation", predictions, small_dataset, settings=other)
    assert (one["n"] != changed["n"]).any()
    for test in sorted(TESTS):
        same = [
            run(test, predictions, small_dataset, treatment=name).drop(columns="treatment")
            for name in ("none", "reweighing")
        ]
        pd.testing.assert_frame_equal(*same, check_exact=True)


@pytest.mark.parametrize("test", RANKING)
def test_decisions_without_a_score_have_no_ranking(small_dataset, predictions, test):
    decisions = predictions.assign(score=np.nan)
    rows = run(test, decisions, small_dataset)
    assert set(rows["note"]) == set(rows["hypothesis"]) == {"no score"}
    assert rows["estimate"].isna().all() and not rows["rejected"].any()
    assert len(rows) == 2 * len(REPEATS)


def test_notes_say_what_could_not_be_tested_and_what_is_small():
    # group 1 has no label 0; group 0 is always predicted right on label 0; label 1 is small
    sex = [0] * 40 + [1] * 10
    label = [0] * 30 + [1] * 10 + [1] * 10
    prediction = [0] * 30 + [1] * 5 + [0] * 5 + [1] * 9 + [0]
    frame = pd.DataFrame(
        {"item": range(50), "label": label, "sensitive_sex": sex, "sensitive_flat": [0, 1] * 25}
    )
    dataset = PreparedDataset("tiny", frame, {}, ("sex", "flat"))
    predictions = pd.DataFrame(
        {"repeat": 0, "item": range(50), "score": 0.5, "prediction": prediction}
    )
    rows = run("separation", predictions, dataset).set_index(["attribute", "hypothesis"])
    assert rows.loc[("sex", "H0t"), "note"] == "a cell below 30"
    assert rows.loc[("sex", "H0t"), "rejected"]
    assert rows.loc[("sex", "H0f"), "note"] == "empty cell"
    assert rows.loc[("flat", "H0f"), "note"] == "no variance; a cell below 30"
    assert rows.loc[("flat", "H0f"), "estimate"] == 0
    for key in (("sex", "H0f"), ("flat", "H0f")):
        assert np.isnan(rows.loc[key, "p_value"])
        assert not rows.loc[key, "rejected"]


# tests that take shared items into account


@pytest.fixture
def levels():
    """150 items with labels of a few levels, which differ between the groups of `sex`."""
    rng = np.random.default_rng(5)
    n = 150
    sex = rng.integers(2, size=n)
    frame = pd.DataFrame({"item": range(n), "sensitive_sex": sex})
    frame["sensitive_race"] = rng.integers(2, size=n)
    frame["label"] = np.minimum(rng.poisson(2 + 2 * sex), 8).astype(float)
    return PreparedDataset("levels", frame, {}, ("sex", "race"))


@pytest.fixture
def continuous(levels):
    """The same with labels that no two items share."""
    rng = np.random.default_rng(6)
    frame = levels.frame.assign(label=levels.frame["label"] + rng.normal(size=150))
    return PreparedDataset("continuous", frame, {}, levels.attributes)


def predicted(dataset, size=120):
    """Label and noise, and ties, in repeats of a part of the items."""
    rng = np.random.default_rng(1)
    frames = []
    for repeat in REPEATS:
        item = np.sort(rng.choice(len(dataset.frame), size, replace=False))
        prediction = np.round(dataset.label[item] + rng.normal(scale=2, size=size), 1)
        frames.append(
            pd.DataFrame(
                {"repeat": repeat, "item": item, "score": prediction, "prediction": prediction}
            )
        )
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(params=["binary", "levels", "continuous"])
def any_labels(request, small_dataset, predictions):
    """A data set and predictions, of each kind of label."""
    if request.param == "binary":
        return small_dataset, predictions
    dataset = request.getfixturevalue(request.param)
    return dataset, predicted(dataset)


@pytest.mark.parametrize(
    ("test", "balance_labels"),
    [("comparative_separation_all_pairs", "auto"), ("comparative_separation_all_pairs_raw", False)],
)
def test_all_pairs_are_tested_as_by_the_function_of_the_package(any_labels, test, balance_labels):
    dataset, predictions = any_labels
    frame = run(test, predictions, dataset)
    assert len(frame) == 12
    for (repeat, attribute), rows in frame.groupby(["repeat", "attribute"]):
        part = predictions[predictions["repeat"] == repeat]
        result = fp.comparative_separation_test(
            dataset.label[part["item"]],
            part["prediction"],
            sensitive_features=groups_of(part, dataset, attribute),
            balance_labels=balance_labels,
            alpha=0.1,
            correction="holm",
        )
        alone = result.to_frame()
        assert list(rows["hypothesis"]) == ["H0c", "H0w"]
        assert set(rows["draw"]) == {0}
        assert_allclose(rows["estimate"], alone["estimate"], rtol=1e-10, atol=1e-14)
        assert_allclose(rows["statistic"], alone["statistic"], rtol=1e-10, atol=1e-12)
        # of each hypothesis alone
        assert_allclose(rows["p_value"], result.difference.pvalue, rtol=1e-9)
        # by Holm
        assert_array_equal(rows["rejected"], alone["pvalue"] < 0.1)
        assert_array_equal(rows["n"], alone["n"])
        assert_array_equal(rows["smallest_cell"], alone["smallest_cell"])
        assert_array_equal(rows["note"], alone["note"])


DYADIC = Settings(seed=11, alpha=0.1, pairs_per_item=1.5, draws=4)


@pytest.mark.slow
def test_the_dyadic_test_is_that_of_the_package_on_the_pairs_of_the_documented_stream(any_labels):
    dataset, predictions = any_labels
    frame = run("comparative_separation_dyadic", predictions, dataset, settings=DYADIC)
    assert len(frame) == 2 * 3 * 4 * 2
    for (repeat, attribute), rows in frame.groupby(["repeat", "attribute"]):
        part = predictions[predictions["repeat"] == repeat]
        rng = stream(11, "dyadic", dataset.name, "none", attribute, repeat)
        n = len(part)
        left, right = rng.integers(n, size=(2, 4, round(1.5 * n)))
        for draw, own in rows.groupby("draw"):
            result = fp.comparative_separation_test(
                dataset.label[part["item"]],
                part["prediction"],
                sensitive_features=groups_of(part, dataset, attribute),
                pairs=np.column_stack([left[draw], right[draw]]),
                balance_labels=False,
                alpha=0.1,
            )
            assert result.variance == "dyadic"
            assert_allclose(own["estimate"], result.difference.estimate, rtol=1e-10, atol=1e-14)
            assert_allclose(own["p_value"], result.difference.pvalue, rtol=1e-9)
            assert_array_equal(own["rejected"], result.pvalues < 0.1)
            assert_array_equal(own["n"], result.difference.n)
            assert list(own["hypothesis"]) == ["H0c", "H0w"]


@pytest.mark.slow
def test_neither_chunks_of_repeats_nor_the_order_of_rows_change_a_number(any_labels):
    dataset, predictions = any_labels
    names = sorted(TESTS if dataset.is_binary else TESTS - {"separation", *RANKING})
    settings = Settings(seed=11, alpha=0.1, pairs_per_item=1.5, draws=3)
    shuffled = predictions.sample(frac=1, random_state=0)
    last = shuffled["repeat"] == REPEATS[-1]
    order = ["test", "attribute", "repeat", "draw", "hypothesis"]
    whole, together = (
        pd.concat(run_tests(names, rows, dataset, treatment="none", settings=settings)
                  for rows in parts).sort_values(order, ignore_index=True)
        for parts in ([predictions], [shuffled[~last], shuffled[last]])
    )  # fmt: skip
    pd.testing.assert_frame_equal(whole, together, check_exact=True)


PERMUTATION = {
    "separation_permutation": "comparative_separation",
    "information_separation_permutation": "information_separation",
}


@pytest.mark.slow
@pytest.mark.parametrize("test", PERMUTATION)
def test_the_permutation_tests_are_those_of_the_package_one_row_a_repeat(any_labels, test):
    dataset, predictions = any_labels
    frame = run(test, predictions, dataset, treatment="reweighing")
    assert len(frame) == 6
    assert not frame[["repeat", "attribute"]].duplicated().any()
    assert set(frame["hypothesis"]) == {"separation"}
    for row in frame.itertuples():
        part = predictions[predictions["repeat"] == row.repeat]
        group = groups_of(part, dataset, row.attribute)
        result = fp.separation_permutation_test(
            dataset.label[part["item"]],
            part["prediction"],
            sensitive_features=group,
            statistic=PERMUTATION[test],
            n_permutations=99,
            random_state=stream(
                11, PERMUTATION[test], dataset.name, "none", row.attribute, row.repeat
            ),
        )
        assert row.p_value == result.pvalue
        assert row.rejected == (result.pvalue < 0.1)
        spreads = (result.statistic - result.null_mean) / result.null_sd
        assert row.statistic == spreads[np.abs(spreads).argmax()]
        assert row.estimate == result.statistic[np.abs(spreads).argmax()]
        assert row.n == len(part)
        assert row.smallest_cell == min(group.sum(), len(part) - group.sum())
        assert row.draw == 0
        assert row.note == ""


@pytest.mark.slow
@pytest.mark.parametrize("test", PERMUTATION)
@pytest.mark.parametrize("says", ["the label", "one number"])
def test_a_model_that_is_always_right_or_says_nothing_violates_nothing(levels, test, says):
    """No shuffle changes a thing, so that no statistic has a spread."""
    label = levels.frame["label"]
    prediction = label if says == "the label" else 0 * label
    predictions = pd.DataFrame(
        {"repeat": 0, "item": range(150), "score": prediction, "prediction": prediction}
    )
    frame = run(test, predictions, levels)
    assert list(frame["p_value"]) == [1, 1]
    assert not frame["rejected"].any()


#: A test that returns rows of its own, and how these are made wrong.
ROWS = """
import numpy as np
import pandas as pd

from fairpairs.papers.experiments.predictions import estimate_rows, hypothesis_rows


def mine(predictions, settings):
    rows = estimate_rows(("gap", "low"), predictions, np.ones((len(predictions.repeats), 2)))
    return {returned}


TEST = mine
"""


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("{}", "The test mine returned a dict: return the data frame of hypothesis_rows or estim"),
        ("rows[['repeat', 'n']]", "The test mine returned rows without draw, hypothesis, estimate"),
        ("rows.assign(estimate='x')", "The test mine returned estimate that are not numeric: ret"),
        ("rows.assign(rejected='no')", "The test mine returned `rejected` that is neither True no"),
        ("rows.iloc[:2]", "The test mine returned rows of wrong repeats: return rows of every"),
        ("rows.assign(repeat=7)", "The test mine returned rows of wrong repeats: return rows of"),
        ("rows.assign(hypothesis='gap')", "The test mine returned two rows of 'gap' in one repeat"),
        ("estimate_rows(('gap',), predictions, np.ones((2, 3)))",
         r"The values of 1 names in 2 repeats have the shape \(2, 3\): give \(2, 1\)\.$"),
    ],
)  # fmt: skip
def test_a_test_that_returns_other_rows_is_named(small_dataset, tmp_path, returned, words):
    predictions = train_repeats(
        small_dataset, model="logistic_regression", treatment="none", repeats=[0, 1], seed=3,
        test_fraction=0.5,
    )  # fmt: skip
    file = tmp_path / "tests/mine.py"
    write_text(file, ROWS.replace("{returned}", returned))
    with pytest.raises(fp.InputError, match=f"^{words}"):
        run_tests(
            ["mine"], predictions, small_dataset, treatment="none", settings=SETTINGS,
            extensions=[file],
        )  # fmt: skip
