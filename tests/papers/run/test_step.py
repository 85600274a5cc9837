"""What a step of a study gives its function, and how it writes what comes back."""

import sys
from collections.abc import Mapping
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from fairpairs.base.files import read_parquet, write_parquet
from fairpairs.papers.run.step import call


class Named(list):
    """Files of a job, some of them by name."""

    def __init__(self, **files):
        super().__init__(
            path for part in files.values() for path in ([part] if isinstance(part, str) else part)
        )
        self.named = files

    def keys(self):
        return self.named.keys()

    def items(self):
        return self.named.items()

    def get(self, name):
        return self.named[name]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that calls a function as a step of a study `made`, with outputs of these names."""

    def run(function, *outputs, **inputs):
        module = ModuleType("fairpairs.papers.studies.made")
        module.step = function
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr("fairpairs.papers.run.step.getfile", lambda _: tmp_path / "made.py")
        params = {"title": "T"}.items
        params = SimpleNamespace(function="studies.made.step", schema="", items=params)
        files = {name: str(tmp_path / name) for name in outputs}
        files = {name.partition(".")[0]: path for name, path in files.items()}
        call(SimpleNamespace(
            params=params, input=Named(**inputs), output=Named(**files), wildcards=Named()
        ))  # fmt: skip

    return run


RATES = pd.DataFrame({"year": [2020], "share": [0.5]})
LAYOUT = """\
rates: {title: "{{ title }}, {{ of }}", line: "{{ year }}", cells: {share: "{{ share | d(1) }}"}}
"""


def test_inputs_are_read_by_name_and_kind(run, tmp_path):
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    for path in paths:
        write_parquet(path, RATES)

    def step(
        own: pd.DataFrame,
        every: pd.DataFrame,
        each: Mapping[str, pd.DataFrame],
        listed: list[pd.DataFrame],
        title: str,
    ) -> None:
        assert (len(own), len(every), list(each), len(listed), title) == (1, 2, ["a", "b"], 2, "T")

    run(step, "rates.csv", own=paths[0], every=paths, each=paths, listed=paths)


def test_tables_are_written_by_the_names_of_outputs_and_shown_if_there_is_a_layout(run, tmp_path):
    (tmp_path / "tables.yaml").write_text(LAYOUT, "utf-8")

    def step() -> dict[str, object]:
        return {"rates": (RATES, {"of": "loans"}), "plain": RATES, "kept": RATES}

    run(step, "rates.csv", "plain.csv", "kept.parquet")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "rates.csv"), RATES)
    assert (tmp_path / "rates.md").read_text("utf-8").startswith("# T, loans\n\n|")
    assert not (tmp_path / "plain.md").exists()
    pd.testing.assert_frame_equal(read_parquet(tmp_path / "kept.parquet"), RATES)


def test_one_table_is_the_first_output(run, tmp_path):
    run(lambda: RATES, "rates.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "rates.csv"), RATES)
