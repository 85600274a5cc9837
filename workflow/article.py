"""Write the article on a finished run, and its claims for machines: what `make article` does.

The exit status is 0, or 2 when the run is not finished or a sentence is not true of it.
"""

import argparse
import sys
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.base.files import json_text, write_together
from fairpairs.papers.article.article import write_article
from fairpairs.papers.article.claims_record import RECORD, claims_record
from fairpairs.papers.article.tasks import TASKS, cell_tasks, tasks_text

CHECKOUT = Path(__file__).parent.parent


def main() -> int:
    """Write the article; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default=".", help="folder of the run (by default this one)")
    options = parser.parse_args()
    try:
        machines: dict[Path, str | bytes] = {
            Path(options.directory, RECORD): json_text(claims_record(options.directory)),
            Path(options.directory, TASKS): tasks_text(cell_tasks(options.directory)),
        }
        paths = [*write_article(options.directory, CHECKOUT), *machines]
        write_together(machines)
    except InputError as error:
        print(f"fairpairs: {error}", file=sys.stderr)
        return 2
    print("FairPairs:", ", ".join(f"{path} ({path.stat().st_size / 1e6:.1f} MB)" for path in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
