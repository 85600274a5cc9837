"""A data set measured by many estimators at once, against each of them alone."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.base.errors import InputError
from fairpairs.mathematics.density_ratio.measures import (
    MEASURES,
    POINTS_OF,
    mean_ratios,
    points_of,
    standardised,
)
from fairpairs.papers.studies.density_ratio.measured import forms_of, measured, ratios_at
from fairpairs.papers.studies.density_ratio.synthetic import MATCHING, STUDIED

CAPS = [0.9, 0.99]


def made(n, bias=0.6, seed=0):
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 2
    y = rng.normal(size=n)
    return standardised(y), standardised(0.7 * y + bias * group + rng.normal(size=n)), group


def published_means(y, score, group, estimator, *, cap, measures):
    """As the public code: relative ratios, multiplied."""
    points = points_of(y, score)
    own = replace(estimator, relative=True)
    means = []
    for measure in measures:
        at = [points[name] for name in POINTS_OF[measure]]
        ratios = [own.fit(x[group == 1], x[group == 0])(x, cap) for x in at]
        means.append(np.prod(ratios, axis=0).mean())
    return means


def alone(y, score, group, estimators, measures):
    """Fit each estimator anew for each form, and for the caps where no cap fails."""
    for name, estimator in estimators.items():
        for form in forms_of(estimator):
            for caps in ((None,), CAPS if name in STUDIED else ()):
                try:
                    of_form = published_means if form == "published" else mean_ratios
                    means = [
                        of_form(y, score, group, estimator, cap=cap, measures=measures)
                        for cap in caps
                    ]
                    note = ""
                except InputError as error:
                    means, note = np.full((len(caps), len(measures)), np.nan), str(error)
                for cap, values in zip(caps, means, strict=True):
                    for measure, value in zip(measures, values, strict=True):
                        yield name, form, cap or 0.0, measure, value, note


@pytest.mark.slow
@pytest.mark.parametrize("measures", [MEASURES, ("independence",), ("separation",)])
@pytest.mark.parametrize(("n", "bias"), [(80, 0.6), (30, 30.0), (8, 0.6)])
def test_all_estimators_at_once_are_each_alone(n, bias, measures):
    """Of 30 items the groups can be separated; 8 are too few for some estimators."""
    y, score, group = made(n, bias)
    estimators = {**STUDIED, **MATCHING}
    found = [*measured(y, score, group, estimators, measures=measures, caps=CAPS)]
    expected = [*alone(y, score, group, estimators, measures)]
    assert [(*row[:4], row[5]) for row in found] == [(*row[:4], row[5]) for row in expected]
    assert_allclose([row[4] for row in found], [row[4] for row in expected], rtol=1e-10)
    notes = {row[5] for row in found}
    separable = any("separated perfectly" in note for note in notes)
    few = any("LSIF needs" in note for note in notes)
    assert (separable, few) == {80: (False, False), 30: (True, False)}.get(n, (separable, True))


def test_ratios_of_labels_serve_several_predictions():
    y, score, group = made(80)
    estimators = {"logistic": STUDIED["logistic"], "ulsif": MATCHING["ulsif"]}
    label_ratios = ratios_at(y[:, None], group, estimators, CAPS)
    for y_pred in (score, y):
        given = {"measures": MEASURES, "caps": CAPS}
        found = [*measured(y, y_pred, group, estimators, label_ratios=label_ratios, **given)]
        expected = [*measured(y, y_pred, group, estimators, **given)]
        assert_array_equal([row[4] for row in found], [row[4] for row in expected])
