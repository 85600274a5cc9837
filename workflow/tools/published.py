"""The published test of comparative separation, which takes pairs for independent."""
# /// script
# dependencies = []
# ///

import numpy as np

from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)


def pairs(data):
    """Call `comparative_separation_from_judgments(…, variance="binomial")`.

    Page: equation (20) of the paper (docs/explanation/comparative-separation.md), the line within.
    """
    items = np.concatenate([data["left"], data["right"]])
    _, first, item = np.unique(items, return_index=True, return_inverse=True)
    score = np.concatenate([data["score_left"], data["score_right"]])[first]
    group = np.concatenate([data["group"], data["group_right"]])[first]
    left, right = np.split(item, 2)
    test = comparative_separation_from_judgments(
        left,
        right,
        data["outcome"],
        score,
        sensitive_features=group,
        correction="none",
        variance="binomial",
    )
    row = test.to_frame().iloc[1]
    return {
        "estimate": row["estimate"],
        "low": row["ci_low"],
        "high": row["ci_high"],
        "p": row["pvalue"],
    }
