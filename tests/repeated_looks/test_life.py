"""Streams where groups join, persons recur and labels come late."""

import numpy as np
import pandas as pd

from benchmarks.repeated_looks import life


def test_batches_are_what_a_design_says():
    design = life.DESIGNS["all three"]
    batches = list(design.batches(np.random.default_rng(0)))
    made = [batch for batch in batches if "p" in batch]
    came = [batch for batch in batches if "p" not in batch]
    assert len(made) == life.BATCHES and {len(batch) for batch in made} == {life.ROWS}
    assert [batch["g"].nunique() for batch in made[:2]] == [2, 3]
    first, second = (set(batch["person"]) for batch in made[:2])
    assert 100 < len(first & second) < 200
    of_persons = pd.concat(made).groupby("person")["g"].nunique()
    assert set(of_persons) == {1} and len(of_persons) < 0.75 * 2000
    ids = [i for batch in came for i in batch["id"]]
    assert len(ids) == len(set(ids)) > 0.5 * life.ROWS * life.BATCHES
