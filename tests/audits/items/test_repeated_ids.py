"""The note where rows of one person seem to be taken for independent ones."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.counting import rows
from fairpairs.audits.items import files
from fairpairs.audits.items.repeated_ids import looks_like_an_id

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


NAMED = (
    "participant PatientNumber mrn userid email student_no Kundennummer SSN Person-Nr. question"
    " teacher family_id office conversation text template_id vignette"
)


@pytest.mark.parametrize("name", NAMED.split())
def test_names_of_persons_and_cases_are_ids(name):
    assert looks_like_an_id(name)


@pytest.mark.parametrize(
    "name", ["user_age", "account_balance", "employees", "zip_code", "covid", "family_size"]
)
def test_names_of_what_they_have_are_not(name):
    assert not looks_like_an_id(name)


@pytest.mark.parametrize(
    ("times", "copies"), [(np.full(N, 4), 900), ([2, 3] * 150, 450), ([1, 2] * 150, 150)]
)
@pytest.mark.parametrize("ending", ["csv", "parquet", ""])
def test_copies_of_rows_are_told(tmp_path, ending, times, copies):
    table = FRAME.assign(income=RNG.normal(size=N)).loc[FRAME.index.repeat(times)]
    table = table.reset_index(drop=True)
    told = f"{copies} of {len(table):,} rows are copies of others"
    given = {"sensitive_features": "sex", "data": table}
    if ending:
        given["data"] = path = tmp_path / f"items.{ending}"
        table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path, index=False)
    for result in (fp.audit("y", "yhat", **given), fp.audit_groups("y", "yhat", **given)):
        assert [check.startswith(told) for check in result.answer.checks] == [True]
    assert told in fp.table("yhat", form="four-fifths", **given).to_text()
    monitored = fp.monitor(
        tmp_path / "a.state", given["data"], y_true="y", y_pred="yhat", sensitive_features=["sex"]
    )
    assert told in monitored.answer.checks[0]


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_agree_by_chance_are_no_copies(tmp_path, seed):
    """Scores of four digits tell most rows apart, and some of equal scores agree in all columns."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"score": rng.random(4000).round(4), "sex": rng.choice(["f", "m"], 4000)})
    table["yhat"] = (table["score"] > 0.5).astype(int)
    table["score"] += (table["sex"] == "f") * 2e-5  # all rows of a score agree
    few = pd.DataFrame({name: rng.integers(0, 2, 4000) for name in ("yhat", "sex", "town", "job")})
    for data in (table, few):
        assert data.duplicated().sum() > 300
        assert not fp.audit_groups(None, "yhat", sensitive_features="sex", data=data).answer.checks


