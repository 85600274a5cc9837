"""`fairpairs count`: a file of counts, or one sentence and no file."""

import numpy as np
import pandas as pd
import pytest

from tests.audits.counting.made import frame, shards

pytestmark = pytest.mark.usefixtures("no_pages")

OPTIONS = ("--label", "label", "--prediction", "prediction", "--sensitive", "sex,race")

#: Options of `fairpairs audit-judgments`, whose columns are not looked for in counts.
JUDGED = "--left sex --right race --outcome prediction --item label --score score --sensitive sex"


@pytest.fixture
def parts(tmp_path):
    return shards(frame(1, 300), tmp_path, 2)


def test_counts_of_parts_and_of_frequencies_are_those_of_all(ran, parts, tmp_path):
    whole, again, weighted = (tmp_path / f"{name}.counts" for name in ("whole", "again", "n"))
    ran("count", *parts, *OPTIONS, "--out", whole)
    for part in parts:
        ran("count", part, *OPTIONS, "--out", part.with_suffix(".counts"))
    ran("count", *(part.with_suffix(".counts") for part in parts), *OPTIONS, "--out", again)
    columns = ["label", "prediction", "sex", "race"]
    table = pd.concat(map(pd.read_parquet, parts)).groupby(columns).size().reset_index(name="n")
    table.to_parquet(tmp_path / "n.parquet")
    ran("count", tmp_path / "n.parquet", *OPTIONS, "--weight", "n", "--out", weighted)
    assert whole.read_bytes() == again.read_bytes() == weighted.read_bytes()


def test_files_that_cannot_be_counted_are_refused(refused, parts, tmp_path):
    out = ("--out", tmp_path / "a.counts")
    assert "overwrite its input" in refused("count", *parts, *OPTIONS, "--out", parts[0])
    assert not out[1].exists()


def test_ids_that_repeat_are_told_or_refused_since_counts_do_not_hold_them(ran, refused, tmp_path):
    table = frame(1, 300)
    again = table.loc[table.index.repeat(4)].assign(person=np.arange(1200) // 4)
    again.to_parquet(tmp_path / "again.parquet")
    message = refused("count", tmp_path / "again.parquet", *OPTIONS, "--out", tmp_path / "a.counts")
    assert "audit the rows themselves with --cluster person" in message
    assert not (tmp_path / "a.counts").exists()
    apart = table.assign(person=np.arange(300) // 4)
    apart.to_csv(tmp_path / "apart.csv", index=False)
    told = ran("count", tmp_path / "apart.csv", *OPTIONS, "--out", tmp_path / "a.counts")
    assert "Check: Column `person` repeats, 4.0 rows to a value" in told


@pytest.mark.slow
def test_missing_groups_that_are_counted_as_a_group_need_no_option_of_the_audit(
    ran, refused, tmp_path
):
    table = frame(1, 300)
    table.loc[:40, "sex"] = None
    paths = shards(table, tmp_path, 2)
    counts = [path.with_suffix(".counts") for path in paths]
    for path, out in zip(paths, counts, strict=True):
        ran("count", path, *OPTIONS, "--missing-group", "--out", out)
    again = tmp_path / "again.counts"
    ran("count", *counts, *OPTIONS, "--out", again)
    expected = ran("audit", *paths, *OPTIONS, "--missing-group", "--details")
    expected = expected.splitlines()
    for files in (counts, [again]):
        text = ran("audit", *files, "--details")
        assert text.replace("*.counts", "*.parquet (2 files)").splitlines()[1:] == expected[1:]
    assert "missing" in ran("audit-groups", again)
    plain = tmp_path / "plain.counts"
    ran("count", *paths, *OPTIONS, "--out", plain)
    assert "`sex` has 41 missing value(s)" in refused("audit", plain)
    sentence = refused("audit", again, plain)
    assert "with missing groups, and" in sentence
    assert "by the same columns, and all with --missing-group or none." in sentence


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("power {counts}", "--label label --prediction prediction --sensitive sex"),
        ("compare {counts} {rows}",
         "--label label --prediction prediction --sensitive sex --item id"),
        ("bridge {counts} {rows}", "--decision prediction --sensitive sex"),
        ("audit-judgments {counts} {rows}", JUDGED),
        ("audit-judgments {rows} {counts}", JUDGED),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.counts", "a.parquet"])
def test_counts_are_no_rows(ran, refused, parts, tmp_path, command, options, name):
    ran("count", *parts, *OPTIONS, "--out", tmp_path / name)
    files = command.format(counts=tmp_path / name, rows=parts[0])
    words = f"{name}: a counts file, each of whose rows stands for several: give the rows"
    assert words in refused(*files.split(), *options.split())
