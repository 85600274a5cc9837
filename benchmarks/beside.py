"""FairPairs beside what a user would pick instead: seconds and memory of the same results."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from items import OPTIONS, write_items
from processes import FAIRPAIRS, Ran, run

HERE = Path(__file__).parent
#: Audit → its rows.
AUDITS = {"Audit of 10⁶ rows": 10**6, "Audit of 10⁷ rows": 10**7}
#: Python of the environment with the other tools (`make other-tools`).
OTHERS = HERE.parent / "build/other-tools/bin/python"
#: Tool → the ways to ask it.
TOOLS = {
    "fairlearn": {"fairlearn": ()},  # its intervals need a hundred bootstraps, each as long
    "aequitas": {"aequitas": (), "aequitas, with its tests": ("tests",)},
    "aif360": {"aif360": ()},
}
RATES = ("selection rate", "TPR", "FPR")
#: How far the rates of two tools may differ.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Row:
    """One line of the table; without seconds the tool is not installed."""

    what: str
    who: str
    seconds: float = float("nan")
    peak: float = float("nan")


def measure(rounds: int, audits: Mapping[str, int] = AUDITS) -> list[Row]:
    """Measure FairPairs and the others; a line of FairPairs comes before those beside it."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.parquet")
        for audit, n in audits.items():
            write_items(path, n)
            rows += of_audit(audit, path, rounds)
    return rows


def of_audit(audit: str, path: Path, rounds: int) -> list[Row]:
    """Audit a file by each tool, if its rates are those of FairPairs."""
    out = path.parent / "audit"
    command = [*FAIRPAIRS, "audit", path, *OPTIONS]
    rows = [
        _row(audit, "FairPairs, all tests", [run(*command) for _ in range(rounds)]),
        _row(audit, "FairPairs, and its page", [run(*command, "--out", out)]),
    ]
    ours = rates_of(pd.read_csv(out / "rates.csv"))
    for tool, ways in TOOLS.items():
        for way, words in ways.items():
            if not has(OTHERS, tool):
                rows.append(Row(audit, way))
                continue
            ran = run(OTHERS, HERE / f"tools/by_{tool}.py", path, *words)
            check(ours, ran.answer["rates"], way)
            rows.append(_row(audit, f"{way} ({ran.answer['version']})", [ran]))
    return rows


def rates_of(table: pd.DataFrame) -> dict[str, Any]:
    """Return the rates of an audit by attribute, group and name."""
    kept = table[table["measure"].isin(RATES)]
    return {
        str(attribute): of.pivot(index="group", columns="measure", values="estimate").to_dict(
            "index"
        )
        for attribute, of in kept.groupby("attribute")
    }


def check(ours: dict[str, Any], theirs: dict[str, Any], who: str) -> None:
    """Raise unless all rates are equal up to rounding."""
    for attribute, groups in ours.items():
        for group, rates in groups.items():
            for name, rate in rates.items():
                other = theirs[attribute][group][name]
                if abs(rate - other) > ROUNDING:
                    raise SystemExit(f"{who}: {name} of {attribute} {group} is {other}, not {rate}")


def has(python: Path, module: str) -> bool:
    """Return whether an environment is there and has a module."""
    if not python.exists():
        return False
    found = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", found], check=False).returncode == 0


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the table of the page."""
    first: dict[str, float] = {}
    lines = []
    for row in rows:
        ours = first.setdefault(row.what, row.seconds)
        known = row.seconds == row.seconds
        lines.append(
            (
                row.what,
                row.who,
                f"{row.seconds:,.3g}" if known else "not installed",
                f"{row.seconds / ours:,.3g}" if known else "",
                f"{row.peak:,.0f}" if known else "",
            )
        )
    columns = ["what", "by", "seconds", "times ours", "peak MB"]
    return pd.DataFrame(lines, columns=columns)


def _row(what: str, who: str, ran: Sequence[Ran]) -> Row:
    """Return the median of the seconds of some processes, and the largest peak."""
    median = statistics.median(r.seconds for r in ran)
    print(f"  {what:40} {who:45} {median:10,.3g} s", flush=True)
    return Row(what, who, median, max(r.peak for r in ran))
