"""FairBalance: weighted classes 1:1 in every group.

See Z. Yu, J. Chakraborty and T. Menzies (2024), FairBalance; Xi, Capak, Stockwell and Yu,
*Comparative Separation*, section 4.2.1.
"""

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats
from fairpairs.base.guesses import understood
from fairpairs.papers.treatments.groups import group_label_counts


@understood
def fairbalance_weights(y: ArrayLike, sensitive_features: ArrayLike) -> Floats:
    """Weigh each item by |A=a| / |A=a, Y=y| over the number of labels, 2.

    The factor one half is not in the paper but in the authors' public code; with two labels it
    makes the weights sum to the number of items (if every group has both). A
    regularised model depends on the scale, but Table V does not tell the two forms apart.

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
    in_group, _, in_both = group_label_counts(y, sensitive_features)
    return np.asarray(in_group / in_both / len(np.unique(np.asarray(y))))


TREATMENT = fairbalance_weights
