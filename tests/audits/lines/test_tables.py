import numpy as np
import pandas as pd
import pytest

import fairpairs
from fairpairs.audits.lines.tables import common, count, denied, limits, shown
from tests.audits.monitor.streams import ROWS, people


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


@pytest.mark.parametrize(
    ("verdict", "low", "high", "denies"),
    [
        ("violated", 0.02, 0.2, False), ("violated", -0.002, 0.205, True),
        ("not shown", 0.018, 0.188, True), ("not shown", -0.1, 0.2, False),
        ("violated beyond the margin", 0.12, 0.2, False),
        ("violated beyond the margin", -0.3, -0.09, True),
        ("violated within the margin", 0.01, 0.05, False),
        ("shown within the margin", 0.01, 0.05, False),
        ("cannot be tested", np.nan, np.nan, False), ("measured", 0.1, 0.2, False),
    ],
)  # fmt: skip
def test_an_interval_that_denies_its_verdict_is_told(verdict, low, high, denies):
    row = {"verdict": verdict, "ci_low": low, "ci_high": high, "margin": 0.1}
    assert denied(row) is denies
    assert limits(row, decides="p decides").endswith(", p decides") is denies


def test_a_violation_that_the_interval_of_now_does_not_show_says_so(tmp_path):
    path = tmp_path / "s"
    fairpairs.monitor(path, people(3000, gap=0.15), **ROWS)
    result = fairpairs.monitor(path, people(9000, gap=0, seed=1))
    (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert row["verdict"] == "violated" and denied(row)
    (line,) = [
        line for line in result.to_text().splitlines() if line.startswith("sex: f minus m, TPR")
    ]
    assert ", now " in line
    reason = result.answer.reasons[1]
    assert (
        "than that of sex=m; shown since batch 1, by the rows until then; by all so far, -"
        in reason
    )
