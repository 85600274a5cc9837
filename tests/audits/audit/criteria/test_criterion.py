"""What a test refuses is a row with the reason."""

import numpy as np

from fairpairs.audits.audit.attribute_items import AttributeItems
from fairpairs.audits.audit.comparison import comparisons
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure
from fairpairs.audits.audit.settings import Settings
from fairpairs.base.errors import InputError


def test_what_a_test_refuses_is_a_row_for_each_measure():
    def refuse(comparison):
        raise InputError("Too few items: add some.")

    measures = (Measure("first", "{a} = {b}"), Measure("second", "{a} < {b}"))
    criterion = Criterion("new", "New", "Is it fair?", measures, refuse)
    y = np.array([0.0, 1, 0, 1])
    roles = Roles(y, y, None, "binary", "binary", "1")
    attribute = Attribute("g", np.array([0, 0, 1, 1]), ("a", "b"), reference=0)
    (comparison,) = comparisons(AttributeItems(roles, attribute, Settings()))
    rows = criterion.rows(comparison)
    assert [row.measure for row in rows] == ["first", "second"]
    assert {row.criterion for row in rows} == {"new"}
    assert {row.note for row in rows} == {"Too few items: add some"}
    assert np.isnan([row.estimate for row in rows]).all()
    assert criterion.why_not(roles) == ""
