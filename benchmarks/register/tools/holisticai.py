"""holisticai: the 2-SD rule."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["holisticai==1.0.14"]
# ///

from holisticai.bias.metrics import statistical_parity, z_test_diff


def rates(data):
    """Call `z_test_diff(group_a, group_b, y_pred)`: unfair beyond ±2.

    Page: holisticai.readthedocs.io, bias metrics, z_test_diff.
    """
    asked = data["group"] == 1, data["group"] == 0, data["decision"]
    return {"estimate": statistical_parity(*asked), "found": abs(z_test_diff(*asked)) > 2}
