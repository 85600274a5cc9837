"""`fairpairs audit` as a new user would run it: good files, badly made ones, its outputs."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs
import fairpairs as fp
from fairpairs.audits.audit.read import audit_file
from fairpairs.audits.lines.figures import VARIABLES
from fairpairs.audits.lines.files import FILES
from fairpairs.base.schemas import read_yaml
from fairpairs.cli import app

FILE = "predictions.csv"
ROLES = ("--label", "y", "--prediction", "yhat", "--sensitive", "sex", "--sensitive", "race")
WITH_SCORE = (*ROLES, "--score", "s")


def made(n=400):
    """Men are predicted positive more often than women with the same label; race does nothing."""
    rng = np.random.default_rng(0)
    sex, race = rng.choice(["female", "male"], n), rng.choice(["a", "b", "c"], n)
    y = rng.integers(0, 2, n)
    s = (0.5 * y + 0.5 * rng.random(n) + 0.2 * (sex == "male")).round(3)
    return pd.DataFrame({"y": y, "yhat": (s > 0.6).astype(int), "s": s, "sex": sex, "race": race})


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes predictions.csv to the working folder, changed or not."""
    monkeypatch.chdir(tmp_path)

    def written(change=lambda frame: frame, **options):
        made().pipe(change).to_csv(FILE, index=False, **options)
        return tmp_path

    return written


def run(*arguments, file=FILE):
    return CliRunner().invoke(app, ["audit", file, *arguments, "--details"])


def ran(*arguments, status=0, **options):
    result = run(*arguments, **options)
    assert result.exit_code == status, result.output
    assert result.stderr == ""
    return result.stdout


def refused(*arguments, **options):
    """The one sentence on stderr; nothing else is said, raised or written."""
    before = sorted(Path().rglob("*"))
    result = run(*arguments, **options)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("fairpairs: ")
    assert result.stderr.endswith((".\n", "?\n"))
    assert result.stderr.count("\n") == 1
    assert sorted(Path().rglob("*")) == before
    return result.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
def test_the_table_fits_a_terminal_of_100_columns(write):
    write(lambda frame: frame.assign(race=frame["race"].map("of the {} people & more".format)))
    out = ran(*WITH_SCORE, "--intersections", "--out", "report")
    assert max(len(line) for line in out.splitlines() if " minus " in line or "●" in line) <= 100
    assert out.startswith("predictions.csv: 400 items; label y (positive: 1); prediction yhat;")
    assert "Audit of predictions.csv: 400 items\nLabel y: binary, positive is 1;" in out
    line = next(line for line in out.splitlines() if line.startswith("TPR "))
    assert line.split()[1:3] == ["●", "violated"]  # the verdict comes first
    assert line.split()[3].startswith("-0.")
    assert "sex: female" in out
    assert "(holm)" in out


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
def test_what_is_written_is_what_the_function_returns(write):
    folder = write()
    ran(*WITH_SCORE, "--intersections", "--alpha", "0.1", "--correction", "sidak", "--out", "r/s")
    assert sorted(path.name for path in (folder / "r/s").iterdir()) == sorted(FILES["audit"])
    frame = pd.read_csv(FILE)
    expected = fairpairs.audit(
        frame["y"], frame["yhat"], y_score=frame["s"], sensitive_features=frame[["sex", "race"]],
        intersections=True, alpha=0.1, correction="sidak",
    )  # fmt: skip
    for name, table in (("audit.csv", expected.to_frame()), ("rates.csv", expected.rates)):
        written = pd.read_csv(f"r/s/{name}", keep_default_na=False, na_values=[""])
        for column in written.select_dtypes("number"):
            np.testing.assert_allclose(written[column], table[column].astype(float), rtol=1e-12)
        for column in ("attribute", "group", "measure"):
            assert list(written[column]) == list(table[column])
    content = json.loads(Path("r/s/audit.json").read_text("utf-8"))
    jsonschema.validate(content, fp.AuditResult.SCHEMA)
    about = content["about"]
    source = about.pop("source")
    assert about == {k: v for k, v in expected.about.items() if k != "source"}
    assert source["file"] == FILE
    assert {source[role] for role in ("label", "prediction", "score")} == {"y", "yhat", "s"}


