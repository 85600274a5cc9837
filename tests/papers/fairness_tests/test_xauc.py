"""The test xauc: the differences of AUC and xAUC in each repeat."""

from dataclasses import replace

from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import xauc
from tests.papers.fairness_tests.rankings import SETTINGS, arrays, own_rows, run


def test_xauc_is_tested_as_repeat_by_repeat(small_dataset, predictions):
    """The paper's differences are those of group 0 less group 1, the opposite of `xauc`."""
    settings = replace(SETTINGS, alpha=0.15)
    frame = run("xauc", predictions, small_dataset, settings)
    assert len(frame) == 3 * 2 * 4
    for key, label, score, group in arrays(predictions, small_dataset):
        alone = xauc(label, score, sensitive_features=group, correction="holm")
        rows, table = own_rows(frame, *key), alone.to_frame()
        sides = table["hypothesis"].str.split(" = ")
        assert_array_equal(rows["hypothesis"], [f"{right} = {left}" for left, right in sides])
        assert_allclose(rows["estimate"], -table["estimate"], rtol=1e-12)
        assert_allclose(rows["statistic"], -table["statistic"], rtol=1e-12)
        assert_allclose(rows["p_value"], alone.difference.pvalue, rtol=1e-12)  # not adjusted
        assert_array_equal(rows["rejected"], table["pvalue"] < 0.15)  # by Holm
        assert_array_equal(rows["n"], table["n"])
        assert_array_equal(rows["smallest_cell"], table["smallest_cell"])
        assert_array_equal(rows["note"], table["note"])
        assert rows["standard_error"].isna().all()
    assert 0 < frame["rejected"].sum() < len(frame)
    assert (frame["rejected"] < (frame["p_value"] < 0.15)).any()  # the correction decides
