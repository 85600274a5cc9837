"""The frame of every script of the workflow: a log, and one clear sentence on bad input."""

import atexit
import gc
import logging
import resource
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from fairpairs.base.errors import InputError

#: New objects after which Python looks for those that nothing uses; it has 700.
COLLECTED = 100_000


def run(main: Callable[[], object], log: str | Path) -> None:
    """Run the body of a script, and write what it cost beside the log (see `_write_cost`).

    Messages, warnings, tracebacks and what is printed go to `log`, an error or a warning as a
    separate line; the end of a run repeats the one and counts the others
    (see `fairpairs.papers.run.failures`). When the input is bad, its sentence goes to the
    terminal, without a traceback, and the script exits with status 1.
    """
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    # most objects are of imported modules: looking through them often, or at the end, takes long
    gc.set_threshold(COLLECTED)
    atexit.register(gc.freeze)
    file = logging.FileHandler(log, mode="w", encoding="utf-8")
    form = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(handlers=[file], level=logging.INFO, format=form, force=True)
    warnings.formatwarning = _in_one_line
    logging.captureWarnings(True)
    try:
        with redirect_stdout(file.stream), redirect_stderr(file.stream):
            main()
    except InputError as error:
        logging.getLogger(__name__).error("%s", error)
        print(f"\nfairpairs: {error}\n", file=sys.stderr)
        raise SystemExit(1) from None
    except Exception as error:
        in_one_line = " ".join(f"{type(error).__name__}: {error}".split())
        logging.getLogger(__name__).exception("%s", in_one_line)
        raise
    _write_cost(Path(log).with_suffix(".tsv"))


def _in_one_line(
    message: Warning | str, category: type[Warning], filename: str, lineno: int,
    line: str | None = None,
) -> str:  # fmt: skip
    return " ".join(f"{filename}:{lineno}: {category.__name__}: {message}".split())


def _write_cost(path: Path) -> None:
    """Write the processor time (seconds) and the peak of memory (MB) of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
    if sys.platform == "linux":  # there the other is in kB, and at least Snakemake's when it forked
        megabytes = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
    path.write_text(f"cpu_time\tmax_rss\n{seconds:.2f}\t{megabytes:.0f}\n", encoding="utf-8")
