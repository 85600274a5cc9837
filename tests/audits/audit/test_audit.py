"""The rows of an audit against the functions that it calls."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.audits.audit.figures import group_rates
from fairpairs.audits.criteria import CRITERIA
from fairpairs.audits.criteria.rates import OF_RATES

from ..synthetic import rows, two

OF_SCORES = {"xauc", "calibration", "calibration_slope"}
OF_NUMBERS = {"mean_absolute_error", "mean_squared_error"}
#: The lines of equal opportunity are some of separation.
OF_DECISIONS = {"average_odds", *(each.name for each in OF_RATES)} - {"equal_opportunity"}
REAL = [name for name in CRITERIA if name not in OF_SCORES | OF_DECISIONS | {"equal_opportunity"}]

Y, P, A = [1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0], list("aabbab")


@pytest.mark.slow
@pytest.mark.parametrize("group", ["b", "c"])
def test_the_rows_are_those_of_the_functions(data, full, group):
    part, member = two(data, group)
    y, yhat = part["y"], part["yhat"]
    own = {"attribute": "race", "group": group, "reference": "a"}
    options = {"sensitive_features": member, "correction": "none"}
    expected = {
        "comparative_separation": fp.comparative_separation_test(y, yhat, **options).difference,
        "differential_parity": fp.differential_parity_test(
            yhat, y, sensitive_features=member
        ).difference,
    }
    for criterion, difference in expected.items():
        found = rows(full, criterion=criterion, **own)
        assert_allclose(found["estimate"], difference.estimate)
        assert_allclose(found[["ci_low", "ci_high"]].T, [difference.ci_low, difference.ci_high])
        assert_allclose(found["pvalue"], difference.pvalue)
        assert_allclose(found["effect_size"], difference.effect_size)
        assert list(found["n"]) == list(difference.n)
        assert list(found["smallest_cell"]) == list(difference.smallest_cell)
    found = rows(full, criterion="separation", **own)
    result = fp.separation_test(y, yhat, **options)
    assert_allclose(found["estimate"], result.difference.estimate)
    assert_allclose(found[["ci_low", "ci_high"]], [c.limits(0.05) for c in result.contrasts])
    assert_allclose(found["pvalue"], [contrast.pvalue() for contrast in result.contrasts])


def test_a_score_is_audited_without_a_threshold(data):
    result = fp.audit(data["y"], data["score"], sensitive_features=data["sex"])
    assert list(dict.fromkeys(result.to_frame()["criterion"])) == [
        name for name in CRITERIA if name in {*REAL, "xauc", "calibration_slope"} - OF_NUMBERS
    ]
    assert set(result.about["not_applicable"]) == OF_DECISIONS | OF_NUMBERS | {"calibration"}
    part, member = data, (data["sex"] == "f").astype(int)
    reference = result.about["attributes"]["sex"]["reference"]
    member = (data["sex"] != reference).astype(int)
    (row,) = rows(result, criterion="information_separation").to_dict("records")
    expected = fp.information_separation(part["y"], part["score"], sensitive_features=member)
    assert_allclose(row["estimate"], expected)
    assert row["verdict"] == "measured"
    assert row["note"].endswith("may be above 0 though separation holds")
    assert "may be above 0 and 1 though separation holds" in result.to_text().replace("\n ", "")
    (row,) = rows(result, criterion="density_ratio_separation").to_dict("records")
    assert row["note"].endswith("may be above 1 though separation holds")


def test_numbers_are_audited_with_balanced_labels(data):
    result = fp.audit(
        data["points"], data["score"], sensitive_features=data["sex"], n_permutations=19
    )
    assert list(dict.fromkeys(result.to_frame()["criterion"])) == REAL
    assert result.about["label"] == "real"
    member = (data["sex"] != result.about["attributes"]["sex"]["reference"]).astype(int)
    theirs = fp.comparative_separation_test(
        data["points"], data["score"], sensitive_features=member
    )
    assert theirs.balanced
    assert_allclose(
        rows(result, criterion="comparative_separation")["estimate"], theirs.difference.estimate
    )
    ratio = fp.density_ratio_fairness(data["points"], data["score"], sensitive_features=member)
    (row,) = rows(result, criterion="density_ratio_separation").to_dict("records")
    assert_allclose(row["estimate"], ratio.difference.estimate[1])
    assert row["pvalue"] * 20 == pytest.approx(round(row["pvalue"] * 20))
    assert "p by 19 shuffles" in row["note"]
    means = result.rates.pivot(index="group", columns="measure", values="estimate")
    assert_allclose(means["mean prediction"], data.groupby("sex")["score"].mean())
    drawn = group_rates(result.rates, prefix="r")
    assert all(f">{name}</text>" in drawn for name in ("f", "m", "mean label", "mean prediction"))


def test_what_cannot_be_estimated_is_a_row_with_the_reason():
    y = np.array([1, 0, 1, 0, 1, 0, 1, 0, 1, 1])
    yhat = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 0])
    group = np.array(["a"] * 8 + ["b"] * 2)  # b has no negative label
    result = fp.audit(y, yhat, y_score=yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    assert frame.loc["FPR", ["verdict", "note"]].tolist() == [
        "cannot be estimated", "empty cell"
    ]  # fmt: skip
    assert frame.loc["xAUC", "note"] == "a group without negative rows"
    assert frame.loc["average odds", "verdict"] == "cannot be estimated"
    assert frame.loc["density ratio", "note"] == "a label that one group does not have"
    assert (frame["note"] != "").all()  # the others have small cells
    rate = result.rates.query("group == 'b' and measure == 'FPR'").iloc[0]
    assert np.isnan(rate["estimate"])
    assert rate["note"] == "cannot be estimated: an empty cell"
    one = fp.audit(y, yhat / 2 + y / 4, sensitive_features=["a"] * 9 + ["c"]).to_frame()
    assert (one.set_index("criterion").loc["density_ratio_separation", "note"]) == (
        "a group with one row: a density needs two"
    )


def test_a_random_state_is_a_whole_number():
    with pytest.raises(fp.InputError, match="random_state must be a whole number from 0 on"):
        fp.audit(Y, P, sensitive_features=A, random_state=None)
