"""Work in a process of its own: what it prints, its seconds from start to end, its peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    """A finished process: what its last line holds, its seconds and its peak in MB."""

    answer: dict[str, Any]
    seconds: float
    peak: float


def run(command: Sequence[object], *, threads: int = 1) -> Ran | None:
    """Run a command that prints an object of JSON last, or nothing; None when it fails."""
    of_threads = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, command)), stdout=output, env=os.environ | of_threads
        )
        _, status, usage = os.wait4(process.pid, 0)  # which has the memory of this process alone
        took = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        last = (output.read().strip().splitlines() or [""])[-1]
    if process.returncode:
        return None
    answer = json.loads(last) if last.startswith("{") else {}
    return Ran(answer, took, usage.ru_maxrss / 1024)
