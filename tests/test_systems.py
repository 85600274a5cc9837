"""The audits run where there are none of POSIX's modules, and whatever the encoding of the system.

A process of its own cannot import these modules, nor call what only POSIX has in `os`, and a text
that FairPairs opens without naming its encoding is an error, as are all warnings.
"""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app

PROGRAM = """
import os, sys, warnings

for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "getgid", "sched_getaffinity", "sysconf", "statvfs",
             "fchmod", "setsid", "killpg", "mkfifo", "chown", "getpgid", "nice"):
    if hasattr(os, name):
        delattr(os, name)
warnings.filterwarnings("error")
warnings.filterwarnings("ignore", category=EncodingWarning)
warnings.filterwarnings("error", category=EncodingWarning, module="fairpairs")

from fairpairs.cli import app

for line in sys.stdin.buffer.read().decode("utf-8").splitlines():
    try:
        app(line.split())
    except SystemExit as end:
        if end.code not in (0, None):
            raise SystemExit(f"{line}: {end.code}")
"""
COLUMNS = "--label repaid --prediction approved --sensitive sex"
JUDGED = "--left one --right other --outcome more_reliable --item id --score score --sensitive sex"
COMMANDS = f"""\
example example
audit made/loans.csv {COLUMNS} --score score --out audit --junit audit.xml --card README.md
audit-groups made/loans.csv {COLUMNS} --out groups
audit-judgments made/judgments.csv made/loans.csv {JUDGED} --out judgments
bridge made/loans.csv made/more.csv --decision score --sensitive sex --drop id --out bridge
compare made/loans.csv made/loans.csv --item id {COLUMNS} --new-prediction again --out compare
monitor loans.state made/loans.csv {COLUMNS} --out monitor
monitor loans.state made/more.csv
count made/loans.csv {COLUMNS} --out loans.counts
audit loans.counts
table made/loans.csv --form four-fifths --prediction approved --sensitive sex,age --out table
power --tpr 0.8,0.75 --fpr 0.2 --out power
list
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "linux", reason="test_wheel.py does it in the package alone")
def test_the_audits_run_without_modules_of_posix_and_name_each_encoding(tmp_path):
    run_commands(sys.executable, tmp_path, os.environ)


def run_commands(python, folder, environment):
    """Run all commands, look at the files that they write, and return what they print."""
    script = folder / "program.py"
    script.write_text(PROGRAM, "utf-8")
    environment = {
        **environment, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "utf-8", "PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "",
    }  # fmt: skip

    assert CliRunner().invoke(app, ["example", str(folder / "made")]).exit_code == 0
    text = (folder / "made/loans.csv").read_text("utf-8").replace(",male", ",männlich")
    head, *rows = text.splitlines()
    rows = [f"{row},{row.rpartition(',')[2]}" for row in rows]
    (folder / "made/loans.csv").write_text("\n".join([f"{head},again", *rows]), "utf-8")
    (folder / "made/more.csv").write_text("\n".join([f"{head},again", *rows[:500]]), "utf-8")
    done = subprocess.run(
        [python, script], cwd=folder, env=environment, input=COMMANDS.encode(),
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    said = done.stdout.decode("utf-8")
    for stem in ("audit", "groups", "judgments", "bridge", "compare", "monitor", "power"):
        assert json.loads((folder / f"{stem}/{stem}.json").read_text("utf-8"))
        assert (folder / f"{stem}/{stem}.html").is_file()
    for name in ("audit/audit.html", "monitor/monitor.json", "table/table.md", "README.md"):
        assert "männlich" in (folder / name).read_text("utf-8")
    return said
