"""Names, tables, options and folders that are allowed, or nearly so, and that nobody thinks of."""

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairpairs
from fairpairs import cli
from fairpairs.audits.lines.files import FILES

pytestmark = pytest.mark.usefixtures("few_sets", "folder")
ROLES = ("--label", "y", "--prediction", "yhat")
NOT_UTF_8 = os.fsdecode(b"bad\xff.csv")


def made(n=200, **columns):
    rng = np.random.default_rng(0)
    y, sex = rng.integers(0, 2, n), rng.choice(["f", "m"], n)
    s = y + rng.normal(size=n).round(3)
    return pd.DataFrame({"y": y, "yhat": (s > 0.5).astype(int), "s": s, "sex": sex, **columns})


def judgments(frame):
    """Items in turn, each judged better than the next one."""
    ids = np.arange(len(frame))
    return pd.DataFrame({"i": ids[:-1], "j": ids[1:], "winner": ids[:-1]})


JUDGED = ("--left", "i", "--right", "j", "--outcome", "winner", "--item", "id", "--score", "s")


ODD = ["$10k-$20k", "$# & $_", "$^", "北京", "a\nb", "\x1b[31mred", "{x}", "{% raw %}", "a\u202eb"]


@pytest.mark.slow
def test_groups_of_any_name_are_audited_and_drawn(ran):
    made(400, odd=np.resize(ODD, 400)).to_csv("p.csv", index=False)
    out = ran("audit", "p.csv", *ROLES, "--sensitive", "odd", "--out", "report")
    for name in ("$10k-$20k", "$# & $_", "$^", "北京", r"a\nb", r"\x1b[31mred", "{x}", "{% raw %}"):
        assert name in out
    page = Path("report/audit.html").read_text("utf-8")
    for text in (out, page):
        assert r"a\u202eb" in text and not {"\x1b", "\u202e"} & set(text)
    start = page.index("<svg", page.index("<figure"))
    figure = ElementTree.fromstring(page[start : page.index("</svg>", start) + 6])
    drawn = ["".join(text.itertext()) for text in figure.iter("{http://www.w3.org/2000/svg}text")]
    assert {"$10k-$20k", "$# & $_", "$^", "北京", r"a\nb", r"\x1b[31mred", "{x}"} <= set(drawn)
    assert set(pd.read_csv("report/audit.csv")["group"]) < set(ODD)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["{x} {0} a{b {% raw %} %s $a$", NOT_UTF_8[:-4]])
def test_files_and_columns_of_any_name_are_read(ran, refused, name, ending):
    column, file = "c" if name in NOT_UTF_8 else name, f"{name}.{ending}"
    frame = made().rename(columns={"sex": column})
    frame.to_csv("p", index=False) if ending == "csv" else frame.to_parquet("p")
    Path("p").rename(file)
    written = file.encode("utf-8", "backslashreplace").decode()
    command = ("audit", file, *ROLES, "--sensitive", column, "--out", "report")
    if name in NOT_UTF_8:
        assert f"{written}: the name of the file is not in UTF-8: rename it" in refused(*command)
        return
    out = ran(*command)
    assert f"\n{written}: 200 rows;" in out
    assert f"{column}: " in out
    content = json.loads(Path("report/audit.json").read_text("utf-8"))
    assert content["about"]["source"]["file"] == file
    assert written in Path("report/audit.html").read_text("utf-8")
    out = ran("power", file, *ROLES, "--sensitive", column)
    assert f"{written}: 200 rows" in out


def test_a_sentence_is_one_line_whatever_the_names(refused):
    made().rename(columns={"sex": "a\nb\x1b"}).to_csv("p.csv", index=False)
    assert r"it has y, yhat, s, a b\x1b: did you mean `a b\x1b`?" in refused(
        "audit", "p.csv", *ROLES, "--sensitive", "a\nc\x1b"
    )
    assert r"bad\udcff.csv: cannot be read (No such file" in refused(
        "audit", NOT_UTF_8, *ROLES, "--sensitive", "sex"
    )


def test_a_zero_character_in_the_name_of_a_column_is_refused(refused):
    made(**{"a\0b": 1}).to_parquet("p.parquet")
    assert refused("audit", "p.parquet", *ROLES, "--sensitive", "sex") == (
        r"fairpairs: p.parquet: the name of the column 'a\x00b' holds a zero character, at which "
        "some programs end a name: rename the column.\n"
    )


