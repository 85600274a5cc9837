"""`control`: what it changes, its strata and bins, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import fairpairs as fp
from fairpairs.audits.items.strata import BINS, NOT_CONTROLLED
from fairpairs.base.errors import InputError


@pytest.fixture(scope="module")
def jobs():
    """Applicants who are treated alike in each job, and women who apply where few are taken."""
    rng, n = np.random.default_rng(7), 3_000
    job = rng.choice(["clerk", "nurse", "smith"], n)
    women = pd.Series(job).map({"clerk": 0.5, "nurse": 0.85, "smith": 0.15}).to_numpy()
    rate = pd.Series(job).map({"clerk": 0.5, "nurse": 0.2, "smith": 0.8}).to_numpy()
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "sex": np.where(rng.random(n) < women, "f", "m"),
            "job": job,
            "age": rng.integers(18, 66, n),
            "pay": rng.integers(18_000, 66_000, n) / 10,
            "y": rng.integers(0, 2, n),
            "taken": (rng.random(n) < rate).astype(int),
            "later": (rng.random(n) < rate).astype(int),
            "score": rng.random(n),
        }
    )


def audited(data, control, **options):
    options = {"criterion": "demographic_parity"} | options
    return fp.audit("y", "taken", sensitive_features="sex", control=control, data=data, **options)


def line(result, measure="selection rate"):
    tests = result.to_frame()
    return tests[tests["measure"] == measure].iloc[0]


def test_a_gap_that_jobs_explain_is_none_within_them(jobs):
    crude, within = line(audited(jobs, None)), line(audited(jobs, "job"))
    assert crude["estimate"] > 0.2
    assert abs(within["estimate"]) < 0.05
    assert within["uncontrolled"] == pytest.approx(crude["estimate"])
    assert within["ci_low"] < 0 < within["ci_high"]
    rates = jobs.groupby(["job", "sex"])["taken"].agg(["mean", "size"]).unstack()
    n = rates["size"]
    apart = rates["mean"]["m"] - rates["mean"]["f"]
    expected = np.average(apart, weights=n["m"] * n["f"] / n.sum(axis=1))
    sign = 1 if within["group"] == "m" else -1
    assert within["estimate"] == pytest.approx(sign * expected)


def test_controls_without_a_name_are_not_called_groups(jobs):
    label, taken, sex = (jobs[name].to_numpy() for name in ("y", "taken", "sex"))
    for control, names in (
        (jobs["job"].to_numpy(), ["control"]),
        (jobs[["job", "sex"]].assign(sex=jobs["age"] > 40).to_numpy(), ["control 1", "control 2"]),
    ):
        result = fp.audit(
            label, taken, sensitive_features=sex, control=control, criterion="demographic_parity"
        )
        assert list(result.about["control"]["columns"]) == names
        assert f"combinations of {' and '.join(names)}." in " ".join(str(result).split())
        assert list(result.about["attributes"]) == ["group"]


def test_the_answer_says_what_changed(jobs):
    result = audited(jobs, ["job", "pay"])
    text = str(result)
    assert result.answer.verdict == "NO DIFFERENCE FOUND"
    assert "without the control" in result.answer.reasons[0]
    assert "Compared within 15 combinations of job and pay." in " ".join(text.split())
    control = result.about["control"]
    assert control["columns"]["job"] == ["clerk", "nurse", "smith"]
    assert len(control["columns"]["pay"]) == BINS
    assert control["columns"]["pay"][0].startswith("1,80")
    assert "1,80" in result.to_text()
    assert result.about["not_applicable"]["information_separation"] == NOT_CONTROLLED
    Draft202012Validator(result.SCHEMA).validate(result.to_dict())
    assert "without the control" in result.to_html()


@pytest.fixture(scope="module")
def coded(jobs):
    """30 codes of jobs, whose size says nothing of what they stand for."""
    rng = np.random.default_rng(8)
    code = rng.choice(np.arange(1_000, 9_999), 30, replace=False)[rng.integers(0, 30, len(jobs))]
    rate = 0.1 + 0.8 * (code * 7 % 10) / 9
    women = 1 - rate
    return pd.DataFrame(
        {
            "sex": np.where(rng.random(len(jobs)) < women, "f", "m"),
            "code": code,
            "y": jobs["y"],
            "taken": (rng.random(len(jobs)) < rate).astype(int),
        }
    )


def controlled(data, control):
    """Return the results of each command that has a control."""
    options = {"sensitive_features": "sex", "criterion": "demographic_parity", "control": control}
    columns = {"sensitive_features": data["sex"], "control": data[[control]]}
    return [
        fp.audit("y", "taken", data=data, **options),
        fp.audit_groups(None, "taken", data=data, **options),
        fp.compare(
            data["y"], data["taken"], 1 - data["taken"], criterion="demographic_parity", **columns
        ),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("form", [float, str, lambda x: -x])
def test_whole_numbers_that_recur_are_codes_for_all_commands(coded, form):
    words = controlled(coded.assign(code="job " + coded["code"].astype(str)), "code")
    changed = coded["code"].astype(form) if isinstance(form, type) else form(coded["code"])
    for result, expected in zip(controlled(coded.assign(code=changed), "code"), words, strict=True):
        assert result.about["control"]["strata"] == 30
        assert not result.answer.checks
        name = "change" if "change" in expected.to_frame() else "estimate"
        assert result.to_frame()[name].tolist() == pytest.approx(expected.to_frame()[name].tolist())


def test_texts_with_a_leading_zero_are_codes(jobs):
    data = jobs.head(60).assign(code=[f"{n:05d}" for n in range(30)] * 2)
    result = audited(data, "code")
    assert result.about["control"]["strata"] == 30


def test_ranges_of_amounts_are_named_below_the_answer_of_all_commands(jobs):
    for result in controlled(jobs, "pay"):
        (check,) = result.answer.checks
        assert check.startswith("`pay` is compared in 5 ranges (1,80")
        assert "Check: `pay` is compared in 5 ranges" in " ".join(str(result).split())
        assert check in result.to_dict()["answer"]["checks"]
    cents = jobs.assign(pay=(10 * jobs["pay"]).round().astype(int))  # whole, and hardly recur
    assert "in 5 ranges (18,0" in audited(cents, "pay").answer.checks[0]


def test_amounts_without_a_value_are_a_range_of_their_own(jobs):
    pay = jobs["pay"].where(jobs["age"] > 20)
    control = audited(jobs.assign(pay=pay), "pay").about["control"]
    assert control["strata"] == BINS + 1
    assert control["columns"]["pay"][-1] == "missing"
    assert control["columns"]["pay"][0].startswith("1,80")


def test_amounts_that_are_mostly_the_largest_are_not_one_range(jobs):
    pay = jobs["pay"].where(jobs["age"] > 60, 9_000.5)
    names = audited(jobs.assign(pay=pay), "pay").about["control"]["columns"]["pay"]
    assert names[-1] == "9,000.5 to 9,000.5"
    assert len(names) == 2


def test_whole_numbers_that_may_be_codes_or_amounts_are_asked_for(jobs):
    with pytest.raises(InputError, match="1,000 whole numbers in 3,000 rows, which may be codes"):
        audited(jobs.assign(code=jobs["id"] % 1_000), "code")


def test_a_table_of_frequencies_has_the_rows_that_it_stands_for(jobs):
    counts = jobs.groupby(["sex", "age", "y", "taken"]).size().rename("n").reset_index()
    counts = counts[counts["y"] + counts["taken"] != 1]  # few rows a value, of many items
    result = audited(counts, "age", sample_weight="n", weight_kind="frequency")
    assert result.about["control"]["strata"] == 48


def test_strata_that_leave_out_most_rows_are_named_below_the_answer(jobs):
    team = np.where(jobs["id"] < 600, 0, 1 + 2 * (jobs["id"] // 10) + (jobs["sex"] == "f"))
    (check,) = audited(jobs.assign(team=team), "team").answer.checks
    assert check.startswith("2,400 of 3,000 rows are left out, for their combinations of `team`")
    assert check.endswith("have one group of `sex` only: join values of `team`.")


def test_margins_clusters_and_a_missing_value_have_a_form_within_strata(jobs):
    data = jobs.assign(person=jobs["id"] // 3, job=jobs["job"].where(jobs["job"] != "nurse"))
    result = fp.audit(
        "y", "taken", sensitive_features="sex", control="job", clusters="person", margin=0.1,
        criterion=["separation", "demographic_parity"], data=data,
    )  # fmt: skip
    assert result.shown
    assert "missing" in result.about["control"]["columns"]["job"]
    assert {"average odds", "mean error", "accuracy", "precision"} <= set(result.tests["measure"])
    assert np.isfinite(result.tests["pvalue"]).all()


def test_a_difference_that_is_not_the_same_in_all_strata_says_so(jobs):
    nurses = (jobs["job"] == "nurse") & (jobs["sex"] == "f")
    data = jobs.assign(taken=jobs["taken"].where(~nurses, 1))
    assert line(audited(data, "job"))["note"].startswith("not the same in all strata (p < 0.001)")


def test_items_in_strata_of_one_group_are_left_out_and_counted(jobs):
    data = pd.concat([jobs, jobs[jobs["sex"] == "f"].head(40).assign(job="midwife")])
    result = audited(data.reset_index(drop=True), "job")
    assert result.about["control"]["left_out"] == {"sex": 40}
    assert line(result)["n"] == len(jobs)
    assert line(result)["estimate"] == pytest.approx(line(audited(jobs, "job"))["estimate"])
    assert "40 rows left out" in str(result).replace("\n", " ")


def test_numbers_and_scores_are_compared_within_strata_too(jobs):
    rng = np.random.default_rng(1)
    real = jobs.assign(effort=rng.normal(size=len(jobs)), guess=rng.normal(size=len(jobs)))
    result = fp.audit("effort", "guess", sensitive_features="sex", control="job", data=real)
    assert result.about["gate"]["criteria"] == ["differential_parity"]
    means = {f"mean {name}" for name in ("prediction", "error", "absolute error", "squared error")}
    assert means == set(result.tests["measure"])
    scored = fp.audit(
        "y", "taken", sensitive_features="sex", y_score="score", control="job", data=jobs
    )
    assert scored.about["gate"]["criteria"] == ["separation"]
    assert "label less score" in set(scored.tests["measure"])


def test_compare_has_its_gaps_within_strata(jobs):
    result = fp.compare(
        jobs["y"], jobs["taken"], jobs["later"], sensitive_features=jobs["sex"],
        control={"job": jobs["job"]}, criterion="demographic_parity", margin=0.1,
    )  # fmt: skip
    row = result.to_frame().set_index("measure").loc["selection rate"]
    one, other = (
        line(fp.audit("y", name, sensitive_features="sex", control="job", data=jobs))["estimate"]
        for name in ("taken", "later")
    )
    assert (row["old"], row["new"]) == pytest.approx((one, other))
    assert "Compared within 3 combinations of job." in str(result).replace("\n", " ")
    Draft202012Validator(result.SCHEMA).validate(result.to_dict())


@pytest.mark.parametrize(
    ("change", "control", "options", "message"),
    [
        ({"team": lambda d: d["sex"]}, "team", {}, "`team` determines the group of `sex`"),
        ({"team": "x"}, "team", {}, "is x in every row: there is nothing to control for"),
        ({}, "sex", {}, "named by sensitive_features and by control"),
        ({}, "jop", {}, "did you mean `job`?"),
        ({}, 3, {}, "control is 3: with data, name its columns"),
        ({"cheap": 1}, "job", {"cheap_label": "cheap"}, "no form within strata"),
        ({}, "job", {"criterion": "information_separation"}, NOT_CONTROLLED),
        ({"y": lambda d: d["job"], "taken": lambda d: d["job"]}, "age", {"criterion": None},
         "a label of several classes has no form within strata"),
    ],
)  # fmt: skip
def test_bad_controls_are_refused(jobs, change, control, options, message):
    with pytest.raises(InputError) as refused:
        audited(jobs.assign(**change), control, **options)
    assert message in str(refused.value).replace("--sensitive", "sensitive_features").replace(
        "--control", "control"
    )


def test_a_control_of_another_length_is_refused(jobs):
    with pytest.raises(InputError, match=r"one length: y_true has 3000, .*control `job` has 10"):
        fp.audit(
            jobs["y"], jobs["taken"], sensitive_features=jobs["sex"],
            control={"job": jobs["job"].head(10)},
        )  # fmt: skip


@pytest.mark.slow
def test_decisions_that_are_alike_are_counted(jobs):
    """With a score they are not: then each item is there."""
    columns = {"sensitive_features": ["sex", "area"], "control": ["job", "age"]}
    table = jobs.assign(area=np.tile(["a", "b", "c"], 1_000))
    counted, whole = (
        fp.audit("y", "taken", data=table, y_score=score, margin=0.05, **columns)
        for score in (None, "score")
    )
    expected = whole.to_frame()
    expected = expected[expected["criterion"].isin(counted.to_frame()["criterion"])]
    expected = expected.reset_index(drop=True)
    assert len(expected) > 20
    pd.testing.assert_frame_equal(counted.to_frame(), expected, rtol=1e-9)
    assert counted.about["control"] == whole.about["control"]
    rates = whole.rates[whole.rates["measure"].isin(counted.rates["measure"])]
    pd.testing.assert_frame_equal(counted.rates, rates.reset_index(drop=True))
