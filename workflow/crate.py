"""Write a finished run as an RO-Crate: what `make crate` does.

The exit status is 0, or 2 when the run is not finished.
"""

import argparse
import sys
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.papers.run.crate import CRATE, write_crate

CHECKOUT = Path(__file__).parent.parent


def main() -> int:
    """Write the crate; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default=".", help="folder of the run (by default this one)")
    options = parser.parse_args()
    archive = Path(options.directory, CRATE)
    try:
        write_crate(archive, options.directory, CHECKOUT)
    except InputError as error:
        print(f"fairpairs: {error}", file=sys.stderr)
        return 2
    print(f"FairPairs: {archive} ({archive.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