@pytest.mark.parametrize(
    "text", ["y,yhat,sex\n1,1,f\n".encode("utf-16-le"), b"a,b\n\0,1", 10 * 2**30]
)
def test_a_table_with_zero_bytes_is_no_text(refused, text):
    """A huge one, of a disk that failed, is not read whole."""
    with Path("p.csv").open("wb") as file:
        file.truncate(text) if isinstance(text, int) else file.write(text)
    sentence = "p.csv: not a text in UTF-8 (it has zero bytes): save it as CSV in UTF-8."
    assert sentence in refused("audit", "p.csv", *ROLES, "--sensitive", "sex")


def test_links_in_a_circle_and_endless_names_are_refused(refused):
    Path("a.csv").symlink_to("a.csv")
    Path("long.csv").write_bytes(b"y," + b"x" * 200_000 + b"\n1,2\n")
    command = ("audit-groups", *ROLES, "--sensitive", "sex")
    assert "a.csv: cannot be read (Too many levels of symbolic links)" in refused(*command, "a.csv")
    assert "there is no column `sex`" in refused(*command, "long.csv")
    roles = ("--form", "four-fifths", "--prediction", "yhat", "--sensitive", "sex")
    assert "cannot be read (File name too long)" in refused("table", "x" * 300 + ".csv", *roles)
    chosen = ("-n", "9", "--cheap-label", "y", *roles[2:], "--out", "out.csv")
    assert "a.csv: cannot be read (Too many levels" in refused("choose", "a.csv", *chosen)


def test_an_index_of_a_parquet_file_is_a_column_if_it_has_a_name(ran, refused):
    frame = made().assign(**{"1": 0})
    frame.set_index("sex").to_parquet("p.parquet")
    frame.set_index(["sex", "s"]).to_parquet("q.parquet")
    frame.set_index(np.arange(200)[::-1]).to_parquet("r.parquet")
    for path in ("p.parquet", "q.parquet", "r.parquet"):
        assert "sex: " in ran("audit", path, *ROLES, "--sensitive", "sex")
    assert "it has y, yhat, s, sex, 1: correct" in refused(
        "audit", "r.parquet", *ROLES, "--sensitive", "zzz"
    )
    table = pa.Table.from_pandas(made(), preserve_index=False)
    pq.write_table(table.append_column("sex", table["sex"]), "twice.parquet")
    sentence = "twice.parquet: duplicate column `sex`: rename or drop one."
    assert sentence in refused("audit", "twice.parquet", *ROLES, "--sensitive", "sex")


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_a_pipe_or_a_device_is_refused(refused, name):
    os.mkfifo(name)
    Path(f"zero-{name}").symlink_to("/dev/zero")
    for path in (name, f"zero-{name}"):
        assert f"{path}: a pipe or a device, not a file: save" in refused(
            "audit", path, *ROLES, "--sensitive", "sex"
        )


@pytest.mark.slow
def test_a_seed_may_be_of_any_size(ran):
    frame = made()
    frame.to_csv("p.csv", index=False)
    frame.assign(s=frame["s"] + 1).to_csv("q.csv", index=False)
    for seed in (2**32, 2**80):
        assert "200 rows" in ran("audit", "p.csv", *ROLES, "--sensitive", "sex", "--seed", seed)
        out = ran(
            "bridge", "p.csv", "q.csv", "--decision", "s", "--sensitive", "sex", "--seed", seed
        )
        assert "explains" in out


def test_shuffles_that_take_days_are_refused_with_how_many(ran, refused):
    frame = made(20_000, real=np.random.default_rng(1).normal(size=20_000))
    frame.to_csv("p.csv", index=False)
    command = ("audit", "p.csv", "--label", "s", "--prediction", "real", "--sensitive", "sex")
    sentence = "ermutations: 1,000,000 shuffles would take about 2 days on these rows: take 421,463"
    assert f"--p{sentence} at most." in refused(*command, "--permutations", 10**6)
    # yes and no take the shuffles that they need
    ran("audit", "p.csv", *ROLES, "--sensitive", "sex", "--permutations", 10**6)
    with pytest.raises(fairpairs.base.errors.InputError, match=f"n_p{sentence}"):
        fairpairs.audit(
            frame["s"], frame["real"], sensitive_features=frame["sex"], n_permutations=10**6
        )
    assert "from 0 to 1,000,000" in refused(*command, "--permutations", 10**9)


