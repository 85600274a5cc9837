"""The power of an audit of three groups, against audits of the same simulated rows."""

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.mathematics.power import equivalence, rejection
from fairpairs.mathematics.power.items import items_from_rates, simulated_sets

pytestmark = pytest.mark.slow

SETS = 20
UNLIKE = items_from_rates(share=(0.5, 0.3, 0.2), tpr=(0.8, 0.8, 0.6), fpr=0.2)
EQUAL = items_from_rates(share=(0.5, 0.3, 0.2), tpr=0.8, fpr=0.2)


def audits(cells, n, **options):
    """Audits of the simulated sets."""
    counts, _ = simulated_sets(n, cells.shape, cells.tobytes(), SETS)
    for table in counts:
        group, label, decision = np.repeat(
            np.indices(table.shape).reshape(3, -1), table.ravel(), axis=1
        )
        yield fp.audit(label, decision, sensitive_features=group, criterion="separation", **options)


def test_a_difference_is_found_as_often_as_by_audits(monkeypatch):
    monkeypatch.setattr(rejection, "SETS", SETS)
    planned = rejection.expected_rejection("separation", UNLIKE, n_items=300, correction="holm")
    found = [audit.violated for audit in audits(UNLIKE, 300)]
    assert planned == np.mean(found)
    assert 0.1 < planned < 0.95


def test_the_pooled_z_of_many_rows_finds_as_much_as_the_exact_test():
    # 0.015 is four standard errors of a difference of shares of the same sets
    drawn = 1_200, UNLIKE.shape, UNLIKE.tobytes(), 2_000
    exact, by_z = (rejection._separation_rejected(drawn, 0.05, "holm", exact=x) for x in (1, 0))
    assert abs(exact - by_z) < 0.015


def test_a_margin_is_shown_as_often_as_by_audits(monkeypatch):
    monkeypatch.setattr(equivalence, "SETS", SETS)
    planned = equivalence.power_within(EQUAL, 0.3, n_items=400)
    shown = [audit.shown is True for audit in audits(EQUAL, 400, margin=0.3)]
    assert abs(planned - np.mean(shown)) <= 1 / SETS  # critical values of exact tests are means
    assert 0.5 < planned < 0.95


def test_the_power_of_two_groups_is_that_of_the_sum():
    cells = items_from_rates(tpr=(0.8, 0.77), fpr=0.2)
    design = tuple(cells.ravel().tolist()), 2_000, 0.1, 0.05
    simulated = [equivalence._all_shown(label, *design, 10_000) for label in (0, 1)]
    exact = equivalence.power_within(cells, 0.1, n_items=2_000)
    assert abs(np.logical_and(*simulated).mean() - exact) < 0.015
