"""Permutation tests of any metric: the groups are shuffled, among all items or within strata."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import gammaln

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.base.inputs import Alternative
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.printed import Printed
from fairpairs.mathematics.inference.results import COLUMNS, in_words, verdict
from fairpairs.mathematics.inference.sampling.units import Units, shuffled_units

#: A statistic of every one of b assignments of the groups, shape (b, n): one number each, shape
#: (b,), or several, shape (b, q).
Statistic = Callable[[Array], Floats]

#: A function that shuffles the groups b times, shape (b, n).
Shuffle = Callable[[int], Array]

#: Makes a `Shuffle` from groups, strata, a generator, and labels, shape (n,).
Shuffles = Callable[[Array, Integers, np.random.Generator, Floats], Shuffle]

#: Number of elements that are processed at once.
CHUNK = 1 << 21


@dataclass(frozen=True)
class PermutationResult(Printed):
    """The result of a permutation test.

    Attributes
    ----------
    statistic
        What was observed, shape (q,).
    pvalue
        (k + 1) / (B + 1), k of B permutations being at least as extreme as what was observed.
    null_mean, null_sd
        Mean and standard deviation over the permutations, shape (q,).
    n_permutations
        B.
    alpha
        Level at which the hypothesis is called violated.
    alternative
        "two-sided", "greater" or "less".
    hypothesis
        The null hypothesis.
    within
        Whether the groups were shuffled within strata.
    n, smallest_cell
        Items, and items of the smallest group or value.
    note
        Whether there are too few permutations or items for a p-value below the level. A permutation
        test needs no approximation, so no other number of items is too small.
    name
        What the test is called.
    """

    name: ClassVar[str] = "permutation test"

    statistic: Floats
    pvalue: float
    null_mean: Floats
    null_sd: Floats
    n_permutations: int
    alpha: float
    alternative: Alternative
    hypothesis: str
    within: bool
    n: int
    smallest_cell: int
    note: str

    @property
    def violated(self) -> bool:
        """Whether the p-value is below `alpha`."""
        return bool(verdict(self.pvalue, self.alpha))

    @property
    def effect_size(self) -> Floats:
        """The observed statistic minus its mean over the permutations, shape (q,)."""
        return self.statistic - self.null_mean

    @property
    def deviations(self) -> Floats:
        """The effect size in standard deviations of the permutations, shape (q,); 0 without any."""
        varies = self.null_sd > 0
        return np.where(varies, self.effect_size / np.where(varies, self.null_sd, 1), 0)

    @property
    def interpretation(self) -> str:
        """The result in one sentence."""
        far = {"two-sided": "farther from its mean", "greater": "greater", "less": "less"}
        shuffled = f"shuffled{' within strata' * self.within}"
        claim = (
            f"the statistic is {far[self.alternative]} than chance makes it when the groups are "
            f"{shuffled}"
        )
        row = int(np.abs(self.deviations).argmax())
        observed, mean = f"{self.statistic[row]:.3g}", f"{self.null_mean[row]:.3g}"
        evidence = [f"observed {observed}", f"mean when shuffled {mean}"]
        return in_words(claim, self.pvalue, self.alpha, evidence, note=self.note)

    def to_frame(self) -> pd.DataFrame:
        """Return one row: of several numbers, the most extreme.

        `statistic` is in standard deviations of the permutations; there is no interval.
        """
        row = int(np.abs(self.deviations).argmax())
        numbers = self.statistic[row], np.nan, np.nan, self.effect_size[row], self.deviations[row]
        values = (self.hypothesis, *numbers, self.pvalue, self.n, self.smallest_cell, self.note)
        return pd.DataFrame([dict(zip(COLUMNS, values, strict=True))])


def _shuffles(group: Array, strata: Integers, rng: np.random.Generator, _: Floats) -> Shuffle:
    return partial(permute_within, group, strata, rng=rng)


def permute_within(group: Array, strata: Integers, size: int, rng: np.random.Generator) -> Array:
    """Shuffle the groups among the items of each stratum, shape (size, n)."""
    order = np.argsort(strata, kind="stable")
    keys = rng.random((size, len(strata)))
    within = np.lexsort((keys, np.broadcast_to(strata, keys.shape)), axis=-1)
    result = np.empty(keys.shape, dtype=group.dtype)
    np.put_along_axis(result, within, np.broadcast_to(group[order], keys.shape), axis=-1)
    return result


def unit_shuffles(
    group: Array, units: Units, rng: np.random.Generator, shuffles: Shuffles | None = None
) -> Shuffle:
    """Return a function that shuffles the groups of items by whole clusters of like labels."""
    make = shuffles if shuffles and units.doubt else _shuffles
    shuffle_units = make(group[units.first], units.stratum, rng, units.label)
    return lambda size: shuffle_units(size)[:, units.code]


@understood
def permutation_test(
    statistic: Statistic,
    sensitive_features: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    vectorized: bool = True,
    n_permutations: int = 10_000,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    random_state: int | np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
) -> PermutationResult:
    """Test whether a statistic, any metric of fairness, depends on which item has which group.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    statistic
        Function of groups of shape (b, n), one row per assignment, coded as `sensitive_features`,
        that returns shape (b,) or (b, q). It is called on as many rows at once as fit. With
        `vectorized=False` a function of groups of shape (n,), such as a metric of Fairlearn, that
        returns one number or q.
    sensitive_features
        Group, or value of a continuous attribute, of each item, shape (n,).
    strata
        Items are shuffled within these only, shape (n,); None shuffles all. Give the label for a
        test of separation.
    vectorized
        Whether `statistic` takes many assignments at once.
    n_permutations
        Number of permutations, B; the smallest p-value is 1 / (B + 1).
    alternative
        "two-sided": how far from the mean over the permutations (Mahalanobis' distance for several
        numbers). "greater", "less": how large or how small, for one number. A metric that grows
        with any disparity, such as an absolute difference, asks for "greater".
    alpha
        Level.
    random_state
        Seed or generator.
    clusters
        Cluster of each item, such as the person of several rows, shape (n,). Clusters of one group
        are shuffled as a whole, among those with as many items of each stratum; where many have
        no such cluster of another group, among those of like size and mean place of their strata,
        as `note` reports. In a cluster with items of several groups, groups are shuffled among its
        items of one stratum.

    Returns
    -------
    PermutationResult

    Raises
    ------
    InputError
        When the arrays do not go together, no stratum has two groups to shuffle, the statistic
        cannot be computed for the observed groups, or it does not return numbers, or not as
        many as it should. A permutation for which it cannot be computed (a cell is empty) counts as
        extreme, and `note` reports their number.

    References
    ----------
    P. Good (2013), *Permutation Tests*; B. Phipson and G. K. Smyth (2010), Permutation p-values
    should never be zero.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> predicted = np.array([0, 1, 0, 1, 1, 1, 0, 1])
    >>> def gap(groups):
    ...     return predicted[y == 1] @ (2 * groups[:, y == 1] - 1).T
    >>> result = permutation_test(gap, [0, 1, 0, 1, 1, 1, 0, 0], strata=y, random_state=1)
    >>> 0 < result.pvalue <= 1
    True

    A metric that takes one assignment:

    >>> from fairlearn.metrics import demographic_parity_difference
    >>> def disparity(groups):
    ...     return demographic_parity_difference(y, predicted, sensitive_features=groups)
    >>> result = permutation_test(
    ...     disparity, [0, 1, 0, 1, 1, 1, 0, 0], vectorized=False, n_permutations=99,
    ...     alternative="greater", random_state=1,
    ... )
    >>> result.statistic, result.violated
    (array([0.75]), False)
    """
    return run_permutation_test(
        statistic,
        sensitive_features,
        strata=strata,
        vectorized=vectorized,
        n_permutations=n_permutations,
        alternative=alternative,
        alpha=alpha,
        rng=inputs.generator(random_state),
        clusters=clusters,
    )


def run_permutation_test(
    statistic: Statistic,
    sensitive_features: ArrayLike,
    *,
    strata: ArrayLike | None,
    vectorized: bool = True,
    n_permutations: int,
    alternative: Alternative,
    alpha: float,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    labels: Floats | None = None,
    shuffles: Shuffles | None = None,
    doubt: str = "",
) -> PermutationResult:
    """Run `permutation_test` with other shuffles, by `labels`, and a note of their `doubt`."""
    group = one_dimensional(sensitive_features, "sensitive_features")
    code = inputs.levels(group, "sensitive_features")[1]
    number = np.zeros_like(code) if strata is None else inputs.levels(strata, "strata")[1]
    if strata is not None:
        inputs.same_items(sensitive_features=sensitive_features, strata=strata)
    inputs.whole(n_permutations, "n_permutations", 1, inputs.MAX_PERMUTATIONS)
    inputs.flag(vectorized, "vectorized")
    inputs.side(alternative)
    inputs.level(alpha)
    if not callable(statistic):
        raise InputError(f"statistic must be a function of groups; it is {shown(statistic)}.")
    compute = statistic if vectorized else _one_by_one(statistic)
    labels = number.astype(float) if labels is None else labels
    units, unit_code, stratum = None, code, number
    if clusters is not None:
        cluster = inputs.levels(clusters, "clusters")[1]
        inputs.same_items(sensitive_features=sensitive_features, clusters=clusters)
        units = shuffled_units(code, number, cluster, labels)
        unit_code, stratum = code[units.first], units.stratum
    if len(np.unique(stratum * (code.max() + 1) + unit_code)) == stratum.max() + 1:
        of = "rows" if units is None else "clusters with like labels"
        raise InputError(
            f"No stratum has {of} of two groups, so there is nothing to shuffle: give wider strata."
        )
    size = max(1, CHUNK // len(group))
    if units is None:
        shuffle = (shuffles or _shuffles)(group, number, rng, labels)
    else:
        shuffle = unit_shuffles(group, units, rng, shuffles)
        doubt = "; ".join(filter(None, [units.doubt, doubt])) if units.doubt else ""
    drawn = [
        np.atleast_1d(compute(shuffle(min(size, n_permutations - b))))
        for b in range(0, n_permutations, size)
    ]
    observed = np.atleast_1d(compute(group[None]))
    if len(observed) != 1 or sum(map(len, drawn)) != n_permutations:
        raise InputError("statistic must return shape (b,) or (b, q) for b rows of groups.")
    values = np.concatenate([observed, *drawn]).reshape(n_permutations + 1, -1)
    values = inputs.numbers(values, "The values of the statistic")
    known = np.asarray(np.isfinite(values).all(axis=1))
    if not known[0]:
        raise InputError(
            "The statistic cannot be computed for the groups as they are: a cell is empty."
        )
    null = values[1:][known[1:]]
    distance = np.full(len(values), np.inf)  # what cannot be computed counts as beyond
    distance[known] = _distances(values[known], alternative)
    parts = [_too_few(stratum, unit_code, n_permutations, alpha), doubt]
    if unknown := int((~known).sum()):
        parts.append(f"{unknown} permutations leave a cell empty: counted as extreme")
    # equal values of a discrete statistic may differ by rounding
    beyond = int((distance[1:] >= distance[0] * (1 - 1e-9) - 1e-12).sum())
    return PermutationResult(
        statistic=values[0],
        pvalue=(beyond + 1) / (n_permutations + 1),
        null_mean=null.mean(axis=0) if len(null) else np.full(null.shape[1], np.nan),
        null_sd=null.std(axis=0, ddof=1) if len(null) > 1 else np.full(null.shape[1], np.nan),
        n_permutations=n_permutations,
        alpha=alpha,
        alternative=alternative,
        hypothesis="A is exchangeable" if strata is None else "A is exchangeable within strata",
        within=strata is not None,
        n=len(group),
        smallest_cell=int(np.bincount(code).min()),
        note="; ".join(part for part in parts if part),
    )


def _one_by_one(statistic: Statistic) -> Statistic:

    def values(groups: Array) -> Floats:
        try:
            return np.array([statistic(row) for row in groups], dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"statistic must return a number, or as many each time, for groups of shape (n,): "
                f"{error}."
            ) from error

    return values


def _too_few(strata: Integers, code: Integers, n_permutations: int, alpha: float) -> str:
    """Return why p-values cannot, or hardly ever, be below the level, whatever the data."""
    if 1 / (n_permutations + 1) >= alpha:
        return f"{n_permutations} permutations are too few for a p-value below {alpha:g}"
    cells = np.unique(strata * (code.max() + 1) + code, return_counts=True)[1]
    # log of the number of different assignments: multinomial coefficients of the strata
    log_number = gammaln(np.bincount(strata) + 1).sum() - gammaln(cells + 1).sum()
    if log_number > -np.log(alpha) + 1:
        return ""
    number = round(np.exp(log_number))
    few = f"only {number} different assignments, too few for a p-value below {alpha:g}"
    return few if 1 / number >= alpha else ""


def _distances(values: Floats, alternative: str) -> Floats:
    """Return the distance of each row from the others; rows are exchangeable under H0."""
    if alternative != "two-sided":
        if values.shape[1] != 1:
            raise InputError(f"alternative={alternative!r} takes a statistic of one number.")
        upward = values[:, 0] if alternative == "greater" else -values[:, 0]
        return np.asarray(upward - upward.min())
    centred = values - values.mean(axis=0)
    if len(values) == 1:
        return np.zeros(1)
    inverse = np.linalg.pinv(np.atleast_2d(np.cov(centred.T)), hermitian=True)
    return np.asarray(np.einsum("bi,ij,bj->b", centred, inverse, centred))
