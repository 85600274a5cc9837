"""Is a run the one whose checksums are committed?"""

import importlib.util
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from fairpairs import InputError
from fairpairs.base.files import write_json, write_parquet, write_text
from fairpairs.papers.run.checksums import read_checksums, write_checksums
from fairpairs.papers.run.verification import SHOWN, Answer, keep, verify

ROOT = Path(__file__).parents[3]
TABLE = "row,value,words\na,0.123456789012,0.117 ± 0.006\nb,250.0,H0c holds\n"
CHUNK = "results/predictions/loans/loans/none/0000000-0000001.parquet"
FILES = ["results/predictions.csv", *(f"results/tables/a.{end}" for end in ("csv", "md", "tex"))]
SIDECAR = {
    "inputs": [CHUNK, "results/tables/a.csv"],
    "data": {"loans": {"loans.csv": "0" * 64}},
    "versions": {"numpy": "2.4.6", "blas": "openblas 1 Zen"},
    "kernels": {"BLAS": "Haswell"},
}
PROVENANCE = "results/predictions.provenance.json"


def write_predictions(score=0.25):
    frame = pd.DataFrame({"repeat": [0, 0, 1], "item": [0, 1, 0], "score": [0.5, score, 0.75]})
    write_parquet(CHUNK, frame)


@pytest.fixture
def run(folder):
    """A finished run, whose checksums are committed in config/."""
    config = {"seed": 7, "repeats": 2}
    write_predictions()
    write_text("results/tables/a.csv", TABLE)
    write_text("results/tables/a.md", "| a |\n")
    write_text("results/tables/a.tex", "a\n")
    write_json(PROVENANCE, {**SIDECAR, "config": config})
    finish()
    keep(".", "expected")
    return folder


def finish():
    """Do what the rule does."""
    write_checksums(
        "results/checksums.txt",
        tables=FILES[1:],
        predictions=[CHUNK],
        predictions_table="results/predictions.csv",
    )


def rewrite(path, old, new):
    text = Path(path).read_text("utf-8")
    assert old in text
    text = text.replace(old, new)
    if path == PROVENANCE:
        write_json(path, {k: v for k, v in json.loads(text).items() if k != "fairpairs_sha256"})
    else:
        write_text(path, text)


def test_the_same_run_is_reproduced_to_the_byte(run):
    found = verify(run, run / "expected")
    assert found.verified
    assert found.same == FILES
    assert found.text().splitlines() == [
        "FairPairs: this run and the committed one",
        "  the same to the byte: 4 of 4 files",
        "  REPRODUCED to the byte, by SHA-256",
    ]


def test_the_committed_files_are_small_and_the_same_again(run):
    kept = Path("expected/tables.zip").read_bytes()
    keep(run, run / "expected")
    assert Path("expected/tables.zip").read_bytes() == kept
    assert Path("expected/checksums.txt").read_text() == Path("results/checksums.txt").read_text()
    with zipfile.ZipFile("expected/tables.zip") as members:
        assert members.namelist() == [*FILES[:2], "provenance.json"]
        assert members.read(FILES[1]).decode() == (
            "row,value,words\na,0.123457,0.117 ± 0.006\nb,250,H0c holds\n"
        )


def test_other_last_digits_are_reproduced_by_numbers(run):
    rewrite(FILES[1], "0.123456789012", "0.123456789013")
    rewrite("results/tables/a.md", "a", "rounded")
    found = verify(run, run / "expected")
    assert found.verified
    assert (found.same, found.close) == ([FILES[0], FILES[3]], [FILES[1]])
    assert found.rendered == [FILES[2]]
    assert "  the same by their numbers, within 0.0001 of each: 1 tables" in found.text()
    assert found.text().endswith("  REPRODUCED by numbers, not to the byte")


def test_another_number_is_named(run):
    rewrite(FILES[1], "0.123456789012", "0.1235")
    found = verify(run, run / "expected")
    assert found.different == {FILES[1]: "line 2 (a), `value`: 0.1235 where 0.123457 is committed"}
    assert f"  DIFFERS: {FILES[1]}: line 2 (a), `value`: 0.1235 where" in found.text()
    assert found.text().endswith("  DIFFERS: NOT REPRODUCED, see above")
    assert verify(run, run / "expected", tolerance=1e-3).verified


def test_a_form_that_differs_where_its_table_does_not_is_named(run):
    rewrite("results/tables/a.md", "a", "b")
    found = verify(run, run / "expected")
    assert found.different == {"results/tables/a.md": "other bytes"}


def test_a_missing_table_is_named_once_not_in_all_its_forms(run):
    for path in FILES[1:]:
        Path(path).unlink()
    found = verify(run, run / "expected")
    assert found.missing == FILES[1:] and not found.verified
    assert [line for line in found.text().splitlines() if "missing" in line.lower()] == [
        f"  MISSING: {FILES[1]}",
        "  MISSING: 2 other forms of these (.md, .tex)",
        "  note: `make reproduce` makes what is missing",
    ]


