"""Every line of an audit has the tests of its own difference against a margin."""

from __future__ import annotations

import numpy as np
import pytest

from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.interface import audit
from fairpairs.audits.audit.rows import Row

MEASURED = {"I_sep", "density ratio"}


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """All rows of the audits of a test."""
    seen: list[Row] = []
    compare = Criterion.rows

    def kept(self: Criterion, comparison: Comparison) -> list[Row]:
        found = compare(self, comparison)
        seen.extend(found)
        return found

    monkeypatch.setattr(Criterion, "rows", kept)
    return seen


@pytest.mark.parametrize("kind", ["decisions", "probabilities", "numbers"])
def test_every_signed_line_has_tests_of_its_difference(kind: str, rows: list[Row]) -> None:
    rng = np.random.default_rng(0)
    n = 600
    group = rng.choice(list("abc"), size=n)
    label = rng.integers(2, size=n).astype(float)
    score = np.clip(0.3 + 0.4 * label + 0.15 * rng.normal(size=n), 0, 1)
    if kind == "decisions":
        audit(label, (score > 0.5).astype(int), y_score=score, sensitive_features=group)
    elif kind == "probabilities":
        audit(label, score, y_score=score, sensitive_features=group)
    else:
        label = rng.normal(size=n)
        audit(label, label + rng.normal(size=n), sensitive_features=group, label_kind="number")
    assert rows
    for row in rows:
        if row.measure in MEASURED or not np.isfinite(row.estimate):
            assert row.contrast is None
            continue
        assert row.contrast is not None, row.measure
        assert row.contrast.estimate == pytest.approx(row.estimate, abs=1e-9), row.measure
        low, high = row.contrast.limits(0.05)
        assert low < row.estimate < high
        # nearly the interval of the line, which serves another purpose
        if np.isfinite(row.ci_low):
            assert (low, high) == pytest.approx((row.ci_low, row.ci_high), abs=0.06), row.measure
