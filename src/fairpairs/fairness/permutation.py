"""Permutation tests of any metric, and of separation: groups are shuffled, among like labels.

Under separation, prediction and group are independent given the label, so shuffling the groups
within strata of the label leaves the distribution of any statistic as it is: exactly when a
stratum is one label. When labels are binned, items of a bin with other labels have other chances of
being in a group; up to 2,000 items are then shuffled by these chances (a conditional permutation
test), which are estimated, so that the test is approximate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, gammaln, ndtri
from scipy.stats import rankdata

from fairpairs.arrays import Floats, Integers
from fairpairs.errors import InputError, shown
from fairpairs.fairness import inputs
from fairpairs.fairness.balance import label_strata
from fairpairs.fairness.density_ratio_estimators import LARGEST_SLOPE
from fairpairs.fairness.gaps import gap_cells
from fairpairs.fairness.information import information_separation_of_groups
from fairpairs.fairness.inputs import Alternative
from fairpairs.fairness.pairs.rates import Ties, check_ties
from fairpairs.fairness.pairs.running_sums import sums_over_labels, sums_over_pairs
from fairpairs.fairness.results import COLUMNS, in_words, verdict

#: A statistic of every one of b assignments of the groups, shape (b, n): one number each, shape
#: (b,), or several, shape (b, q).
Statistic = Callable[[NDArray[Any]], Floats]

#: Elements that are handled at once.
CHUNK = 1 << 21

#: Up to so many items all pairs are written down: shuffles are many, and share them.
DENSE = 2000

#: Up to so many items labels that are binned count within a bin; of more, bins are narrow.
FEW_LABELS = 2000
#: Above this AUC of the labels the groups hardly overlap: normals 2.3 standard deviations apart.
HARDLY = 0.95
HARDLY_OVERLAP = (
    "the groups' labels hardly overlap: the test may reject too often (I_sep in up to 0.15)"
)
#: Exchanges of each item with another one of its bin, from one assignment to the next.
EXCHANGES = 20


@dataclass(frozen=True)
class PermutationResult:
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
        Whether there are too few permutations or items to find anything at the level. Otherwise no
        number of items is too small, for a permutation test needs no approximation.
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
        """What was observed less its mean over the permutations, shape (q,): what chance leaves."""
        return self.statistic - self.null_mean

    @property
    def deviations(self) -> Floats:
        """The effect size in standard deviations of the permutations, shape (q,); 0 without any."""
        varies = self.null_sd > 0
        return np.where(varies, self.effect_size / np.where(varies, self.null_sd, 1), 0)

    @property
    def interpretation(self) -> str:
        """What was found, in one sentence."""
        far = {"two-sided": "farther from its mean", "greater": "greater", "less": "less"}
        row = int(np.abs(self.deviations).argmax())
        return in_words(
            f"the statistic is {far[self.alternative]} than chance makes it when the groups are "
            f"shuffled{' within strata' * self.within}",
            self.pvalue,
            self.alpha,
            [
                f"observed {self.statistic[row]:.3g}",
                f"mean when shuffled {self.null_mean[row]:.3g}",
            ],
            note=self.note,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row: of several numbers, the one that lies farthest out.

        `statistic` is in standard deviations of the permutations; there is no interval.
        """
        row = int(np.abs(self.deviations).argmax())
        values = (
            self.hypothesis, self.statistic[row], np.nan, np.nan, self.effect_size[row],
            self.deviations[row], self.pvalue, self.n, self.smallest_cell, self.note,
        )  # fmt: skip
        return pd.DataFrame([dict(zip(COLUMNS, values, strict=True))])


def permute_within(
    group: NDArray[Any], strata: Integers, size: int, rng: np.random.Generator
) -> NDArray[Any]:
    """Shuffle the groups among the items of each stratum, `size` times.

    Parameters
    ----------
    group, strata
        Group and stratum of each item, shape (n,).
    size
        Number of shuffles.
    rng
        Source of randomness.

    Returns
    -------
    ndarray of shape (size, n)
    """
    order = np.argsort(strata, kind="stable")
    keys = rng.random((size, len(strata)))
    within = np.lexsort((keys, np.broadcast_to(strata, keys.shape)), axis=-1)
    result = np.empty(keys.shape, dtype=group.dtype)
    np.put_along_axis(result, within, np.broadcast_to(group[order], keys.shape), axis=-1)
    return result


