"""fairscope: DeLong's test of the AUCs of two groups."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["fairscope==0.3.0"]
# ///

from fairscope.core import delong_unpaired_test


def auc(data):
    """Call `delong_unpaired_test(y_a, score_a, y_b, score_b)`, which has no interval of the gap.

    Page: rajveer-code.github.io/fairscope, core.
    """
    one, other = data["group"] == 1, data["group"] == 0
    label, score = data["label"], data["score"]
    test = delong_unpaired_test(label[one], score[one], label[other], score[other])
    return {"estimate": test["delta"], "p": test["p_value"]}
