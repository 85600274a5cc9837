"""Designs: what they say of themselves, and the test sets that they draw."""

import inspect
import itertools
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose
from scipy.stats import norm

from fairpairs.base.errors import InputError
from fairpairs.papers.studies import calibration
from fairpairs.papers.studies.calibration import design as module
from fairpairs.papers.studies.calibration.design import design
from tests.workflow.projects import SHIPPED

#: How far a share or a mean may lie from its expected value, in standard errors: each of the
#: many comparisons of a test fails by chance in 7e-6.
MANY = 4.5


def settings(kind, **own):
    return {"kind": kind, "items": [60], "pairs_per_item": [2], **own}


@pytest.fixture
def make(table_1):
    """A function that makes a design called "mine"."""
    return lambda kind, **own: design("mine", settings(kind, **own), table_1)


@pytest.mark.parametrize(
    ("kind", "own", "holds"),
    [
        ("classifier", {"classifier": "f0"}, True),
        ("classifier", {"classifier": "f1"}, False),
        ("classifier", {"classifier": "f2"}, False),
        ("classifier", {"classifier": "f3"}, False),
        ("regression", {"noise": [1, 1]}, True),
        ("regression", {"noise": [1, 1], "label_shift": 2}, True),
        ("regression", {"noise": [0.7, 1.3]}, False),
        ("regression", {"noise": [1, 1], "score_shift": -0.1}, False),
    ],
)
def test_a_design_says_whether_separation_holds(make, kind, own, holds):
    assert make(kind, **own).separation is holds


@pytest.mark.parametrize(
    ("kind", "own"), [("classifier", {"classifier": "f0"}), ("regression", {"noise": [1, 1]})]
)
def test_a_design_says_what_its_test_sets_are(make, kind, own):
    made = make(kind, **own)
    sets = made.draw(np.random.default_rng(0), 3, 400)
    assert sets.group.shape == sets.label.shape == sets.score.shape == (3, 400)
    assert sets.group.dtype.kind == "i"
    assert set(np.unique(sets.group)) == {0, 1}
    for values in (sets.label, sets.score):
        assert values.dtype == np.float64
        assert (set(np.unique(values)) == {0, 1}) == (made.cells is not None)


def test_a_design_has_its_sizes_and_its_name_for_a_title(make):
    made = make("regression", noise=[1, 1])
    assert (made.name, made.title) == ("mine", "mine")
    assert (made.items, made.pairs_per_item, made.permuted_items) == ([60], [2], [])
    made = make("regression", noise=[1, 1], title="Scores & more", permuted_items=[30])
    assert (made.title, made.permuted_items) == ("Scores & more", [30])


def test_a_classifier_has_the_probabilities_of_table_1(make, table_1_items):
    cells = make("classifier", classifier="f3").cells
    assert_allclose(cells, table_1_items["f3"], rtol=1e-12)


WRONG = {
    "a key of another kind": ("classifier", {"classifier": "f0", "noise": [1, 1]}, "'noise'"),
    "a key of no kind": ("regression", {"noise": [1, 1], "nosie": [1, 1]}, "'nosie'"),
    "a key that is missing": ("regression", {"label_shift": 1}, "'noise'"),
    "a classifier that is not there": ("classifier", {"classifier": "f9"}, "'f9'"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_settings_are_refused_in_a_sentence(make, wrong):
    kind, own, word = WRONG[wrong]
    with pytest.raises(InputError) as caught:
        make(kind, **own)
    message = str(caught.value)
    assert "calibration.designs.mine" in message
    assert word in message
    assert message.endswith(".")
    assert "\n" not in message
    assert "()" not in message  # nothing of the function behind it


def test_the_schema_has_the_keys_of_all_kinds_and_no_others():
    schema = yaml.safe_load(
        (Path(calibration.__file__).parent / "settings.schema.yaml").read_text()
    )
    keys = schema["properties"]["designs"]["additionalProperties"]["properties"]
    makers = {kind: getattr(module, f"_{kind}") for kind in keys["kind"]["enum"]}
    own = {key for maker in makers.values() for key in inspect.signature(maker).parameters}
    common = {"title", "kind", "items", "pairs_per_item", "permuted_items"}
    assert set(keys) == own | common


@pytest.mark.parametrize("name", SHIPPED["calibration"]["designs"])
def test_the_designs_of_the_shipped_config_are_what_they_are_called(name):
    made = design(
        name,
        SHIPPED["calibration"]["designs"][name],
        SHIPPED["comparative_separation"]["simulation"]["classifiers"],
    )
    assert made.separation == (name in ("f0", "regression_alike", "regression_labels_differ"))


def assert_share(found, expected, n):
    """A share of n independent trials is what it should be, within MANY standard errors."""
    assert abs(found - expected) <= MANY * np.sqrt(expected * (1 - expected) / n)


def assert_normal(values, mean, sd):
    n = values.size
    assert n > 1000
    assert abs(values.mean() - mean) < MANY * sd / np.sqrt(n)
    assert abs(values.std() - sd) < MANY * sd / np.sqrt(2 * n)
    # the quartiles of a normal distribution
    for p in (0.25, 0.75):
        assert_share((values < norm.ppf(p, mean, sd)).mean(), p, n)


def drawn(made, seed=0, shape=(200, 500)):
    sets = made.draw(np.random.default_rng(seed), *shape)
    return sets.group.ravel(), sets.label.ravel(), sets.score.ravel()


@pytest.mark.parametrize("own", [{"classifier": "f1"}, {"classifier": "f3"}])
def test_items_of_a_classifier_have_its_probabilities(make, own):
    made = make("classifier", **own)
    group, label, score = drawn(made)
    for a, y, c in itertools.product((0, 1), repeat=3):
        found = ((group == a) & (label == y) & (score == c)).mean()
        assert_share(found, made.cells[a, y, c], group.size)


def test_real_labels_and_scores_have_the_stated_means_and_deviations(make):
    made = make("regression", noise=[0.7, 1.3], label_shift=0.5, score_shift=-0.4)
    group, label, score = drawn(made)
    assert_share((group == 1).mean(), 0.5, group.size)
    for a, noise in enumerate((0.7, 1.3)):
        own = group == a
        assert_normal(label[own], 0.5 * a, 1)
        assert_normal((score - label)[own], -0.4 * a, noise)
        correlation = np.corrcoef(label[own], (score - label)[own])[0, 1]
        assert abs(correlation) < MANY / np.sqrt(own.sum())
