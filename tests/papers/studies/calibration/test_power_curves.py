"""Power curves: the numbers of items in the legend, and the level."""

import pytest

from fairpairs.papers.studies.calibration.figures import power_curves
from tests.svg import check_figure, words


@pytest.mark.usefixtures("png")
@pytest.mark.slow
def test_power_curves_name_the_items_and_have_the_same_bytes_of_one_level(tmp_path):
    check_figure(lambda path: power_curves(path, alpha=0.05), tmp_path)
    power_curves(tmp_path / "two.svg", alpha=0.01)
    text = words(tmp_path / "one/figure")
    for word in ("500 items", "8,000 items", "judgments over these items", "P(violation found)"):
        assert word in text
    assert (tmp_path / "one/figure.svg").read_bytes() != (tmp_path / "two.svg").read_bytes()
