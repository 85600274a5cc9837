"""Designs: how simulated test sets are drawn (groups, labels, scores), and if separation holds."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.estimates.estimates import SMALL_CELL, Estimates
from fairpairs.mathematics.promises.promise import share
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.pair_counts import SimulatedSets

#: A function of a generator, the number of test sets and the number of items.
Draw = Callable[[np.random.Generator, int, int], SimulatedSets]


@dataclass(frozen=True)
class Design:
    """How test sets are drawn."""

    name: str
    title: str
    items: list[int]
    pairs_per_item: list[float]
    #: numbers of items of the permutation tests
    permuted_items: list[int]
    draw: Draw
    #: whether separation holds, so that every rejection is an error
    separation: bool
    #: probability of each cell (a, y, c) of a classifier; None for a regression
    cells: Floats | None = None


def design(name: str, settings: Content, classifiers: Content) -> Design:
    """Build a design from its key and settings in the config, and the classifiers of Table I.

    It raises `InputError` if the settings name an unknown classifier, or do not fit together.
    """
    keys = {"title": name, "permuted_items": [], **settings}
    common = {key: keys.pop(key) for key in ("title", "items", "pairs_per_item", "permuted_items")}
    kind, where = keys.pop("kind"), f"calibration.designs.{name}"
    if kind == "classifier" and "classifier" in keys:
        if keys["classifier"] not in classifiers:
            raise InputError(
                f"{where}: there is no classifier {keys['classifier']!r} in simulation.classifiers."
            )
        keys["classifier"] = classifiers[keys["classifier"]]
    try:
        inspect.signature(KINDS[kind]).bind(**keys)
    except TypeError as error:
        raise InputError(f"{where}, kind {kind}: {error}.") from error
    return Design(name, **common, **KINDS[kind](**keys))


def _classifier(classifier: Mapping[str, float]) -> Record:
    """Draw binary predictions with the probabilities of Table I."""
    cells = distribution(classifier)
    rates = cells[..., 1] / cells.sum(axis=-1)

    def draw(rng: np.random.Generator, r: int, n: int) -> SimulatedSets:
        code = rng.choice(8, size=(r, n), p=cells.ravel())
        return SimulatedSets(code // 4, (code // 2 % 2).astype(float), (code % 2).astype(float))

    fair = bool(np.allclose(rates[0], rates[1], rtol=0, atol=1e-12))
    return {"draw": draw, "separation": fair, "cells": cells}


def _regression(noise: list[float], label_shift: float = 0.0, score_shift: float = 0.0) -> Record:
    """Draw real labels and score = label + noise, standard deviations by group.

    Labels are normal with variance 1; group 1's are higher by `label_shift`, its scores beyond that
    by `score_shift`.
    """

    def draw(rng: np.random.Generator, r: int, n: int) -> SimulatedSets:
        group = (rng.random((r, n)) < 0.5).astype(np.int64)
        label = rng.normal(size=(r, n)) + label_shift * group
        error = np.array(noise)[group] * rng.normal(size=(r, n))
        return SimulatedSets(group, label, label + score_shift * group + error)

    return {"draw": draw, "separation": len(set(noise)) == 1 and score_shift == 0}


KINDS: dict[str, Callable[..., Record]] = {"classifier": _classifier, "regression": _regression}


@dataclass
class Tally:
    """P-values of one test on all test sets."""

    pvalues: list[Floats] = field(default_factory=list)
    joint: list[Floats] = field(default_factory=list)
    small: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(
        self, difference: Estimates, class_sizes: Floats | None = None, joint: Floats | None = None
    ) -> None:
        """Add the results of a test on r test sets, of shape (r, hypotheses)."""
        self.pvalues.append(difference.pvalue)
        small = np.asarray((difference.smallest_cell < SMALL_CELL).any(axis=-1))
        if class_sizes is not None:
            small = small | (class_sizes < SMALL_CELL).any(axis=-1)
        self.small.append(small)
        if joint is not None:
            self.joint.append(joint)

    def rows(self, names: tuple[str, ...], alpha: float) -> Iterator[Record]:
        """Yield the share of test sets with a rejection, for each hypothesis and for all."""
        columns: dict[str, Floats] = {}
        if self.pvalues:
            pvalues = np.concatenate(self.pvalues)
            smallest = np.fmin.reduce(pvalues, axis=1)
            # Holm rejects something if the smallest p-value times their number is below alpha
            by_holm = smallest * np.isfinite(pvalues).sum(axis=1)
            columns = {**dict(zip(names, pvalues.T, strict=False)), "either": smallest}
            columns["holm"] = by_holm
        if self.joint:
            columns["joint"] = np.concatenate(self.joint)
        small = float(np.concatenate(self.small).mean()) if self.small else np.nan
        for quantity, p in columns.items():
            found = share("", "level", np.where(np.isfinite(p), p < alpha, np.nan), alpha)
            counted = {"rejected": found.rate, "standard_error": found.error, "used": found.sets}
            yield {**counted, "repeats": len(p), "quantity": quantity, "small": small}
