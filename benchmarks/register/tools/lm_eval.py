"""lm-evaluation-harness: standard errors of tasks."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["lm-eval==0.4.13"]
# ///

import math
from statistics import NormalDist

from lm_eval.api.metrics import mean, mean_stderr


def rates(data):
    """Call `mean_stderr` of each group; z of the difference as `scripts/model_comparator.py` does.

    Page: github.com/EleutherAI/lm-evaluation-harness, README and scripts/model_comparator.py.
    """
    one, other = (list(data["decision"][data["group"] == group]) for group in (1, 0))
    gap, error = mean(one) - mean(other), math.hypot(mean_stderr(one), mean_stderr(other))
    half = NormalDist().inv_cdf(0.975) * error
    return {"estimate": gap, "low": gap - half, "high": gap + half}
