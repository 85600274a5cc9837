"""How far judges agree on the pairs of items that several of them judged."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.printed import Printed
from fairpairs.mathematics.judgments.given import read_judgments

#: With more judges, the agreement of each two is left out.
MAX_JUDGES = 100


@dataclass(frozen=True)
class JudgeAgreement(Printed):
    """How far judges agree on the pairs of items that several of them judged.

    Attributes
    ----------
    kappa
        Fleiss' kappa: agreement beyond chance, 1 where all agree and 0 where as if by chance.
    ci_low, ci_high
        Its interval, by the jackknife over pairs of items.
    krippendorff, krippendorff_low, krippendorff_high
        Krippendorff's alpha for nominal data, in which a pair counts by its judges, and its
        interval.
    agreement
        The chance that two judges of a pair agree.
    pairs
        Pairs of items with two judges or more.
    judgments
        Their judgments; several of one judge on one pair are one.
    """

    name: ClassVar[str] = "agreement of judges"
    kappa: float
    ci_low: float
    ci_high: float
    krippendorff: float
    krippendorff_low: float
    krippendorff_high: float
    agreement: float
    pairs: int
    judgments: int
    table: pd.DataFrame

    def _printed(self) -> pd.DataFrame:
        alpha = self.krippendorff, self.krippendorff_low, self.krippendorff_high
        rows = [
            ("Fleiss' kappa", self.kappa, self.ci_low, self.ci_high),
            ("Krippendorff's alpha", *alpha),
            ("agreement", self.agreement, np.nan, np.nan),
        ]
        return pd.DataFrame(rows, columns=["hypothesis", "estimate", "ci_low", "ci_high"])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per two judges with common pairs: `judge`, `other`, `n`, `agreement`.

        Also Cohen's `kappa` and its interval, `ci_low` and `ci_high`, by the jackknife over their
        pairs. It is empty with more than 100 judges.
        """
        return self.table.copy()


def judge_agreement(
    left: ArrayLike, right: ArrayLike, outcome: ArrayLike, *, judges: ArrayLike, alpha: float = 0.05
) -> JudgeAgreement:
    """Return the agreement of judges, as kappas.

    Which of two items is called the first is arbitrary, so by chance it wins as often as the other;
    the share of ties is that of the judgments. Intervals take pairs of items as independent.

    Parameters
    ----------
    left, right, outcome
        As in `comparative_separation_from_judgments`; a tie is a verdict of its own.
    judges
        Judge of each judgment, shape (m,).
    alpha
        The interval covers 1 − alpha.

    Returns
    -------
    JudgeAgreement
        NaN where no pair has two judges.

    Raises
    ------
    InputError
        When the arrays do not go together, or there is one judge only.

    References
    ----------
    J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, equations (2) to (7),
    with as many raters of a pair as there are; J. Cohen (1960), A coefficient of agreement for
    nominal scales; K. Krippendorff (2004), Content Analysis, section 11.3.

    Examples
    --------
    >>> agreed = judge_agreement(
    ...     [0, 0, 1, 2], [1, 1, 2, 1], [1, 1, 1, 1], judges=["x", "y", "x", "y"]
    ... )
    >>> agreed.agreement, agreed.kappa, agreed.pairs
    (0.5, 0.0, 2)
    """
    inputs.level(alpha)
    sides = [one_dimensional(side, name) for side, name in ((left, "left"), (right, "right"))]
    whole = [side for side in sides if side.size and side.dtype.kind in "iu"]
    n = 1 + max((int(side.max()) for side in whole), default=0)
    given = read_judgments(left, right, outcome, n, judges=judges, ties_in_outcome="keep")
    names = np.asarray(pd.unique(one_dimensional(judges, "judges")))
    order = np.argsort(names.astype(str), kind="stable")
    votes = _votes(given.left, given.right, given.outcome, np.argsort(order)[given.shared[0]])
    names = names[order]
    by_sign = [votes["pair"][votes["sign"] == sign] for sign in (1, -1, 0)]
    numbers = [np.bincount(pair, minlength=votes["pair"].max() + 1) for pair in by_sign]
    counts = np.stack(numbers, axis=1).astype(float)
    counts = counts[counts.sum(axis=1) >= 2]
    table = _judge_pairs(votes, names, alpha)
    m, n = len(counts), counts.sum(axis=1)
    if not m:
        nothing = np.nan, np.nan, np.nan
        return JudgeAgreement(*nothing, *nothing, np.nan, 0, 0, table)
    agreeing, ties = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1)), counts[:, 2]
    # columns: what Fleiss' kappa and Krippendorff's alpha are made of, summed over pairs of items
    terms = np.column_stack([agreeing, np.ones(m), ties, n, n * agreeing])
    sums = terms.sum(axis=0), terms, np.ones(m)
    kappa, other = (_jackknife(of, *sums, alpha) for of in (_fleiss, _krippendorff))
    return JudgeAgreement(*kappa, *other, float(agreeing.mean()), m, int(n.sum()), table)


