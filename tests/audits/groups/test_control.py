"""`audit-groups --control`: beside the audit of two groups, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import fairpairs as fp
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.base.errors import InputError


@pytest.fixture(scope="module")
def jobs():
    """Applicants who are treated alike in each job, and women who apply where few are taken."""
    rng, n = np.random.default_rng(5), 2_000
    job = rng.integers(0, 4, n)
    return pd.DataFrame(
        {
            "sex": np.where(rng.random(n) < 0.2 + 0.2 * job, "f", "m"),
            "town": rng.choice(["n", "s", "w"], n),
            "job": job,
            "age": rng.uniform(18, 66, n),
            "y": rng.integers(0, 2, n),
            "taken": (rng.random(n) < 0.8 - 0.2 * job).astype(int),
        }
    )


def of(data, control="job", **options):
    options = {"sensitive_features": ["sex", "town"], "data": data} | options
    return fp.audit_groups("y", "taken", control=control, **options)


def test_a_gap_that_jobs_explain_is_none_within_them_as_in_the_audit(jobs):
    result = of(jobs)
    rows = result.to_frame().set_index(["group", "measure"])
    crude = of(jobs, None).to_frame().set_index(["group", "measure"])
    assert crude.loc["sex=m", "verdict"].eq("violated").all()
    assert not result.violated
    pair = fp.audit(
        "y", "taken", sensitive_features="sex", control="job", data=jobs, reference={"sex": "f"}
    ).to_frame()
    for row in pair[pair["measure"].isin(["TPR", "FPR"])].itertuples():
        line = rows.loc[f"sex={row.group}", row.measure]
        assert line["estimate"] == pytest.approx(row.estimate)
        assert line["uncontrolled"] == pytest.approx(row.uncontrolled)
        assert line["uncontrolled"] == crude.loc[(f"sex={row.group}", row.measure), "estimate"]
        assert line["effect_size"] == pytest.approx(row.effect_size)
    assert "control" in result.about and "control" not in of(jobs, None).about
    Draft202012Validator(result.SCHEMA).validate(result.to_dict())
    text = " ".join(str(result).split())
    assert "without the control" in text and "Compared within 4 combinations of job." in text
    assert "Mantel–Haenszel" in result.to_text()


def test_a_difference_that_strata_do_not_share_has_a_small_p(jobs):
    women = (jobs["job"] == 3) & (jobs["sex"] == "f")
    rows = of(jobs.assign(taken=jobs["taken"].where(~women, 1))).to_frame()
    assert rows[rows["group"] == "sex=m"]["pvalue_strata"].max() < 1e-6
    assert rows[rows["group"] == "town=n"]["pvalue_strata"].min() > 1e-3


def test_rows_of_strata_with_one_group_are_left_out_and_counted(jobs):
    women = jobs[jobs["sex"] == "f"].head(40).assign(job=9)
    result = of(pd.concat([jobs, women], ignore_index=True), sensitive_features="sex")
    assert result.about["control"]["left_out"] == {"sex": 40}
    assert "40 rows left out" in " ".join(str(result).split())
    estimates = [r.to_frame()["estimate"] for r in (result, of(jobs, sensitive_features="sex"))]
    np.testing.assert_allclose(*estimates)


@pytest.mark.parametrize(
    ("change", "control", "message"),
    [
        ({"team": lambda d: d["sex"]}, "team", "`team` determines the group of `sex`"),
        ({}, "jop", "did you mean `job`?"),
    ],
)
def test_bad_controls_are_refused(jobs, change, control, message):
    with pytest.raises(InputError) as refused:
        of(jobs.assign(**change), control)
    assert message in str(refused.value)


def test_counts_files_know_no_control(jobs, tmp_path):
    path = tmp_path / "jobs.counts"
    jobs.to_parquet(tmp_path / "jobs.parquet")
    columns = {"label": "y", "prediction": "taken", "sensitive": ["sex", "town"]}
    count_files([tmp_path / "jobs.parquet"], path, **columns)
    with pytest.raises(InputError, match="control does not go with counts files"):
        of(path)
