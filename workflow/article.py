"""Write the article on a finished run, as PDF and HTML: what `make article` does.

The exit status is 0, or 2 when the run is not finished or a sentence is not true of it.
"""

import argparse
import sys
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.papers.article.article import write_article

CHECKOUT = Path(__file__).parent.parent


def main() -> int:
    """Write the article; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default=".", help="folder of the run (by default this one)")
    options = parser.parse_args()
    try:
        paths = write_article(options.directory, CHECKOUT)
    except InputError as error:
        print(f"fairpairs: {error}", file=sys.stderr)
        return 2
    print("FairPairs:", ", ".join(f"{path} ({path.stat().st_size / 1e6:.1f} MB)" for path in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
