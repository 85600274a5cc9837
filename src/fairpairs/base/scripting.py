"""The frame of every script of the workflow: a log, and one clear sentence on bad input."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path

from fairpairs.base.errors import InputError


def run(main: Callable[[], object], log: str | Path) -> None:
    """Run the body of a script.

    Messages and tracebacks go to `log`, an error as a separate line, which the end of a run
    repeats (see `fairpairs.papers.run.failures`). When the input is bad, its sentence goes to the
    terminal, without a traceback, and the script exits with status 1.
    """
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        force=True,
    )
    try:
        main()
    except InputError as error:
        logging.getLogger(__name__).error("%s", error)
        print(f"\nfairpairs: {error}\n", file=sys.stderr)
        raise SystemExit(1) from None
    except Exception as error:
        in_one_line = " ".join(f"{type(error).__name__}: {error}".split())
        logging.getLogger(__name__).exception("%s", in_one_line)
        raise
