"""The forest plot of differences."""

import re

import numpy as np

from fairpairs.audits.lines.figures import LONGEST, forest


def row(estimate, low, high, verdict="not shown"):
    return {
        "estimate": estimate, "ci_low": low, "ci_high": high, "verdict": verdict,
        "margin": np.nan,
    }  # fmt: skip


def words(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_each_row_has_its_name_and_the_axis_its_sides():
    rows = [row(-0.2, -0.3, -0.1, "violated"), row(0.1, -0.1, 0.3), row(np.nan, np.nan, np.nan)]
    names = ["a", "Skywork-Reward-Llama-3.1-8B-v0.2", "c"]
    svg = forest(rows, names, "← north | south →", prefix="x")
    drawn = words(svg)
    assert {"a", "← north | south →"} <= set(drawn) and "c" not in drawn
    (long,) = [text for text in drawn if "…" in text]
    assert long.startswith("Skywork") and long.endswith("8B-v0.2") and len(long) == LONGEST
    assert 'id="x-' in svg
    assert forest(rows, names, "← north | south →", prefix="x") == svg


def test_nothing_estimated_is_nothing_drawn():
    assert forest([row(np.nan, np.nan, np.nan)], ["a"], "", prefix="x") == ""


def test_seventeen_models_fit_a_phone():
    """An inch of the drawing is 72 points; a phone is 400 wide, with a margin of 20."""
    rows = [row(0.01 * i, 0.01 * i - 0.1, 0.01 * i + 0.1) for i in range(17)]
    svg = forest(rows, [f"model {i}" for i in range(17)], "", prefix="x")
    width, height = (float(size) for size in re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
    assert width <= 360 and height < 1.5 * width
    assert sum(text.startswith("model ") for text in words(svg)) == 17
