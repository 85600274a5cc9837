"""Audits of many files: which files there are, which are counted, and the names of the counts."""

import pytest

from fairpairs.audits.criteria import ALL_CRITERIA
from fairpairs.audits.items.settings import ALIASES
from fairpairs.base.errors import InputError
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.plan import audits

ROWS = ("lake/2026-01/part-0.csv", "lake/2026-02/part-0.csv", "lake/2026-02/part-1.csv")


@pytest.fixture
def lake(folder):
    for name in ROWS:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("y,p,g\n1,1,a\n", "utf-8")


@pytest.mark.parametrize(
    ("named", "files"),
    [
        ("lake/*/*.csv", ROWS),
        (["lake/2026-02", "lake/2026-01/part-0.csv"], ROWS),
        ("lake/**/part-0.csv", ROWS[:2]),
        ("./lake/2026-01/part-0.csv", ROWS[:1]),
        ("not/yet/there.csv", ("not/yet/there.csv",)),
    ],
)
def test_a_pattern_a_folder_and_a_list_are_files(lake, named, files):
    assert audits.audited_files({"mine": {"file": named}, "models": {"old": "a", "new": "b"}}) == {
        "mine": list(files)
    }


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("lake/*.parquet", r"lake/\*\.parquet: no file has such a name: correct the pattern\."),
        (["lake/*/part-1.csv", ROWS[2]], r"lake/2026-02/part-1\.csv is named twice: .* once\."),
        ([ROWS[0], f"lake/../{ROWS[0]}"], r"part-0\.csv is named twice: its rows"),
        ("lake/{day}.csv", "rename the file without {"),
        ("lake", "lake: a folder without Parquet, CSV or JSON lines: name another"),
    ],
)
def test_files_that_are_missing_or_named_twice_are_one_sentence(lake, named, sentence):
    with pytest.raises(InputError, match=f"^config: audits.mine: .*{sentence}"):
        audits.audited_files({"mine": {"file": named}})


def test_each_of_many_files_is_counted_under_a_name_of_its_own():
    counted = audits.shards({"file": "lake/*/*.csv"}, list(ROWS))
    assert list(counted.values()) == list(ROWS)
    assert len(counted) == 3
    assert all(name.startswith("part_") for name in counted)
    assert audits.shard_name("a b/é{x}.csv.gz").startswith("_x_-")
    assert (
        audits.shard_name("a/b.csv") == audits.shard_name("./a/b.csv") != audits.shard_name("b.csv")
    )


def test_a_pattern_of_one_file_is_counted_and_a_single_file_is_not():
    assert audits.shards({"file": "lake/*/part-1.csv"}, [ROWS[2]])
    assert audits.shards({"file": [ROWS[2]]}, [ROWS[2]])
    assert audits.shards({"file": f"./{ROWS[2]}"}, [ROWS[2]]) == {}


def test_rows_with_clusters_weights_or_a_threshold_are_not_counted():
    audit = {"file": "lake/*/*.csv"}
    assert audits.shards(audit | {"weight": "n", "weight_kind": "frequency"}, list(ROWS))
    for more in (
        {"cluster": "person"},
        {"weight": "w"},
        {"weight": "w", "weight_kind": "sampling"},
        {"threshold": 0.5},
    ):
        assert audits.shards(audit | more, list(ROWS)) == {}


def test_what_the_files_are_counted_by_is_not_asked_of_their_counts():
    roles = {"label": "y", "prediction": "p", "sensitive": ["g"], "weight": "n"}
    audit = {"file": "*.csv", **roles, "weight_kind": "frequency", "margin": 0.1}
    assert audits.counting_settings(audit) == roles
    assert audits.auditing_settings(audit, counted=True) == {"margin": 0.1}
    assert audits.auditing_settings(audit, counted=False) == {
        **roles, "weight_kind": "frequency", "margin": 0.1,
    }  # fmt: skip


def test_the_schema_of_the_config_names_all_criteria(root):
    schema = read_yaml(root / "workflow/schemas/config.schema.yaml")
    options = schema["properties"]["audits"]["additionalProperties"]["properties"]
    assert options["criterion"]["items"]["enum"] == [*ALL_CRITERIA, *ALIASES]
    assert options["margin"]["propertyNames"]["enum"] == [*ALL_CRITERIA, *ALIASES]


@pytest.mark.parametrize(
    ("audit", "key"),
    [({"criterion": ["seperation"]}, "criterion.0"), ({"margin": {"seperation": 0.1}}, "margin")],
)
def test_a_criterion_of_the_config_exists(plan_of, audit, key):
    roles = {"file": "x.csv", "label": "y", "prediction": "p", "sensitive": ["g"]}
    with pytest.raises(
        InputError,
        match=rf"key `audits.a.{key}`: 'seperation' is not one of `separation_all_classes`, .* "
        r"\(did you mean `separation`\?\)\.$",
    ):
        plan_of(audits={"a": {**roles, **audit}})
