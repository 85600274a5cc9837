"""evalconfidence: two systems on different items."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["evalconfidence==0.1.1"]
# ///

from evalconfidence import ItemResult, compare


def rates(data):
    """Call `compare(results_a, results_b)`: z of two proportions and Newcombe's interval.

    Page: the docstring of evalconfidence.compare (unpaired, binary).
    """
    one, other = (
        [
            ItemResult(item_id=str(item), model_id=str(group), score=float(value))
            for item, (value, code) in enumerate(zip(data["decision"], data["group"], strict=True))
            if code == group
        ]
        for group in (1, 0)
    )
    test = compare(one, other)
    return {
        "estimate": test.diff,
        "low": test.ci_diff[0],
        "high": test.ci_diff[1],
        "p": test.p_value,
    }
