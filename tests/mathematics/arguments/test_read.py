"""Arguments of tests: hypotheses, clusters and weights."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import fairpairs as fp
from fairpairs.base.errors import InputError
from fairpairs.mathematics.arguments.read import (
    MAX_ROWS,
    SamplingNames,
    group_pair_hypotheses,
    read_sample,
)
from fairpairs.mathematics.estimates.ranking_rates import ranking_hypotheses
from fairpairs.mathematics.inference.gaps import gap_hypotheses


def read(clusters=None, weight=None, kind="sampling", n=4, **options):
    return read_sample(clusters, weight, kind, y_true=np.zeros(n), **options)


def test_independent_items_of_equal_weight_have_no_design():
    sample = read()
    assert sample.repeated is None
    assert sample.design is None
    assert_array_equal(sample.take(np.arange(4)), np.arange(4))


@pytest.mark.parametrize(
    "clusters",
    [["b", "a", "b", "c"], [7, -1, 7, 9], pd.Series(["b", "a", "b", "c"], dtype="category")],
)
def test_clusters_are_numbered_whatever_their_values(clusters):
    design = read(clusters).design
    assert_array_equal(design.cluster, [0, 1, 0, 2])
    assert design.n_clusters == 3


def test_frequencies_repeat_items_and_leave_out_what_does_not_occur():
    sample = read(list("abac"), [2, 0, 1, 1], "frequency")
    assert_array_equal(sample.repeated, [0, 0, 2, 3])
    assert_array_equal(sample.design.cluster, [0, 0, 0, 1])
    assert sample.design.weight is None
    group, names = sample.groups(np.array([0, 1, 2, 2]), ("x", "y", "z"))
    assert_array_equal(group, [0, 0, 1, 1])
    assert names == ("x", "z")


def test_weights_of_another_kind_stay_weights():
    design = read(weight=[0.5, 2, 0, 1], kind="importance").design
    assert_array_equal(design.weight, [0.5, 2, 0, 1])
    assert design.kind == "importance"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clusters": list("aaaa")}, "clusters has one value in every row"),
        ({"clusters": ["a", None, "b", "b"]}, "clusters has 1 missing value"),
        ({"clusters": list("ab")}, "must have one length"),
        ({"weight": [1, -0.5, 1, 1]}, r"sample_weight holds -0\.5 in row 2"),
        ({"weight": [0, 0, 0, 0]}, "sample_weight is 0 in every row"),
        ({"weight": [1, np.nan, 1, 1]}, "sample_weight has 1 missing value"),
        ({"weight": [1, np.inf, 1, 1]}, "sample_weight holds an infinite value"),
        ({"weight": [1, 1.5, 1, 1], "kind": "frequency"},
         r"holds 1\.5 in row 2, .* take weight_kind='sampling'"),
        ({"weight": [MAX_ROWS, 1, 1, 1], "kind": "frequency"}, "stands for 50,000,003 rows"),
        ({"weight": [1, 0, 1, 0], "kind": "frequency", "clusters": list("abab")},
         "clusters has one value in every row"),
        ({"weight": [1, 1, 1, 1], "kind": "probability"}, "weight_kind must be one of"),
        ({"kind": "cluster"}, "weight_kind='cluster' lets each cluster count once: name"),
        ({"kind": "cluster", "clusters": list("aabb"), "weight": [1, 2, 3, 4]},
         "name the clusters, and no weights"),
    ],
)  # fmt: skip
def test_clusters_and_weights_that_make_no_sense_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        read(**arguments)


def test_frequencies_that_leave_one_group_are_refused():
    sample = read(weight=[1, 1, 0, 0], kind="frequency")
    with pytest.raises(InputError, match="Only the group x has a frequency above 0"):
        sample.groups(np.array([0, 0, 1, 1]), ("x", "y"))


def test_messages_use_the_names_that_the_caller_has():
    names = SamplingNames("--cluster", "--weight", "--weight-kind {}".format)
    with pytest.raises(InputError, match=r"--weight holds 1\.5 .* take --weight-kind sampling"):
        read(weight=[1, 1.5, 1, 1], kind="frequency", called=names)


def test_a_weight_that_is_no_number_is_named_with_its_row():
    weights = ["1", "2", "heavy", "1"] * 5
    with pytest.raises(InputError) as error:
        fp.separation_test(
            [0, 1] * 10, [0, 1, 1, 0] * 5, sensitive_features=list("aabb") * 5,
            sample_weight=weights,
        )  # fmt: skip
    assert str(error.value) == (
        "sample_weight must hold numbers and holds 'heavy' in row 3: correct it."
    )


def test_weights_of_half_a_character_are_refused():
    with pytest.raises(InputError, match=r"sample_weight holds half of a character, '\\ud800'"):
        fp.audit([0, 1], [0, 1], sensitive_features=[*"ab"], sample_weight=["\ud800"] * 2)


def test_each_two_groups_have_every_template_in_order():
    names = group_pair_hypotheses(["a", "b", "c"], ["{a}<{b}", "{b}"])
    assert names == ("a<b", "b", "a<c", "c", "b<c", "c")


def test_names_with_braces_and_of_several_attributes_stay_as_they_are():
    assert group_pair_hypotheses(["{a}", "{0}"], ["{a} = {b}"]) == ("{a} = {0}",)
    assert gap_hypotheses([(0, "f"), (1, "m")])[0].count("TPR(") == 2


def test_gaps_have_two_hypotheses_and_rankings_four():
    assert gap_hypotheses([0, 1]) == ("TPR(1,0) = TPR(0,1)", "TPR(1,1) = TPR(0,0)")
    assert ranking_hypotheses([0, 1]) == (
        "AUC(0) = AUC(1)",
        "xAUC(0,1) = xAUC(1,0)",
        "xAUC_1(0) = xAUC_1(1)",
        "xAUC_0(0) = xAUC_0(1)",
    )
