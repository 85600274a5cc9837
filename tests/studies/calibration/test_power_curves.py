"""Power curves: the numbers of items in the legend, and the level."""

from fairpairs.studies.calibration.power_curves import power_curves
from tests.svg import words


def test_power_curves_name_the_items_and_follow_the_level(tmp_path):
    power_curves(tmp_path / "one.svg", alpha=0.05)
    power_curves(tmp_path / "two.svg", alpha=0.01)
    text = words(tmp_path / "one")
    for word in ("500 items", "8,000 items", "judgments over these items", "P(violation found)"):
        assert word in text
    assert (tmp_path / "one.svg").read_bytes() != (tmp_path / "two.svg").read_bytes()
