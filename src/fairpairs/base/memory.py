"""A limit of memory, under which OpenBLAS may wait for ever, or end the process with status 1."""

import mmap
import os

from fairpairs.base.errors import InputError

#: Bytes of address space that the libraries of a command take, and those of each thread of
#: OpenBLAS, which numpy and scipy have one of each: a buffer and a stack.
LIBRARIES, PER_THREAD = 600 * 2**20, 2 * (32 + 8) * 2**20
#: What sets the number of threads.
THREADS = "OPENBLAS_NUM_THREADS"


def check_memory() -> None:
    """Raise InputError if a limit (`ulimit -v`) leaves too little; else take what OpenBLAS needs.

    Later it may be too late: status 1 would be taken for a violation.
    """
    try:
        import resource  # noqa: PLC0415  (not of Windows)
    except ImportError:
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or not hasattr(os, "sched_getaffinity"):
        return  # or on macOS, which has no such limit
    chosen, threads = os.environ.get(THREADS, ""), len(os.sched_getaffinity(0))
    if chosen.isdecimal() and int(chosen):
        threads = min(threads, int(chosen))
    needed = LIBRARIES + PER_THREAD * threads
    try:
        mmap.mmap(-1, needed).close()
    except OSError:
        raise InputError(
            f"The limit of memory, {limit // 2**20:,} MB, leaves less than the {needed // 2**20:,} "
            f"MB that numpy and scipy need with {threads} thread(s): raise it (`ulimit -v`), or "
            f"have fewer threads ({THREADS}=1)."
        ) from None
    import numpy as np  # noqa: PLC0415  (slow)
    from scipy.linalg import blas  # noqa: PLC0415

    square = np.ones((300, 300))
    blas.dgemm(1.0, square, square @ square)
