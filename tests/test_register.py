"""What is measured of a tool: shares of rejections and of intervals that hold the truth."""

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.register.measure import TOOLS, measure
from benchmarks.register.tables import TEXT, gather, markdown
from benchmarks.register.worlds import REGISTER_WORLDS, _auc, _scores
from fairpairs.papers.display.tables import read_table
from tests.made_results import ROOT

#: A tool whose answers are known: it always rejects, and its intervals hold 0 alone.
ALWAYS = """\
# dependencies = []
def rates(data):
    \"\"\"Call `always()`. Page: nowhere.\"\"\"
    return {"low": -0.01, "high": 0.01, "p": 0.01, "estimate": None}
def labels(data):
    \"\"\"Call `never()`.\"\"\"
    raise ValueError("too few")
"""
SMALL, JUDGED = "20 + 20 rows", "300 labels of 2,000 rows, a judge alike"


@pytest.fixture
def tools(tmp_path):
    """A folder of tools: `always`, and `mean_gap` of the guide."""
    guide = (ROOT / "docs/how-to/extend.md").read_text("utf-8")
    code = re.search(r"/mean_gap.py`:\n\n```python\n(.*?)^```", guide, re.M | re.S)[1]
    shutil.copy(TOOLS / "_run.py", tmp_path)
    (tmp_path / "mean_gap.py").write_text(code, "utf-8")
    (tmp_path / "always.py").write_text(ALWAYS, "utf-8")
    return tmp_path


def measured(tools, name, worlds, sets=6):
    return measure(tools / f"{name}.py", worlds, sets=sets, seed=3)


@pytest.mark.slow
def test_a_tool_that_always_rejects_has_the_level_1_and_what_it_refuses_is_counted(tools):
    rows = measured(tools, "always", [SMALL, JUDGED])
    numbers = rows.set_index(["world", "promise"])
    small = numbers.loc[SMALL]
    assert small["measured"].to_dict() == {
        "level": 1, "power": 1, "coverage (no difference)": 1, "coverage (difference)": 0
    }  # fmt: skip
    assert small.loc["level", "low"] == pytest.approx(0.01 ** (1 / 6))  # Clopper and Pearson
    assert small["standard_error"].eq(0).all()
    refused = numbers.loc[JUDGED]
    assert refused["refused"].tolist() == [6, 6]
    assert refused["sets"].tolist() == [0, 0]
    assert refused["note"].unique().tolist() == ["ValueError: too few"]


@pytest.mark.slow
def test_the_tool_of_the_guide_is_measured_as_a_plain_loop_does(tools):
    """The rejections of its interval, on data sets that are drawn here again."""
    rows = measured(tools, "mean_gap", [SMALL], sets=20).set_index("promise")
    number = list(REGISTER_WORLDS).index(SMALL)
    rejected = 0
    for i in range(20):
        data = REGISTER_WORLDS[SMALL].alternative(np.random.default_rng([3, number, 1, i]))
        one, other = (data["decision"][data["group"] == group] for group in (1, 0))
        error = np.sqrt(one.var() / len(one) + other.var() / len(other))
        rejected += abs(one.mean() - other.mean()) > 1.96 * error
    assert rows.loc["power", "measured"] == rejected / 20
    assert rows.loc["power", "call"].startswith("`mean_gap(decision, group)`")


@pytest.mark.slow
def test_the_program_writes_table_page_and_picture(tmp_path):
    words = ["-m", "benchmarks.register", "scipy", "--worlds", SMALL, "--sets", "8"]
    subprocess.run([sys.executable, *words, "--out", tmp_path], cwd=ROOT, check=True)
    rows = read_table(tmp_path / "levels.csv", text=TEXT)
    assert set(rows["tool"]) == {"scipy"}
    assert set(rows["promise"]) == {"level", "power"}
    assert (rows["sets"] == 8).all()
    assert SMALL in markdown(rows)
    assert (tmp_path / "levels.svg").read_bytes().startswith(b"<?xml")


FIRST, SECOND, THIRD = SMALL, "300 + 300 rows", "950 + 50 rows"


def test_the_committed_table_is_that_of_the_numbers():
    folder = ROOT / "docs/explanation/register"
    rows = read_table(folder / "levels.csv", text=TEXT)
    assert gather(rows.drop(columns=["keeps", "best", "best_tool"])).equals(rows)


def rate_gap(data):
    rates = [data["decision"][data["group"] == code] for code in np.unique(data["group"])]
    weights = data.get("weight", np.ones(len(data["group"])))
    weights = [weights[data["group"] == code] for code in np.unique(data["group"])]
    means = [values @ w / w.sum() for values, w in zip(rates, weights, strict=True)]
    return means[-1] - means[0]


SIGNED = [
    name
    for name, world in REGISTER_WORLDS.items()
    if world.question in ("rates", "clustered", "crossed", "weighted", "margin", "looks")
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNED)
def test_the_truth_of_a_world_is_the_mean_of_its_differences(name):
    world = REGISTER_WORLDS[name]
    for draw, truth in zip((world.null, world.alternative), world.truths, strict=True):
        gaps = [rate_gap(draw(np.random.default_rng([7, i]))) for i in range(300)]
        assert abs(np.mean(gaps) - truth) < 4 * np.std(gaps) / np.sqrt(300) + 0.005


@pytest.mark.parametrize("levels", [0, 5])
def test_the_auc_of_a_world_is_that_of_many_scores(levels):
    data = _scores(np.random.default_rng(5), (20_000, 0), (0.7, 0.7), levels=levels)
    positives, negatives = (np.sort(data["score"][data["label"] == code]) for code in (1, 0))
    below, up_to = (np.searchsorted(negatives, positives, side) for side in ("left", "right"))
    auc = (below + up_to).mean() / 2 / len(negatives)
    assert auc == pytest.approx(_auc(0.7, levels), abs=0.012)
