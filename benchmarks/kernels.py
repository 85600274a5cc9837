"""What fixed kernels of numerical libraries cost: their seconds over those of a free choice.

Libraries choose when they are loaded, so each work runs in a process of its own; the two kinds
take turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from measure import ROOT, promises

from fairpairs.base.kernels import KERNELS, OPPOSITES, fix_kernels

WORKS = ("training", "ridge", "texts")


@promises(*((f"Fixed kernels / free choice: {work}", "≤", 3.0) for work in WORKS))
def fixed_and_free(rounds: int) -> list[list[float]]:
    """Seconds of each work with fixed kernels / with those that the libraries choose."""
    chosen = {*KERNELS, *OPPOSITES, *OPPOSITES.values()}
    free = {name: value for name, value in os.environ.items() if name not in chosen}
    fixed = dict(free)
    fix_kernels(fixed)
    return [[_seconds(work, fixed) / _seconds(work, free) for _ in range(rounds)] for work in WORKS]


def _seconds(work: str, environment: dict[str, str]) -> float:
    """Time a work in a process of its own, without the start of the process."""
    command = [sys.executable, __file__, work]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.splitlines()[-1])


def _work(name: str) -> None:
    """Do one work and print how long it took."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    if name == "training":
        from fairpairs.papers.models.linear_mae import LinearMAE

        x = pd.DataFrame(rng.normal(size=(284, 384)) / 384**0.5).add_prefix("x")
        model = LinearMAE(x, dict.fromkeys(x, "numeric"))
        y, tested = rng.choice([1.0, 2.0, 3.0, 5.0, 8.0], 284), np.arange(284) >= 219
        rngs = [np.random.default_rng(i) for i in range(10)]

        def work() -> None:
            model.fit_repeats(y, [tested] * 10, [np.ones(219)] * 10, rngs)
    elif name == "ridge":
        from fairpairs.papers.models.ridge import fit_ridge

        x, y = rng.normal(size=(2000, 1024)), rng.normal(size=(2000, 60))

        def work() -> None:
            fit_ridge(x, y)
    else:
        import yaml

        from fairpairs.papers.models.encoders import encode, locate

        config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
        folder = locate(*next(iter(config["encoders"].items())))
        texts = [f"As a user I would like board {i} " + "issue sprint " * 25 for i in range(64)]

        def work() -> None:
            encode(texts, folder)

    start = time.perf_counter()
    work()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    _work(sys.argv[1])
