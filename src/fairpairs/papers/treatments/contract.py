"""The interface of treatments."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats

#: A function of the labels, shape (n,), and the sensitive attributes, shape (n, k), of the training
#: items that returns the weight of each, shape (n,).
Treatment = Callable[[ArrayLike, ArrayLike], Floats]