def test_the_root_and_a_loop_are_no_folders_of_cards(refused, monkeypatch):
    Path("loop").symlink_to("loop")
    assert "loop: there is no card (.yaml): name another" in refused("datasets", "--folder", "loop")
    Path("loop.yaml").symlink_to("loop.yaml")
    assert "loop.yaml" in refused("datasets", "--folder", ".")
    assert ": there is no card (.yaml): name another" in refused("datasets", "--folder", "/")
    cards = {"card": Path("/card.yaml")}
    monkeypatch.setattr(
        sys.modules["fairpairs.papers.commands.datasets"], "_cards", lambda folder: cards
    )
    assert "/card.yaml" in refused("datasets", "--folder", "/")


def test_an_output_that_is_a_link_is_written_where_it_leads(ran, refused):
    made().to_csv("p.csv", index=False)
    Path("real").mkdir()
    options = (*ROLES, "--sensitive", "sex")
    for command in (("count", "p.csv", *options, "--out"), ("monitor",)):
        link, real = Path(f"{command[0]}.link"), Path("real", command[0])
        link.symlink_to(real)
        end = ("p.csv", *options) if command == ("monitor",) else ()
        ran(*command, link, *end)
        assert link.is_symlink() and real.stat().st_size > 100
        link.unlink()
        link.symlink_to(link)
        sentence = f"{link}: a link that leads back to itself: remove it."
        assert sentence in refused(*command, link, *end)
    assert sorted(path.name for path in Path("real").iterdir()) == ["count", "monitor"]


REPORTS = [
    (("audit", "p.csv", *ROLES, "--sensitive", "sex", "--out", "o"), FILES["audit"]),
    (("power", "--tpr", "0.8,0.75", "--output", "o/curve.csv", "--plot", "o/curve.svg"),
     ("curve.csv", "curve.svg")),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
@pytest.mark.parametrize(("command", "names"), REPORTS)
def test_all_files_of_a_report_are_written_or_none(ran, refused, monkeypatch, command, names):
    made().to_csv("p.csv", index=False)
    out = Path("o")
    out.mkdir()
    for blocked in names:
        (out / blocked).mkdir()
        assert f"o/{blocked}: not a file that can be written: name another" in refused(*command)
        assert list(out.iterdir()) == [out / blocked]
        (out / blocked).rmdir()
    for name in names:
        (out / name).write_text("old")
    replace, last = Path.replace, out / names[-1]

    def protected(self, target):
        if Path(target) == last:
            raise PermissionError(1, "Operation not permitted", str(self), None, str(target))
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", protected)
        sentence = refused(*command)
    assert sentence.startswith("fairpairs: o/")
    assert " cannot be written: an older file or its folder is protected" in sentence
    assert {path.name: path.read_text() for path in out.iterdir()} == dict.fromkeys(names, "old")
    ran(*command)
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    assert all(path.read_text("utf-8") != "old" for path in out.iterdir())


PROGRAM = (sys.executable, "-c", "from fairpairs.cli import program; program()")


AUDIT = ("audit", "p.csv", *ROLES, "--sensitive", "sex", "--out", "o")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "written"), [(("--help",), []), (AUDIT, [f"o/{name}" for name in FILES["audit"]])]
)
def test_a_full_device_is_told_in_one_sentence_with_what_is_written(arguments, written):
    made().to_csv("p.csv", index=False)
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert process.returncode == 2
    end = f". Written before, and whole: {', '.join(written)}."
    assert process.stderr == (
        "fairpairs: The report cannot be printed: the disk is full; make room"
        f"{end if written else ', and run the same command again.'}\n"
    )
    assert sorted(str(path) for path in Path().rglob("*") if path.is_file()) == sorted(
        ["p.csv", *written]
    )


