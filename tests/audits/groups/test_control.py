"""`audit-groups --control`: beside the audit of two groups, its levels, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.audit.control import Strata
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.groups.read import CountedGroups
from fairpairs.base.errors import InputError
from fairpairs.base.schemas import _validator_class
from tests import promises
from tests.audits.groups.worlds import audited

#: Data sets of each world.
SETS = promises.sets(8)
RATES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


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
    assert crude.loc["sex=f", "verdict"].eq("violated").all()
    assert not result.violated
    pair = fp.audit("y", "taken", sensitive_features="sex", control="job", data=jobs).to_frame()
    for row in pair[pair["measure"].isin(["TPR", "FPR"])].itertuples():
        line = rows.loc[f"sex={row.group}", row.measure]
        assert line["estimate"] == pytest.approx(row.estimate)
        assert line["uncontrolled"] == pytest.approx(row.uncontrolled)
        assert line["uncontrolled"] == crude.loc[(f"sex={row.group}", row.measure), "estimate"]
        assert line["effect_size"] == pytest.approx(row.effect_size)
    assert "control" in result.about and "control" not in of(jobs, None).about
    _validator_class()(result.SCHEMA).validate(result.to_dict())
    text = " ".join(str(result).split())
    assert "without the control" in text and "Compared within 4 combinations of job." in text
    assert "Mantel–Haenszel" in result.to_text()


@pytest.mark.slow
def test_files_tables_and_arrays_give_the_same(jobs, tmp_path):
    expected = of(jobs, ["job", "age"]).to_frame()
    arrays = fp.audit_groups(
        jobs["y"], jobs["taken"], sensitive_features=jobs[["sex", "town"]],
        control=jobs[["job", "age"]],
    )  # fmt: skip
    pd.testing.assert_frame_equal(arrays.to_frame(), expected)
    jobs.to_csv(tmp_path / "jobs.csv", index=False)
    pd.testing.assert_frame_equal(of(tmp_path / "jobs.csv", ["job", "age"]).to_frame(), expected)
    turned = of(jobs.sample(frac=1, random_state=1), ["age", "job"]).to_frame()
    pd.testing.assert_frame_equal(turned, expected, rtol=1e-10)


def test_a_difference_that_strata_do_not_share_has_a_small_p(jobs):
    women = (jobs["job"] == 3) & (jobs["sex"] == "f")
    rows = of(jobs.assign(taken=jobs["taken"].where(~women, 1))).to_frame()
    assert rows[rows["group"] == "sex=f"]["pvalue_strata"].max() < 1e-6
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
        ({"team": "x"}, "team", "is x in every row: there is nothing to control for"),
        ({}, "sex", "named by sensitive_features and by control"),
        ({}, "jop", "did you mean `job`?"),
        ({}, 3, "control is 3: with data, name its columns"),
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


def confounded(rng, groups, strata, items, rates, spread):
    """Groups whose mix of strata differs; also the true differences within strata."""
    n = rng.poisson(items * rng.dirichlet(np.full(strata, 0.5), size=groups))
    p = np.clip(rates + rng.normal(0, spread, (groups, 1)), 0, 1)
    k = rng.binomial(n, p)
    group, stratum = (np.tile(x.ravel(), 2) for x in np.indices(n.shape))
    count = np.concatenate([(n - k).ravel(), k.ravel()])
    kept = count > 0
    taken = np.repeat([0.0, 1.0], n.size)[kept]
    names = tuple(f"{code:04d}" for code in range(groups))
    within = Strata(stratum[kept], strata, {"s": []}, count[kept].astype(float), everyone=True)
    items = CountedGroups(
        Roles(taken, taken, None, "binary", "binary", "1"),
        [Attribute("a", group[kept], names, 0)], count[kept], False, within,
    )  # fmt: skip
    others = n.sum(axis=0) - n
    weight = n * others / np.maximum(n + others, 1)
    apart = p - ((n * p).sum(axis=0) - n * p) / np.maximum(others, 1)
    with np.errstate(invalid="ignore"):  # a group without items
        return items, (weight * apart).sum(axis=1) / weight.sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "strata", "items", "rates"),
    promises.some([
        (20, 5, 200, RATES), (200, 5, 100, RATES), (50, 5, 200, RATES**3 / 10),
        (30, 200, 100, np.linspace(0.05, 0.95, 200)),
    ], 2, 3),
)  # fmt: skip
def test_levels_hold_and_all_intervals_cover_where_groups_differ_in_strata(
    groups, strata, items, rates
):
    shares = []
    for spread in (0.0, 0.1):
        violated = missed = 0
        for i in range(SETS):
            rng = np.random.default_rng([6, i, groups, strata])
            counted, true = confounded(rng, groups, strata, items, rates, spread)
            result = audited(counted, smallest=1)
            rows = result.tests
            true = true[rows["group"].str[2:].astype(int)]
            violated += bool(result.violated)
            missed += bool(((rows["ci_low"] > true) | (rows["ci_high"] < true)).any())
        shares += [violated / SETS, missed / SETS]
    names = ("violated", "missed 0", "violated, unfair", "missed, unfair")
    for name, share in zip(names, shares, strict=True):
        error = np.sqrt(share * (1 - share) / SETS)
        print(f"{groups} groups, {strata} strata, {items}: {name} {share:.3f} ± {error:.3f}")
    assert max(shares[0], shares[1], shares[3]) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / SETS)
