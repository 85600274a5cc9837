"""The command of Snakemake, and its environment."""

import os
import sys
import tempfile
from pathlib import Path

#: Snakemake, which Ctrl-C and SIGTERM end without a traceback, however it was started: a script in
#: the background hands on that Ctrl-C is ignored. Neither comes before this is so, and the second
#: of both is ignored, which would interrupt the quiet end by the first.
QUIETLY = """import runpy, signal, sys
SIGNALS = signal.SIGINT, signal.SIGTERM
def end(*_):
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
sys.excepthook = lambda kind, *of: kind is KeyboardInterrupt or sys.__excepthook__(kind, *of)
for number in SIGNALS:
    signal.signal(number, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
"""
SNAKEMAKE = (sys.executable, "-c", QUIETLY)


def environment() -> dict[str, str]:
    """Return the environment in which Snakemake runs: it needs a folder for its cache.

    The home of an account of a service, or of a container, often cannot be written.
    """
    # bars of single jobs would break the lines of the run
    kept = {"TQDM_DISABLE": "1"}
    if not os.access(Path.home(), os.W_OK):
        kept["XDG_CACHE_HOME"] = str(Path(tempfile.gettempdir(), f"fairpairs-{os.getuid()}"))
    return {**kept, **os.environ}
