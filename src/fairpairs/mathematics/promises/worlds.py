"""Worlds, data whose truth is known, by name: clusters, weights, judges, two models, margins.

The shift of an alternative is about 2.8 standard errors, so that power is about 0.8.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.promises import competitors

#: The margin of the worlds at a margin.
MARGIN = 0.1
#: Standard errors that an alternative is away.
APART = 2.8
#: Mean of the latent score of a label 1, and minus that of a label 0.
LATENT = 1.0
#: Fewer judges are compared as named ones only.
FEW_JUDGES = 10
#: Rows of clusters of unequal sizes.
UNEQUAL = np.array([1, 1, 2, 2, 3, 3, 4, 6, 10, 18])
#: Draws the arguments of a test.
Draw = Callable[[np.random.Generator], Content]
#: Other tests, by name.
Competitors = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class World:
    """Data whose truth is known, for `check_promises`.

    Attributes
    ----------
    name
        What the data are.
    null
        A function of a numpy generator that draws the arguments of a test, as a mapping, where the
        null hypothesis holds: what a test finds there is wrong.
    alternative
        The same where there is something to find; None where only the level is checked.
    truth
        The true value of all intervals under the null, or one for each hypothesis (the column
        `measure` or `hypothesis` of the table of a result); None checks no intervals.
    competitors
        Other tests of the same data, by name: a function of the same arguments that returns a
        p-value, or whether something is found. The power of the best one whose level is not broken
        is promised, minus 0.03.
    """

    name: str
    null: Draw
    alternative: Draw | None = None
    truth: float | Mapping[str, float] | None = None
    competitors: Competitors = field(default_factory=dict)


def clusters(
    rng: np.random.Generator,
    *,
    number: tuple[int, int],
    rows: int,
    icc: float,
    shift: float = 0.0,
    sizes: str = "equal",
    both: bool = False,
    score: bool = False,
) -> Record:
    """Draw labels and predictions (or scores) of rows in clusters, each of one group, or of both.

    `sizes` is "equal", "unequal", "group" (three times as many rows in group 1) or "outcome"
    (clusters of high scores have three times as many rows as those of low ones).
    """
    total = sum(number)
    own = (np.arange(total) >= number[0]).astype(np.int64)
    shared = np.sqrt(icc / (1 - icc)) * rng.normal(size=total)
    many = np.full(total, rows)
    if sizes == "unequal":
        many = rng.permutation(np.resize(UNEQUAL, total)) * rows // 5
    elif sizes == "group":
        many = np.where(own == 1, 3 * rows, rows)
    elif sizes == "outcome":
        many = np.where(shared > 0, 3 * rows // 2, rows // 2)
    cluster = np.repeat(np.arange(total), np.maximum(many, 1))
    n = len(cluster)
    group = (rng.random(n) < 0.3).astype(np.int64) if both else own[cluster]
    label = rng.integers(0, 2, n)
    latent = LATENT * (2 * label - 1) + shared[cluster] + shift * group + rng.normal(size=n)
    predicted = {"y_score": latent} if score else {"y_pred": (latent > 0).astype(np.int64)}
    return {"y_true": label, **predicted, "sensitive_features": group, "clusters": cluster}


def weights(
    rng: np.random.Generator, *, n: int, spread: float, related: bool = False, shift: float = 0.0
) -> Record:
    """Draw rows with lognormal weights; `related` ones are larger where predictions are wrong."""
    group, label = (rng.random(n) < 0.3).astype(np.int64), rng.integers(0, 2, n)
    latent = LATENT * (2 * label - 1) + shift * group + rng.normal(size=n)
    predicted = (latent > 0).astype(np.int64)
    weight = rng.lognormal(sigma=spread, size=n)
    if related:
        weight = weight * np.where(predicted == label, 1, np.exp(spread))
    of_rows = {"y_true": label, "y_pred": predicted, "sensitive_features": group}
    return of_rows | {"sample_weight": weight}


def judges(
    rng: np.random.Generator, *, number: int, each: int, icc: float = 0.0, shift: float = 0.0
) -> Record:
    """Draw judgments within groups, of items of their own; judges differ alike for both groups."""
    judge = np.repeat(np.arange(number), each)
    m = len(judge)
    group = (rng.random(m) < 0.4).astype(np.int64)
    taste = np.sqrt(icc / (1 - icc)) * rng.normal(size=number)[judge]
    right = 0.9 + taste - shift * group + rng.normal(size=m) > 0
    left = 2 * np.arange(m)
    score = np.zeros(2 * m)
    score[left] = np.where(right, 1.0, -1.0)
    judgments = {"left": left, "right": left + 1, "outcome": np.ones(m, dtype=np.int64)}
    items = {"y_score": score, "sensitive_features": np.repeat(group, 2)}
    return judgments | items | {"judges": judge}


def two_models(
    rng: np.random.Generator, *, n: int, share: float, moved: float, shift: float = 0.0
) -> Record:
    """Draw decisions of two models, of which a share differs; more of group 1's with a shift."""
    group, label = (rng.random(n) < share).astype(np.int64), rng.integers(0, 2, n)
    old = np.where(rng.random(n) < 0.8, label, 1 - label)
    flips = rng.random(n) < moved
    new = np.where(flips, 1 - old, old)
    worse = (group == 1) & (rng.random(n) < shift)
    new = np.where(worse, 1 - label, new)
    return {"y_true": label, "y_pred_old": old, "y_pred_new": new, "sensitive_features": group}


