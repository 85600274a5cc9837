"""`fairpairs audit` as a new user would run it: good files, badly made ones, its outputs."""

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
from fairpairs.audits.lines.files import FILES
from fairpairs.cli import app
from tests.cli.results import output_of, sentence_of

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
def write(folder):
    """A function that writes predictions.csv to the working folder, changed or not."""

    def written(change=lambda frame: frame, **options):
        made().pipe(change).to_csv(FILE, index=False, **options)
        return folder

    return written


def run(*arguments, file=FILE):
    return CliRunner().invoke(app, ["audit", file, *arguments, "--details"])


def ran(*arguments, status=0, **options):
    return output_of(run(*arguments, **options), status)


def refused(*arguments, **options):
    """The one sentence on stderr; nothing is written."""
    before = sorted(Path().rglob("*"))
    sentence = sentence_of(run(*arguments, **options))
    assert sorted(Path().rglob("*")) == before
    return sentence


@pytest.mark.parametrize(
    "options",
    [
        "--prediction yhat",
        "--prediction yhat --score s --margin 0.1",
        "--score s --threshold 0.5",
        "--prediction yhat --criterion accuracy --criterion density_ratio_separation",
        "--prediction yhat --control region",
        "--prediction yhat --cluster person --margin separation=0.05",
        "--prediction yhat --weight s --favourable 0",
        "--label few --prediction yhat --cheap-label y",
        "--label effort --prediction s",
        "--label effort --prediction s --criterion mean_absolute_error",
        "--label grade --prediction graded",
        "--label grade --prediction graded --criterion separation --intersections",
    ],
)
def test_the_answer_alone_is_that_of_the_whole_audit(write, options):
    """Without --details and files, no more is computed than the answer rests on."""
    rng = np.random.default_rng(1)

    def more(frame):
        grade = frame["s"].round(1).clip(0.3, 0.5)
        return frame.assign(
            person=np.arange(len(frame)) // 2,
            region=rng.choice(["north", "south"], len(frame)),
            few=frame["y"].where(rng.random(len(frame)) < 0.7).astype("Int64"),
            effort=frame["s"] + rng.normal(0, 0.1, len(frame)),
            grade=grade.map("grade {}".format),
            graded=grade.where(rng.random(len(frame)) < 0.8, 0.5).map("grade {}".format),
        )

    write(more)
    label = [] if options.startswith("--label") else ["--label", "y"]
    arguments = [
        "audit",
        FILE,
        *label,
        *options.split(),
        "--sensitive",
        "sex",
        "--sensitive",
        "race",
    ]
    alone, whole = (
        output_of(CliRunner().invoke(app, [*arguments, *details]))
        for details in ([], ["--details"])
    )
    answer, rest = alone.split("All tables: ")
    assert rest == "--details.\n"
    assert whole.startswith(answer)
    assert len(answer.splitlines()) > 5


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
def test_the_table_fits_a_terminal_of_100_columns(write):
    write(lambda frame: frame.assign(race=frame["race"].map("of the {} people & more".format)))
    out = ran(*WITH_SCORE, "--intersections", "--out", "report")
    assert max(len(line) for line in out.splitlines() if " minus " in line or "●" in line) <= 100
    assert "\npredictions.csv: 400 rows; label y (positive: 1); prediction yhat;" in out
    assert "Audit of predictions.csv: 400 rows\nLabel y: binary, positive is 1;" in out
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


@pytest.mark.usefixtures("no_pages")
def test_a_build_does_not_pass_when_nothing_can_be_tested(write):
    """Comparative separation of real labels has no comparable label where groups do not overlap."""
    label = np.arange(40.0)
    folder = write(
        lambda _: pd.DataFrame({"y": label, "yhat": label + 0.5, "g": np.repeat(["a", "b"], 20)})
    )
    roles = ("--label", "y", "--prediction", "yhat", "--sensitive", "g", "--out", "o")
    assert "UNDECIDED: too few rows to test any difference." in ran(*roles)
    result = run(*roles, "--fail-on-violation")
    assert result.exit_code == 2
    assert result.stderr == (
        "fairpairs: --fail-on-violation: comparative_separation cannot be tested on these rows "
        "(--details says why): add rows, or name another --criterion.\n"
    )
    assert "UNDECIDED: " in result.stdout
    assert json.loads((folder / "o/audit.json").read_text("utf-8"))["violated"] is None


