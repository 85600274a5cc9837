"""How often a fair stream is called unfair, where groups join, persons recur and labels come late.

A stream is appended as `fairpairs monitor` does it. Evidence keeps its largest value, so that
after the last batch it is that of a look after each row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairpairs.audits.monitor.appending import append_rows
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.ids import Ids
from fairpairs.audits.monitor.rows import plan_of_rows
from fairpairs.audits.monitor.settings import MonitorSettings
from fairpairs.audits.monitor.state import State, adjusted_pvalues
from fairpairs.base.arrays import Floats

#: Batches of a stream, and rows of a batch.
BATCHES, ROWS = 5, 2000
#: TPR and FPR of all groups.
RATES = (0.8, 0.2)


@dataclass(frozen=True)
class Design:
    """A fair stream."""

    #: Batches with which a group joins.
    joins: tuple[int, ...] = ()
    #: Rows of a person in a batch, the share of persons who come again, and whether that is known.
    rows: int = 1
    again: float = 0.0
    known: bool = True
    #: Batches until a label comes on average, twice as many for label 0; 0 if it is there at once.
    late: float = 0.0

    def settings(self) -> MonitorSettings:
        """Return what is monitored."""
        return MonitorSettings(
            label="y",
            prediction="p",
            sensitive=["g"],
            reference={"g": "a"},
            new_groups="add" if self.joins else None,
            cluster="person" if self.rows > 1 and self.known else None,
            id="id" if self.late else None,
        )

    def batches(self, rng: np.random.Generator) -> Iterator[pd.DataFrame]:
        """Yield batches of rows and, where labels come late, of labels."""
        groups = ["a", "b"]
        persons = pd.DataFrame({"g": [], "usual": [], "name": []})
        waiting = pd.DataFrame({"id": [], "y": [], "due": []}, dtype=np.int64)
        for number in range(1, BATCHES + 1):
            groups += [f"joined {number}"] if number in self.joins else []
            new = ROWS // self.rows
            drawn = pd.DataFrame({"g": rng.choice(groups, new), "usual": rng.random(new)})
            if len(persons):
                back = rng.choice(len(persons), new)
                returns = rng.random(new) < self.again
                drawn[returns] = persons[["g", "usual"]].iloc[back[returns]].to_numpy()
                # who comes again keeps the name of the first time
                names = np.where(returns, persons["name"].iloc[back], number * new + np.arange(new))
            else:
                names = number * new + np.arange(new)
            persons = pd.concat([persons, drawn.assign(name=names)], ignore_index=True)
            rows = drawn.iloc[np.repeat(np.arange(new), self.rows)].reset_index(drop=True)
            y = rng.integers(0, 2, len(rows))
            # a person does what is usual for them in half of the variance
            own = rng.random(len(rows)) < (np.sqrt(0.5) if self.rows > 1 else 0)
            chance = np.where(own, rows["usual"].astype(float), rng.random(len(rows)))
            p = (chance < np.where(y == 1, *RATES)).astype(int)
            frame = pd.DataFrame({"y": y, "p": p, "g": rows["g"]})
            frame["person"] = np.repeat(names, self.rows)
            frame["id"] = number * ROWS + np.arange(len(rows))
            if not self.late:
                yield frame
                continue
            yield frame.drop(columns="y")
            wait = rng.exponential(self.late * (2 - y)).astype(int)
            waiting = pd.concat([waiting, frame[["id", "y"]].assign(due=number + wait)])
            due = waiting["due"] <= number
            if due.any():
                yield waiting[due][["id", "y"]].sample(frac=1, random_state=rng)
            waiting = waiting[~due]


#: Streams by what happens in them.
DESIGNS = {
    "groups join in batches 2, 3 and 4": Design(joins=(2, 3, 4)),
    "persons with 5 rows, half come again": Design(rows=5, again=0.5),
    "the same without `--cluster`": Design(rows=5, again=0.5, known=False),
    "labels 1 batch late, of label 0 two": Design(late=1.0),
    "all three": Design(joins=(2, 3, 4), rows=5, again=0.5, late=1.0),
}


def false_alarms(design: Design, alpha: float, rng: np.random.Generator, number: int) -> Floats:
    """Return whether each stream is called unfair at any look, (1, streams)."""
    return np.array([[_called_unfair(design, alpha, rng) for _ in range(number)]], dtype=float)


def _called_unfair(design: Design, alpha: float, rng: np.random.Generator) -> bool:
    state = None
    with closing(sqlite3.connect(":memory:")) as base:
        for frame in design.batches(rng):
            batch, ids = Batch(frame), Ids(base)
            if state is None:
                plan = plan_of_rows(batch, design.settings())
                # lines that do not count take as long as the others
                state = State.new(replace(plan, criteria=plan.counted))
            append_rows(state, batch, ids)
            ids.write(base)
            state.digests.append("")
    assert state is not None
    lines = list(state.lines())
    counts = [line.criterion in state.plan.counted for line in lines]
    return bool((adjusted_pvalues(lines, state.plan)[counts] < alpha).any())