@pytest.mark.slow
def test_the_page_stands_alone(write):
    write()
    ran(*WITH_SCORE, "--out", "report")
    page = Path("report/audit.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    # the rates of two attributes; three comparisons, two of them over all thresholds
    assert page.count("<figure") == 2 + 3 + 2
    assert page.count("<figure") == page.count('role="img" aria-label="')
    for outside in ("<script src", "<link", "<img", "@import", 'src="http', "url(http"):
        assert outside not in page
    assert "prefers-color-scheme: dark" in page
    for colour, variable in VARIABLES.items():
        figures = page[page.index("<figure") :]
        assert f": {colour}" not in figures.lower()
        assert variable in figures
    identifiers = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.slow
def test_a_notebook_shows_the_same_without_a_document():
    frame = made()
    result = fairpairs.audit(frame["y"], frame["yhat"], sensitive_features=frame["sex"])
    part = result._repr_html_()
    assert part.startswith('<div class="fairpairs-audit">')
    assert "<html" not in part
    assert part.count("<figure") == 2
    assert part.split("<h1>")[1].removesuffix("</div>\n") in result.to_html()


@pytest.mark.slow
def test_names_are_no_html(write):
    write(lambda frame: frame.replace({"race": {"a": "<b>A & co</b>"}}))
    ran(*ROLES, "--out", "report")
    page = Path("report/audit.html").read_text("utf-8")
    assert "<b>A" not in page
    assert "&lt;b&gt;A &amp; co&lt;/b&gt;" in page


@pytest.mark.slow
def test_parquet_is_read_too(write):
    write()
    expected = ran(*WITH_SCORE)
    frame = pd.read_csv(FILE)
    frame.astype({"sex": "category", "y": "int8"}).to_parquet("predictions.parquet")
    out = ran(*WITH_SCORE, file="predictions.parquet")
    assert out == expected.replace(FILE, "predictions.parquet")
    frame.astype({"y": bool}).to_parquet("predictions.parquet")
    assert "label y (positive: True)" in ran(*WITH_SCORE, file="predictions.parquet")
    Path("broken.parquet").write_text("no")
    assert "broken.parquet: not a Parquet file" in refused(*ROLES, file="broken.parquet")
    frame.assign(sex=frame["sex"].where(frame.index != 7)).to_parquet("gap.pq")
    assert "column `sex` has 1 missing value(s), the first in row 8" in refused(
        *ROLES, file="gap.pq"
    )
    frame.head(0).to_parquet("none.pq")
    assert "none.pq: the file has no rows" in refused(*ROLES, file="none.pq")
    assert "none.parquet: cannot be read (No such file" in refused(*ROLES, file="none.parquet")


@pytest.mark.slow
def test_blanks_around_a_cell_make_no_group(write):
    write()
    expected = ran(*WITH_SCORE)
    write(
        lambda frame: frame.assign(
            race=frame["race"].where(frame.index % 2 == 0, frame["race"] + " ")
        )
    )
    assert ran(*WITH_SCORE) == expected


@pytest.mark.slow
def test_a_violation_may_fail_a_build(write):
    write()
    assert "violated" in ran(*ROLES)
    assert "violated" in ran(*ROLES, "--fail-on-violation", status=1)
    fair = ("--label", "y", "--prediction", "yhat", "--sensitive", "race", "--fail-on-violation")
    assert "No " not in ran(*fair, "--alpha", "0.001")


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
def test_a_build_does_not_pass_when_nothing_can_be_tested(write):
    """Comparative separation of real labels has no comparable label where groups do not overlap."""
    label = np.arange(40.0)
    folder = write(
        lambda _: pd.DataFrame({"y": label, "yhat": label + 0.5, "g": np.repeat(["a", "b"], 20)})
    )
    roles = ("--label", "y", "--prediction", "yhat", "--sensitive", "g", "--out", "o")
    assert "CANNOT BE TOLD: too few rows to test any difference that counts." in ran(*roles)
    result = run(*roles, "--fail-on-violation")
    assert result.exit_code == 2
    assert result.stderr == (
        "fairpairs: --fail-on-violation: comparative_separation cannot be tested on these items "
        "(--details says why): add items, or name another --criterion.\n"
    )
    assert "CANNOT BE TOLD: " in result.stdout
    assert json.loads((folder / "o/audit.json").read_text("utf-8"))["violated"] is None


@pytest.mark.slow
def test_a_perfect_model_passes_a_build(write):
    write(lambda frame: frame.assign(yhat=frame["y"]))
    assert "\nNO: no difference between groups was found" in ran(*ROLES, "--fail-on-violation")


@pytest.mark.slow
def test_too_few_shuffles_of_what_counts_are_refused(write):
    write()
    of_scores = ("--label", "y", "--prediction", "s", "--sensitive", "sex")
    named = (*of_scores, "--criterion", "information_separation", "--fail-on-violation")
    assert refused(*named, "--permutations", "5") == (
        "fairpairs: --permutations: with 5 shuffles no p of information_separation can be below "
        "the level 0.05: give 20 or more.\n"
    )
    assert "What counts together: p " in run(*named, "--permutations", "20").stdout


@pytest.mark.slow
def test_names_joined_by_commas_are_those_of_a_repeated_option(write):
    write()
    apart = ("--sensitive", "sex", "--sensitive", "race")
    criteria = ("--criterion", "separation", "--criterion", "xauc")
    said = ran(*ROLES[:4], "--score", "s", *apart, *criteria)
    joined = ("--sensitive", "sex, race", "--criterion", "separation,xauc")
    assert ran(*ROLES[:4], "--score", "s", *joined) == said


@pytest.mark.slow
def test_what_counts_for_a_build_can_be_named(write):
    """Race does nothing; men are predicted positive more often, with the same label."""
    folder = write()
    fair = ("--label", "y", "--prediction", "yhat", "--sensitive", "race", "--fail-on-violation")
    named = ("--criterion", "demographic_parity", "--criterion", "separation")
    out = ran(*fair, *named)
    assert "of separation, demographic_parity together" in " ".join(out.split())
    assert "\nNO: no difference between groups was found" in out
    ran(*ROLES, *named, "--fail-on-violation", "--out", "report", status=1)
    content = json.loads((folder / "report/audit.json").read_text("utf-8"))
    gate = content["about"]["gate"]
    assert gate["criteria"] == ["separation", "demographic_parity"]
    assert content["violated"] is True
    table = pd.read_csv("report/audit.csv")
    assert table["pvalue_gate"].min() == gate["pvalue"] < 0.001
    assert set(table.loc[table["pvalue_gate"].notna(), "criterion"]) == set(gate["criteria"])
    page = Path("report/audit.html").read_text("utf-8")
    assert "Decided by 12 lines of" in page
    sentence = refused(*ROLES, "--criterion", "parity")
    assert sentence.startswith(
        "fairpairs: --criterion: 'parity' is not a criterion: name one of sep"
    )
    assert "--criterion xauc does not apply (no score" in refused(*ROLES, "--criterion", "xauc")


@pytest.mark.slow
def test_a_column_whose_name_has_a_comma_is_named_as_it_is(write):
    folder = write()
    frame = pd.read_csv(folder / FILE).rename(columns={"race": "race, self-reported"})
    frame.to_csv(folder / FILE, index=False)
    for name in ("race, self-reported", '"race, self-reported",sex'):
        assert "race, self-reported" in ran(*ROLES[:4], "--sensitive", name)


@pytest.mark.slow
def test_another_reference(write):
    write()
    out = ran(*ROLES, "--reference", "race=b", "--reference", "sex=male")
    assert "race: a (" in out
    assert "race: c (" in out
    assert "race: b (" not in out
    assert "sex: female (" in out


WORDS = {"y": {1: "yes", 0: "no"}, "yhat": {1: "yes", 0: "no"}}


@pytest.mark.slow
def test_a_byte_order_mark_and_words_work(write):
    write()
    expected = ran(*WITH_SCORE)
    write(encoding="utf-8-sig")
    assert ran(*WITH_SCORE) == expected
    write(lambda frame: frame.replace(WORDS))
    assert (
        ran(*WITH_SCORE, "--positive", "yes").split("Audit of")[1].splitlines()[2:]
        == (expected.split("Audit of")[1].splitlines()[2:])
    )
    sentence = refused(*WITH_SCORE)
    assert "column `y` has the values no, yes: name the positive one" in sentence
    assert "--positive yes" in sentence


def hole(column):
    return lambda frame: frame.assign(
        **{column: frame[column].astype(object).where(frame.index != 16)}
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda f: f.rename(columns={"yhat": "y_hat"}),
            "there is no column `yhat`; .* did you mean `y_hat`?",
        ),
        (hole("y"), "`y` has 1 missing value(s), the first in row 17: fill in or drop such rows."),
        (hole("yhat"), "column `yhat` has 1 missing value(s), the first in row 17"),
        (hole("s"), "column `s` has 1 missing value(s), the first in row 17"),
        (hole("sex"), "column `sex` has 1 missing value(s), the first in row 17"),
        (
            lambda f: f.assign(y=f["y"].where(f.index != 41, 2)),
            "`y` has 3 values, while column `yhat` has two; the rarest, '2', is in 1 row(s),"
            " .* first in row 42: keep two values",
        ),
        (
            lambda f: f.assign(sex="male"),
            "`sex` has only one group, 'male': .* so leave it out of --sensitive",
        ),
        (
            lambda f: f.assign(yhat=1),
            "`yhat` is 1 in every row: .* so check that it is the right one",
        ),
        (
            lambda f: f.assign(s=f["s"].astype(str).where(f.index != 5, "high")),
            "column `s` must hold numbers and holds 'high' in row 6",
        ),
        (lambda f: f.assign(race=f.index), "column `race` has 400 groups, more than 20: join some"),
        (lambda f: f.head(0), "the file has a header but no rows: give at least one item."),
    ],
)
def test_a_badly_made_file_is_refused_in_one_sentence(write, change, sentence):
    write(change)
    said = refused(*WITH_SCORE, "--out", "report")
    assert said.startswith(f"fairpairs: {FILE}: ")
    first, _, last = sentence.partition(" .* ")
    assert first in said
    assert last in said


