"""Which cells of two tables differ?"""

import pytest

from fairpairs.papers.run.verification import differing_cells

A = "results/tables/a.csv"
TABLE = "row,value,words\na,0.123456789012,0.117 ± 0.006\nb,250.0,H0c holds\n"


@pytest.mark.parametrize(
    ("ours", "differing"),
    [
        (TABLE, 0),
        (TABLE.replace("250.0", "250.02"), 0),
        (TABLE.replace("250.0", "250.03"), 1),
        (TABLE.replace("0.117", "0.118"), 1),
        (TABLE.replace("holds", "is violated"), 1),
        (TABLE.replace("H0c", "H1c"), 1),
        (TABLE.replace("250.0", ""), 1),
        (TABLE.replace("250.0", "-250.0").replace("0.117", "0.2"), 2),
        (TABLE.replace("value", "values"), 1),
        (TABLE + "c,1,2\n", 1),
        (TABLE.replace("b,250.0", "b"), 1),
        ("", 1),
    ],
)
def test_cells_are_compared(ours, differing):
    assert len(differing_cells(A, ours, TABLE)) == differing


def test_nothing_has_no_share():
    assert differing_cells(A, "p\n1e-60\n", "p\n0.0\n") == []
    assert differing_cells(A, "p\n1e-5\n", "p\n0.0\n") != []
    assert differing_cells(A, "sha256\nab1\n", "sha256\ncd2\n") == []
