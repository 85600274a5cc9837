"""What failed in a run, and why: from the logs that `fairpairs.base.scripting` writes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

REMEDY = (
    "connect to the internet, or put its raw files in a mirror folder and name the folder in the "
    "environment variable FAIRPAIRS_MIRROR"
)
_ERROR = re.compile(r"^\S+ \S+ ERROR (.*)$", re.M)
#: How a line of a log begins that no script printed.
_LOGGED = re.compile(r"\d{4}-\d\d-\d\d \S+ ([A-Z]+) ")


def error_in(log: str | Path) -> str:
    """Return the last error of a log, in one line; empty without one."""
    if not Path(log).exists():
        return ""
    errors = _ERROR.findall(Path(log).read_text("utf-8", errors="replace"))
    return str(errors[-1]) if errors else ""


def why_unavailable(raw: Sequence[str], prepared: str, card: str | Path) -> str:
    """Say why a data set cannot be used, in one sentence; empty if it can be.

    `raw` are its files `data/raw/<data set or encoder>/<file>`, `prepared` its prepared table. Once
    its `card` has changed, an earlier failure in the logs of `fetch` and `prepare` counts no more.
    """
    for file in raw:
        if not Path(file).exists():
            log = Path("logs", "fetch", *Path(file).parts[-2:])
            error = error_in(log.with_name(f"{log.name}.log"))
            return error or f"the file {file} is not there: {REMEDY}."
    log = Path("logs", "prepare", f"{Path(prepared).stem}.log")
    if Path(prepared).exists() or not log.exists():
        return ""
    return error_in(log) if log.stat().st_mtime >= Path(card).stat().st_mtime else ""


def failure_text(
    failed: Iterable[tuple[str, Sequence[str]]], unavailable: Mapping[str, str], *, since: float = 0
) -> str:
    """Return a line for each failed job, what it does and its logs, with the error in its log.

    A log that was last written before `since`, in seconds since 1970, is of an earlier run.
    """
    lines = [
        f"  FAILED: {what}: {_why(log, since)} (log: {log})"
        for what, logs in failed
        for log in logs
    ]
    ends = [*unavailable_lines(unavailable), *said_by_scripts(since)]
    return "\n".join(["", *sorted(lines), *ends])


def _why(log: str | Path, since: float) -> str:
    """Say why a job failed, by its log."""
    if not Path(log).exists() or Path(log).stat().st_mtime < since:
        return "it was not begun: see what Snakemake or the cluster says of it above."
    return error_in(log) or "it ended without a message, as a job does that is killed."


def unavailable_lines(unavailable: Mapping[str, str]) -> list[str]:
    """Name the data sets that a run leaves out, and why, a line each."""
    return [
        f"  MISSING: the data set {name} is left out: {why}" for name, why in unavailable.items()
    ]


def said_by_scripts(since: float, logs: str | Path = "logs") -> list[str]:
    """Say how often scripts warned or printed since a time, in which logs; empty if they did not.

    `since` is in seconds since 1970.
    """
    of_run = [log for log in sorted(Path(logs).rglob("*.log")) if log.stat().st_mtime >= since]
    # those of the scheduler of a cluster are Snakemake's own
    counts = {log: _count(log) for log in of_run if "slurm" not in log.parts}
    said = [str(log) for log, parts in counts.items() if any(parts)]
    if not said:
        return []
    warned, printed = map(sum, zip(*counts.values(), strict=True))
    more = f" and {len(said) - 1} more" if len(said) > 1 else ""
    return [f"  Scripts warned {warned} times and printed {printed} lines: {said[0]}{more}"]


def _count(log: Path) -> tuple[int, int]:
    """Count the warnings of a log, and the lines that were printed."""
    text = log.read_text("utf-8", errors="replace")
    levels = [match[1] if (match := _LOGGED.match(line)) else "" for line in text.splitlines()]
    return levels.count("WARNING"), 0 if "ERROR" in levels else levels.count("")
