"""What failed in a run, and why: from the logs that `fairpairs.base.scripting` writes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

REMEDY = (
    "connect to the internet, or put its raw files in a mirror folder and name the folder in the "
    "environment variable FAIRPAIRS_MIRROR"
)
KILLED = "it ended without a message, as a job does that is killed."
NOT_BEGUN = "it was not begun: see what Snakemake or the cluster says of it above."
_ERROR = re.compile(r"^\S+ \S+ ERROR (.*)$", re.M)


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
    failed: Iterable[Sequence[tuple[str, Sequence[str]]]],
    unavailable: Mapping[str, str],
    *,
    since: float = 0,
) -> str:
    """Return a line for each failed job, with the error in its log.

    The jobs of `failed` are grouped as they were submitted: what each does, and its logs. A log
    that was last written before `since`, in seconds since 1970, is of an earlier run.
    """
    lines = []
    for jobs in failed:
        errors = [(what, _why(log, since), log) for what, logs in jobs for log in logs]
        # of a group, only the logs with an error
        told = [(what, why, log) for what, why, log in errors if why not in (KILLED, NOT_BEGUN)]
        lines += [f"  FAILED: {what}: {why} (log: {log})" for what, why, log in told or errors]
    return "\n".join(["", *sorted(lines), *unavailable_lines(unavailable)])


def _why(log: str | Path, since: float) -> str:
    """Say why a job failed, by its log."""
    if not Path(log).exists() or Path(log).stat().st_mtime < since:
        return NOT_BEGUN
    return error_in(log) or KILLED


def unavailable_lines(unavailable: Mapping[str, str]) -> list[str]:
    """Name the data sets that a run leaves out, and why, a line each."""
    return [
        f"  MISSING: the data set {name} is left out: {why}" for name, why in unavailable.items()
    ]
