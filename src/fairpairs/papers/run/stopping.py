"""How a run of Snakemake ends, and that a folder has one run at a time."""

import fcntl
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO

import psutil

from fairpairs.base.errors import InputError

#: Seconds after which a job that did not end is killed.
PATIENCE = 5
#: Held until the process ends.
_LOCKS: list[IO[str]] = []


def end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end the run of Snakemake and its jobs, for whose end it would wait.

    Its folder is unlocked then, and the same command goes on from there. A second signal, which
    `timeout` sends at once, does not interrupt the unlocking. Jobs that do not end are killed.
    """
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        # this process ends after the thread
        Thread(target=_end, args=(psutil.Process().children(recursive=True),)).start()
        if not ended:
            ended = True
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _end(processes: Sequence[psutil.Process]) -> None:
    """Tell processes to end, and kill those that do not."""
    for tell in (psutil.Process.terminate, psutil.Process.kill):
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                tell(process)
        _, processes = psutil.wait_procs(processes, PATIENCE)


def lock_folder(folder: Path = Path()) -> None:
    """Lock a folder until this process ends; raise an InputError if another run works in it.

    Snakemake locks files of a run, and another run that has nothing to do removes the lock.
    """
    try:
        lock = (folder / ".snakemake/run.lock").open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"another run works in {folder.resolve()}: wait for its end, or stop it."
        ) from None
    except OSError:  # a file system without locks
        return
    _LOCKS.append(lock)
