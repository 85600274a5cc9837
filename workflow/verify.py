"""Compare a finished run with the committed checksums: what `make verify` does.

There are three answers: REPRODUCED to the byte, REPRODUCED by numbers, and DIFFERS. The exit status
is 0 for the first two, 1 for DIFFERS, and 2 when there is nothing to compare.
"""

import argparse
import sys
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.papers.run.verification import TOLERANCE, keep, verify

EXPECTED = Path(__file__).parent.parent / "expected"


def main() -> int:
    """Compare, or keep; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default=".", help="folder of the run (by default this one)")
    parser.add_argument(
        "--committed", default=EXPECTED, help="folder of checksums.txt and tables.zip (expected/)"
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERANCE,
        help=f"how far a number may be from the committed one, as a share of it ({TOLERANCE:g})",
    )
    parser.add_argument("--only", metavar="PAPER", help="compare the tables of one paper alone")
    parser.add_argument(
        "--keep", action="store_true", help="make this run the one to compare with, instead"
    )
    options = parser.parse_args()
    try:
        if options.keep:
            keep(options.directory, options.committed)
            return 0
        found = verify(
            options.directory, options.committed, tolerance=options.tolerance, only=options.only
        )
    except InputError as error:
        print(f"fairpairs: {error}", file=sys.stderr)
        return 2
    print(found.text())
    return int(not found.verified)


if __name__ == "__main__":
    sys.exit(main())