@pytest.mark.slow
def test_an_output_that_nobody_reads_is_no_violation():
    made(yhat=np.resize([0, 1], 200), sex=np.resize(["f", "m"], 200)).to_csv("p.csv", index=False)
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [*PROGRAM, *AUDIT, "--fail-on-violation"],
        stdout=write, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(write)
    assert (process.returncode, process.stderr) == (141, "")


INTERRUPTED = """
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == {!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("name", ["typer", "fairpairs.audits.commands"])
def test_ctrl_c_while_a_command_is_loaded_leaves_no_traceback(name):
    command = [*PROGRAM[:2], INTERRUPTED.format(name) + PROGRAM[2], *AUDIT]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


def test_ctrl_c_outside_of_a_command_leaves_no_traceback(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    with pytest.raises(SystemExit) as left:
        cli.program()
    assert left.value.code == 130


LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_AS, ({0}, {0})); "
# without the limit of arenas, threads reserve address space by chance
ONE_THREAD = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


@pytest.mark.slow
def test_too_low_a_limit_of_memory_is_refused_before_openblas_ends_the_process():
    made().to_csv("p.csv", index=False)
    # threads that wait for each other take address space: 1 GB is not always enough under load
    for size, status in ((500 * 2**20, 2), (2**31, 0)):
        command = [*PROGRAM[:2], LIMIT.format(size) + PROGRAM[2], *AUDIT[:-2]]
        process = subprocess.run(
            command, env=ONE_THREAD, capture_output=True, text=True, check=False
        )
        assert process.returncode == status, process.stderr
        assert (process.stdout == "") == (status == 2)
        assert process.stderr == (
            "fairpairs: The limit of memory, 500 MB, leaves less than the 680 MB that numpy and "
            "scipy need with 1 thread(s): raise it (`ulimit -v`), or have fewer threads "
            "(OPENBLAS_NUM_THREADS=1).\n"
        ) * (status == 2)


@pytest.mark.slow
def test_a_limit_of_the_size_of_files_is_told_in_one_sentence():
    made().to_csv("p.csv", index=False)
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); " + PROGRAM[2]
    # a compiled module would be cut off, too, and stay so
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with Path("out.txt").open("w") as file:
        process = subprocess.run(
            [*PROGRAM[:2], code, "audit-groups", "p.csv", *ROLES, "--sensitive", "sex"],
            env=environment, stdout=file, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert process.returncode == 2
    assert process.stderr == (
        "fairpairs: The report cannot be printed: it is larger than a file may be here; raise the "
        "limit (`ulimit -f`), and run the same command again.\n"
    )


@pytest.mark.slow
def test_no_home_a_matplotlibrc_and_a_terminal_of_few_characters_do_not_matter(ran):
    made(sex=np.resize(["北京", "é"], 200)).to_csv("p.csv", index=False)
    ran("audit", "p.csv", *ROLES, "--sensitive", "sex", "--out", "expected")
    Path("matplotlibrc").write_text("text.usetex: True\nfont.size: 30\nbackend: nonsense\n")
    apart = {"HOME", "MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}
    environment = {name: value for name, value in os.environ.items() if name not in apart}
    strange = {"HOME": "/proc/none", "MPLBACKEND": "nonsense", "PYTHONIOENCODING": "latin-1"}
    process = subprocess.run(
        [*PROGRAM, "audit", "p.csv", *ROLES, "--sensitive", "sex", "--out", "report"],
        env={**environment, **strange}, capture_output=True, check=False, encoding="latin-1",
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (0, "")
    assert Path("report/audit.html").read_text() == Path("expected/audit.html").read_text()
    assert r"\u5317\u4eac" in process.stdout
    assert "é" in process.stdout


def test_a_long_name_or_value_is_shown_in_part(refused):
    long = "x" * 5000
    Path("one.csv").write_text(f"{long}\n1\n")
    made().rename(columns={"yhat": long}).to_csv("p.csv", index=False)
    frame = made().rename_axis("id").reset_index()
    judgments(frame).to_csv("j.csv", index=False)
    frame.assign(s=long).to_csv("q.csv", index=False)
    judged = ("audit-judgments", "j.csv", "q.csv", *JUDGED, "--sensitive", "sex")
    for command in (("audit", "one.csv"), ("audit", "p.csv"), judged):
        more = () if command == judged else (*ROLES, "--sensitive", "sex")
        sentence = refused(*command, *more)
        assert "xxx…" in sentence or "xxx...xxx" in sentence
        assert len(sentence) < 400


@pytest.mark.parametrize(
    "option", ["--label-kind", "--alpha", "--permutations", "--reference", "--out"]
)
def test_an_endless_value_of_an_option_is_shown_in_part(refused, option):
    made(20).to_csv("p.csv", index=False)
    sentence = refused("audit", "p.csv", *ROLES, "--sensitive", "sex", option, "9" * 5000)
    assert "999…999" in sentence or "999...999" in sentence
    assert len(sentence) < 400


def test_a_separator_may_be_named(ran, refused):
    more, found = ("--score", "s", "--sensitive", "sex"), []
    frame = made(200)
    for separator, named in ((",", ","), ("|", "|"), (":", ":"), ("\t", "tab")):
        # the comma in a name of the header looks like the separator
        frame.assign(**{"a,b": 1}).to_csv("p.csv", index=False, sep=separator)
        by = (*more, "--separator", named)
        ran("count", "p.csv", *ROLES, *by, "--out", "p.counts")
        found.append((ran("audit", "p.csv", *ROLES, *by), Path("p.counts").read_bytes()))
        if separator != ",":
            said = refused("audit", "p.csv", *ROLES, *more)
            assert "there is no column `sex`; it has y" in said
    assert found == found[:1] * 4


def test_a_separator_that_is_not_there_is_to_be_another_one(refused):
    made(200).to_csv("p.csv", index=False)
    sentence = refused("audit", "p.csv", *ROLES, "--sensitive", "sex", "--separator", "|")
    assert "p.csv: it has only one column, 'y,yhat" in sentence
    assert sentence.endswith(": name another --separator, or leave it out.\n")
    Path("torn.csv").write_text("y|yhat|sex\n1|1|f|2|3\n1|0|m|\n", "utf-8")
    sentence = refused("audit", "torn.csv", *ROLES, "--sensitive", "sex", "--separator", "|")
    assert sentence.endswith(": correct the line, and put cells that hold a separator in quotes.\n")


@pytest.mark.parametrize("separator", [";;", "", "a", '"', "\n", "é"])
def test_a_separator_is_one_character(refused, separator):
    made(200).to_csv("p.csv", index=False)
    sentence = refused("audit", "p.csv", *ROLES, "--sensitive", "sex", "--separator", separator)
    assert sentence.startswith("fairpairs: --separator ")
    assert sentence.endswith(
        ": give the one character between the columns, such as ';' or '|', or tab.\n"
    )


AUDITED = (*ROLES, "--sensitive", "sex")
TABULATED = ("--form", "four-fifths", "--prediction", "yhat", "--sensitive", "sex", "--weight", "w")


@pytest.mark.parametrize(
    ("columns", "arguments", "words"),
    [
        ({"sex": "\ud800"}, ("audit", "p.jsonl", *AUDITED), "half of a character"),
        ({"\ud800": 1}, ("audit", "p.jsonl", *AUDITED), "half of a character"),
        ({}, ("audit", "p.csv", *ROLES, "--sensitive", "x" * 5000),
         "xxx…`; it has y, yhat, s, sex"),
        ({"s": "high"},
         ("monitor", "m", "p.csv", *AUDITED[:2], *AUDITED[4:], "--score=s", "--threshold=0.5"),
         "`s` must hold numbers: name a score"),
        ({"s": [np.inf, *range(199)]},
         ("monitor", "m", "p.csv", *AUDITED[:2], *AUDITED[4:], "--score=s", "--threshold=0.5"),
         "`s` holds an infinite value: give finite numbers"),
        ({"w": 10**12, "k": [0, 1] * 100}, ("table", "p.csv", *TABULATED, "--cluster", "k"),
         "in clusters they may be of 50,000,000: correct them"),
        ({"w": [0, 1] * 100, "sex": ["f", "m"] * 100},
         ("audit", "p.csv", *AUDITED, "--weight", "w"),
         "column `w` is 0 in every row of the group 'f' of column `sex`: drop these rows, or"),
        ({"w": pd.date_range("2020", periods=200)}, ("table", "p.parquet", *TABULATED),
         "`w` must hold finite numbers and holds"),
        ({"y": [1, None, 0, None] * 50, "j": [0, 1] * 100, "c": 5e-324},
         ("audit", "p.csv", *AUDITED, "--cheap-label", "j", "--chance", "c"),
         "at most 1; rows that can get none, or with less than 1e-15"),
    ],
)  # fmt: skip
def test_what_attacks_found_is_refused_in_one_sentence(refused, columns, arguments, words):
    name = next(argument for argument in arguments if argument.startswith("p."))
    if name == "p.csv":
        made().assign(**columns).to_csv(name, index=False)
    elif name == "p.parquet":
        made().assign(**columns).to_parquet(name)
    else:
        rows = [row | columns for row in made().astype(object).to_dict("records")]
        Path(name).write_text("\n".join(map(json.dumps, rows)))
    assert words in refused(*arguments)
    assert [path.name for path in Path().iterdir()] == [name]


SIGNAL = Decimal("sNaN")


def of_pilot(value):
    """Options of a pilot, with this value in a decision."""
    frame = made(yhat=[value, *[0, 1] * 99, 1])
    return {"y_true": "y", "y_pred": "yhat", "sensitive_features": "sex", "data": frame}


def half_of_a_character():
    rows = pd.DataFrame({"l": ["\ud800", "b"], "r": ["b", "a"], "o": ["b", "b"]}, dtype=object)
    return rows, pd.DataFrame({"i": ["a", "b"], "s": [1.0, 2.0], "g": ["f", "m"]})


@pytest.mark.parametrize(
    ("function", "arguments", "options", "words"),
    [
        (fairpairs.power, (), {"data": "\ud800"}, "its name holds half of a character"),
        (fairpairs.table, ("p",), {"data": []}, "data must be a path or a table"),
        (fairpairs.table, ("p",), {"data": "\ud800"}, "holds half of a character"),
        (fairpairs.monitor, ("m", made()), {"y_true": "y", "y_pred": "yhat", "margin": 1 - 1e-15},
         "a margin of rates is below 1"),
        (fairpairs.check_promises, (fairpairs.two_proportion_test, lambda _: None), {},
         "The world draws None: return the test's arguments by name"),
        (fairpairs.audit_judgments, half_of_a_character(),
         {"left": "l", "right": "r", "outcome": "o", "item": "i", "y_score": "s"},
         "`l` holds half of a character"),
        (fairpairs.power, (), of_pilot(10**400), "`yhat` must hold finite numbers and holds '1000"),
        (fairpairs.power, (), of_pilot(1j), "`yhat` must hold finite numbers and holds '1j"),
        (fairpairs.power, (), of_pilot(SIGNAL), "`yhat` holds a decimal that signals that it is"),
        (fairpairs.audit, ("y", "yhat"),
         {"sensitive_features": "sex", "data": made(sex=[SIGNAL, *"fm" * 99, "f"])},
         "`sex` holds a decimal that signals that it is no number (sNaN): correct it"),
        (fairpairs.audit, (made()["y"], made()["yhat"]),
         {"y_score": made()["s"] + 0j, "sensitive_features": made()["sex"]},
         "y_score must hold single values (real numbers"),
        (fairpairs.choose, ([[1], [1, 2], 0, None], [0, 1, 0, 1]),
         {"sensitive_features": [*"abab"], "cheap_label": [0, 1, 0, 1], "n": 2},
         "y_true must be one-dimensional"),
        (fairpairs.table, ("p",), {"sensitive_features": "g", "data": ["a\0.csv"]},
         "'a\\x00.csv': holds a zero character: check its name"),
        (fairpairs.xauc, (made()["y"], made()["s"] + 0j), {"sensitive_features": made()["sex"]},
         "y_score must hold single values (real numbers"),
    ],
)  # fmt: skip
def test_what_attacks_in_python_found_is_refused(function, arguments, options, words):
    if function not in (fairpairs.power, fairpairs.check_promises):
        options = {"sensitive_features": "g" if function != fairpairs.monitor else "sex", **options}
    if function is fairpairs.table:
        options |= {"form": "four-fifths"}
    with pytest.raises(fairpairs.InputError) as raised:
        function(*arguments, **options)
    assert words in str(raised.value)
