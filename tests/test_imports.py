"""What a process loads before it begins: hundreds of jobs of a run wait for it."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow/scripts"
#: What takes a tenth of a second or more to load, and should be loaded where it is used.
SLOW = (
    *("duckdb", "jinja2", "jsonschema", "matplotlib", "requests", "scipy.integrate"),
    *("scipy.optimize", "scipy.stats", "sklearn", "statsmodels", "torch"),
)
SCIKIT_LEARN = {"scipy.integrate", "scipy.optimize", "scipy.stats", "sklearn"}
#: What scripts need at once; figures need matplotlib.
NEEDED = {
    "fetch": {"requests"},
    "report": {"jinja2"},
    "fairpairs.papers.studies.density_ratio.regressors": SCIKIT_LEARN,
    "fairpairs.papers.studies.xauc.curves": SCIKIT_LEARN - {"sklearn"},  # densities
}
NAMES = {str(path.relative_to(SCRIPTS).with_suffix("")) for path in SCRIPTS.rglob("*.py")}
FIGURES = {name for name in NAMES if "figure_" in name} - {*NEEDED}
#: The modules with steps of studies, and all modules of studies that scripts load by name.
STEPS = ("held_out", "known_*", "measure*", "pairs_*", "raters", "simulation", "synthetic")
PARTS = {
    f"fairpairs.papers.studies.{path.parent.name}.{path.stem}"
    for part in ("cells", "section", "study", "*tables", *STEPS)
    for path in (ROOT / "src/fairpairs/papers/studies").glob(f"*/{part}.py")
}
#: What a user calls.
CALLED = "from fairpairs import audit, comparative_separation_test, separation_test, xauc"
LISTED = "from fairpairs.papers.inventory import inventory; inventory()"
#: Runs programs, and says of each what it loads, which none before it has loaded; each further
#: group of programs in a fork, which has what the first group loaded.
PROGRAM = """
import json, os, sys
names, first, *others = map(json.loads, sys.argv[1:])

def run(programs):
    loaded = {}
    for name, program in programs.items():
        before = {*sys.modules}
        exec(program, {})
        loaded[name] = sorted({*names} & {*sys.modules} - before)
    print(json.dumps(loaded), flush=True)

run(first)
for programs in others:
    if not os.fork():
        run(programs)
        os._exit(0)
    os.wait()
"""


def imports_of(name):
    """The imports at the top of a script, or that of a module, as a program."""
    if name not in NAMES:
        return f"import {name}"
    tree = ast.parse((SCRIPTS / f"{name}.py").read_text("utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(tree)


def slow_of(*groups, names=SLOW):
    """What is slow and loaded by each group of programs: those that load any of it."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(json.dumps, (names, *groups))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [
        {name: {*slow} for name, slow in json.loads(line).items() if slow}
        for line in process.stdout.splitlines()
    ]


@pytest.mark.slow
def test_scripts_and_users_wait_for_nothing_slow_that_they_do_not_need():
    programs = {name: imports_of(name) for name in sorted(NAMES - FIGURES - {*NEEDED})}
    programs |= {name: f"import {name}" for name in sorted(PARTS)}
    programs |= {"a user": CALLED, "a user who lists names": LISTED}
    assert len(programs) > 30
    figures = {name: imports_of(name) for name in sorted(FIGURES)}
    others = [{name: imports_of(name)} for name in NEEDED]
    first, of_figures, *of_others = slow_of(programs, figures, *others)
    assert first == {}
    assert list(of_figures.values()) == [{"matplotlib"}]
    assert of_others == [{name: slow} for name, slow in NEEDED.items()]


@pytest.mark.slow
def test_help_loads_no_library_of_numbers():
    # what the command prints would be taken for what is loaded
    program = (
        "import contextlib, io\n"
        "from fairpairs.cli import app\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    app(['{}'], standalone_mode=False)"
    )
    programs = {option: program.format(option) for option in ("--help", "--version")}
    assert slow_of(programs, names=[*SLOW, "numpy", "pandas", "pyarrow", "scipy"]) == [{}]
