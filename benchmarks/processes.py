"""Run work in a process of its own: what it prints, its seconds as a whole, its peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Starts a command from a small process: from a large one, Linux would count its memory, too.
LAUNCHER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
last = (process.stdout.read().strip().splitlines() or [""])[-1]
_, status, usage = os.wait4(process.pid, 0)
took = time.perf_counter() - start
process.returncode = os.waitstatus_to_exitcode(status)
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps([process.returncode, last, took, usage.ru_maxrss / 1024, cpu]))
"""
#: The command line of FairPairs.
FAIRPAIRS = (sys.executable, "-c", "from fairpairs.cli import program; program()")


@dataclass(frozen=True)
class Ran:
    """A finished process: its last line, its seconds, its peak in MB, and processor seconds."""

    answer: dict[str, Any]
    seconds: float
    peak: float
    cpu: float


def run(*command: object, folder: Path | None = None) -> Ran:
    """Run a command that prints an object of JSON last, or nothing, in a folder."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, *map(str, command)], cwd=folder,
        stdout=subprocess.PIPE, text=True, check=True, env=os.environ | one_thread,
    )  # fmt: skip
    status, last, took, peak, cpu = json.loads(done.stdout)
    if status:
        words = " ".join(map(str, command))
        raise SystemExit(f"This command failed with {status}; see the message above: {words}")
    return Ran(json.loads(last) if last.startswith("{") else {}, took, peak, cpu)


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
