"""Any test on any world: what is counted, and which promises follow."""

from time import perf_counter

import numpy as np
import pytest

import fairpairs as fp


def coins(rng):
    group, decision = rng.integers(0, 2, (2, 200))
    return {"y_pred": decision, "sensitive_features": group}


def uneven(rng):
    group = rng.integers(0, 2, 200)
    decision = (rng.random(200) < 0.4 + 0.2 * group).astype(int)
    return {"y_pred": decision, "sensitive_features": group}


def drawn(rng):
    return {"u": rng.random()}


@pytest.mark.parametrize(("level", "kept"), [(0.0, True), (0.2, False)])
def test_a_level_is_measured(level, kept):
    begun = perf_counter()
    result = fp.check_promises(lambda u: bool(u < level), drawn, sets=600)
    (row,) = result.to_frame().to_dict("records")
    assert (row["promise"], row["promised"], row["sets"]) == ("level", 0.05, 600)
    assert row["measured"] == pytest.approx(level, abs=0.06)
    assert result.kept is kept
    assert 0 < 600 * result.seconds < perf_counter() - begun
    assert row["verdict"] in str(result)


def test_what_a_test_may_return():
    for test in (lambda u: u, lambda u: u < 0.05, lambda u: {"violated": np.float64(u)}):
        row = fp.check_promises(test, drawn, sets=50).to_frame().iloc[0]
        assert row["of"] == "violated"
        expected = fp.check_promises(lambda u: u < 0.05, drawn, sets=50).to_frame().iloc[0]
        assert row["measured"] == expected["measured"]
    several = fp.check_promises(lambda u: {"a": u < 0.5, "b": None, "c": float("nan")}, drawn)
    assert several.to_frame()["of"].tolist() == ["a"]
    assert several.kept is False


def test_a_result_has_its_verdict_its_intervals_and_its_notes():
    world = fp.World("coins", coins, uneven, truth=0.0)
    result = fp.check_promises(fp.two_proportion_test, world, sets=60, power=0.77)
    table = result.to_frame().set_index("promise")
    assert table["measured"]["level"] < 0.1
    assert table["measured"]["coverage"] > 0.9
    # of a normal z of 0.2 / sqrt(2 * 0.25 / 100)
    assert table["measured"]["power"] == pytest.approx(0.8, abs=0.15)
    assert table["promised"]["power"] == 0.77
    assert result.untested == 0


def made(**levels):
    """A world of p-values, which are smaller if it is unfair, and competitors of these levels."""
    competitors = {name: lambda u, level=level: u < level for name, level in levels.items()}
    return fp.World("made", drawn, lambda rng: {"u": rng.random() ** 3}, competitors=competitors)


def test_the_power_of_the_best_competitor_that_keeps_its_level_is_promised():
    world = made(good=0.05, weak=0.001, wrong=0.5)
    table = fp.check_promises(lambda u: u < 0.002, world, sets=400).to_frame()
    power = table[table["promise"] == "power"].set_index("of")
    assert power["promised"]["violated"] == pytest.approx(power["measured"]["good"] - 0.03)
    assert power["verdict"]["violated"] == "broken"
    assert power["promised"][["good", "weak", "wrong"]].isna().all()
    assert (power["verdict"][["good", "weak", "wrong"]] == "").all()


def test_a_level_that_is_broken_a_little_is_found_on_more_sets():
    """A competitor at 0.07 is no measure of power, though 40 sets would not tell."""
    world = made(good=0.05, bold=0.07)
    table = fp.check_promises(lambda u: u < 0.05, world, sets=200, null_sets=300).to_frame()
    sets = table.set_index(["of", "promise"])["sets"]
    assert sets["violated"].tolist() == [300, 200]
    assert sets["good", "level"] == sets["bold", "level"] == 5000
    power = table[table["promise"] == "power"].set_index("of")
    assert power["promised"]["violated"] == pytest.approx(power["measured"]["good"] - 0.03)


def test_a_refused_data_set_claims_nothing():
    def picky(u):
        if u < 0.5:
            raise fp.InputError("too few")
        return False

    result = fp.check_promises(picky, drawn, sets=100)
    assert result.untested + result.measured[0].sets == 100
    assert 30 < result.untested < 70


def test_numbers_depend_on_the_seed_alone():
    name = "300 rows, weights (0.5)"
    one, two = (fp.check_promises(fp.separation_test, name, sets=4, processes=n) for n in (1, 2))
    assert one == two
    assert one.to_frame().equals(two.to_frame())
    assert fp.check_promises(fp.separation_test, name, sets=4, seed=1) != one


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"world": "mars"}, "There is no world 'mars': name one of `fairpairs.worlds"),
        ({"world": 3}, "world must be a World, the name of one, or a function"),
        ({"sets": 0}, "sets must be"),
        ({"null_sets": 0}, "null_sets must be"),
        ({"tolerance": -1}, "tolerance must lie"),
        ({"power": 1}, "power must lie"),
        ({"processes": 0}, "processes must be"),
        ({"test": lambda u: "yes"}, "A test must return a result with `violated`"),
    ],
)
def test_bad_input_is_explained(change, words):
    with pytest.raises(fp.InputError, match=words):
        fp.check_promises(**{"test": lambda u: u, "world": drawn, "sets": 3, **change})
