"""Hypotheses of each two groups, by templates."""

from fairpairs.mathematics.arguments.read import group_pair_hypotheses
from fairpairs.mathematics.estimates.ranking_rates import ranking_hypotheses
from fairpairs.mathematics.inference.gaps import gap_hypotheses


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
