"""Work that may take more than a few seconds: its threads, and how far it is on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

#: Seconds before anything is shown.
AFTER = 0.5
#: What is shown.
BAR = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining}"


@contextmanager
def long_work(steps: int, doing: str, *, shown: bool) -> Iterator[Callable[[], object]]:
    """Let work of some steps use one thread of linear algebra; yield what to call after each.

    More threads wait for one another at full speed, and their number changes the last bits of sums.
    If `shown`, the share of the steps that are done appears on a terminal.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        if not shown or not sys.stderr.isatty():
            yield lambda: None
            return
        from tqdm import tqdm  # noqa: PLC0415  (slow)

        with tqdm(total=steps, desc=doing, leave=False, delay=AFTER, bar_format=BAR) as bar:
            yield bar.update
