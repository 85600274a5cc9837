"""The study of levels, coverage and planned power: what it counts, and that it finds a bad test."""

import numpy as np
import pytest

from fairpairs.base.errors import InputError
from fairpairs.mathematics.promises.promise import Said
from fairpairs.papers.studies.calibration.levels.cases.sample import Drawn, Sample
from fairpairs.papers.studies.calibration.levels.measure import measure_levels
from fairpairs.papers.studies.calibration.levels.suite import TESTS, LevelTest


def nothing(rng):
    return Sample(np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros(2, int))


def made(monkeypatch, run, repeats=400):
    """What the study says of a made test."""
    monkeypatch.setitem(TESTS, "made", LevelTest(run, (Drawn("nothing", nothing),)))
    return measure_levels("made", repeats=repeats, seed=1, alpha=0.05)


@pytest.mark.parametrize(("level", "noted", "kept"), [
    (0.05, False, True), (0.15, False, False), (0.1, True, True), (0.25, True, False),
])  # fmt: skip
def test_a_test_that_misses_its_level_is_found(monkeypatch, level, noted, kept):
    # at the level itself a promise is called broken in 1 %, at 0.15 or 0.25 in all but 1e-6
    def run(sample, rng, alpha):
        yield Said.once("Holm", "level", rng.random() < level, noted)

    (row,) = made(monkeypatch, run).to_dict("records")
    assert (row["promise"], row["noted"], row["kept"]) == ("level", noted, kept)
    assert row["promised"] == (0.1 if noted else 0.05)


@pytest.mark.parametrize(("cover", "kept"), [(0.95, True), (0.85, False)])
def test_intervals_that_cover_too_little_are_found(monkeypatch, cover, kept):
    def run(sample, rng, alpha):
        yield Said.once("gap", "coverage", rng.random() < cover)

    (row,) = made(monkeypatch, run).to_dict("records")
    assert (row["promise"], row["of"], row["kept"]) == ("coverage", "gap", kept)


def test_results_with_and_without_a_note_are_counted_apart(monkeypatch):
    def run(sample, rng, alpha):
        noted = bool(rng.random() < 0.5)
        yield Said.once("Holm", "level", noted, noted)

    rows = made(monkeypatch, run).set_index("noted")
    assert rows["measured"].to_dict() == {False: 0.0, True: 1.0}
    assert rows["sets"].sum() == 400


def test_a_data_set_that_cannot_be_tested_claims_nothing(monkeypatch):
    def run(sample, rng, alpha):
        raise InputError("one group only")

    assert made(monkeypatch, run).empty


@pytest.mark.slow
def test_the_numbers_depend_on_the_seed_alone():
    one, two, other = (
        measure_levels("differential_parity_slope_test", repeats=4, seed=seed, alpha=0.05)
        for seed in (1, 1, 2)
    )
    assert one.equals(two)
    assert not one.equals(other)