def test_a_wrong_delimiter_an_empty_file_and_no_file(write):
    write(sep="|")
    assert "it has only one column, 'y|yhat|s|sex|race': put commas" in refused(*ROLES)
    Path(FILE).write_text("")
    assert "the file is empty: give a CSV with a header." in refused(*ROLES)
    assert "nothing.csv: cannot be read (No such file" in refused(*ROLES, file="nothing.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--sensitive", "y"), "`y` is named by --label and by --sensitive: name another column."),
        (("--sensitive", ","), "--sensitive: ',' names nothing: write at least one name."),
        (("--criterion", ""), "--criterion: '' names nothing: write at least one name."),
        (
            ("--reference", "sex=female", "--reference", "sex=male"),
            "--reference sex=male: the group of `sex` is female already: name one group for each",
        ),
        (("--reference", "female"), "--reference female: write the attribute and its group"),
        (
            ("--reference", "sex=x"),
            "The reference 'x' is not a group of predictions.csv: column `sex`",
        ),
        (("--out", FILE), "predictions.csv: a file, not a folder: name another --out."),
        (("--out", "/proc/none"), "/proc/none: cannot be written (No such file or directory)"),
        (("--alpha", "0"), "--alpha must lie between 0 and 1, without these; it is 0.0."),
        (("--positive", "2"), "'2' is none of them: name one of these as positive"),
    ],
)
def test_options_that_cannot_be_are_refused(write, options, sentence):
    write()
    assert sentence in refused(*ROLES, *options)