def test_the_predictions_themselves_are_looked_at(run):
    write_predictions(score=0.250001)
    found = verify(run, run / "expected")
    reason = "it does not describe the predictions that are there"
    assert found.different == {FILES[0]: reason}
    finish()  # then their description differs from the committed one, though not by much
    found = verify(run, run / "expected")
    assert found.close == [FILES[0]]
    write_predictions(score=0.5)
    finish()
    (what,) = verify(run, run / "expected").different.values()
    assert what.startswith("line 2, `mean_score`: 0.583")


@pytest.mark.parametrize("path", [CHUNK, PROVENANCE])
def test_missing_predictions_are_named(run, path):
    Path(path).unlink()
    assert verify(run, run / "expected").missing == [path]


def test_damaged_predictions_differ(run):
    Path(CHUNK).write_bytes(b"nothing")
    (what,) = verify(run, run / "expected").different.values()
    assert what.startswith("the predictions cannot be read")


def test_a_difference_is_explained_where_it_can_be(run):
    rewrite(PROVENANCE, "2.4.6", "2.5.0")
    rewrite(PROVENANCE, "Haswell", "Zen")
    assert "note" not in verify(run, run / "expected").text()  # nothing to explain
    rewrite(FILES[1], "250.0", "251.0")
    found = verify(run, run / "expected")
    assert found.remarks == [
        "the run had other versions (the committed one's in brackets): numpy 2.5.0 (2.4.6)",
        "the run had other CPU kernels (the committed one's in brackets): BLAS Zen (Haswell)",
    ]
    assert f"  note: {found.remarks[0]}\n  note: {found.remarks[1]}\n" in found.text()


def test_last_digits_and_a_run_without_provenance_are_not_explained_so(run):
    rewrite(FILES[1], "250.0", "250.001")
    assert verify(run, run / "expected").remarks == []
    rewrite(FILES[1], "250.001", "251.0")
    (remark,) = verify(run, run / "expected").remarks
    assert remark.endswith("the code changed, or a library depends on the processor")
    Path(PROVENANCE).unlink()
    assert verify(run, run / "expected").remarks == []


def test_a_run_before_kernels_were_fixed_says_so(run):
    rewrite(PROVENANCE, '"BLAS": "Haswell"', "")
    (remark,) = verify(run, run / "expected").remarks
    assert remark.endswith(": BLAS not stated (Haswell)")


def test_other_raw_data_are_a_difference_whatever_the_numbers(run):
    rewrite(PROVENANCE, "0" * 64, "1" * 64)
    found = verify(run, run / "expected")
    assert found.answer is Answer.DIFFERS
    assert list(map(str, found.differences)) == [f"{PROVENANCE}: other raw data: loans"]


def test_another_config_is_a_difference_where_numbers_are_others(run):
    rewrite(PROVENANCE, '"repeats": 2', '"repeats": 1')
    assert verify(run, run / "expected").answer is Answer.BYTES
    rewrite(FILES[1], "250.0", "251.0")
    first, second = verify(run, run / "expected").differences
    assert str(first) == f"{PROVENANCE}: another config: repeats"
    assert second.path == FILES[1]


def test_a_table_that_is_not_committed_is_a_difference(run):
    write_text("results/tables/b.csv", TABLE)
    FILES.append("results/tables/b.csv")
    try:
        finish()
    finally:
        FILES.pop()
    found = verify(run, run / "expected")
    assert list(map(str, found.differences)) == ["results/tables/b.csv: none is committed"]


def test_the_worst_cells_are_shown_first_and_the_others_counted(run):
    lines = [f"{row},{row}.0,x\n" for row in range(1, 3 * SHOWN)]
    write_text(FILES[1], "row,value,words\n" + "".join(lines))
    finish()
    keep(".", "expected")
    moved = [f"{row},{row * (1 + row / 1000)},x\n" for row in range(1, 3 * SHOWN)]
    write_text(FILES[1], "row,value,words\n" + "".join(moved))
    lines = verify(run, run / "expected").text().splitlines()
    shown = [line for line in lines if line.startswith("  DIFFERS: results")]
    assert len(shown) == SHOWN + 1
    assert shown[0].startswith(
        f"  DIFFERS: {FILES[1]}: line {3 * SHOWN} ({3 * SHOWN - 1}), `value`: "
    )
    assert shown[-1] == f"  DIFFERS: {FILES[1]}: {2 * SHOWN - 1} more cells"
    assert lines[-1] == "  DIFFERS: NOT REPRODUCED, see above"


@pytest.mark.parametrize("name", ["checksums.txt", "tables.zip"])
def test_nothing_committed_is_said(run, name):
    Path("expected", name).unlink()
    with pytest.raises(InputError, match=f"{name}: there is none, so nothing to compare with"):
        verify(run, run / "expected")


