"""How long the jobs of a run took, from what Snakemake keeps of its outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import yaml

from fairpairs.files import write_text

#: Rules whose time is told one by one.
MOST_RULES = 6
#: Mean seconds of a job by rule, of the committed run.
SECONDS = "expected/seconds.yaml"


def job_seconds(metadata: str | Path, since: float = 0) -> pd.Series[float]:
    """Return the seconds of each job, by rule and log file.

    Parameters
    ----------
    metadata
        The folder `.snakemake/metadata`, in which Snakemake keeps when each output was made.
    since
        Jobs that began earlier are left out; in seconds since 1970.
    """
    records = [json.loads(path.read_text("utf-8")) for path in Path(metadata).glob("*")]
    # the outputs of a job share its log, and differ by parts of a second in when they were begun
    outputs = [
        (record["rule"], str(record["log"]), record["starttime"], record["endtime"])
        for record in records
        if (record.get("starttime") or 0) >= since and record.get("endtime")
    ]
    frame = pd.DataFrame(outputs, columns=["rule", "log", "start", "end"])
    jobs = frame.groupby(["rule", "log"]).agg({"start": "min", "end": "max"})
    return jobs["end"] - jobs["start"]


def time_text(metadata: str | Path, since: float) -> str:
    """Say which rules took the time of a run, the most first; empty where nothing was made.

    Parameters
    ----------
    metadata, since
        See `job_seconds`.
    """
    jobs = job_seconds(metadata, since)
    if jobs.empty:
        return ""
    seconds = jobs.groupby("rule").sum().sort_values(ascending=False)
    most = ", ".join(f"{rule} {own:.0f}" for rule, own in seconds.head(MOST_RULES).items())
    rest = seconds.iloc[MOST_RULES:].sum()
    return f"  where it went: {len(jobs)} jobs of {seconds.sum():.0f} s together: {most}" + (
        f", all others {rest:.0f}" if rest >= 1 else ""
    )


def keep_seconds(metadata: str | Path, file: str | Path) -> None:
    """Write the mean seconds of a job by rule, from which later runs tell the time that is left."""
    seconds = job_seconds(metadata).groupby("rule").mean().round(1)
    if len(seconds):
        write_text(file, yaml.safe_dump(seconds.to_dict()))