def rated(frame):
    """Labels and predictions from 1 to 4."""
    place = np.arange(len(frame))
    return frame.assign(y=1 + place % 4, yhat=1 + (place + frame["yhat"]) % 4)


@pytest.mark.slow
def test_ratings_and_classes_are_told_apart_by_the_user(write):
    folder = write(rated)
    roles = ("--label", "y", "--prediction", "yhat", "--sensitive", "sex")
    assert refused(*roles) == (
        "fairpairs: predictions.csv: column `y` has 4 values, all whole numbers (1, 2, 3, 4), "
        "which may be numbers or classes: for numbers, such as ratings or counts, give "
        "--label-kind number; for classes, give --label-kind classes, or name the one to audit "
        "against the rest, such as --positive 4.\n"
    )
    ran(*roles, "--label-kind", "number", "--out", "report")
    about = json.loads((folder / "report/audit.json").read_text("utf-8"))["about"]
    assert about["label"] == "real"
    assert "has 4 values; the rarest" in refused(*roles, "--label-kind", "binary")
    result = run(*roles, "--label-kind", "class")
    assert result.exit_code == 2
    assert "'class' is not one of 'auto', 'binary', 'number', 'classes'" in result.stderr
    out = ran(*roles, "--positive", "3", "--out", "report")
    assert "Label y: binary, positive is 3 (against the rest: 1, 2, 4); prediction yhat: bin" in out
    about = json.loads((folder / "report/audit.json").read_text("utf-8"))["about"]
    assert (about["positive"], about["rest"]) == ("3", ["1", "2", "4"])
    assert "positive is 3 (against the rest: 1, 2, 4)" in (folder / "report/audit.html").read_text(
        "utf-8"
    )


