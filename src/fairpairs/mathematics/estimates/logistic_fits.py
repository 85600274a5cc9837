"""Logistic regression of two groups on few features, for many assignments of groups at once.

The items stay the same when groups are shuffled, so Newton's method runs on all shuffles together;
scikit-learn fits one at a time.

References: F. Bach (2010), Self-concordant analysis for logistic regression, proposition 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats

#: The most steps of Newton's method (typically six), and halvings of a step (typically none).
MAX_STEPS = 60
#: Newton's decrement, as a share of the loss, before the last step, which squares the error.
MAX_DECREMENT = 1e-14
#: Curvature, as a share of the sum of all, that may be rounding.
ROUNDING = 1e-12
#: Elements of an array that are processed at once, so that they fit into a processor's cache.
BLOCK = 1 << 16


@dataclass(frozen=True)
class LogisticFits:
    """Logistic regressions of several assignments of groups on the same features."""

    #: Mean and standard deviation of each feature, shape (d,); 1 for a constant one.
    centre: Floats
    spread: Floats
    #: Intercept and slopes for standardised features, shape (b, 1 + d).
    coefficients: Floats
    #: Whether the loss is at its minimum, shape (b,): False for separable groups without a penalty.
    converged: NDArray[np.bool_]

    def log_odds(self, features: Floats) -> Floats:
        """Return the log odds of group 1 at features of shape (m, d), shape (b, m)."""
        standardised = (features - self.centre) / self.spread
        return np.asarray(self.coefficients[:, :1] + self.coefficients[:, 1:] @ standardised.T)


def fit_groups(features: Floats, groups: NDArray[np.int64], strength: float) -> LogisticFits:
    """Fit logistic regressions of groups, zeros and ones of shape (b, n), on (n, d) features.

    `strength`, 1 / C of scikit-learn, penalises the slopes; the intercept is free.
    """
    centre, spread = features.mean(axis=0), features.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    x = np.column_stack([np.ones(len(features)), (features - centre) / spread])
    penalty = np.append(0.0, strength / spread**2)
    step = max(1, BLOCK // len(x))
    starts = range(0, len(groups), step)
    parts = [_newton(x, groups[start : start + step], penalty) for start in starts]
    coefficients, converged = (np.concatenate(part) for part in zip(*parts, strict=True))
    return LogisticFits(centre, spread, coefficients, converged)


def _newton(
    x: Floats, groups: NDArray[np.int64], penalty: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return coefficients, shape (b, p), and whether they are the minimum, shape (b,)."""
    upper = np.triu_indices(x.shape[1])
    squares = x[:, upper[0]] * x[:, upper[1]]
    longest, penalised = float((x**2).sum(axis=1).max()), bool(penalty.any())
    identity = np.eye(x.shape[1])

    sign = (2 * groups - 1).astype(np.float64)

    def evaluate(beta: Floats, sign: Floats) -> tuple[Floats, Floats, Floats]:
        """Return loss, gradient and Hessian."""
        margin = sign * (beta @ x.T)  # the log odds of an item's group
        small = np.exp(-np.abs(margin))
        total = 1 + small
        missed = np.maximum(small, margin < 0) / total  # the chance of the other group
        loss = np.log(total).sum(axis=1) - np.minimum(margin, 0).sum(axis=1)
        gradient = -(sign * missed) @ x
        flat = (small / total**2) @ squares
        hessian = np.empty((len(beta), len(penalty), len(penalty)))
        hessian[:, upper[0], upper[1]] = flat
        hessian[:, upper[1], upper[0]] = flat
        return (loss + beta**2 @ penalty / 2, gradient + beta * penalty, hessian + np.diag(penalty))

    beta = np.zeros((len(groups), x.shape[1]))
    share = groups.mean(axis=1)
    inside = (share > 0) & (share < 1)
    beta[inside, 0] = np.log(share[inside] / (1 - share[inside]))
    converged = np.zeros(len(groups), dtype=bool)
    active = np.arange(len(groups))
    loss, gradient, hessian = evaluate(beta, sign)
    for _ in range(MAX_STEPS):
        # a little is added, so that a singular matrix has a step
        curvature = hessian * (1 + 1e-14 * identity) + np.finfo(float).tiny * identity
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        decrement = (gradient * step).sum(axis=1)
        ready = decrement <= MAX_DECREMENT * (1 + loss)
        if ready.any():
            done = active[ready]
            beta[done] -= step[ready]
            converged[done] = penalised | _minimum_near(hessian[ready], decrement[ready], longest)
            active, step, loss = active[~ready], step[~ready], loss[~ready]
        if not len(active):
            break
        moved = beta[active] - step
        after, gradient, hessian = evaluate(moved, sign[active])
        for _ in range(MAX_STEPS):  # halve the steps that go too far
            worse = np.flatnonzero(~(after <= loss + 1e-12 * (1 + loss)))
            if not len(worse):
                break
            step[worse] /= 2
            moved[worse] = beta[active[worse]] - step[worse]
            after[worse], gradient[worse], hessian[worse] = evaluate(
                moved[worse], sign[active[worse]]
            )
        beta[active], loss = moved, after
    return beta, converged


def _minimum_near(hessian: Floats, decrement: Floats, longest: float) -> NDArray[np.bool_]:
    """Return whether a small decrement shows a minimum; False for nearly collinear features."""
    least = np.linalg.eigvalsh(hessian)[:, 0]
    known = least > ROUNDING * np.trace(hessian, axis1=1, axis2=2)
    return np.asarray(known & (4 * decrement * longest <= least))