def at_margin(
    rng: np.random.Generator,
    *,
    n: int = 0,
    share: float = 0.5,
    rates: tuple[float, float] = (0.8, 0.2),
    apart: float = 0.0,
    persons: int = 0,
) -> Record:
    """Draw decisions `apart` in group 1; `persons` have five rows of one label, correlated 0.5."""
    units = persons or n
    group, label = (rng.random(units) < share).astype(np.int64), rng.integers(0, 2, units)
    rate = np.where(label == 1, *rates) - apart * group * (label if rates[1] <= apart else 1)
    if not persons:
        decided = (rng.random(n) < rate).astype(np.int64)
        return {"y_true": label, "y_pred": decided, "sensitive_features": group}
    person = np.repeat(np.arange(persons), 5)
    latent = np.sqrt(0.5) * (rng.normal(size=persons)[person] + rng.normal(size=len(person)))
    decided = (ndtr(latent) < rate[person]).astype(np.int64)
    of_rows = {"y_true": label[person], "sensitive_features": group[person]}
    return of_rows | {"y_pred": decided, "clusters": person}


RATES = {
    "t with CR1 errors": partial(competitors.by_label, competitors.clustered_1),
    "t with CR2 errors": partial(competitors.by_label, competitors.clustered_2),
    "survey t": partial(competitors.by_label, competitors.linearised),
}
#: Clusters of both groups, rows, ICC and more.
CLUSTERS: tuple[tuple[tuple[int, int], int, float, Record], ...] = (
    *(((g, g), rows, icc, {}) for g, rows in ((5, 40), (10, 20), (20, 20), (60, 10), (200, 5))
      for icc in (0.0, 0.1, 0.5)),
    *((number, 20, icc, {}) for number in ((40, 8), (200, 15)) for icc in (0.0, 0.1, 0.5)),
    *(((30, 30), 10, 0.2, {"sizes": sizes}) for sizes in ("unequal", "group", "outcome")),
    *(((number // 2, number // 2), 20, 0.2, {"both": True}) for number in (10, 20, 50, 200)),
)  # fmt: skip


#: What is said of the sizes of clusters.
SIZES = {
    "equal": "",
    "unequal": ", unequal",
    "group": ", larger in one group",
    "outcome": ", larger with higher scores",
}


def _errors(number: tuple[int, int], rows: int, icc: float, *, both: bool = False) -> float:
    """Return about a standard error of a rate of one label, as a shift of the latent score."""
    spread = 1 + icc / (1 - icc)
    z = LATENT / np.sqrt(spread)
    rate, slope = ndtr(z), np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi * spread)
    alike = 0.6 * icc  # of decisions that are cut
    sizes = np.array([0.7, 0.3]) * sum(number) * rows if both else np.array(number) * rows
    effect = 1.0 if both else 1 + (rows / 2 - 1) * alike
    return float(np.sqrt(rate * (1 - rate) * effect * (2 / sizes).sum()) / slope)


def _pair(
    name: str, draw: Callable[..., Record], beside: Competitors, shift: float, **settings: Any
) -> World:
    """Return a world whose alternative has a shift."""
    alternative = partial(draw, **settings, shift=shift)
    return World(name, partial(draw, **settings), alternative, competitors=beside)


def _clusters() -> Iterator[World]:
    for number, rows, icc, more in CLUSTERS:
        both = bool(more.get("both"))
        shift = APART * _errors(number, rows, icc, both=both)
        held = f"{sum(number)} clusters" if both else f"{number[0]} + {number[1]} clusters"
        how = SIZES[more.get("sizes", "equal")]
        name = f"{held} of {rows}{' in both groups' if both else ''}, ICC {icc:g}{how}"
        settings: Record = {"number": number, "rows": rows, "icc": icc, **more}
        yield _pair(name, clusters, RATES, shift, **settings)
        if not both and (icc == 0.1 or how):
            jackknife = {"t of the jackknife": competitors.jackknife_ranking}
            yield _pair(f"scores, {name}", clusters, jackknife, shift, **settings, score=True)


def _weights() -> Iterator[World]:
    beside = {
        f"weighted least squares, HC{hc}": partial(
            competitors.by_label, partial(competitors.robust, hc=hc)
        )
        for hc in (1, 2, 3)
    }
    for n, spread in ((300, 0.5), (1500, 0.5), (1500, 1.0), (5000, 1.5)):
        effective = n / np.exp(spread**2)
        shift = APART * _errors((int(0.7 * effective), int(0.3 * effective)), 1, 0.0)
        for related in (False, True):
            how = f"weights ({spread:g}) larger where wrong" if related else f"weights ({spread:g})"
            name = f"{n:,} rows, {how}"
            yield _pair(name, weights, beside, shift, n=n, spread=spread, related=related)


def _judges() -> Iterator[World]:
    for number, each in ((2, 200), (3, 200), (5, 100), (10, 100), (30, 40), (50, 40)):
        for icc in (0.0, 0.1):
            m = number * each
            shift = APART * np.sqrt(1 / (0.4 * m) + 1 / (0.6 * m)) / 0.65
            beside: dict[str, Callable[..., Any]] = {"named, HC1": competitors.named_judges}
            if number >= FEW_JUDGES:
                beside["at random, CR2"] = competitors.judges_at_random
            name = f"{number} judges of {each} judgments, ICC {icc:g}"
            yield _pair(name, judges, beside, shift, number=number, each=each, icc=icc)


def _models() -> Iterator[World]:
    beside = {"t of the changes": competitors.changed}
    for n, share, moved in (
        (500, 0.5, 0.1), (2000, 0.5, 0.1), (2000, 0.1, 0.1), (5000, 0.3, 0.01), (840, 0.05, 0.1),
    ):  # fmt: skip
        shift = APART * np.sqrt(moved * 2 / n * (1 / share + 1 / (1 - share)))
        name = f"two models of {n:,} items, {share:g} in group 1, {moved:g} differ"
        yield _pair(name, two_models, beside, shift, n=n, share=share, moved=moved)


def _margins() -> Iterator[World]:
    beside = {"two one-sided t-tests": partial(competitors.within_margin, MARGIN)}
    settings: tuple[Record, ...] = (
        {"n": 1200},
        {"n": 3000, "share": 0.1},
        {"n": 1000, "rates": (0.95, 0.05)},
        {"persons": 600},
    )
    for more in settings:
        persons = more.get("persons")
        many = f"{persons} persons of five rows" if persons else f"{more['n']:,} rows"
        share, rates = more.get("share", 0.5), more.get("rates", (0.8, 0.2))
        name = f"at the margin {MARGIN:g}, {many}, {share:g} in group 1, TPR {rates[0]:g}"
        null = partial(at_margin, **more, apart=MARGIN)
        yield World(name, null, partial(at_margin, **more), competitors=beside)


#: Every world by its name.
WORLDS: Mapping[str, World] = {
    world.name: world for world in (*_clusters(), *_weights(), *_judges(), *_models(), *_margins())
}


def worlds() -> Mapping[str, World]:
    """Return simulated worlds by name, with textbook competitors.

    They have clusters, weights, judges, two models or margins. Each has data without a difference
    and with one that a good test finds with a power of about 0.8. Worlds at a margin have a
    difference of 0.1 and none, for tests that show a margin.

    Returns
    -------
    Mapping[str, World]
        Their arguments are those of `separation_test`, of "scores, …" `xauc`, of judges
        `comparative_separation_from_judgments`, of two models `compare`.

    Examples
    --------
    >>> import fairpairs as fp
    >>> sorted(fp.worlds())[0]
    '1,500 rows, weights (0.5)'
    """
    return WORLDS
