import numpy as np
import pytest

import fairpairs
from fairpairs.audits.lines.tables import count


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
