"""The planned power of human labels beside cheap ones, and what a simulation finds."""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.audits.audit.audit import rows_by_criterion
from fairpairs.audits.audit.few_labels import read_few_labels
from fairpairs.audits.audit.messages import Wording
from fairpairs.audits.audit.settings import AuditColumns, Settings
from fairpairs.mathematics.power.expected_gaps import differences_of_separation, either_found
from fairpairs.mathematics.power.rejection import rejection_with_cheap_labels

SETS = int(os.environ.get("SETS", "40"))
CELLS = fp.power.items_from_rates(share=0.4, tpr=(0.8, 0.7), fpr=0.2)


def test_all_labelled_is_separation():
    planned = rejection_with_cheap_labels(CELLS, 1_500, 1_500, (1.0, 1.0))
    gaps, covariance, _ = differences_of_separation(CELLS, 1_500, 0.025)
    unpooled = 2.2414 * np.sqrt(np.diagonal(covariance))
    assert_allclose(planned, either_found(gaps, covariance, unpooled), atol=2e-3)


def test_better_judges_and_more_items_find_more():
    def found(n=500, items=5_000, accuracy=(0.9, 0.9)):
        return rejection_with_cheap_labels(CELLS, n, items, accuracy)

    by_accuracy = [found(accuracy=(one, one)) for one in (0.5, 0.7, 0.9, 1.0)]
    assert np.all(np.diff(by_accuracy) > 0)
    assert_allclose(found(accuracy=(0.1, 0.1)), found())  # always wrong tells as much
    assert found(items=50_000) > found() > found(n=400)
    assert found(n=9_000) == found(n=5_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rates", "n", "items", "accuracy"),
    [
        ({"share": 0.4, "tpr": (0.8, 0.7), "fpr": 0.2}, 700, 10_000, (0.9, 0.8)),
        ({"tpr": (0.8, 0.7)}, 500, 3_000, (0.7, 0.7)),
    ],
)
def test_simulated_power_is_the_planned_one(rates, n, items, accuracy):
    """The promise is the planned power, up to 0.06; `SETS=400` gives an error of 0.02."""
    cells = fp.power.items_from_rates(**rates)
    planned = rejection_with_cheap_labels(cells, n, items, accuracy)

    def draw(rng, cells=cells):
        code = rng.choice(8, items, p=cells.ravel())
        group, label, decision = code // 4, code // 2 % 2, code % 2
        right = rng.random(items) < np.take(accuracy, group)
        human = np.where(rng.permutation(items) < n, label, np.nan)
        return {"y": human, "c": decision, "g": group, "t": np.where(right, label, 1 - label)}

    def audited(y, c, g, t):
        columns = AuditColumns(y, c, {"g": g}, cheap_label=t)
        few = read_few_labels(columns, Settings(), Wording())
        rows = rows_by_criterion(few.items(few.attributes[0], Settings()), ["separation"])
        pvalues = [row.pvalue for row in rows["separation"] if row.measure in ("TPR", "FPR")]
        return SimpleNamespace(violated=min(pvalues) < 0.025)

    alike = cells.mean(axis=0) / cells.mean(axis=0).sum() * cells.sum(axis=(1, 2))[:, None, None]
    world = fp.World("a plan", lambda rng: draw(rng, alike), draw, {}, {})
    checked = fp.check_promises(audited, world, sets=SETS, power=planned, tolerance=0.06)
    rates_found = {row.kind: row.rate for row in checked.measured}
    print(f"\nplanned {planned:.3f}, found {rates_found['power']:.3f}")
    assert checked.kept is not False, checked
    assert abs(rates_found["power"] - planned) < 0.06 + 3 * 0.5 / SETS**0.5
