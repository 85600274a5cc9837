"""The table of the register, its picture, and what the report shows."""

import pytest

from fairpairs.papers.display.tables import read_table
from fairpairs.papers.studies.register.figures import matrix
from fairpairs.papers.studies.register.measure import TEXT
from fairpairs.papers.studies.register.tables import (
    display,
    gather,
    lost,
    of_full_size,
    write_register,
)
from tests.page import Page

FIRST, SECOND, THIRD = "20 + 20 rows", "300 + 300 rows", "950 + 50 rows"


@pytest.fixture
def studies(study):
    """Ours is worse in the second world; `loose` rejects fair models in the third."""
    return [
        study(("other", FIRST, 0.05, 0.5), ("other", SECOND, 0.04, 0.9)),
        study(("loose", THIRD, 0.3, 0.99)),
        study(
            ("fairpairs", FIRST, 0.05, 0.5),
            ("fairpairs", SECOND, 0.03, 0.6),
            ("fairpairs", THIRD, 0.05, 0.4),
        ),
    ]


def test_worlds_where_ours_is_worse_come_first_and_ours_before_the_others(studies):
    rows = gather(studies)
    assert list(rows["world"].unique()) == [SECOND, FIRST, THIRD]
    assert list(rows["tool"].unique()) == ["fairpairs", "other", "loose"]
    assert gather(studies[::-1]).equals(rows)


def test_the_best_power_is_of_a_tool_that_keeps_its_level(studies):
    power = gather(studies).query("promise == 'power'").set_index(["world", "tool"])
    assert power.loc[(THIRD, "fairpairs"), ["best", "best_tool"]].tolist() == [0.4, "fairpairs"]
    assert power.loc[(SECOND, "fairpairs"), ["best", "best_tool"]].tolist() == [0.9, "other"]
    assert not power.loc[(THIRD, "loose"), "keeps"]
    assert "0.300 ± 0.046 †" in display(gather(studies)).table["Level"].tolist()


def test_few_data_sets_are_not_the_best(studies, study):
    rows = gather([*studies, study(("few", FIRST, 0.05, 1.0), sets=20)])
    assert rows.loc[rows["world"] == FIRST, "best"].max() == 0.5


def test_a_loss_has_its_error(studies):
    (loss,) = lost(gather(studies)).to_dict("records")
    assert loss["world"] == SECOND
    assert loss["loss"] == pytest.approx(0.3)
    assert loss["error"] == pytest.approx((0.24 / 100 + 0.09 / 100) ** 0.5)


@pytest.mark.slow
def test_a_small_size_stands_beside_the_full_one(studies, study, tmp_path):
    write_register(studies, tmp_path / "full.csv")
    full = read_table(tmp_path / "full.csv", text=TEXT)
    here = study(("fairpairs", FIRST, 0.1, 0.7), ("new", FIRST, 0.0, 0.1), sets=10)
    write_register([here], tmp_path / "levels.csv", full)
    rows = read_table(tmp_path / "levels.csv", text=TEXT)
    assert "seconds" not in rows  # a time would change the bytes
    ours = rows[(rows["tool"] == "fairpairs") & (rows["world"] == FIRST)].set_index("promise")
    assert ours[["full_measured", "measured"]].to_numpy().tolist() == [[0.05, 0.1], [0.5, 0.7]]
    assert rows["tool"].iloc[-1] == "new"
    assert lost(of_full_size(rows)).equals(lost(full))
    assert display(rows).table["Level, here"].tolist()[-1] == "0.000 ± 0.000"


def test_a_tool_that_was_left_out_is_named(studies, study):
    left_out = study(("far", "", 0.0, 0.0)).iloc[:1].assign(note="not measured: no index")
    shown = display(gather([*studies, left_out]))
    assert "far: not measured: no index." in shown.note
    assert "far" not in shown.table["Tool"].tolist()


@pytest.mark.slow
def test_the_picture_has_each_tool_and_world_and_the_same_bytes(studies, tmp_path):
    rows = gather(studies)
    for stem in ("one", "other"):
        matrix(tmp_path / stem, rows)
    text = (tmp_path / "one.svg").read_text("utf-8")
    for word in ("fairpairs", "loose", FIRST, ">30<"):
        assert word in text
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_the_report_says_where_ours_is_worse(section_of, studies, tmp_path):
    assert section_of("register") == ""
    folder = tmp_path / "results/tables/register"
    write_register(studies, folder / "levels.csv")
    page = Page(section_of("register", figures=("levels",)))
    assert page.headings == ["Which test can be believed?"]
    words = " ".join(page.text.split())
    assert "less than the best test that keeps its level in 1 of them" in words
    assert f"{SECOND} (0.60, other 0.90)." in words
