"""evalstats: comparison of separate groups, and of judged scores with a few human labels."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["evalstats==0.3.3"]
# ///

import evalstats as es
import numpy as np
import pandas as pd


def groups(data):
    """Call `compare(load_from(frame), factors="group", design="unpaired")`.

    Page: github.com/ianarawjo/evalstats, README. p-values are adjusted over all pairs of groups.
    """
    group = [f"group {code}" for code in data["group"]]
    frame = pd.DataFrame({"item": range(len(group)), "group": group, "score": data["decision"]})
    result = es.compare(es.load_from(frame), factors="group", design="unpaired", rng=0)
    pairs = result.to_dict()["pairwise"]
    answer = {"p": min(pair["p_value"] for pair in pairs)}
    if len(pairs) == 1:
        sign = 1 if pairs[0]["a"] == "group 1" else -1
        low, high = sorted((sign * pairs[0]["ci_low"], sign * pairs[0]["ci_high"]))
        answer |= {"estimate": sign * pairs[0]["point_estimate"], "low": low, "high": high}
    return answer


rates = groups


def labels(data):
    """Call `tests.ttest(a, b, a_lab=…, b_lab=…)`: judged and human scores, NaN where unlabelled.

    Page: github.com/ianarawjo/evalstats, README, T-test PPI-correction.
    """
    judged = (data["cheap"] == data["decision"]).astype(float)
    human = np.where(np.isnan(data["label"]), np.nan, data["label"] == data["decision"])
    one, other = data["group"] == 1, data["group"] == 0
    test = es.tests.ttest(
        judged[one], judged[other], a_lab=human[one], b_lab=human[other],
        print_result=False, rng=0,
    )  # fmt: skip
    low, high = test.corrected_ci
    return {"low": low, "high": high, "p": test.corrected_p_value}