def differ_within(labels: Floats, strata: Integers) -> bool:
    """Say whether labels differ within a stratum."""
    return len(np.unique(labels)) > len(np.unique(strata))


def shuffles_within(
    group: Integers, strata: Integers, labels: Floats, rng: np.random.Generator
) -> Callable[[int], Integers]:
    """Return a function that shuffles groups within strata of the label.

    Labels that differ within a stratum count, of up to 2,000 items: see `conditional_shuffles`.
    """
    if len(labels) <= FEW_LABELS and differ_within(labels, strata):
        return conditional_shuffles(group, strata, labels, rng)
    return partial(permute_within, group, strata, rng=rng)


def hardly_overlap(labels: Floats, group: Integers) -> bool:
    """Say whether of two groups nearly all labels of one are above those of the other."""
    for a, b in combinations(range(int(group.max()) + 1), 2):
        one, two = labels[group == a], labels[group == b]
        ranks = rankdata(np.concatenate([one, two]))[: len(one)]
        above = (ranks.mean() - (len(one) + 1) / 2) / len(two)  # the AUC of the labels
        if max(above, 1 - above) > HARDLY:
            return True
    return False


def conditional_shuffles(
    group: Integers, strata: Integers, labels: Floats, rng: np.random.Generator
) -> Callable[[int], Integers]:
    """Return a function that shuffles groups within strata by their chances given the label.

    Plain shuffles would take items of a stratum for exchangeable; those of a group with higher
    labels are not, where labels differ within it. Two items exchange their groups with the chance
    that a logistic regression of the group on the label gives, time and again.

    Parameters
    ----------
    group, strata
        Group, coded 0 to K − 1, and stratum of each item, shape (n,).
    labels
        Shape (n,); their normal scores are taken.
    rng
        Source of randomness.

    Returns
    -------
    callable
        Takes a number b, and returns groups of shape (b, n).

    References
    ----------
    T. B. Berrett, Y. Wang, R. F. Barber and R. J. Samworth (2020), The conditional permutation test
    for independence while controlling for confounders, algorithm 2.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

    n = len(group)
    scores = ndtri((rankdata(labels) - 0.5) / n)[:, None]
    model = LogisticRegression(solver="newton-cholesky", tol=LARGEST_SLOPE).fit(scores, group)
    logs = scores @ model.coef_.T  # log odds, up to a constant of the group
    logs = np.hstack([np.zeros((n, 1)), logs]) if logs.shape[1] == 1 else logs
    exchanges = []
    for step in range(EXCHANGES):
        order = np.lexsort((rng.random(n), strata))[step % 2 :]
        left, right = order[0 : len(order) // 2 * 2 : 2], order[1::2]
        alike = strata[left] == strata[right]
        exchanges.append((left[alike], right[alike]))

    def exchange(groups: Integers, pairs: list[tuple[Integers, Integers]]) -> Integers:
        for left, right in pairs:
            of_left, of_right = groups[:, left], groups[:, right]
            odds = logs[left, of_right] + logs[right, of_left]
            odds -= logs[left, of_left] + logs[right, of_right]
            swapped = rng.random(odds.shape) < expit(odds)
            groups[:, left] = np.where(swapped, of_right, of_left)
            groups[:, right] = np.where(swapped, of_left, of_right)
        return groups

    # back from what was observed, and forth again: all are exchangeable
    centre = exchange(group[None].copy(), exchanges[::-1])
    return lambda size: exchange(np.repeat(centre, size, axis=0), exchanges)


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
) -> PermutationResult:
    """Test whether a statistic, any metric of fairness, depends on which item has which group.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    statistic
        Function of groups of shape (b, n), one row an assignment, coded as `sensitive_features`,
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

    Returns
    -------
    PermutationResult

    Raises
    ------
    InputError
        When the arrays do not go together, no stratum has two groups to shuffle, the statistic
        cannot be computed for the groups as observed, or it returns what is no number, or not as
        many as it should. A permutation for which it cannot be computed (a cell is empty) counts as
        extreme, and `note` says how many are.

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
    return _permutation_test(
        statistic, sensitive_features, strata, vectorized, n_permutations, alternative, alpha,
        inputs.generator(random_state),
    )  # fmt: skip


