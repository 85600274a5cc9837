"""The study of people on split data: its splits, what the models see, and its rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import stdtr

from fairpairs import differential_parity_test
from fairpairs.base.errors import InputError
from fairpairs.mathematics.fairness.bridges import bridge_from_errors
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.models.faces import DECISION_MODELS
from fairpairs.papers.studies.differential_parity.bridge_study import (
    BRIDGES,
    FOLDS,
    ROWS,
    bridge_study,
    inputs_and_model,
)

N = 240
PEOPLE = ["Ann", "Bob", "Cid"]
SETTINGS = {"decisions": PEOPLE, "test_fraction": 0.3, "held_out": 0.25, "cross_fitted": 2}
N_TEST, N_HELD = 72, 42  # 0.3 of 240, and a quarter of the other 168
SEED = 11
FIELDS = ["estimate", "dpt", "dof", "pvalue", "pvalue_one_sided", "dpd", "dpd_overall"]
KEYS = ["repeat", "attribute", "decisions", "reference", "row"]


@pytest.fixture
def decided():
    """Items that three people rate from 1 to 5; Bob favours group 1 of the sex."""
    rng = np.random.default_rng(2)
    sex, race = (rng.random((2, N)) < [[0.5], [0.7]]).astype(np.int8)
    looks, age = rng.normal(size=(2, N))
    frame = pd.DataFrame({"item": np.arange(N), "looks": looks, "age": age, "label": looks})
    frame["sensitive_sex"], frame["sensitive_race"] = sex, race
    for name, favour in (("Ann", 0.0), ("Bob", 0.8), ("Cid", 0.1)):
        said = 3 + looks + favour * sex - 0.3 * race * (name == "Cid") + rng.normal(size=N)
        frame[f"decision_{name}"] = said.round().clip(1, 5)
    frame["decision_Mean"] = frame[[f"decision_{name}" for name in PEOPLE]].mean(axis=1)
    kinds = {"looks": "numeric", "age": "numeric"}
    return PreparedDataset("faces", frame, kinds, ("sex", "race"), ("Mean",))


class Spy:
    """A model that keeps what it was given and what it said."""

    def __init__(self):
        self.calls = []

    def __call__(self, inputs, decisions, fitting, rng):
        x = np.column_stack([np.ones(len(inputs)), inputs])
        weights, *_ = np.linalg.lstsq(x[fitting], decisions[fitting], rcond=None)
        said = x @ weights + 0.1 * rng.normal(size=decisions.shape)
        self.calls.append((fitting.copy(), said.copy(), decisions.copy()))
        return said


def study(dataset, model=None, *, repeats=(0,), seed=SEED, **settings):
    inputs = dataset.frame[["looks", "age"]].to_numpy()
    return bridge_study(
        dataset,
        inputs,
        model or Spy(),
        settings={**SETTINGS, **settings},
        repeats=list(repeats),
        seed=seed,
    )


def parts(repeat=0):
    """The items of test, held-out and fitting part, from the stream that the docstring names."""
    order = stream(SEED, "bridge", "faces", "0.3", repeat).permutation(N)
    masks = []
    for own in (order[:N_TEST], order[N_TEST : N_TEST + N_HELD], order[N_TEST + N_HELD :]):
        masks.append(np.isin(np.arange(N), own))
    return masks


def row_of(frame, **keys):
    rows = frame
    for key, value in keys.items():
        rows = rows[rows[key] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def every_pair():
    return [(i, j) for i in range(3) for j in range(3)]


@pytest.mark.slow
def test_there_is_a_row_for_each_repeat_attribute_pair_and_row_of_the_table(decided):
    frame = study(decided, repeats=[1, 2])
    assert list(frame) == [*KEYS, *FIELDS, "of_all_labels"]
    assert not frame[KEYS].duplicated().any()
    assert set(frame["row"]) == set(ROWS)
    first, later = frame[frame["repeat"] == 1], frame[frame["repeat"] == 2]
    assert len(first) == 2 * 9 * 7
    assert len(later) == 2 * 9 * 6  # without the cross-fitted bridge
    assert set(zip(frame["decisions"], frame["reference"], strict=True)) == {
        (i, j) for i in PEOPLE for j in PEOPLE
    }
    assert frame["repeat"].dtype == np.int32
    assert frame[FIELDS[:-1]].notna().all(axis=None)


@pytest.mark.slow
def test_what_all_labels_say_stands_beside_every_row(decided):
    frame = study(decided)
    for cell in frame.drop_duplicates(["attribute", "decisions", "reference"]).itertuples():
        one, two = (decided.decisions[name] for name in (cell.decisions, cell.reference))
        group = decided.frame[f"sensitive_{cell.attribute}"]
        result = differential_parity_test(one, two, sensitive_features=group)
        assert cell.of_all_labels == pytest.approx(result.difference.estimate[0], abs=1e-12)
    own = frame.groupby(["attribute", "decisions", "reference"])["of_all_labels"]
    assert_allclose(own.max(), own.min(), rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("repeat", [0, 5])
@pytest.mark.parametrize(("column", "attribute"), [(0, "sex"), (1, "race")])
def test_labels_and_predictions_are_compared_as_by_the_test_itself(
    decided, repeat, column, attribute
):
    spy = Spy()
    frame = study(decided, spy, repeats=[repeat])
    test, _, _ = parts(repeat)
    said, ratings = spy.calls[0][1], decided.decisions[PEOPLE].to_numpy()
    group = decided.sensitive[:, column]
    for what, first in (("Label", ratings), ("Model", said)):
        for part, items in (("Train", ~test), ("Test", test)):
            for i, j in every_pair():
                row = row_of(
                    frame, attribute=attribute, row=f"{what} {part}", decisions=PEOPLE[i],
                    reference=PEOPLE[j],
                )  # fmt: skip
                expected, overall = (
                    differential_parity_test(
                        first[items, i], ratings[items, j], sensitive_features=group[items],
                        effect_size=of,
                    )
                    for of in ("pooled", "overall")
                )  # fmt: skip
                table = expected.to_frame().iloc[0]
                # the study keeps the published test of Welch where the test shuffles few items
                table["pvalue"] = 2 * stdtr(table["dof"], -abs(table["statistic"]))
                table["pvalue_one_sided"] = table["pvalue"] / 2
                for ours, theirs in (("estimate", "estimate"), ("dpt", "statistic"),
                                     ("dof", "dof"), ("pvalue", "pvalue"),
                                     ("pvalue_one_sided", "pvalue_one_sided"),
                                     ("dpd", "effect_size")):  # fmt: skip
                    assert_allclose(row[ours], table[theirs], rtol=1e-9, atol=1e-12)
                assert_allclose(
                    row["dpd_overall"], overall.to_frame()["effect_size"][0], rtol=1e-9, atol=1e-12
                )


@pytest.mark.slow
def test_what_is_held_out_or_tested_is_never_fitted_on(decided):
    spy = Spy()
    study(decided, spy, repeats=range(4), cross_fitted=0)
    assert len(spy.calls) == 4
    for repeat, (fitting, _, _) in enumerate(spy.calls):
        test, held, expected = parts(repeat)
        assert_array_equal(fitting, expected)
        assert not (fitting & (test | held)).any()
        assert (test.sum(), held.sum(), fitting.sum()) == (N_TEST, N_HELD, N - N_TEST - N_HELD)


@pytest.mark.slow
def test_the_test_part_depends_neither_on_what_is_held_out_nor_on_who_is_asked(decided):
    labels = {}
    for name, settings in {
        "all": {},
        "held": {"held_out": 0.4},
        "folds": {"cross_fitted": 0},
        "two": {"decisions": ["Bob", "Ann"]},
    }.items():
        frame = study(decided, **settings)
        asked = (frame["decisions"] == "Bob") & (frame["reference"] == "Ann")
        labels[name] = frame[asked & frame["row"].str.startswith("Label")][FIELDS].to_numpy()
    for other in ("held", "folds", "two"):
        assert_allclose(labels[other], labels["all"], rtol=1e-12)
    assert not np.allclose(
        study(decided, seed=SEED + 1)["estimate"], study(decided)["estimate"], rtol=1e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize(("source", "place"), [("held-out", 1), ("fitting", 2)])
def test_the_bridge_takes_the_errors_of_its_part(decided, source, place):
    spy = Spy()
    frame = study(decided, spy)
    masks = parts()
    test, items = masks[0], masks[place]
    said, ratings = spy.calls[0][1], decided.decisions[PEOPLE].to_numpy()
    for column, attribute in enumerate(decided.attributes):
        group = decided.sensitive[:, column]
        for i, j in every_pair():
            result = bridge_from_errors(
                (said - ratings)[items, i],
                said[test, i] - ratings[test, j],
                sensitive_features_0=group[items],
                sensitive_features_1=group[test],
            )
            row = row_of(
                frame, attribute=attribute, row=BRIDGES[source], decisions=PEOPLE[i],
                reference=PEOPLE[j],
            )  # fmt: skip
            table = result.to_frame().iloc[0]
            names = ["estimate", "statistic", "dof", "pvalue", "pvalue_one_sided", "effect_size"]
            assert_allclose(row[FIELDS[:-1]].astype(float), table[names].astype(float), rtol=1e-12)
            assert np.isnan(row["dpd_overall"])


def test_cross_fitted_errors_are_those_of_the_other_folds(decided):
    spy = Spy()
    frame = study(decided, spy)
    (_, said, _), *folds = spy.calls
    assert len(folds) == FOLDS == 5
    test, _, _ = parts()
    left_out = [~test & ~fitting for fitting, _, _ in folds]
    assert not any((fitting & test).any() for fitting, _, _ in folds)
    assert_array_equal(np.sum(left_out, axis=0), (~test).astype(int))  # each item just once
    assert max(map(np.sum, left_out)) - min(map(np.sum, left_out)) <= 1
    own = np.full_like(said, np.nan)
    for out, (_, of_fold, _) in zip(left_out, folds, strict=True):
        own[out] = of_fold[out]
    mean = np.mean([of_fold for _, of_fold, _ in folds], axis=0)
    ratings = decided.decisions[PEOPLE].to_numpy()
    group = decided.sensitive[:, 1]
    for i, j in every_pair():
        result = bridge_from_errors(
            (own - ratings)[~test, i],
            mean[test, i] - ratings[test, j],
            sensitive_features_0=group[~test],
            sensitive_features_1=group[test],
        )
        row = row_of(
            frame, attribute="race", row="Biased Bridge, cross-fitted", decisions=PEOPLE[i],
            reference=PEOPLE[j],
        )  # fmt: skip
        assert row["estimate"] == pytest.approx(result.difference.estimate[0], rel=1e-9)
        assert row["pvalue"] == pytest.approx(result.difference.pvalue[0], rel=1e-9)
        assert row["dpd"] == pytest.approx(result.difference.effect_size[0], rel=1e-9)


@pytest.mark.slow
def test_a_repeat_does_not_depend_on_the_others_of_its_chunk(decided):
    whole = study(decided, repeats=range(4))
    chunks = pd.concat(
        [study(decided, repeats=chunk) for chunk in ([0], [1, 2], [3])], ignore_index=True
    )
    pd.testing.assert_frame_equal(whole, chunks, check_exact=True)
    estimates = whole[whole["row"] == "Label Test"].groupby("repeat")["estimate"].apply(tuple)
    assert estimates.nunique() == 4


def test_missing_decisions_are_refused_in_one_sentence(decided):
    decided.frame.loc[[3, 9], "decision_Bob"] = np.nan
    with pytest.raises(InputError) as error:
        study(decided)
    assert str(error.value) == (
        "Bob has not decided on 2 items of the data set faces: a study of bridges needs all "
        "decisions, so leave the person or the items out."
    )
    study(decided, decisions=["Ann", "Cid"])  # the others can be compared


def test_the_inputs_of_a_table_are_its_numbers_and_levels(decided):
    frame = decided.frame.assign(town=np.resize(["x", "y", "z"], N))
    table = PreparedDataset("faces", frame, {**decided.kinds, "town": "categorical"}, ("sex",))
    inputs, model = inputs_and_model(table, "ridge")
    assert model is DECISION_MODELS["ridge"]
    assert inputs.shape == (N, 5)
    assert_array_equal(inputs[:, :2], frame[["looks", "age"]].to_numpy())
    assert_array_equal(inputs[:, 2:], pd.get_dummies(frame["town"]).to_numpy())