def _votes(left: Integers, right: Integers, outcome: Floats, judge: Integers) -> pd.DataFrame:
    """Return one vote per judge and pair of items: for its first item, its second, or a tie."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    pair = pd.factorize(low * (int(high.max()) + 1) + high, sort=True)[0]
    first = np.where(left <= right, outcome, -outcome)
    votes = pd.DataFrame({"pair": pair, "judge": judge, "first": first})
    sums: pd.DataFrame = votes.groupby(["pair", "judge"])["first"].sum().reset_index()
    return sums.assign(sign=np.sign(sums["first"].to_numpy()).astype(int))


def _kappa(agreement: Any, chance: Any) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        return (agreement - chance) / (1 - chance)


def _fleiss(total: Floats) -> Any:
    """Return Fleiss' kappa from sums over pairs of items, along the last axis."""
    agreeing, pairs, ties, n, _ = np.moveaxis(total, -1, 0)
    tied = ties / n
    return _kappa(agreeing / pairs, tied**2 + (1 - tied) ** 2 / 2)


def _krippendorff(total: Floats) -> Any:
    """Return Krippendorff's alpha, each pair in both orders: chance draws two of 2n verdicts."""
    _, _, ties, n, agreeing = np.moveaxis(total, -1, 0)
    chance = (2 * ties * (2 * ties - 1) + 2 * (n - ties) * (n - ties - 1)) / (2 * n * (2 * n - 1))
    return _kappa(agreeing / n, chance)


def _jackknife(
    statistic: Callable[[Floats], Any], total: Floats, terms: Floats, times: Floats, alpha: float
) -> tuple[float, float, float]:
    """Return a statistic of a sum of terms, each so many `times` in it, and its interval."""
    estimate, m = float(statistic(total)), times.sum()
    without = statistic(total - terms) if m > 1 else np.array([np.nan])
    if not np.isfinite(without).all():
        return estimate, np.nan, np.nan
    mean = times @ without / m
    error = np.sqrt((m - 1) / m * (times @ np.square(without - mean)))
    margin = float(stdtrit(m - 1, 1 - alpha / 2) * error)
    return estimate, max(estimate - margin, -1.0), min(estimate + margin, 1.0)


def _judge_pairs(votes: pd.DataFrame, names: Array, alpha: float) -> pd.DataFrame:
    """Return agreement and Cohen's kappa of each two judges with common pairs."""
    columns = ["judge", "other", "n", "agreement", "kappa", "ci_low", "ci_high"]
    if len(names) > MAX_JUDGES:
        return pd.DataFrame(columns=columns)
    from scipy.sparse import csr_array  # noqa: PLC0415  (slow)

    shape = int(votes["pair"].max()) + 1, len(names)
    verdicts = [
        csr_array((np.ones(len(cast)), (cast["pair"], cast["judge"])), shape=shape)
        for cast in (votes[votes["sign"] == sign] for sign in (1, -1, 0))
    ]
    tables = np.array([[(one.T @ two).toarray() for two in verdicts] for one in verdicts])
    rows = []
    for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
        table = tables[:, :, i, j]
        if table.any():
            rows.append((names[i], names[j], int(table.sum()), *_cohen(table, alpha)))
    return pd.DataFrame(rows, columns=columns)


def _cohen(table: Floats, alpha: float) -> tuple[float, float, float, float]:
    """Return agreement, Cohen's kappa and its interval, from verdicts (first, second, tie)."""

    def kappa(tables: Floats) -> Any:
        n = tables.sum(axis=(-2, -1))
        one, two = tables[..., 2, :].sum(axis=-1) / n, tables[..., :, 2].sum(axis=-1) / n
        chance = one * two + (1 - one) * (1 - two) / 2
        return _kappa(np.trace(tables, axis1=-2, axis2=-1) / n, chance)

    filled = np.flatnonzero(table)
    terms = np.eye(9)[filled].reshape(-1, 3, 3)
    limits = _jackknife(kappa, table, terms, table.ravel()[filled], alpha)
    return float(np.trace(table) / table.sum()), *limits
