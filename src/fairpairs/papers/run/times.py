"""How long the jobs of a run took, from what Snakemake keeps of its outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import yaml

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.base.plain_values import Record
from fairpairs.base.schemas import read_yaml

#: Number of rules whose times are shown.
MOST_RULES = 6
#: Mean seconds of a job by rule, of the committed run.
SECONDS = "expected/seconds.yaml"


def job_seconds(metadata: str | Path, since: float = 0) -> pd.Series[float]:
    """Return the seconds of each job, by rule and log file, from the folder `.snakemake/metadata`.

    Jobs that began before `since`, in seconds since 1970, are left out.
    """
    # the outputs of a job share its log, and their start times differ by parts of a second
    outputs = [
        (record["rule"], str(record["log"]), record["starttime"], record["endtime"])
        for record in map(_record, Path(metadata).rglob("*"))
        if (record.get("starttime") or 0) >= since and record.get("endtime")
    ]
    frame = pd.DataFrame(outputs, columns=["rule", "log", "start", "end"])
    jobs = frame.groupby(["rule", "log"]).agg({"start": "min", "end": "max"})
    return jobs["end"] - jobs["start"]


def _record(path: Path) -> Record:
    """Return what Snakemake keeps of an output; empty if a killed run left an empty file."""
    try:
        record: Record = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return record


def time_text(metadata: str | Path, since: float) -> str:
    """Say which rules took the time of a run, the most first; empty if no job ran."""
    jobs = job_seconds(metadata, since)
    if jobs.empty:
        return ""
    seconds = jobs.groupby("rule").sum().sort_values(ascending=False)
    most = ", ".join(f"{rule} {total:.0f}" for rule, total in seconds.head(MOST_RULES).items())
    rest = seconds.iloc[MOST_RULES:].sum()
    return f"  where it went: {len(jobs)} jobs of {seconds.sum():.0f} s together: {most}" + (
        f", all others {rest:.0f}" if rest >= 1 else ""
    )


def keep_seconds(metadata: str | Path, file: str | Path) -> None:
    """Write the mean seconds of a job by rule, from which later runs tell the time that is left."""
    seconds = job_seconds(metadata).groupby("rule").mean().round(1)
    if len(seconds):
        write_text(file, yaml.safe_dump(seconds.to_dict()))


def read_seconds(file: str | Path) -> dict[str, float]:
    """Read what `keep_seconds` wrote; empty if the file is missing or broken."""
    try:
        seconds = read_yaml(file)
    except InputError:
        return {}
    known = seconds.items() if isinstance(seconds, dict) else ()
    return {
        rule: float(value)
        for rule, value in known
        if isinstance(value, int | float) and 0 < value < float("inf")
    }
