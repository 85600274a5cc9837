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
    "density_ratio/measure_regressors": SCIKIT_LEARN,
    "density_ratio/regressors": SCIKIT_LEARN,
    "xauc/curves": {"scipy.integrate", "scipy.optimize", "scipy.stats"},  # densities
}
NAMES = {str(path.relative_to(SCRIPTS).with_suffix("")) for path in SCRIPTS.rglob("*.py")}
FIGURES = {name for name in NAMES if "figure_" in name} - {*NEEDED}
#: The modules of studies that scripts load by name.
PARTS = {
    f"fairpairs.papers.studies.{path.parent.name}.{path.stem}"
    for part in ("cells", "section", "study")
    for path in (ROOT / "src/fairpairs/papers/studies").glob(f"*/{part}.py")
}
#: What a user calls.
CALLED = "from fairpairs import audit, comparative_separation_test, separation_test, xauc"
#: Runs programs, and says of each what it loads, which none before it has loaded.
PROGRAM = """
import json, sys
names, programs = map(json.loads, sys.argv[1:])
loaded = {}
for name, program in programs.items():
    before = {*sys.modules}
    exec(program, {})
    loaded[name] = sorted({*names} & {*sys.modules} - before)
print(json.dumps(loaded))
"""


def imports_of(name):
    """The imports at the top of a script, as a program."""
    tree = ast.parse((SCRIPTS / f"{name}.py").read_text("utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(tree)


def slow_of(programs, names=SLOW):
    """What is slow and loaded by programs in a new process: those that load any of it."""
    arguments = [json.dumps(names), json.dumps(programs)]
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    return {name: {*slow} for name, slow in json.loads(process.stdout).items() if slow}


@pytest.mark.slow
def test_most_scripts_and_a_user_who_calls_a_test_wait_for_nothing_slow():
    programs = {name: imports_of(name) for name in sorted(NAMES - FIGURES - {*NEEDED})}
    programs |= {name: f"import {name}" for name in sorted(PARTS)}
    assert len(programs) > 30
    assert slow_of({**programs, "a user": CALLED}) == {}


@pytest.mark.slow
def test_figures_wait_for_matplotlib_alone():
    loaded = slow_of({name: imports_of(name) for name in sorted(FIGURES)})
    assert list(loaded.values()) == [{"matplotlib"}]


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDED)
def test_what_other_scripts_load_is_needed(name):
    assert slow_of({name: imports_of(name)}) == {name: NEEDED[name]}


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_no_library_of_numbers(option):
    # what the command prints would be taken for what is loaded
    program = (
        "import contextlib, io\n"
        "from fairpairs.cli import app\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    app(['{option}'], standalone_mode=False)"
    )
    assert slow_of({option: program}, [*SLOW, "numpy", "pandas", "pyarrow", "scipy"]) == {}
