"""A plugin of pytest that spares its processes what they would do twice, or for nobody."""

import importlib
from collections.abc import Generator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.workflow import forks

ROOT = Path(__file__).parents[1]
#: Seconds below which a setup or a teardown that succeeds is not reported to the first process.
SHORT = 0.01


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Import no module of the package for its examples if it has none."""
    if collection_path.suffix != ".py" or not collection_path.is_relative_to(ROOT / "src"):
        return None
    return ">>> " not in collection_path.read_text("utf-8") or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Any, Any]:
    """Look for no examples in the tests."""
    found = yield
    if file_path.is_relative_to(ROOT / "tests"):
        return [collector for collector in found if type(collector) is pytest.Module]
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import all tests, from another file on in each process: each rewrites asserts of a part.

    The others find what it has written.
    """
    process = getattr(session.config, "workerinput", {})
    if not process.get("all"):
        return
    files = sorted(ROOT.glob("tests/**/test_*.py"))
    first = len(files) * int(process["workerid"].removeprefix("gw")) // process["workercount"]
    for file in files[first:] + files[:first]:
        with suppress(pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


class Files(LoadFileScheduling):
    """Hand out files of tests, and forget those that are done: xdist would count them each time."""

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Mark a test as done."""
        super().mark_test_complete(node, item_index, duration)
        file = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][file].values()):
            del self.assigned_work[node][file]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Files | None:
    """Return what hands out the tests if it is to hand out files."""
    return Files(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let all processes share one warm interpreter for runs of the workflow."""
    of_all = node.config.args_source is node.config.ArgsSource.TESTPATHS
    node.workerinput.update(interpreter=forks.share(), all=of_all)


def pytest_sessionfinish() -> None:
    """End it."""
    forks.stop()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Join the warm interpreter, and send what is shown alone."""
    if process := getattr(session.config, "workerinput", None):
        forks.join(process["interpreter"])
    for plugin in session.config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            plugin.sendevent = partial(_send_what_is_shown, plugin.sendevent)


def _send_what_is_shown(send: Any, name: str, **about: Any) -> None:
    """Send no beginnings and ends of tests, and no short setups and teardowns that succeed."""
    if name in ("logstart", "logfinish"):
        return
    if name == "testreport":
        report = about["data"]
        short = report["duration"] < SHORT and report["outcome"] == "passed"
        if short and report["when"] != "call":
            return
    send(name, **about)