def some_without_sex(frame):
    return frame.assign(sex=frame["sex"].where(np.arange(len(frame)) % 7 > 0))


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
def test_rows_without_a_group_may_be_a_group(write):
    folder = write(some_without_sex)
    sentence = (
        "row 1: fill in or drop such rows, or make them a group of their own, --missing-group.\n"
    )
    assert refused(*ROLES).endswith(sentence)
    ran(*ROLES, "--missing-group", "--out", "csv")
    about = json.loads((folder / "csv/audit.json").read_text("utf-8"))["about"]
    groups = about["attributes"]["sex"]["groups"]
    frame = pd.read_csv(folder / FILE)
    assert groups == {**frame["sex"].value_counts().to_dict(), "missing": frame["sex"].isna().sum()}
    frame.to_parquet(folder / "p.parquet")
    ran(*ROLES, "--missing-group", "--out", "parquet", file="p.parquet")
    assert (folder / "csv/audit.csv").read_bytes() == (folder / "parquet/audit.csv").read_bytes()
    assert (folder / "csv/rates.csv").read_bytes() == (folder / "parquet/rates.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
def test_a_csv_may_be_compressed_by_gzip(write):
    folder = write()
    ran(*ROLES, "--out", "plain")
    content = gzip.compress((folder / FILE).read_bytes())
    (folder / "p.csv.gz").write_bytes(content)
    ran(*ROLES, "--out", "packed", file="p.csv.gz")
    assert (folder / "plain/audit.csv").read_bytes() == (folder / "packed/audit.csv").read_bytes()
    (folder / "p.csv.gz").write_bytes(content[:200])
    assert "p.csv.gz: cannot be decompressed (" in refused(*ROLES, file="p.csv.gz")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("p.json", b"[]", "p.json: the file has no rows: give at least one item."),
        ("p.txt", b' {"y": [1]', "p.txt: line 1 is not JSON"),
        ("p.csv", b'[{"y": 1}]', "p.csv: there is no column `sex`; it has y"),
        ("p.xlsx", b"PK\x03\x04..", "p.xlsx: a ZIP file or a workbook: unpack it, or save the sh"),
        ("-", None, "-: standard input cannot be read: save it to a file, and name that."),
    ],
)
def test_files_of_other_kinds_are_refused(write, name, content, sentence):
    folder = write()
    if content is not None:
        (folder / name).write_bytes(content)
    assert sentence in refused(*ROLES, file=name)


@pytest.mark.parametrize("word", ["yes", "on"])
def test_yes_without_quotes_in_the_config_is_explained(write, tmp_path, word):
    write(lambda frame: frame.assign(y=np.where(frame["y"] == 1, word, "no"), yhat=frame["y"]))
    (tmp_path / "audit.yaml").write_text(f"{{label: y, prediction: yhat, positive: {word}}}")
    settings = read_yaml(tmp_path / "audit.yaml")
    with pytest.raises(
        fairpairs.InputError, match=rf"in YAML, write \"{word}\" in quotes, without which it"
    ):
        audit_file(Path(FILE), sensitive=["sex"], **settings)


@pytest.mark.slow
def test_a_threshold_decides_by_the_score(write):
    write(lambda frame: frame.assign(reached=(frame["s"] >= 0.5).astype(int)))
    roles = ("--label", "y", "--score", "s", "--sensitive", "sex")
    decided = ran(*roles, "--threshold", "0.5", "--details").splitlines()
    given = ran(*roles, "--prediction", "reached", "--details").splitlines()
    assert decided[-20:] == given[-20:]
    assert decided[0].endswith("score s; threshold 0.5")
    for options, words in (
        (("--threshold", "7"), "--threshold 7: no score reaches it, and column `s` lies from"),
        (("--threshold", "0.5", "--prediction", "yhat"), "and leave out --prediction."),
        ((), "give --label, --prediction (or --score and --threshold) and --sensitive."),
    ):
        assert words in refused(*roles, *options)


def test_an_output_never_replaces_the_input(write):
    write()
    Path(FILE).rename("rates.csv")
    sentence = refused(*ROLES, "--out", ".", file="rates.csv")
    assert sentence == "fairpairs: rates.csv: would overwrite its input: name another --out.\n"


@pytest.mark.slow
def test_the_command_runs_from_a_shell(write):
    folder = write()
    program = [sys.executable, "-c", "from fairpairs.cli import app; app()"]
    process = subprocess.run(
        [*program, "audit", FILE, *ROLES, "--fail-on-violation"],
        cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (1, "")
    assert ran(*ROLES).startswith(process.stdout.removesuffix("All tables: --details.\n"))
