"""Figure 1: its bounds, and the probability between them."""

from functools import partial

import pytest

from fairpairs.papers.studies.comparative_separation.figures import acceptance_region
from tests.svg import check_figure, words


@pytest.mark.slow
@pytest.mark.usefixtures("png")
def test_the_same_level_gives_the_same_bytes(tmp_path):
    check_figure(partial(acceptance_region, alpha=0.05), tmp_path, endings=("png", "svg"))


@pytest.mark.slow
def test_figure_1_shows_the_bounds_and_beta(tmp_path):
    acceptance_region(tmp_path / "figure.svg", alpha=0.05)
    text = " ".join(words(tmp_path / "figure"))
    assert "−1.96σ" in text
    assert "μ" in text
    # the chance that a normal number with mean 0.9 lies between −1.96 and 1.96
    assert "β = 0.853" in text
    acceptance_region(tmp_path / "other.svg", alpha=0.01)
    assert "2.58σ" in " ".join(words(tmp_path / "other"))
