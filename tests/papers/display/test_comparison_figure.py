"""All papers at a glance."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.figures import published_and_reproduced
from tests.svg import words as texts


@pytest.mark.slow
def test_every_paper_has_a_panel_and_every_verdict_a_count(tmp_path):
    cells = pd.DataFrame(
        {
            "paper": ["xauc", "xauc", "xauc", "density_ratio", "density_ratio"],
            "published": [0.7, 0.8, 300.0, -0.4, 0.5],
            "reproduced": [0.7, 0.6, 300.0, -0.3, np.nan],
            "verdict": ["agrees", "differs", "agrees", "not comparable", "not comparable"],
        }
    )
    published_and_reproduced(tmp_path / "all.svg", cells)
    text = (tmp_path / "all.svg").read_text("utf-8")
    for words in ("xAUC", "density ratio", "1 agrees", "1 differs", "1 not comparable"):
        assert f">{words}<" in text
    ticks = ["0.0", "0.3", "0.6", "0.9"]
    assert texts(tmp_path / "all")[:10] == [*ticks, "published", *ticks, "reproduced"]
    first = (tmp_path / "all.svg").read_bytes()
    published_and_reproduced(tmp_path / "all.svg", cells)
    assert (tmp_path / "all.svg").read_bytes() == first


def test_a_run_without_comparable_cells_is_drawn_too(tmp_path):
    cells = pd.DataFrame({"paper": ["xauc"], "published": [1.0], "reproduced": [np.nan],
                          "verdict": ["not comparable"]})  # fmt: skip
    published_and_reproduced(tmp_path / "none.svg", cells)
    assert "<svg" in (tmp_path / "none.svg").read_text("utf-8")
