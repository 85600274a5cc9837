"""The note where rows of one person seem to be taken for independent ones."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.audit import read
from fairpairs.audits.audit.read import audit_file
from fairpairs.audits.audit.repeated_ids import looks_like_an_id
from fairpairs.audits.counting import rows

N = 300
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"y": RNG.integers(0, 2, N), "yhat": RNG.integers(0, 2, N), "sex": RNG.choice(["f", "m"], N)}
)


def notes(path, **columns):
    kind = path.suffix == ".parquet"
    table = FRAME.assign(**columns)
    table.to_parquet(path) if kind else table.to_csv(path, index=False)
    result = audit_file(path, label="y", prediction="yhat", sensitive=["sex"])
    return " ".join(result.about["checks"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_five_rows_of_each_person_are_told(tmp_path, ending):
    told = notes(tmp_path / f"items.{ending}", person_id=np.arange(N) // 5)
    assert "`person_id` repeats, 5.0 rows" in told
    assert "rejects 0.26 of fair models; give --cluster person_id." in told


NAMED = "participant PatientNumber mrn userid email student_no Kundennummer SSN Person-Nr. question"


@pytest.mark.parametrize("name", NAMED.split())
def test_names_of_persons_and_cases_are_ids(name):
    assert looks_like_an_id(name)


@pytest.mark.parametrize("name", ["user_age", "account_balance", "employees", "zip_code", "covid"])
def test_names_of_what_they_have_are_not(name):
    assert not looks_like_an_id(name)


@pytest.mark.parametrize(
    ("times", "checked"), [(np.full(N, 4), 4), ([4, 8] * 150, 4), ([2, 3] * 150, 0)]
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_that_all_occur_several_times_are_told(tmp_path, ending, times, checked):
    table = FRAME.assign(income=RNG.normal(size=N)).loc[FRAME.index.repeat(times)]
    path = tmp_path / f"items.{ending}"
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path, index=False)
    result = audit_file(path, label="y", prediction="yhat", sensitive=["sex"])
    groups = fp.audit_groups("y", "yhat", sensitive_features="sex", data=path)
    for checks in (result.about["checks"], groups.answer.checks):
        assert ["at least 4 times" in check for check in checks] == [True] * bool(checked)


def test_few_different_rows_may_be_alike_by_chance(tmp_path):
    path = tmp_path / "items.csv"
    FRAME.assign(age=np.arange(N) // 20).loc[FRAME.index.repeat(2)].to_csv(path, index=False)
    result = audit_file(path, label="y", prediction="yhat", sensitive=["sex"])
    assert not result.about["checks"]


@pytest.mark.parametrize(
    "columns",
    [
        {"id": np.arange(N)},  # of each row its own
        {"user": np.arange(N) % 3},  # a category
        {"points": np.arange(N) // 5},  # no name of an id
        {"paid": np.arange(N) // 5},
    ],
)
def test_there_are_no_false_alarms(tmp_path, columns):
    assert "repeats" not in notes(tmp_path / "items.csv", **columns)


@pytest.mark.slow
def test_a_repeated_index_is_told_unless_clusters_are_named():
    frame = FRAME.set_axis(np.arange(N) // 5)
    given = {"sensitive_features": frame["sex"]}
    told = fp.audit(frame["y"], frame["yhat"], **given).about["checks"]
    assert "give clusters=y_true.index" in told[0]
    named = fp.audit(frame["y"], frame["yhat"], **given, clusters=frame.index)
    assert not any("repeats" in note for note in named.about["checks"])


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_repeated_ids_of_many_rows_are_told_by_some_of_them(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(rows, "SMALL_FILE", 0)
    monkeypatch.setattr(read, "MOST_ITEMS", 0)
    monkeypatch.setattr(rows, "MOST_HASHED", N)
    told = notes(tmp_path / f"items.{ending}", person_id=np.arange(N) // 5)
    assert "`person_id` repeats, 5.0 rows" in told
    assert not notes(tmp_path / f"all.{ending}", person_id=np.arange(N))
