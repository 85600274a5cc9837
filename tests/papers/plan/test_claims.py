"""Claims, their findings, and what their checks read."""

import pandas as pd
import pytest

from fairpairs.papers.display.tables import write_table
from fairpairs.papers.plan.claim_numbers import (
    CannotTellError,
    Count,
    Mean,
    Printed,
    Span,
    span,
    written,
)
from fairpairs.papers.plan.claim_tests import differences, precise, share, within
from fairpairs.papers.plan.claims import Finding, row, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import HOLDS


def test_a_finding_has_one_of_the_verdicts_and_numbers():
    with pytest.raises(ValueError, match="the verdict is 'yes'"):
        Finding("yes", {"n": 5})
    with pytest.raises(TypeError, match="the numbers are 5, not a name"):
        Finding(HOLDS, 5)
    with pytest.raises(TypeError, match="'five' is no number"):
        Finding(HOLDS, {"n": "five"})
    with pytest.raises(ValueError, match="a mark of lists"):
        Finding(HOLDS, {"n; m": 5})


def test_a_row_that_is_not_there_or_twice_cannot_be_told():
    frame = pd.DataFrame({"test": ["a", "b", "b"], "value": [1, 2, 3]})
    frame.attrs["path"] = "tables/x.csv"
    assert row(frame, test="a")["value"] == 1
    assert list(rows(frame, test=("b", "c"))["value"]) == [2, 3]
    for test, words in (("b", "has 2 rows with test b"), ("c", "has no rows with test c")):
        with pytest.raises(CannotTellError) as error:
            row(frame, test=test)
        assert str(error.value) == f"results/tables/x.csv {words}."


def test_a_table_of_the_study_is_read_by_its_name(tmp_path):
    results = Results("loans", tmp_path, {}, {}, ())
    write_table(tmp_path / "results/tables/loans/rates", pd.DataFrame({"year": [2020]}))
    for path in ("rates", "tables/loans/rates.csv"):
        assert list(table(results, path)["year"]) == [2020]
    assert results.read == ["tables/loans/rates.csv"] * 2


def test_few_repeats_show_no_difference_and_are_not_precise():
    few, many = (share(1.0, 2), share(0.0, 2)), (share(1.0, 200), share(0.0, 200))
    assert differences([few, many]) == [0, 1]
    assert differences([]) == []
    assert (precise([few], 0.1), precise([many], 0.1)) == (False, True)


def test_holm_counts_all_comparisons_of_a_claim():
    pair = (share(0.57, 1000), share(0.52, 1000))
    assert differences([pair]) == [1]
    assert differences([pair] * 3) == [0] * 3


def test_numbers_without_chance_differ_or_do_not():
    assert differences([(Mean(1.0), Mean(2.0)), (Mean(1.0), Mean(1.0))]) == [-1, 0]
    assert within([(Mean(1.0), Mean(1.05))], 0.1) is True
    assert within([(Mean(1.0), Mean(1.2))], 0.1) is False


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "–"),
        (-0.0, "0"),
        (1234.5, "1,234"),
        (-0.03887, "-0.0389"),
        (Mean(27.81, 0.23), "27.81 ± 0.23"),
        (Mean(-0.2, float("nan")), "-0.2"),
        (Mean(16.0, 35.0), "16 ± 35"),
        (Count(16, 14641), "16 of 14,641"),
        (span([Mean(0.2, 0.1), 0.1]), "0.1 to 0.2"),
        (Span(0.4, 0.4), "0.4"),
        (Printed(Mean(0.2446, 0.0031), 0.25), "0.2446 ± 0.0031 (printed 0.25)"),
    ],
)
def test_numbers_are_written_at_one_place(value, text):
    assert written(value) == text
