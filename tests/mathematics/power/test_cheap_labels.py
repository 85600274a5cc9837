"""The planned power of human labels beside cheap ones: the audit's rule, on many sets at once."""

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.audits.audit.adjustment import over_all
from fairpairs.audits.audit.audit import rows_of
from fairpairs.audits.items.few_labels import read_few_labels
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.settings import AuditColumns, Settings
from fairpairs.mathematics.power import cheap_labels
from fairpairs.mathematics.power.cheap_labels import (
    found_with_cheap_labels,
    rejection_with_cheap_labels,
)

CELLS = fp.power.items_from_rates(share=0.4, tpr=(0.8, 0.7), fpr=0.2)


def test_better_judges_and_more_items_find_more(monkeypatch):
    monkeypatch.setattr(cheap_labels, "SETS", 400)

    def found(n=500, items=5_000, accuracy=(0.9, 0.9)):
        return rejection_with_cheap_labels(CELLS, n, items, accuracy)

    by_accuracy = [found(accuracy=(one, one)) for one in (0.5, 0.7, 0.9, 1.0)]
    assert np.all(np.diff(by_accuracy) > 0)
    assert found(items=50_000) > found() > found(n=400)
    assert found(n=9_000) == found(n=5_000)


def audited(labelled, others):
    """Whether the audit finds a difference between any two groups, by separation."""
    known, rest = (
        np.repeat(np.indices(counts.shape).reshape(counts.ndim, -1), counts.ravel(), axis=1)
        for counts in (labelled, others)
    )
    human = np.append(known[1].astype(float), np.full(rest.shape[1], np.nan))
    group, decision, cheap = np.concatenate([known[[0, 2, 3]], rest], axis=1)
    columns = AuditColumns(human, decision, {"g": group}, cheap_label=cheap)
    (items,) = read_few_labels(columns, Settings(), Wording())
    rows = [
        row
        for row in rows_of(items, ["separation"], ["separation"])
        if row.measure in ("TPR", "FPR")
    ]
    return bool((over_all([row.pvalue for row in rows], True) < 0.05).any())


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_the_rule_is_that_of_the_audit(k):
    rng = np.random.default_rng(k)
    decisions = []
    for _ in range(40):
        cells = fp.power.items_from_rates(
            share=rng.dirichlet(np.full(k, 4)), prevalence=rng.uniform(0.1, 0.6, k),
            tpr=rng.uniform(0.2, 1, k), fpr=rng.uniform(0, 0.6, k),
        )  # fmt: skip
        right = rng.uniform(0.5, 1, k)[:, None, None, None]
        joint = cells[..., None] * np.where(np.eye(2)[:, None] == 1, right, 1 - right)
        n = int(rng.integers(60, 400))
        labelled = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
        others = rng.multinomial(int(n * rng.uniform(0.1, 10)), joint.sum(axis=1).ravel())
        others = others.reshape(k, 2, 2)
        found = found_with_cheap_labels(labelled[None], others[None], 0.05)
        decisions.append((bool(found[0]), audited(labelled, others)))
    ours, audits = np.array(decisions).T
    assert (ours == audits).all() and 5 < ours.sum() < 35


@pytest.mark.parametrize(
    ("accuracy", "n", "power", "error"),
    [((0.99, 0.99), 92, 0.025, 0.008), ((0.97, 0.97), 190, 0.599, 0.029)],
)
def test_few_human_labels_beside_good_cheap_ones_find_little(accuracy, n, power, error):
    """Shares of 400 and 300 audits of simulated rows, with their standard errors."""
    cells = fp.power.items_from_rates(tpr=(0.9, 0.8), fpr=0.1)
    planned = rejection_with_cheap_labels(cells, n, 9_750, accuracy)
    assert abs(planned - power) < 3 * error + 0.02
