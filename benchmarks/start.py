"""How long it takes until a command or the package can be used, beside the start of numpy."""

from __future__ import annotations

import sys

from measure import promises  # isort: skip

from items import COMMAND
from processes import run


@promises(
    ("`fairpairs --help` less `import numpy`, seconds", "≤", 0.15),
    ("`import fairpairs` less `import numpy`, seconds", "≤", 0.1),
)
def start(rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of each process less those of one that imports numpy."""

    def seconds(*command: str) -> float:
        ran = run(command)
        assert ran is not None, command
        return ran.seconds

    helped, imported = [], []
    for _ in range(rounds):
        numpy = seconds(sys.executable, "-c", "import numpy")
        helped.append(seconds(*COMMAND[:-1], "--help") - numpy)
        imported.append(seconds(sys.executable, "-c", "import fairpairs") - numpy)
    return helped, imported
