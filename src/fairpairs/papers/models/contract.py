"""The interface of models."""

from collections.abc import Sequence

import numpy as np

from fairpairs.base.arrays import Array, Floats, Mask


class Model:
    """A model, built on the features of all items and their kinds."""

    def fit_repeats(
        self,
        y: Array,
        tested: Sequence[Mask],
        weights: Sequence[Floats],
        rngs: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """Fit once per repeat on the items that are not tested, and score those that are.

        `y` has the labels of all items, shape (n,). For each repeat there are: whether an item is
        tested, shape (n,), the weight of each training item, in their order, and a source of
        randomness; and returned is the score of each tested item, in their order: P(Y = 1), from 0
        to 1, for labels of 0 and 1.
        """
        repeats = zip(tested, weights, rngs, strict=True)
        return [self.fit_repeat(y, *repeat) for repeat in repeats]

    def fit_repeat(self, y: Array, test: Mask, weight: Floats, rng: np.random.Generator) -> Floats:
        """Do the same in one repeat."""
        raise NotImplementedError
