"""Power curves: the numbers of items in the legend, and the level."""

import pytest

from fairpairs.papers.studies.calibration import figures
from tests.svg import check_figure, words


@pytest.mark.slow
def test_power_curves_name_the_items_and_have_the_same_bytes_of_one_level(tmp_path, monkeypatch):
    asked = []

    def some_power(test, items, *, n_items, n_pairs=10**9, alpha, correction):
        asked.append(alpha)
        return alpha ** (1000 / n_pairs)

    monkeypatch.setattr(figures, "expected_rejection", some_power)
    check_figure(lambda path: figures.power_curves(path, alpha=0.05), tmp_path)
    assert set(asked) == {0.05}
    asked.clear()
    figures.power_curves(tmp_path / "two.svg", alpha=0.01)
    assert set(asked) == {0.01}
    text = words(tmp_path / "one/figure")
    for word in ("500 items", "8,000 items", "judgments over these items", "P(violation found)"):
        assert word in text
    assert (tmp_path / "one/figure.svg").read_bytes() != (tmp_path / "two.svg").read_bytes()
