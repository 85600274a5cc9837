"""aequitas: disparities with their tests of significance."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["aequitas==1.1.0"]
# ///

import pandas as pd
from aequitas.bias import Bias
from aequitas.group import Group


def groups(data):
    """Call `Bias().get_disparity_major_group(…, check_significance=True)`, the line `pprev`.

    Page: dssg.github.io/aequitas, Bias. With several groups, each has a test of its own.
    """
    frame = pd.DataFrame({
        "score": data["decision"], "label_value": data["label"],
        "group": [f"group {code}" for code in data["group"]],
    })  # fmt: skip
    crosstab, _ = Group().get_crosstabs(frame, attr_cols=["group"])
    table = Bias().get_disparity_major_group(
        crosstab, original_df=frame, alpha=0.05, check_significance=True, mask_significance=False,
        selected_significance=["pprev"],
    ).sort_values("attribute_value")  # fmt: skip
    rate = table["pprev"].to_numpy()
    return {"estimate": rate[-1] - rate[0], "p": table["pprev_significance"].min()}


rates = groups
