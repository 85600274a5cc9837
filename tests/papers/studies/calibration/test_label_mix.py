"""The raw gap of a fair model whose groups' labels differ, against a simulation."""

import numpy as np
import pytest

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.papers.studies.calibration.figures import gap_of_label_mix, label_mix
from tests.svg import check_figure, words

#: Standard errors.
MANY = 4.5


@pytest.mark.parametrize("noise", [0.3, 1, 3])
def test_where_labels_are_alike_there_is_no_gap(noise):
    assert gap_of_label_mix(0, noise) == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "noise"), [(0.5, 1), (1, 0.5), (2, 2), (-1, 1)])
def test_the_gap_of_the_mix_of_labels_is_that_of_a_simulation(shift, noise):
    n = 200_000
    rng = np.random.default_rng(8)
    group = rng.integers(2, size=n)
    label = rng.normal(size=n) + shift * group
    rates = all_pairs(label, label + noise * rng.normal(size=n), group, 2)
    contrast = np.array([0, -1, 1, 0])  # TPR(1,0) less TPR(0,1)
    error = np.sqrt(contrast @ rates.covariance @ contrast)
    assert error < 0.003
    assert abs(rates.tpr[1, 0] - rates.tpr[0, 1] - gap_of_label_mix(shift, noise)) < MANY * error


def test_the_gap_of_the_mix_of_labels_is_odd_and_increases():
    gaps = [gap_of_label_mix(shift, 1) for shift in (0.25, 0.5, 1, 2)]
    assert gaps == sorted(gaps)
    assert gaps[0] > 0.01
    assert gap_of_label_mix(-0.5, 1) == pytest.approx(-gaps[1], abs=1e-9)


@pytest.mark.slow
def test_the_mix_of_labels_is_drawn_with_the_gaps_that_are_given(tmp_path):
    asked = []

    def gap(shift, noise):
        asked.append((shift, noise))
        return shift / 10

    label_mix(tmp_path / "figure.svg", gap)
    shifts, noises = (set(x) for x in zip(*asked, strict=True))
    assert (min(shifts), max(shifts)) == (0, 2)
    text = words(tmp_path / "figure")
    for noise in noises:
        assert f"raw, noise {noise:g}" in text
    assert "labels balanced, any noise" in text


@pytest.mark.slow
def test_the_same_gaps_give_the_same_bytes(tmp_path):
    check_figure(lambda path: label_mix(path, gap_of_label_mix), tmp_path)
