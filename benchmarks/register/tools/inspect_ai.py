"""inspect_ai: standard errors of scores, clustered ones too, of each group."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["inspect-ai==0.3.285"]
# ///

import math
from statistics import NormalDist

from inspect_ai.scorer import SampleScore, Score, grouped, mean, stderr


def _difference(data, error):
    """Compare groups by their standard errors, as for two independent evaluations."""
    clusters = data.get("cluster", data["group"])
    scores = [
        SampleScore(
            score=Score(value=int(value)),
            sample_metadata={"group": int(group), "cluster": int(cluster)},
        )
        for value, group, cluster in zip(data["decision"], data["group"], clusters, strict=True)
    ]  # fmt: skip
    means = grouped(mean(), "group")(scores)
    errors = grouped(error, "group")(scores)
    gap, total = means["1"] - means["0"], math.hypot(errors["1"], errors["0"])
    half = NormalDist().inv_cdf(0.975) * total
    return {"estimate": gap, "low": gap - half, "high": gap + half}


def rates(data):
    """Call `grouped(mean(), "group")` and `grouped(stderr(), "group")`; z by hand.

    Page: inspect.aisi.org.uk/metrics.html, grouping; standard errors.
    """
    return _difference(data, stderr())


def clustered(data):
    """Call `grouped(stderr(cluster="cluster"), "group")`. Page: as for rates, Clustered stderr."""
    return _difference(data, stderr(cluster="cluster"))
