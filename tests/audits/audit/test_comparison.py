"""Each group against the reference group, and the rows of it."""

import numpy as np
from numpy.testing import assert_array_equal

from fairpairs.audits.audit.attribute_items import AttributeItems
from fairpairs.audits.audit.comparison import comparisons
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure
from fairpairs.audits.audit.settings import Settings


def of_groups(names=("a", "b", "c")):
    """Items of groups 0, 1, 2, 0, 1, 2, …; group b is the reference."""
    y = np.array([1.0, 0, 1, 0, 1, 1, 0, 0, 1])
    roles = Roles(y, 1 - y, None, "binary", "binary", "1")
    attribute = Attribute("g", np.arange(9) % 3, names, reference=1)
    return list(comparisons(AttributeItems(roles, attribute, Settings())))


def test_each_group_is_compared_with_the_reference():
    first, second = of_groups()
    assert [(one.group, one.reference) for one in (first, second)] == [("a", "b"), ("c", "b")]
    assert_array_equal(first.member, [1, 0, 1, 0, 1, 0])
    assert_array_equal(first.roles.y_true, [1, 0, 0, 1, 0, 0])
    assert_array_equal(first.counts, [[[0, 2], [1, 0]], [[0, 2], [1, 0]]])
    assert_array_equal(second.sizes, [3, 3])


def test_random_numbers_depend_on_the_groups_compared_alone():
    first, second = (one.generator.random(3) for one in of_groups())
    assert_array_equal(first, of_groups()[0].generator.random(3))
    assert (first != second).all()


def test_a_row_names_the_groups_as_they_are_written():
    comparison = of_groups(names=("{b}", "x {a}", "c"))[0]
    row = comparison.row(Measure("m", "TPR({a}) = TPR({b})"), estimate=0.5)
    assert row.hypothesis == "TPR({b}) = TPR(x {a})"
    assert (row.n, row.smallest_cell, row.estimate) == (6, 3, 0.5)
