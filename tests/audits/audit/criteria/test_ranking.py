"""The ranking of each group, taken from that of all groups."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp

from ..synthetic import rows


@pytest.mark.slow
def test_the_ranking_is_that_of_all_groups_at_once(data, full):
    theirs = fp.xauc(data["y"], data["score"], sensitive_features=data["race"])
    place = {"a": 0, "b": 1, "c": 2}
    for group, reference in (("b", "a"), ("c", "a"), ("c", "b")):
        g, h = place[group], place[reference]
        expected = [
            theirs.auc[g] - theirs.auc[h],
            theirs.xauc[g, h] - theirs.xauc[h, g],
            theirs.rates_of_all.tpr[g, -1] - theirs.rates_of_all.tpr[h, -1],
            theirs.rates_of_all.tpr[-1, g] - theirs.rates_of_all.tpr[-1, h],
        ]
        found = rows(full, criterion="xauc", attribute="race", group=group, reference=reference)
        assert list(found["measure"]) == ["AUC", "xAUC", "xAUC_1", "xAUC_0"]
        assert_allclose(found["estimate"], expected)
        pair = h + g - 1  # a against b, a against c, b against c
        assert_allclose(found["pvalue"], theirs.difference.pvalue[4 * pair : 4 * pair + 4])


def test_small_classes_have_intervals_of_the_ranking():
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 600), np.repeat(["many", "few"], [580, 20])
    score = y + rng.normal(0, 2, 600)
    result = fp.audit(y, score, sensitive_features=group)
    found = rows(result, criterion="xauc")
    assert (found["smallest_cell"] < 30).all()
    assert (found["note"] == "a cell below 30").all()
    assert found[["ci_low", "ci_high", "pvalue"]].notna().all(axis=None)
    auc = result.rates[result.rates["measure"] == "AUC"].set_index("group")
    assert auc[["ci_low", "ci_high"]].notna().all(axis=None)
    assert auc["note"].to_dict() == {"many": "", "few": "a cell below 30"}


def test_xauc_of_two_groups_counts_their_items(data, full):
    found = rows(full, criterion="xauc", attribute="race", reference="a")
    found = found.set_index(["group", "measure"])["n"]
    sizes = data["race"].value_counts()
    for group in ("b", "c"):
        for measure, n in {"AUC": sizes["a"] + sizes[group], "xAUC_1": len(data)}.items():
            assert found[group, measure] == n
        assert found[group, "xAUC"] == found[group, "AUC"]
