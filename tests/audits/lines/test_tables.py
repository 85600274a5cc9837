import numpy as np
import pandas as pd
import pytest

import fairpairs
from fairpairs.audits.lines.tables import common, count, shown


@pytest.mark.parametrize(
    ("n", "text"),
    [(999_999, "999,999"), (4_000_000, "4.00 M"), (8_890_000, "8.89 M"), (12 * 10**9, "12.0 bn"),
     (123_000_000, "123 M")],
)  # fmt: skip
def test_a_count_has_three_digits_from_a_million_on(n, text):
    assert count(n) == text


@pytest.mark.parametrize("scale", [1, 1e3, 1e5, 1e7, 1e11])
def test_a_row_of_the_table_is_one_line_however_large_the_numbers(scale):
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], 300)
    label = rng.normal(size=300) * scale
    prediction = label + (0.3 * (group == "b") + rng.normal(size=300)) * scale
    result = fairpairs.audit(label, prediction, sensitive_features=group)
    lines = result.to_text().splitlines()
    assert max(map(len, lines)) <= 100
    (mean,) = [line for line in lines if line.startswith("mean error")]
    (heading,) = [line for line in lines if line.startswith("measure")]
    assert mean.index("● violated") == heading.index("verdict")


def test_repeated_measures_are_shown_where_they_count_and_special_ones_come_last():
    measures = ["xAUC_1", "TPR", "FNR", "I_sep", "precision"]
    rows = pd.DataFrame({"measure": measures, "criterion": ["xauc", "a", "error_rates", "b", "c"]})
    rows.index += 5
    assert list(shown(rows, ["a"])["measure"]) == ["TPR", "precision", "xAUC_1", "I_sep"]
    counting = shown(rows, ["error_rates"])
    assert list(counting["measure"]) == ["TPR", "FNR", "precision", "xAUC_1", "I_sep"]
    assert common(counting.to_dict("records")) == 3
