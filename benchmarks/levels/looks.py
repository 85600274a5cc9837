"""Streams without a difference, or with one of just the margin, and what a monitor says of them.

A stream is appended batch by batch, as `fairpairs monitor` does it. Evidence keeps its largest
value, so that after the last batch it is that of a look after each row.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

import fairpairs as fp
from fairpairs.audits.monitor.appending import append_rows
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.ids import Ids
from fairpairs.audits.monitor.rows import plan_of_rows
from fairpairs.audits.monitor.settings import MonitorSettings, RunLength
from fairpairs.audits.monitor.state import State, adjusted_pvalues

#: Batches of a stream, and rows of a batch; the run length in batches, and the margin.
BATCHES, ROWS = 5, 2000
RUN_LENGTH, MARGIN = 100, 0.1
#: By how much the share of the group grows with a drift by 1.
GROWTH = 0.4
#: Numbers with the mean 0 and the standard deviation 1, by name.
NUMBERS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: (
        (rng.lognormal(size=n) - np.exp(0.5)) / np.sqrt(np.exp(2) - np.exp(1))
    ),
    "0/1, 0.5": lambda rng, n: 2.0 * (rng.random(n) < 0.5) - 1,
    "0/1, 0.02": lambda rng, n: ((rng.random(n) < 0.02) - 0.02) / 0.14,
}
#: Drifts of both groups, by the time from 0 to 1.
DRIFTS = {
    "": np.zeros_like,
    "slowly": lambda time: time,
    "in ten seasons": lambda time: 0.5 + 0.5 * np.sin(20 * np.pi * time),
}


@dataclass(frozen=True)
class Stream:
    """Rows of a group and its reference, in five batches of 2,000."""

    #: what is measured: "rates", "scores" or "numbers"
    of: str = "rates"
    share: float = 0.5
    #: TPR and FPR, and what those of the group have more
    rates: tuple[float, float] = (0.8, 0.2)
    apart: tuple[float, float] = (0.0, 0.0)
    auc: float = 0.75
    #: numbers of the group and of the reference, and factors of both
    numbers: tuple[str, str] = ("normal", "normal")
    times: tuple[float, float] = (1.0, 1.0)
    drift: str = ""
    #: mean length of runs of rows of one group
    runs: int = 1
    #: rows of a person, and whether persons are named
    rows: int = 1
    named: bool = True
    #: batches with which a group joins
    joins: tuple[int, ...] = ()
    #: batches until a label comes on average, twice as many for label 0
    late: float = 0.0

    @property
    def margin(self):
        """The margin, if groups differ by it."""
        return MARGIN if any(self.apart) else None

    @property
    def settings(self):
        """What is monitored."""
        own = {
            "rates": {"prediction": "p"},
            "scores": {"score": "p", "threshold": 0.5, "criterion": ["xauc"]},
            "numbers": {"prediction": "p", "criterion": ["differential_parity"]},
        }[self.of]
        return MonitorSettings(
            label="y", sensitive=["g"], reference={"g": "a"}, run_length=RunLength(RUN_LENGTH),
            margin=self.margin, cluster="person" if self.rows > 1 and self.named else None,
            id="id" if self.late else None, new_groups="add" if self.joins else None,
            score_range=(0, 1) if self.of == "scores" else None,
            label_kind="number" if self.of == "numbers" else None, **own,
        )  # fmt: skip

    def frame(self, rng):
        """Draw all rows in the order of the stream."""
        n, time = BATCHES * ROWS, np.arange(BATCHES * ROWS) / (BATCHES * ROWS)
        batch, drift = np.arange(n) // ROWS + 1, DRIFTS[self.drift](time)
        person = np.arange(n) // self.rows
        in_group = (rng.random(n) < self.share + GROWTH * drift)[person * self.rows]
        if self.runs > 1:
            in_group = np.cumsum(rng.random(n) < 1 / self.runs) % 2 == 0
        names = np.where(in_group, "b", "a")
        if self.joins:  # all groups that are there are of one size
            there = 2 + (batch[:, None] >= np.array(self.joins)).sum(axis=1)
            names = np.array([*"abcdef"])[rng.integers(0, there)]
        y, group = rng.integers(0, 2, n), in_group.astype(int)
        if self.of == "numbers":
            drawn = [NUMBERS[name](rng, n) for name in self.numbers]
            y = rng.normal(size=n)
            p = y + drift + np.where(in_group, *(k * x for k, x in zip(self.times, drawn)))  # noqa: B905
        elif self.of == "scores":
            mean = np.sqrt(2) * ndtri(self.auc)
            p = ndtr(rng.normal(size=n) + mean * (y - 0.5) + drift)
        else:
            # half of the variance is of the person
            usual = rng.random(n)[person]
            own = rng.random(n) < (np.sqrt(0.5) if self.rows > 1 else 0)
            rate = np.where(y == 1, *self.rates) + group * np.where(y == 1, *self.apart)
            p = (np.where(own, usual, rng.random(n)) < rate - 0.6 * drift * (y == 1)).astype(int)
        return pd.DataFrame({"y": y, "p": p, "g": names, "person": person, "id": np.arange(n)})

    def batches(self, rng):
        """Yield the batches of rows and, where labels come late, of labels."""
        frame = self.frame(rng)
        batch = np.arange(len(frame)) // ROWS + 1
        due = batch + rng.exponential(self.late * (2 - frame["y"].to_numpy()) + 1e-9).astype(int)
        for number in range(1, BATCHES + 1):
            rows = frame[batch == number]
            yield rows.drop(columns="y") if self.late else rows
            if self.late and (due == number).any():
                yield frame.loc[due == number, ["id", "y"]].sample(frac=1, random_state=rng)


def said(stream, rng):
    """Append a stream; return the smallest p-value at any look, and whether a change is shown."""
    state = None
    with closing(sqlite3.connect(":memory:")) as base:
        for frame in stream.batches(rng):
            batch, ids = Batch(frame), Ids(base)
            state = state or State.new(plan_of_rows(batch, stream.settings))
            append_rows(state, batch, ids)
            ids.write(base)
            state.end_batch("")
    lines = [line for line in state.lines() if line.criterion in state.plan.counted]
    what, name = ("evidence", "different") if stream.margin is None else ("beyond", "beyond")
    found = {f"called {name}": np.nanmin(adjusted_pvalues(lines, state.plan, what))}
    if stream.of == "rates":
        found["a change"] = any(each.changes.periods for each in state.changes())
    return found


#: Streams on which the promise is kept.
KEPT = {
    "equal groups": Stream(),
    "a group of 0.02, rates of 0.98 and 0.02": Stream(share=0.02, rates=(0.98, 0.02)),
    "the TPR falls by 0.6, as the group grows": Stream(share=0.1, drift="slowly"),
    "groups in runs of 500 rows": Stream(runs=500),
    "both rates apart by the margin": Stream(share=0.3, apart=(0.1, -0.1)),
    "groups join in batches 2, 3 and 4": Stream(joins=(2, 3, 4)),
    "labels 1 batch late, of label 0 two": Stream(late=1.0),
    "persons with 5 rows, named": Stream(rows=5),
    "AUC 0.75": Stream("scores"),
    "AUC 0.75, drifting": Stream("scores", share=0.3, drift="slowly"),
    "means, 0/1 at 0.5": Stream("numbers", numbers=("0/1, 0.5",) * 2),
}
#: Streams that are made to break it.
BROKEN = {
    "persons with 2 rows, as if independent": Stream(rows=2, named=False),
    "persons with 5 rows, as if independent": Stream(rows=5, named=False),
    "AUC 0.75 in seasons of two blocks": Stream("scores", share=0.3, drift="in ten seasons"),
    "means, lognormal, twice as spread as a normal reference": Stream(
        "numbers", share=0.1, numbers=("lognormal", "normal"), times=(2.0, 1.0)
    ),
    "means, 0/1 at 0.02 and its mirror image": Stream(
        "numbers", numbers=("0/1, 0.02",) * 2, times=(1.0, -1.0)
    ),
}


def world(name, stream):
    """Return a stream as a world."""
    return fp.World(name, lambda rng: {"stream": stream, "rng": rng})
