"""One linear layer that minimises the mean absolute error with Adam: the story-point model.

All trainings of a job advance together, one batch of each at a time: the arithmetic of a step is so
small that a loop over trainings would spend its time on calls.

See Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.2; D. Kingma and J. Ba
(2015), Adam.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.models.contract import Model

EPOCHS, BATCH = 600, 32
#: Adam with the defaults of Keras.
RATE, DECAY_1, DECAY_2, EPSILON = 1e-3, 0.9, 0.999, 1e-7


class LinearMAE(Model):
    """A linear layer on numeric features, trained for 600 epochs in shuffled batches of 32.

    The weights start Glorot uniform, the bias at zero; the loss of a batch is Σ w |ŷ − y| over its
    size. The last epoch is kept.
    """

    def __init__(self, features: pd.DataFrame, kinds: Mapping[str, str]) -> None:
        for name, kind in kinds.items():
            if kind != "numeric":
                raise InputError(
                    f"The model linear_mae takes numeric features only, and `{name}` is {kind}: "
                    "drop it from the card, or choose another model."
                )
        columns = features[list(kinds)].to_numpy(dtype=np.float32)
        self._x = np.hstack([columns, np.ones((len(columns), 1), dtype=np.float32)])

    def fit_repeats(
        self,
        y: Floats,
        tested: Sequence[Mask],
        weights: Sequence[Floats],
        rngs: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """Train and predict once per repeat (see `models.contract.Model`).

        All repeats have the same number of tested items; a source of randomness gives the start and
        the shuffling.
        """
        train = np.stack([np.flatnonzero(~test) for test in tested])
        target, weight = y.astype(np.float32)[train], np.stack(weights).astype(np.float32)
        theta = self._train(train, target[..., None], weight[..., None], rngs)
        return [
            np.asarray(self._x[test] @ parameters, dtype=np.float64)[:, 0]
            for test, parameters in zip(tested, theta, strict=True)
        ]

    def _train(
        self,
        train: NDArray[np.int64],
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
        rngs: Sequence[np.random.Generator],
    ) -> NDArray[np.float32]:
        """Train; target and weight have a last axis of trainings that share a repeat's batches."""
        repeats, n = train.shape
        p = self._x.shape[1] - 1
        limit = np.sqrt(6 / (p + 1))
        theta = np.zeros((repeats, p + 1, weight.shape[2]), dtype=np.float32)
        for coefficients, rng in zip(theta, rngs, strict=True):
            coefficients[:p] = rng.uniform(-limit, limit, (p, 1))
        mean, square = np.zeros_like(theta), np.zeros_like(theta)
        row = np.arange(repeats)[:, None]
        step = 0
        for _ in range(EPOCHS):
            order = np.stack([rng.permutation(n) for rng in rngs])
            for start in range(0, n, BATCH):
                batch = order[:, start : start + BATCH]
                x = self._x[train[row, batch]]
                slope = np.sign(x @ theta - target[row, batch]) * weight[row, batch]
                gradient = x.transpose(0, 2, 1) @ (slope / np.float32(batch.shape[1]))
                step += 1
                mean += np.float32(1 - DECAY_1) * (gradient - mean)
                square += np.float32(1 - DECAY_2) * (gradient * gradient - square)
                rate = RATE * np.sqrt(1 - DECAY_2**step) / (1 - DECAY_1**step)
                theta -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(EPSILON))
        return theta


MODEL = LinearMAE
NUMBER_LABEL = True
