"""How long the jobs of a run took, from what Snakemake keeps of its outputs."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass
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
        for record in _records(metadata)
        if (record.get("starttime") or 0) >= since and record.get("endtime")
    ]
    frame = pd.DataFrame(outputs, columns=["rule", "log", "start", "end"])
    jobs = frame.groupby(["rule", "log"]).agg({"start": "min", "end": "max"})
    return jobs["end"] - jobs["start"]


def run_times(metadata: str | Path) -> tuple[float, float] | None:
    """Return when the first job of a run began and the last one ended, in seconds since 1970.

    None where Snakemake keeps nothing (see `job_seconds` for `metadata`).
    """
    times = [(r["starttime"], r["endtime"]) for r in _records(metadata) if r.get("endtime")]
    return (min(start for start, _ in times), max(end for _, end in times)) if times else None


@dataclass(frozen=True)
class Job:
    """A job of a finished run: its rule and log, when it ran (seconds since 1970), what it made."""

    rule: str
    log: str
    start: float
    end: float
    outputs: tuple[str, ...]


def finished_jobs(metadata: str | Path) -> list[Job]:
    """Return the jobs of a run by their start (see `job_seconds` for `metadata`)."""
    folder = Path(metadata)
    made: dict[tuple[str, str], list[tuple[str, Record]]] = {}
    for path in folder.rglob("*"):
        record = _record(path)
        if record.get("endtime"):
            name = b64decode("".join(path.relative_to(folder).parts)).decode("utf-8", "replace")
            key = (record["rule"], " ".join(record["log"]) or name)
            made.setdefault(key, []).append((name, record))
    jobs = [
        Job(
            *key,
            min(record["starttime"] for _, record in records),
            max(record["endtime"] for _, record in records),
            tuple(sorted(name for name, _ in records)),
        )
        for key, records in made.items()
    ]
    return sorted(jobs, key=lambda job: (job.start, job.rule, job.log))


def _records(metadata: str | Path) -> list[Record]:
    return [record for path in Path(metadata).rglob("*") if (record := _record(path))]


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
