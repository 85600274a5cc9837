"""vfairness: intervals of gaps, which are never negative, by bootstrap and permutation."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["vfairness==0.2.0"]
# ///

from vfairness import demographic_parity_difference_with_ci


def rates(data):
    """Call `demographic_parity_difference_with_ci(y_true, y_pred, group)`; its `is_significant`.

    Page: vfairness.validant.ai, README (5,000 resamples; groups below 30 rows are not assessed).
    """
    columns = data["label"], data["decision"], data["group"]
    gap = demographic_parity_difference_with_ci(*columns, random_state=0)
    return {"absolute": True, "estimate": gap.point_estimate, "low": gap.lower_bound,
            "high": gap.upper_bound, "found": gap.is_significant}  # fmt: skip


groups = rates
