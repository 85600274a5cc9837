"""Reweighing: the same weighted class shares in every group.

See F. Kamiran and T. Calders (2012), Data preprocessing techniques for classification without
discrimination; Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.1.
"""

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats
from fairpairs.base.guesses import understood
from fairpairs.papers.treatments.groups import group_label_counts


@understood
def reweighing_weights(y: ArrayLike, sensitive_features: ArrayLike) -> Floats:
    """Weigh each item by |A=a| |Y=y| / |A=a, Y=y|, rescaled to sum to the number of items.

    The weighted class shares are then the same in every group, where every group has every class.

    Parameters
    ----------
    y
        Labels, shape (n,).
    sensitive_features
        Shape (n,) or (n, k); the group is the joint one of all k attributes.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    InputError
        When a value is missing or the lengths differ.
    """
    in_group, in_label, in_both = group_label_counts(y, sensitive_features)
    weights = in_group * in_label / in_both
    return np.asarray(weights * len(weights) / weights.sum())


TREATMENT = reweighing_weights