def _permutation_test(
    statistic: Statistic,
    sensitive_features: ArrayLike,
    strata: ArrayLike | None,
    vectorized: bool,
    n_permutations: int,
    alternative: Alternative,
    alpha: float,
    rng: np.random.Generator,
    labels: Floats | None = None,
) -> PermutationResult:
    """Run `permutation_test`; with labels, groups are shuffled by their chances given these."""
    group = inputs.one_dimensional(sensitive_features, "sensitive_features")
    code = inputs.levels(group, "sensitive_features")[1]
    number = np.zeros_like(code) if strata is None else inputs.levels(strata, "strata")[1]
    if strata is not None:
        inputs.same_items(sensitive_features=sensitive_features, strata=strata)
    inputs.whole(n_permutations, "n_permutations", 1, inputs.MOST_PERMUTATIONS)
    inputs.flag(vectorized, "vectorized")
    inputs.side(alternative)
    inputs.level(alpha)
    if not callable(statistic):
        raise InputError(f"statistic must be a function of groups; it is {shown(statistic)}.")
    compute = statistic if vectorized else _one_by_one(statistic)
    if len(np.unique(number * (code.max() + 1) + code)) == number.max() + 1:
        raise InputError(
            "No stratum has items of two groups, so there is nothing to shuffle: give wider strata."
        )
    size = max(1, CHUNK // len(group))
    shuffle: Callable[[int], NDArray[Any]]
    if labels is None:
        shuffle = partial(permute_within, group, number, rng=rng)
    else:
        shuffle = shuffles_within(code, number, labels, rng)
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
    parts = [_too_few(number, code, n_permutations, alpha)]
    if labels is not None and differ_within(labels, number) and hardly_overlap(labels, code):
        parts.append(HARDLY_OVERLAP)
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
    """Turn a function of one assignment into one of many."""

    def values(groups: NDArray[Any]) -> Floats:
        try:
            return np.array([statistic(row) for row in groups], dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"statistic must return a number, or as many each time, for groups of shape (n,): "
                f"{error}."
            ) from error

    return values


def _too_few(strata: Integers, code: Integers, n_permutations: int, alpha: float) -> str:
    """Say whether hardly a p-value can be below the level, whatever the data."""
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
    """Say how extreme each row is among all, which are exchangeable under the hypothesis."""
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


def separation_permutation_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    statistic: Literal["comparative_separation", "rates", "information_separation"]
    | Statistic = "comparative_separation",
    strata: Literal["auto"] | ArrayLike = "auto",
    ties: Ties = "wrong",
    n_permutations: int = 999,
    alpha: float = 0.05,
    random_state: int | np.random.Generator | None = None,
) -> PermutationResult:
    """Test separation, for any kind of label, by shuffling the groups among items of like labels.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions or scores, binary or real, shape (n,).
    sensitive_features
        Group of each item, values of any kind, shape (n,) or (n, columns).
    statistic
        "comparative_separation": the gaps TPR(b, a) − TPR(a, b) and TPR(b, b) − TPR(a, a) over all
        pairs. "rates": gaps of the mean prediction among items of each label, which for binary
        labels and predictions are those of TPR and FPR. "information_separation": I_sep. Or a
        function of groups, coded 0, 1, …, of shape (b, n), as in `permutation_test`.
    strata
        "auto": the levels of the label, whose items are exchangeable under separation: the test is
        exact. Or bins of ten items where fewer than three share one; up to 2,000 items are then
        shuffled by the chances of the groups given the label, which makes the test approximate.
        Or the stratum of each item, shape (n,).
    ties
        For "comparative_separation": "wrong" or "half".
    n_permutations, alpha, random_state
        As in `permutation_test`.

    Returns
    -------
    PermutationResult

    Raises
    ------
    InputError
        As `permutation_test`, and when a statistic is not known or is for two groups only.

    Examples
    --------
    >>> points = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> predicted = [1.1, 1.2, 1.6, 1.7, 2.1, 2.0, 2.7, 2.6, 3.2, 3.1, 3.9, 3.8]
    >>> team = ["a", "a", "b", "b"] * 3
    >>> result = separation_permutation_test(
    ...     points, predicted, sensitive_features=team, random_state=1, statistic="rates"
    ... )
    >>> result.pvalue < 0.05
    True
    """
    of_moments = isinstance(statistic, str) and statistic != "comparative_separation"
    check = inputs.moderate if of_moments else inputs.numeric
    labels, predictions = check(y_true, "y_true"), check(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    k = len(names)
    binned = label_strata(labels)
    within = binned if isinstance(strata, str) and strata == "auto" else strata
    known: dict[str, Callable[[], Statistic]] = {
        "comparative_separation": lambda: gap_statistic(labels, predictions, k, ties),
        "rates": lambda: rate_statistic(labels, predictions, k),
        "information_separation": lambda: _information_statistic(labels, predictions, k),
    }
    if not callable(statistic) and not (isinstance(statistic, str) and statistic in known):
        raise InputError(
            f"statistic must be a function or one of {', '.join(known)}; it is {shown(statistic)}."
        )
    one_sided = statistic == "information_separation"  # it is 0 under separation, else more
    result = _permutation_test(
        statistic if callable(statistic) else known[statistic](),
        group,
        within,
        True,
        n_permutations,
        "greater" if one_sided else "two-sided",
        alpha,
        inputs.generator(random_state),
        labels if within is binned else None,
    )
    return replace(result, hypothesis="C ⟂ A | Y")


def gap_statistic(y_true: Floats, y_score: Floats, k: int, ties: Ties = "wrong") -> Statistic:
    """Return the function of groups (b, n) that computes all gaps of comparative separation."""
    check_ties(ties)
    first, second = gap_cells(k)
    if len(y_true) <= DENSE:  # one product of matrices, exact in single precision
        above = y_true[:, None] > y_true
        ahead = (y_score[:, None] > y_score).astype(np.float32)
        if ties == "half":
            ahead += np.float32(0.5) * (y_score[:, None] == y_score)
        hits, lower = ahead * above, above.astype(np.float32)

    def sums(columns: Floats) -> tuple[Floats, Floats]:
        if len(y_true) <= DENSE:
            narrow = columns.astype(np.float32)
            return np.asarray(narrow @ hits.T, float), np.asarray(narrow @ lower.T, float)
        many = columns[:, None]
        beaten = sums_over_pairs(y_true[None], y_score[None], many, ties=ties)[0]
        return beaten[:, 0], sums_over_labels(y_true[None], many)[0][:, 0]

    def gaps(groups: Integers) -> Floats:
        member = (np.arange(k)[:, None, None] == groups).astype(float)
        right, usable = (
            np.einsum("abn,cbn->bac", member, total.reshape(member.shape))
            for total in sums(member.reshape(-1, len(y_true)))
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            rate = (right / usable).reshape(len(groups), k * k)
        return np.asarray(rate[:, first] - rate[:, second])

    return gaps


def rate_statistic(y_true: Floats, y_pred: Floats, k: int) -> Statistic:
    """Return the function of groups (b, n) that computes the gaps of the means in each label."""
    levels = np.unique(y_true)
    if len(levels) > len(y_true) / 2:
        raise InputError(
            "y_true is continuous, so no two items share a label: take the statistic "
            "'comparative_separation' or 'information_separation'."
        )

    def gaps(groups: Integers) -> Floats:
        columns = []
        for level in levels:
            own, value = groups[:, y_true == level], y_pred[y_true == level]
            members = [own == g for g in range(k)]
            with np.errstate(invalid="ignore", divide="ignore"):
                means = [(m @ value) / m.sum(axis=1) for m in members]
            # shuffles leave an empty cell empty
            present = [mean for mean in means if np.isfinite(mean).all()]
            columns += [mean - present[0] for mean in present[1:]]
        if not columns:
            raise InputError("No label has items of two groups, so there is no gap to compute.")
        return np.stack(columns, axis=1)

    return gaps


def _information_statistic(y_true: Floats, y_pred: Floats, k: int) -> Statistic:
    if k != 2:
        raise InputError(f"information_separation is for two groups; there are {k}.")
    return lambda groups: information_separation_of_groups(y_true, y_pred, groups)
