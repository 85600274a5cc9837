"""--out is a folder in all commands; a name that ends in .csv is that of one table."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairpairs
from fairpairs.audits.lines.files import FILES


@pytest.fixture(autouse=True)
def files(folder, few_sets):
    rng = np.random.default_rng(0)
    n = 120
    items = pd.DataFrame({
        "id": [f"p{i}" for i in range(n)], "score": rng.normal(size=n).round(3),
        "grade": rng.normal(size=n).round(3), "sex": rng.choice(["f", "m"], n),
    })  # fmt: skip
    items.to_csv("first.csv", index=False)
    items.assign(score=items["score"][::-1].to_numpy()).to_csv("second.csv", index=False)
    i, j = rng.permutation(n).reshape(2, -1)
    pairs = pd.DataFrame({"i": items["id"].to_numpy()[i], "j": items["id"].to_numpy()[j]})
    pairs.assign(winner=np.where(rng.random(n // 2) < 0.5, pairs["i"], pairs["j"])).to_csv(
        "judgments.csv", index=False
    )


BRIDGE = ("bridge", "first.csv", "second.csv", "--decision", "score", "--sensitive", "sex")
JUDGMENTS = (
    "audit-judgments", "judgments.csv", "first.csv", "--left", "i", "--right", "j",
    "--outcome", "winner", "--item", "id", "--score", "score", "--sensitive", "sex",
)  # fmt: skip
POWER = ("power", "--tpr", "0.8,0.75")

pytestmark = pytest.mark.usefixtures("few_sets")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name", "title"),
    [
        ((*BRIDGE, "--drop", "id"), "bridge", "first.csv and second.csv: decisions compared"),
        (POWER, "power", "Labels and judgments needed"),
    ],
)
def test_a_folder_gets_a_page_and_json(ran, command, name, title):
    said = ran(*command)
    files = ", ".join(FILES[name])
    assert ran(*command, "--out", "o") == f"{said}Written to o: {files}\n"
    page = Path(f"o/{name}.html").read_text("utf-8")
    assert f"<title>FairPairs: {title}" in page
    assert said.split("\n\n")[-1].split("\n- ")[1].split()[-1] in page  # of the notes
    content = json.loads(Path(f"o/{name}.json").read_text("utf-8"))
    assert content["format"] == 3 and content["answer"]["sentence"] in " ".join(said.split())
    assert content["about"]["version"] == fairpairs.__version__


@pytest.mark.parametrize("command", [(*BRIDGE, "--drop", "id"), POWER])
def test_out_names_a_folder(refused, command):
    assert "b.csv: --out names a folder: name one" in refused(*command, "--out", "b.csv")
    Path("c.csv").write_text("mine", "utf-8")
    assert "c.csv: a file, not a folder" in refused(*command, "--out", "c.csv")
    assert Path("c.csv").read_text("utf-8") == "mine"
    assert not Path("b.csv").exists()


COMPARE = ("compare", "first.csv", "decisions.csv", "--item", "id", "--label", "grade",
           "--prediction", "score", "--sensitive", "sex")  # fmt: skip


@pytest.mark.parametrize(
    ("command", "name", "option"),
    [
        ((*BRIDGE, "--output", "first.csv"), "first.csv", "--output"),
        ((*JUDGMENTS[:2], "rates.csv", *JUDGMENTS[3:], "--out", "."), "rates.csv", "--out"),
        ((*COMPARE, "--out", "."), "decisions.csv", "--out"),
    ],
)
def test_an_output_never_replaces_an_input(refused, command, name, option):
    content = Path("first.csv").read_bytes()
    Path(name).write_bytes(content)
    said = refused(*command)
    assert said == f"fairpairs: {name}: would overwrite its input: name another {option}.\n"
    assert Path(name).read_bytes() == content


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "apart", "joined"),
    [
        (BRIDGE, ("--drop", "id", "--drop", "grade,"), ("--drop", "id,grade")),
        (POWER[:1], ("--tpr", "0.8", "--tpr", "0.75"), POWER[1:]),
        (("power",), ("--pair-accuracy", "0.8", "--pair-accuracy", "0.6"),
         ("--pair-accuracy", "0.8,0.6")),
    ],
)  # fmt: skip
def test_a_repeated_option_is_one_with_commas(command, apart, joined):
    from typer.testing import CliRunner

    from fairpairs.cli import app

    one, two = (CliRunner().invoke(app, [*command, *options]) for options in (apart, joined))
    assert (one.exit_code, one.output) == (two.exit_code, two.output)


EVIL = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(1)"]
DECIDED = ("--prediction", "=yhat", "--sensitive", "@sex")
LABELLED = ("--label", "y", *DECIDED)


@pytest.mark.slow
@pytest.mark.usefixtures("no_pages")
@pytest.mark.parametrize(
    "command",
    [
        ("audit", "=a.csv", *LABELLED, "--out"),
        ("audit-groups", "=a.csv", *LABELLED, "--out"),
        ("compare", "=a.csv", "=b.csv", "--item", "id", *LABELLED, "--out"),
        ("monitor", "=state", "=a.csv", *LABELLED, "--batch-name", "=one", "--out"),
        ("table", "=a.csv", "--form", "four-fifths", *DECIDED, "--out"),
        (*("audit-judgments", "=j.csv", "=a.csv", "--left", "i", "--right", "j", "--judge", "who"),
         *("--outcome", "winner", "--item", "id", "--score", "s", "--sensitive", "@sex", "--out")),
        ("choose", "=a.csv", "-n", "9", "--cheap-label", "y", *DECIDED, "--out"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_no_cell_of_a_csv_file_is_a_formula_for_a_spreadsheet(ran, command):
    rng, n = np.random.default_rng(0), 300
    items = pd.DataFrame({
        "id": [f"@{i}" for i in range(n)], "y": rng.integers(0, 2, n),
        "=yhat": rng.integers(0, 2, n), "s": rng.normal(size=n), "@sex": np.resize(EVIL, n),
    })  # fmt: skip
    items.to_csv("=a.csv", index=False)
    items.assign(**{"=yhat": rng.integers(0, 2, n)}).to_csv("=b.csv", index=False)
    pairs = pd.DataFrame({"i": items["id"][:-1].to_numpy(), "j": items["id"][1:].to_numpy()})
    pairs.assign(winner=pairs["i"], who=np.resize(EVIL, n - 1)).to_csv("=j.csv", index=False)
    out = Path("out" if command[0] != "choose" else "next.csv")
    ran(*command, out)
    texts = [file.read_text("utf-8") for file in ([*out.glob("*.csv")] if out.is_dir() else [out])]
    cells = {cell for text in texts for row in csv.reader(text.splitlines()) for cell in row}
    if command[0] == "choose":  # the user's table comes back as it was
        assert {*EVIL, "=yhat", "@sex", "@0"} <= cells
    else:
        assert "'@sex" in cells
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
