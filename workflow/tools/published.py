"""The published test of comparative separation, which takes pairs for independent."""
# /// script
# dependencies = []
# ///

from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.papers.studies.register.worlds import items_of_pairs


def pairs(data):
    """Call `comparative_separation_from_judgments(…, variance="binomial")`.

    Page: equation (20) of the paper (docs/explanation/comparative-separation.md), the line within.
    """
    left, right, score, group = items_of_pairs(data)
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
