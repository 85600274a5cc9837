"""The rules count and audit: many files are counted one by one, and the counts are audited."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

AUDIT = {
    "file": "shards/*.parquet",
    "label": "repaid",
    "prediction": "approved",
    "score": "score",
    "sensitive": ["sex", "race"],
}


def predictions(n=4000):
    rng = np.random.default_rng(0)
    repaid, score = rng.integers(0, 2, n), rng.random(n).round(2)
    return pd.DataFrame(
        {
            "repaid": repaid,
            "approved": (score + 0.2 * repaid > 0.6).astype(int),
            "score": score,
            "sex": rng.choice(["female", "male"], n),
            "race": rng.choice(["a", "b", "c"], n),
        }
    )


def write_shards(project, number):
    """Divide the predictions at random into so many files."""
    frame = predictions()
    folder = project / "shards"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    shard = np.random.default_rng(0).integers(number, size=len(frame))
    for i in range(number):
        frame[shard == i].to_parquet(folder / f"{i}.parquet", index=False)


@pytest.fixture(scope="module")
def project(new_project):
    return new_project("lake", audits={"lake": AUDIT})


@pytest.fixture(scope="module")
def audited(project):
    """The results of five shards."""
    write_shards(project, 5)
    project.snakemake("audits").check()
    return {name: project.text(f"results/audits/lake/audit.{name}") for name in ("csv", "json")}


def test_the_lines_are_those_of_the_rows(audited, project):
    from fairpairs.audits.audit.audit import audit_file

    path = project / "rows.parquet"
    predictions().to_parquet(path, index=False)
    roles = {name: value for name, value in AUDIT.items() if name != "file"}
    result = audit_file([path], seed=7, **roles)
    result.write(project / "rows")
    assert project.text("rows/audit.csv") == audited["csv"]
    about = json.loads(audited["json"])["about"]
    assert about["source"]["label"] == "repaid"


def test_only_a_new_file_is_counted(audited, project):
    predictions().head(100).to_parquet(project / "shards/new.parquet", index=False)
    jobs = project.snakemake("audits", "--dry-run").check().jobs
    assert (jobs["count"], jobs["audit"]) == (1, 1)


def test_a_bad_shard_is_one_sentence_that_names_it(audited, project):
    write_shards(project, 3)
    shutil.rmtree(project / "results/audits")
    path = project / "shards/1.parquet"
    pd.read_parquet(path).rename(columns={"race": "ethnicity"}).to_parquet(path)
    run = project.snakemake("audits")
    assert run.returncode != 0
    (sentence,) = run.sentences
    assert sentence.startswith("fairpairs: shards/1.parquet: there is no column `race`")
    assert not (project / "results/audits/lake/audit.json").exists()


def test_files_may_have_any_name(new_project):
    """A folder of each day, odd characters, and a shard without rows."""
    roles = {"label": "repaid", "prediction": "approved", "sensitive": ["sex"]}
    audits = {
        "lake": roles | {"file": ["lake/**/*.parquet"]},
        "day": roles | {"file": "lake/day=2"},
        "counts": roles | {"file": "groups/*.csv", "weight": "n", "weight_kind": "frequency"},
        "persons": roles | {"file": "lake/*/*.parquet", "cluster": "race"},
    }
    project = new_project("odd", audits=audits)
    frame, names = predictions(), ("day=1/a b", "day=1/ü x'y", "day=2/a b", "day=2/[z]")
    for i, name in enumerate(names):
        path = project / f"lake/{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.iloc[i :: len(names)].to_parquet(path)
    frame[:0].to_parquet(project / "lake/day=1/none.parquet")
    (project / "groups").mkdir()
    groups = frame.groupby(list(frame)).size().reset_index(name="n")
    groups.to_csv(project / "groups/of_a_warehouse.csv", index=False)
    jobs = project.snakemake("audits").check().jobs
    assert (jobs["count"], jobs["audit"]) == (8, 4)
    for name, items in (("lake", 4000), ("day", 2000), ("counts", 4000), ("persons", 4000)):
        about = json.loads(project.text(f"results/audits/{name}/audit.json"))["about"]
        assert about["items"] == items
