"""Two normal samples, whose density ratio is known, and places to compare it at."""

import numpy as np

AT = np.linspace(-2, 2, 9)[:, None]


def normals(n_one=40, n_zero=60, shift=0.7, seed=0, d=1):
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, (n_one, d)), rng.normal(size=(n_zero, d))


def both(one, zero):
    """Return all items, and which sample each is of."""
    return np.vstack([one, zero]), np.r_[np.ones(len(one)), np.zeros(len(zero))]
