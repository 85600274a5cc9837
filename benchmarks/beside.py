"""FairPairs beside what a user would pick instead: seconds and memory of the same results."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from cases import ROLES, write_items
from processes import FAIRPAIRS, Ran, run

HERE = Path(__file__).parent
#: Audit → its rows.
AUDITS = {"Audit of 10⁶ rows": 10**6, "Audit of 10⁷ rows": 10**7}
#: Python of the environment with the other tools (`make other-tools`).
OTHERS = HERE.parent / "build/other-tools/bin/python"
#: Name of a tool, or of a way to ask it → the words of its script; the intervals of fairlearn need
#: a hundred bootstraps, each as long.
TOOLS = {
    "fairlearn": ("fairlearn",), "aequitas": ("aequitas",),
    "aequitas, with its tests": ("aequitas", "tests"), "aif360": ("aif360",),
}  # fmt: skip
RATES = ("selection rate", "TPR", "FPR")
#: How far the rates of two tools may differ.
ROUNDING = 1e-12
#: What is audited, by whom, and the processes; none if the tool is not installed.
Row = tuple[str, str, Sequence[Ran]]


def measure(rounds: int, audits: Mapping[str, int] = AUDITS) -> Iterator[Row]:
    """Audit files by each tool, if its rates are those of FairPairs; ours come first."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "predictions.parquet"), Path(folder, "audit")
        for what, n in audits.items():
            write_items(path, n)
            audit = [*FAIRPAIRS, "audit", path, *ROLES]
            yield what, "FairPairs, all tests", [run(*audit) for _ in range(rounds)]
            yield what, "FairPairs, and its page", [run(*audit, "--out", out)]
            ours = rates_of(pd.read_csv(out / "rates.csv"))
            for name, (tool, *words) in TOOLS.items():
                if not has(OTHERS, tool):
                    yield what, name, []
                    continue
                ran = run(OTHERS, HERE / f"tools/by_{tool}.py", path, *words)
                check(ours, ran.answer["rates"], name)
                yield what, f"{name} ({ran.answer['version']})", [ran]


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


def table(rows: Iterator[Row]) -> pd.DataFrame:
    """Return the table of the page: median seconds, and the largest peak."""
    first: dict[str, float] = {}
    lines = []
    for what, who, ran in rows:
        if not ran:
            lines.append((what, who, "not installed", "", ""))
            continue
        seconds = statistics.median(one.seconds for one in ran)
        times = f"{seconds / first.setdefault(what, seconds):,.3g}"
        lines.append((what, who, f"{seconds:,.3g}", times, f"{max(r.peak for r in ran):,.0f}"))
    return pd.DataFrame(lines, columns=["what", "by", "seconds", "times ours", "peak MB"])