@pytest.mark.parametrize("without", [0, 1])
def test_few_different_rows_may_be_alike_by_chance_unless_all_are_there_twice(tmp_path, without):
    path = tmp_path / "items.csv"
    twice = FRAME.assign(age=np.arange(N) // 20).loc[FRAME.index.repeat(2)]
    twice[without:].to_csv(path, index=False)
    result = audit_file(path, label="y", prediction="yhat", sensitive=["sex"])
    assert bool(result.about["checks"]) == (not without)


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


def test_a_repeated_index_is_told_unless_clusters_are_named():
    frame = FRAME.set_axis(np.arange(N) // 5)
    given = {"sensitive_features": frame["sex"]}
    told = fp.audit(frame["y"], frame["yhat"], **given).about["checks"]
    assert "give clusters=y_true.index" in told[0]
    named = fp.audit(frame["y"], frame["yhat"], **given, clusters=frame.index)
    assert not any("repeats" in note for note in named.about["checks"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_repeated_ids_of_many_rows_are_told_by_some_of_them(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(rows, "SMALL_FILE", 0)
    monkeypatch.setattr(files, "MOST_ITEMS", 0)
    monkeypatch.setattr(rows, "MOST_HASHED", N)
    told = notes(tmp_path / f"items.{ending}", person_id=np.arange(N) // 5)
    assert "`person_id` repeats, 5.0 rows" in told
    equal = FRAME[["yhat", "sex"]].loc[np.arange(N) // 5].to_dict("list")
    with pytest.raises(fp.InputError, match=r"column `person_id` repeats, 5\.0 .* in `yhat`"):
        notes(tmp_path / f"equal.{ending}", person_id=np.arange(N) // 5, **equal)
    assert not notes(tmp_path / f"all.{ending}", person_id=np.arange(N))


def sessions(seed=0, n=100, each=20):
    """Sessions whose rows all have one decision."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"session_id": np.arange(n).repeat(each)})
    frame["chosen"] = rng.choice([0, 1], n, p=[0.6, 0.4])[frame["session_id"]]
    return frame.assign(sex=rng.choice(["f", "m"], n)[frame["session_id"]])


@pytest.mark.parametrize("sizes", [(100, 20), (40, 3), (25, 500)])
def test_a_table_of_sessions_is_refused_unless_they_are_clusters(sizes):
    given = {"form": "four-fifths", "sensitive_features": "sex"}
    frame = sessions(0, *sizes)
    with pytest.raises(fp.InputError, match=r"ICC 1.*give clusters session_id, or drop the column"):
        fp.table("chosen", **given, data=frame)
    clustered = fp.table("chosen", **given, clusters="session_id", data=frame).to_frame()
    one = frame.drop_duplicates("session_id").drop(columns="session_id")
    alone = fp.table("chosen", **given, data=one).to_frame()
    assert clustered["ratio"].tolist() == alone["ratio"].tolist()
    assert clustered["ratio_high"].max() == pytest.approx(alone["ratio_high"].max(), rel=0.1)
    kinds = frame.rename(columns={"session_id": "region_id"})
    if sizes == (25, 500):  # of so many rows each, they are categories
        told = fp.table("chosen", **given, data=kinds).to_text()
        assert "about 0.93 of fair models, if there are more such values" in told


@pytest.mark.parametrize("seed", range(8))
def test_ids_that_agree_by_chance_group_and_label_are_not_refused(seed):
    rng = np.random.default_rng(seed)
    person = rng.integers(0, 80, 400)
    frame = pd.DataFrame({"user": person, "race": rng.choice(list("abc"), 80)[person]})
    frame["y"] = (rng.random(400) < frame["race"].map({"a": 0.1, "b": 0.5, "c": 0.9})).astype(int)
    chosen = frame["y"].map({0: 0.2, 1: 0.7}) + frame["race"].map({"a": 0, "b": 0.2, "c": -0.1})
    frame["yhat"] = (rng.random(400) < chosen).astype(int)
    result = fp.audit("y", "yhat", sensitive_features="race", data=frame)
    assert "`user` repeats" in result.about["checks"][0]


def test_the_id_that_matters_most_is_named():
    frame = sessions(2).assign(y=np.arange(2000) % 2)
    person = np.arange(2000) // 80  # of four sessions
    frame["chosen"] = (person % 3 == 0).astype(int)
    frame["person"] = person
    with pytest.raises(fp.InputError, match="column `person` repeats, 80"):
        fp.audit("y", "chosen", sensitive_features="sex", data=frame)


def offices(spread, n=120, seed=0, each_of_both=False):
    """Counts of people by office, group and decision; rates of offices vary by `spread`."""
    rng = np.random.default_rng(seed)
    office, sex = np.repeat(np.arange(n), 2), np.tile(["f", "m"], n)
    if not each_of_both:
        office = rng.permutation(2 * n) // 2 + n * (sex == "m")
    rate = np.clip(0.4 + spread * rng.normal(size=2 * n), 0.05, 0.95)[office]
    people = rng.integers(10, 40, 2 * n)
    chosen = rng.binomial(people, rate)
    return pd.DataFrame(
        {
            "office_id": office.repeat(2), "sex": sex.repeat(2), "hired": [1, 0] * (2 * n),
            "n": np.column_stack([chosen, people - chosen]).ravel(),
        }
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_counts_of_an_id_are_as_many_rows(seed):
    given = {"form": "four-fifths", "sensitive_features": "sex", "sample_weight": "n"}
    frame = offices(0.2, seed=seed)
    with pytest.raises(fp.InputError, match="`office_id` repeats") as refused:
        fp.table("hired", **given, data=frame)
    rows = frame.loc[frame.index.repeat(frame["n"])].drop(columns="n")
    with pytest.raises(fp.InputError) as of_rows:
        fp.table("hired", form="four-fifths", sensitive_features="sex", data=rows)
    assert str(of_rows.value) == str(refused.value)
    for harmless in (offices(0, seed=seed), offices(0.2, seed=seed, each_of_both=True)):
        assert "`office_id` repeats" in fp.table("hired", **given, data=harmless).to_text()
    numbered = frame.assign(office_id=range(len(frame)))  # an id of each row of counts
    assert "repeats" not in fp.table("hired", **given, data=numbered).to_text()


@pytest.mark.parametrize("seed", range(3))
def test_labels_of_an_id_are_no_excuse_where_all_rows_are_counted(seed):
    """All rows of a person have one label; given it, decisions are independent."""
    rng = np.random.default_rng(seed)
    person = np.arange(600) // 6
    frame = pd.DataFrame({"person": person, "sex": rng.choice(["f", "m"], 100)[person]})
    frame["y"] = rng.integers(0, 2, 100)[person]
    frame["yhat"] = np.where(rng.random(600) < 0.9, frame["y"], 1 - frame["y"])
    given = {"sensitive_features": "sex", "data": frame}
    for audit in (fp.audit, fp.audit_groups):
        assert "`person` repeats" in audit("y", "yhat", **given).answer.checks[0]
        with pytest.raises(fp.InputError, match="`person` repeats"):
            audit("y", "yhat", **given, criterion=["demographic_parity"])
    indexed = frame.set_index("person")
    arrays = indexed["y"], indexed["yhat"]
    groups = {"sensitive_features": indexed["sex"]}
    assert "The index of y_true repeats" in fp.audit(*arrays, **groups).answer.checks[0]
    with pytest.raises(fp.InputError, match="The index of y_true repeats"):
        fp.audit(*arrays, **groups, criterion="demographic_parity")


def stores(seed, spread, n=50, each=60, of_one_group=False):
    """Decisions that are more frequent in some stores, for customers of both groups, or of one."""
    rng = np.random.default_rng(seed)
    store, sex = np.repeat(np.arange(n), each), rng.choice(["f", "m"], n * each)
    if of_one_group:
        sex = np.where(store % 2, "f", "m")
    label = rng.integers(0, 2, n * each)
    rate = 0.3 + 0.4 * label + rng.uniform(-spread, spread, n)[store]
    decided = (rng.random(n * each) < rate).astype(int)
    return pd.DataFrame({"store_id": store, "sex": sex, "y": label, "yhat": decided})


@pytest.mark.parametrize("seed", range(10))
def test_ids_that_both_groups_share_do_no_harm(seed):
    """A test without clusters rejects 0.05 of such sets, by 300 of them."""
    given = {"sensitive_features": "sex", "data": stores(seed, 0.25)}
    for audit in (fp.audit, fp.audit_groups):
        assert "`store_id` repeats" in audit("y", "yhat", **given).answer.checks[0]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("each", [60, 150])
def test_ids_of_one_group_each_are_refused_or_told(seed, each):
    frame = stores(seed, 0.25, each=each, of_one_group=True)
    given = {"sensitive_features": "sex", "data": frame}
    if each < 100:
        with pytest.raises(fp.InputError, match="`store_id` repeats, 60"):
            fp.audit("y", "yhat", **given)
        return
    for audit in (fp.audit, fp.audit_groups):
        assert "if there are more such values" in audit("y", "yhat", **given).answer.checks[0]
