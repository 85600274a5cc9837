"""Tools of the register: what a file says, what is refused, and what is left out."""

import re
import shutil

import numpy as np
import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.studies.register import tools as module
from fairpairs.papers.studies.register.measure import measure_tool
from fairpairs.papers.studies.register.tools import (
    NotInstalledError,
    chosen_tools,
    command,
    read_tool,
    write_sets,
)
from fairpairs.papers.studies.register.worlds import QUESTIONS
from tests.made_results import ROOT

SHIPPED = chosen_tools(ROOT / "workflow/tools", {})


@pytest.mark.parametrize("tool", SHIPPED.values(), ids=SHIPPED)
def test_each_tool_of_the_project_has_its_calls_pages_and_lock(tool):
    assert set(tool.calls) <= set(QUESTIONS)
    assert all(tool.calls.values())
    assert "Page: " in next(iter(tool.calls.values()))
    if tool.path.suffix == ".py" and tool.packages:
        locked = tool.lock.read_text("utf-8")
        for requirement in tool.packages:
            name, version = requirement.split("==")
            assert re.search(rf"^{name}=={re.escape(version)} ", locked, re.M | re.I)
        assert "--hash=sha256:" in locked


def test_the_register_is_large_enough():
    assert len(SHIPPED) >= 8


def test_a_file_says_its_packages_and_calls(tools):
    tool = read_tool(tools, "mean_gap")
    assert tool.packages == ()
    assert tool.calls == {
        "rates": "`mean_gap(decision, group)`. Page: example.org/mean_gap, Intervals."
    }
    assert [path.rsplit("/")[-1] for path in tool.files] == ["mean_gap.py", "_run.py"]


def test_a_tool_that_is_no_file_is_refused_in_a_sentence(tools):
    for size in ({"tools": ["mean_gab"]}, {"fewer": {"mean_gab": 3}}):
        with pytest.raises(InputError) as error:
            chosen_tools(tools, size)
        assert "there is no tool" in str(error.value)
        assert "name one of always, mean_gap, or add the file" in str(error.value)
        assert "\n" not in str(error.value)


def test_a_file_without_a_question_is_refused(tools):
    (tools / "empty.py").write_text("def rate(data): ...\n", "utf-8")
    with pytest.raises(InputError, match=r"empty\.py: it answers no question: define one of rates"):
        read_tool(tools, "empty")


def test_a_tool_that_cannot_be_installed_is_named_and_left_out(tools, tmp_path, monkeypatch):
    (tools / "far.py").write_text('# dependencies = ["far==1"]\ndef rates(data): ...\n', "utf-8")

    def fail(words, environment=None):
        raise NotInstalledError("no index")

    monkeypatch.setattr(module, "_run", fail)
    rows = measure_tool(read_tool(tools, "far"), None, sets=2, seed=1, environments=tmp_path)
    assert rows[["tool", "note"]].to_numpy().tolist() == [["far", "not measured: no index"]]
    assert not list(tmp_path.glob("far/ready"))


def test_without_uv_the_reason_is_a_sentence():
    with pytest.raises(NotInstalledError, match="No such file"):
        module._run(["/no/such/uv", "venv"])


def test_a_package_of_r_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NotInstalledError, match="apt-get install r-cran-proc r-cran-jsonlite"):
        command(SHIPPED["proc"], ROOT)


@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_data_sets_are_written_one_below_the_other(tmp_path, ending):
    sets = [{"group": np.array([0, 1])}, {"group": np.array([1])}]
    path = tmp_path / f"data{ending}"
    write_sets(path, sets)
    if ending == ".csv":
        assert path.read_text("utf-8").split() == ["set,group", "0,0", "0,1", "1,1"]
    else:
        stored = np.load(path)
        assert stored["sizes"].tolist() == [2, 1]
        assert stored["group"].tolist() == [0, 1, 1]
