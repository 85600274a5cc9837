"""Attributes, their names and intersections, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp

from .synthetic import rows

Y, P, A = [1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0], list("aabbab")


def test_the_intersections_are_all_attributes_together(data, full):
    names = full.about["attributes"]["race & sex"]
    sizes = data.groupby(["race", "sex"]).size()
    assert names["groups"] == {f"{race} & {sex}": n for (race, sex), n in sizes.items()}
    assert names["reference"] == max(names["groups"], key=names["groups"].get)
    assert len(rows(full, attribute="race & sex")) == 5 * 19


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (np.array([["a", "x"], ["b", "y"]] * 4), ["attribute 1", "attribute 2"]),
        (np.array(["a", "b"] * 4), ["group"]),
        (pd.DataFrame({"g": ["a", "b"] * 4, "h": [1, 0, 0, 1] * 2}), ["g", "h"]),
    ],
)
def test_attributes_have_names(features, names):
    result = fp.audit([1, 0, 0, 1] * 2, [1, 0, 1, 0] * 2, sensitive_features=features)
    assert list(result.about["attributes"]) == names


def test_six_groups_are_not_too_many():
    result = fp.audit(Y, P, sensitive_features={"age": range(6)})
    assert len(result.about["attributes"]["age"]["groups"]) == 6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sensitive_features": ["a"] * 6}, "`group` has only one group, 'a'.* drop it"),
        ({"sensitive_features": {}}, "sensitive_features is empty"),
        ({"intersections": True}, "Intersections need two sensitive attributes"),
        ({"reference": {"group": "z"}}, "'z' is not a group of .* `group`, which has a, b"),
        ({"reference": {"sex": "a"}}, "The reference names the attribute `sex`; there are `group`"),
    ],
)
def test_bad_groups_are_one_sentence(change, sentence):
    options = {"y_true": Y, "y_pred": P, "sensitive_features": A, **change}
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**options)


def test_too_many_groups_are_refused():
    y, yhat = [1, 0] * 30, [1, 0, 0, 1] * 15
    with pytest.raises(fp.InputError, match="`group` has 60 groups, more than 20: join some"):
        fp.audit(y, yhat, sensitive_features=range(60))
    both = {"g": [i % 6 for i in range(60)], "h": [i % 5 for i in range(60)]}
    with pytest.raises(fp.InputError, match="have 30 combinations, more than 20"):
        fp.audit(y, yhat, sensitive_features=both, intersections=True)
