"""Settings of a grid that are chosen in every repeat, on held-out rows of its training part."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Floats, Integers, Mask
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.experiments.measures import (
    HIGHER,
    NEARER_0,
    Measure,
    direction,
    measure_of,
    measure_predictions,
)
from fairpairs.papers.experiments.parts import grid
from fairpairs.papers.experiments.seeds import Draw, stratified_split

#: The key of a spec whose `grid` is searched, and the share of training rows that it holds out.
SEARCH, HELD_OUT = "search", 0.3
#: Behind the setting of a repeat in which no setting kept the bounds.
NOT_MET = " (no setting kept the bounds)"
#: A model and its treatment's steps.
Point = tuple[Content, list[Content]]
#: Predicts the tested rows of some repeats, given by their places, by a point.
Train = Callable[[Sequence[int], Sequence[Mask], Point], pd.DataFrame]


def search_of(model: Content, steps: Iterable[Content]) -> Content | None:
    """Return how the settings of a model under a treatment are chosen: the treatment's way first.

    >>> search_of({"call": "a.B", "search": {"best": "auc"}}, [{"call": "none"}])
    {'best': 'auc'}
    """
    asked = [spec[SEARCH] for spec in (model, *steps) if SEARCH in spec]
    return asked[-1] if asked else None


def points(model: Content, steps: Sequence[Content]) -> dict[str, Point]:
    """Return each combination of settings of a model and of the steps of a treatment, by its name.

    InputError if they are searched, and there is one.

    >>> list(points({"call": "a.B", "grid": {"k": [1, 2]}}, [{"call": "a.C", "grid": {"m": [3]}}]))
    ['k=1, m=3', 'k=2, m=3']
    """
    plain = [{key: spec[key] for key in spec if key != SEARCH} for spec in (model, *steps)]
    found = {}
    for combination in product(*(grid("", spec) for spec in plain)):
        names, (of_model, *of_steps) = zip(*combination, strict=True)
        found[", ".join(name.lstrip("-") for name in names if name)] = (of_model, of_steps)
    if len(found) < 2 and search_of(model, steps):
        raise InputError("There is nothing to search: give two or more values in a `grid`.")
    return found


def criterion(search: Content) -> str:
    """Say how settings are chosen.

    >>> criterion({"best": "auc", "subject_to": {"tpr_gap": 0.05}})
    'the best auc with tpr_gap within 0.05, on held-out 30% of the training rows'
    """
    bounds = [
        f"{name} {'at least' if direction(name) == HIGHER else 'within'} {bound:g}"
        for name, bound in search.get("subject_to", {}).items()
    ]
    within = f" with {' and '.join(bounds)}" if bounds else ""
    share = search.get("held_out", HELD_OUT)
    return f"the best {search['best']}{within}, on held-out {share:.0%} of the training rows"


def criteria(arms: Iterable[Arm]) -> dict[str, str]:
    """Return how the settings of each arm with a search are chosen, by its model and treatment."""
    found = {f"{arm.model}, {arm.treatment}": search_of(arm.spec, arm.steps) for arm in arms}
    return {name: criterion(search) for name, search in found.items() if search}


def measures_of(search: Content) -> dict[str, Measure]:
    """Return the measures of a search by their names there, of which it is known what is better."""
    names = dict.fromkeys([search["best"], *search.get("subject_to", {})])
    measures = {name: measure_of(name) for name in names}
    for measure in measures.values():
        direction(measure.name)
    for name, bound in search.get("subject_to", {}).items():
        if bound < 0 and direction(measures[name].name) == NEARER_0:
            raise InputError(f"subject_to of {name} is {bound:g}: give the size that it may have.")
    return measures


def searched(
    train: Train,
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    draws: Sequence[Draw],
    strata: Integers,
    model: Content,
    steps: Sequence[Content],
) -> pd.DataFrame:
    """Choose a setting in every repeat, and predict its tested rows by it, fitted on all others.

    Every setting is fitted on the training rows that are not held out, and measured on those that
    are, so that no tested row has a part in the choice. The chosen one has the best value of `best`
    among those that keep the bounds of `subject_to` (of a gap, its size for each attribute); where
    none does, it is the one nearest to them. The column `setting` has its name.
    """
    search = search_of(model, steps)
    assert search is not None
    share, bounds = search.get("held_out", HELD_OUT), search.get("subject_to", {})
    held = [
        _held_out(test, strata, share, draw("search"))
        for test, draw in zip(tested, draws, strict=True)
    ]
    both = [test | part for test, part in zip(tested, held, strict=True)]
    kept = np.concatenate([part[of] for part, of in zip(held, both, strict=True)])
    candidates, measures = points(model, steps), measures_of(search)
    costs, excess = [], []
    for point in candidates.values():
        predictions = train(range(len(tested)), both, point)[kept]
        measured = measure_predictions(
            predictions, dataset, measures.values(), model="", treatment=""
        )
        cost = {name: _costs(measured, measure.name) for name, measure in measures.items()}
        over = [cost[name] - _cost(bound, measures[name].name) for name, bound in bounds.items()]
        costs.append(cost[search["best"]])
        excess.append(np.max(over, axis=0) if over else np.zeros(len(tested)))
    # a repeat without a best setting has none to choose; one without a bound says that none kept it
    unknown = np.isnan(costs).all(axis=0).any(), np.isnan(excess).all()
    for name, is_unknown in zip(("best", "subject_to"), unknown, strict=True):
        if is_unknown:
            raise InputError(
                f"`{name}` of the search cannot be measured on held-out rows (decisions that are "
                "drawn have no score, few rows no gap): name another measure."
            )
    chosen, met = choose(np.array(costs), np.array(excess))
    parts = []
    for place, (name, point) in enumerate(candidates.items()):
        if of := np.flatnonzero(chosen == place).tolist():
            part = train(of, [tested[repeat] for repeat in of], point)
            settings = [name + NOT_MET * (not met[repeat]) for repeat in of]
            sizes = [np.count_nonzero(tested[repeat]) for repeat in of]
            parts.append(part.assign(setting=np.repeat(settings, sizes)))
    return pd.concat(parts).sort_values("repeat", kind="stable", ignore_index=True)


def choose(costs: Floats, excess: Floats) -> tuple[Integers, Mask]:
    """Return the chosen setting of each repeat, and whether it keeps the bounds.

    `costs`, what of the measure is less, and `excess`, how far the worst bound is overstepped, have
    the shape (settings, repeats); NaN is worst. Of equal settings the first is chosen.

    >>> choose(np.array([[-0.9, -0.9], [-0.8, -0.7]]), np.array([[0.1, 0.2], [0.0, 0.1]]))
    (array([1, 1]), array([ True, False]))
    """
    costs, excess = (np.where(np.isnan(values), np.inf, values) for values in (costs, excess))
    chosen = np.lexsort((costs, np.maximum(excess, 0)), axis=0)[0]
    return chosen, excess[chosen, np.arange(len(chosen))] <= 0


def _held_out(test: Mask, strata: Integers, share: float, rng: np.random.Generator) -> Mask:
    train = np.flatnonzero(~test)
    held = np.zeros(len(test), bool)
    held[train[stratified_split(strata[train], share, rng)]] = True
    if not held.any():
        raise InputError(
            f"No training row falls into the {share:.0%} that a search holds out: raise "
            "`held_out`, or give more rows."
        )
    return held


def _cost(value: Array | float, measure: str) -> Any:
    """Return what of a measure is less where it is better."""
    better = direction(measure)
    if better == NEARER_0:
        return np.abs(value)
    return -np.asarray(value) if better == HIGHER else value


def _costs(measured: pd.DataFrame, measure: str) -> Floats:
    """Return the cost of each repeat, of several attributes the largest; NaN if one is missing."""
    of = measured[measured["measure"] == measure]
    costs = of.assign(value=_cost(of["value"].to_numpy(), measure)).groupby("repeat")["value"]
    return np.asarray(costs.agg(lambda values: values.max(skipna=False)), np.float64)