@pytest.mark.slow
def test_what_counts_for_a_build_can_be_named(write):
    """Race does nothing; men are predicted positive more often, with the same label."""
    folder = write()
    fair = ("--label", "y", "--prediction", "yhat", "--sensitive", "race", "--fail-on-violation")
    named = ("--criterion", "demographic_parity", "--criterion", "separation")
    out = ran(*fair, *named)
    assert "comparisons (TPR, FPR, selection rate), corrected" in " ".join(out.split())
    assert out.startswith("NO DIFFERENCE FOUND: this does not show that there is none.")
    ran(*ROLES, *named, "--fail-on-violation", "--out", "report", status=1)
    content = json.loads((folder / "report/audit.json").read_text("utf-8"))
    gate = content["about"]["gate"]
    assert gate["criteria"] == ["separation", "demographic_parity"]
    assert content["violated"] is True
    table = pd.read_csv("report/audit.csv")
    assert table["pvalue_gate"].min() == gate["pvalue"] < 0.001
    assert set(table.loc[table["pvalue_gate"].notna(), "criterion"]) == set(gate["criteria"])
    page = Path("report/audit.html").read_text("utf-8")
    assert "Based on 12 comparisons (" in page
    sentence = refused(*ROLES, "--criterion", "parity")
    assert sentence.startswith(
        "fairpairs: --criterion: 'parity' is not a criterion: name one of sep"
    )
    assert "--criterion xauc does not apply (no score" in refused(*ROLES, "--criterion", "xauc")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--sensitive", "y"), "`y` is named by --label and by --sensitive: name another column."),
        (("--sensitive", ","), "--sensitive: ',' names nothing: write at least one name."),
        (("--reference", "sex=female", "--reference", "sex=male"),
         "--reference sex=male: the group of `sex` is female already: name one group for each"),
        (("--reference", "female"), "--reference female: write the attribute and its group"),
        (("--out", "/proc/none"), "/proc/none: cannot be written (No such file or directory)"),
        (("--alpha", "0"), "--alpha must lie between 0 and 1, without these; it is 0.0."),
    ],
)  # fmt: skip
def test_options_that_cannot_be_are_refused(write, options, sentence):
    write()
    assert sentence in refused(*ROLES, *options)


def test_a_threshold_decides_by_the_score(write):
    write(lambda frame: frame.assign(reached=(frame["s"] >= 0.5).astype(int)))
    roles = ("--label", "y", "--score", "s", "--sensitive", "sex")
    decided = ran(*roles, "--threshold", "0.5", "--details").splitlines()
    given = ran(*roles, "--prediction", "reached", "--details").splitlines()
    assert decided[-20:] == given[-20:]
    assert any(line.endswith("score s; threshold 0.5") for line in decided)
    assert "--threshold 7: no score reaches it, and column `s`" in refused(*roles, "--threshold=7")
    assert "give --label, --prediction (or --score and --threshold) and" in refused(*roles)


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


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
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


def test_the_label_may_be_the_control_as_a_copy_of_it_is(folder):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"y": rng.integers(1, 6, 200), "g": np.tile(["a", "b"], 100)})
    data = data.assign(copy=data["y"], p=data["y"] + rng.normal(0, 1, 200))
    data.to_csv(FILE, index=False)
    options = ("--label", "y", "--prediction", "p", "--sensitive", "g", "--label-kind",
               "number", "--criterion", "differential_parity", "--control")  # fmt: skip
    of_label, of_copy = (ran(*options, name) for name in ("y", "copy"))
    assert of_label == of_copy.replace("of copy.", "of y.").replace("are copy:", "are y:")
    assert "Compared within 5 combinations of y." in of_label


def test_only_a_column_that_is_named_may_not_stand_twice(folder):
    rows = "".join(f"{i % 2},{i},{i % 3},{'ab'[i % 4 < 2]},{-i}\n" for i in range(40))
    Path(FILE).write_text(f"y,s,p,g,s\n{rows}".replace("p,g", "n,g"))
    options = ("--label", "y", "--threshold", "9", "--sensitive", "g", "--score")
    assert refused(*options, "s") == (
        "fairpairs: predictions.csv: duplicate column `s`: rename one, or name `s (column 2)` or "
        "`s (column 5)`.\n"
    )
    assert "score s (column 2);" in ran(*options, "s (column 2)")
