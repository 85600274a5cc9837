"""Figure 1: its bounds, and the probability between them."""

from functools import partial

import pandas as pd
import pytest

from fairpairs.papers.display.tables import write_table
from fairpairs.papers.studies.comparative_separation.figures import acceptance_region
from tests.page import Page
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


def test_the_section_is_the_figure_that_needs_no_data(section_of):
    text = section_of("comparative_separation", figures=("figure_1",))
    assert text.count("<svg") == 1
    assert "Figure 1 of the paper: the probability β" in Page(text).text


def test_the_section_has_a_table_of_regressions(section_of, tmp_path):
    rates = pd.DataFrame(
        [
            ("none", "separation_at_medians", 1000, 0.1, 0.004),
            ("none", "comparative_separation", 1000, 0.0975, 0.0042),
            ("shift", "separation_at_medians", 1000, 0.7, 0.006),
            ("shift", "comparative_separation", 1000, 0.75, 0.0061),
        ],
        columns=["violation", "test", "size", "rejected", "standard_error"],
    )
    write_table(tmp_path / "results/tables/comparative_separation/pairs_in_regression.csv", rates)
    page = Page(section_of("comparative_separation"))
    assert "As many pairs as items in regression?" in page.text
    assert page.cells == [
        "Violation", "Separation, cut at medians, n=1,000", "Comparative separation, np=1,000",
        "none", "0.100 ± 0.004", "0.098 ± 0.004", "shift", "0.700 ± 0.006", "0.750 ± 0.006",
    ]  # fmt: skip