def test_an_unfinished_or_changed_run_is_not_kept(run):
    rewrite(FILES[1], "250.0", "251.0")
    with pytest.raises(InputError, match=r"a\.csv: it is not what results/checksums\.txt says"):
        keep(run, run / "expected")
    Path("results/checksums.txt").unlink()
    with pytest.raises(InputError, match=r"checksums\.txt: there is none: finish the run"):
        keep(run, run / "expected")


@pytest.fixture
def program(run, monkeypatch, capsys):
    """A function that runs workflow/verify.py: its exit status, and what it says."""
    spec = importlib.util.spec_from_file_location("verify", ROOT / "workflow/verify.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def call(*arguments):
        where = ["--directory", str(run), "--committed", str(run / "expected")]
        monkeypatch.setattr("sys.argv", ["verify.py", *where, *arguments])
        return (module.main(), *capsys.readouterr())

    return call


def test_the_exit_status_says_it(run, program):
    assert program("--keep") == (0, "", "")
    status, out, err = program()
    assert (status, err) == (0, "")
    assert out.endswith("REPRODUCED to the byte, by SHA-256\n")
    Path(FILES[1]).unlink()
    status, out, err = program()
    assert (status, err) == (1, "")
    assert f"MISSING: {FILES[1]}" in out
    for path in FILES:
        Path(path).unlink(missing_ok=True)
    where = run / "results"
    sentence = f"fairpairs: {where}: no table of a run is there: make them by `make reproduce`.\n"
    assert program() == (2, "", sentence)


def test_what_is_committed_goes_together():
    committed = ROOT / "expected"
    if not (committed / "checksums.txt").exists():
        pytest.skip("no checksums are committed yet: make checksums")
    paths = read_checksums(committed / "checksums.txt")
    with zipfile.ZipFile(committed / "tables.zip") as kept:
        assert kept.namelist() == [
            *(path for path in paths if path.endswith(".csv")),
            "provenance.json",
        ]
        assert kept.testzip() is None
    assert (committed / "tables.zip").stat().st_size < 500_000


def no_member(text):
    with zipfile.ZipFile("expected/tables.zip", "w") as kept:
        kept.writestr("provenance.json", text)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda: Path("expected/tables.zip").write_bytes(b"nothing"),
         "tables.zip: it is damaged ("),
        (lambda: no_member("{}"), "tables.zip: it has no results/predictions.csv: restore it and"),
        (lambda: Path("expected/checksums.txt").write_text(""), "checksums.txt: it is empty: "),
        (lambda: rewrite("expected/checksums.txt", "results/tables/a.md", ""),
         "checksums.txt: line 3 is no checksum and path"),
        (lambda: write_text(PROVENANCE, "{"), f"{PROVENANCE}: it is not the origin of a run (JSON"),
        (lambda: rewrite(PROVENANCE, '"data"', '"date"'),
         "it is not the origin of a run (KeyError: 'data'): delete"),
        (lambda: Path(PROVENANCE).write_bytes(b"\xff"), f"{PROVENANCE}: it cannot be read ("),
    ],
)  # fmt: skip
def test_what_is_damaged_is_told_in_one_sentence(run, program, damage, words):
    damage()
    status, out, err = program()
    assert (status, out) == (2, "")
    assert words in err
    assert err.startswith("fairpairs: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("tolerance", ["nan", "-1", "inf"])
def test_a_tolerance_is_a_number(program, tolerance):
    sentence = "fairpairs: The tolerance must be 0 or a positive number; it is "
    assert program("--tolerance", tolerance)[2].startswith(sentence)


@pytest.mark.parametrize("text", ["row,value,words\n" + "x" * 200_000 + ",1,2\nb,1,2\n", "\0", ""])
def test_a_table_that_is_none_differs(run, text):
    write_text(FILES[1], text)
    assert FILES[1] in verify(run, run / "expected").different


def test_one_paper_is_compared_alone(run):
    write_text("results/tables/xauc/table_1.csv", TABLE)
    tables = [*FILES[1:], "results/tables/xauc/table_1.csv"]
    write_checksums(
        "results/checksums.txt",
        tables=tables, predictions=[CHUNK], predictions_table="results/predictions.csv",
    )  # fmt: skip
    keep(".", "expected")
    for path in (CHUNK, PROVENANCE, FILES[0], FILES[1], "results/checksums.txt"):
        Path(path).unlink()  # the other papers were not run
    found = verify(run, run / "expected", only="xauc")
    assert found.same == ["results/tables/xauc/table_1.csv"]
    assert found.text().endswith("  REPRODUCED to the byte, by SHA-256")
    rewrite("results/tables/xauc/table_1.csv", "0.123456789012", "0.1235")
    assert list(verify(run, run / "expected", only="xauc").different) == found.same
    with pytest.raises(InputError, match="no table of `none` is committed: name one of xauc"):
        verify(run, run / "expected", only="none")
