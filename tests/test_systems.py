"""The audits run where there are none of POSIX's modules, and whatever the encoding of the system.

A process of its own cannot import these modules, nor call what only POSIX has in `os`, and a text
that FairPairs opens without naming its encoding is an error.
"""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys, warnings

for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "getgid", "sched_getaffinity", "sysconf", "statvfs",
             "fchmod", "setsid", "killpg", "mkfifo", "chown", "getpgid", "nice"):
    if hasattr(os, name):
        delattr(os, name)
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
example made
audit made/loans.csv {COLUMNS} --score score --out audit --junit audit.xml --card README.md
audit-groups made/loans.csv {COLUMNS} --out groups
audit-judgments made/judgments.csv made/loans.csv {JUDGED} --out judgments
compare made/loans.csv made/loans.csv --item id {COLUMNS} --new-prediction again --out compare
monitor loans.state made/loans.csv {COLUMNS} --out monitor
monitor loans.state made/more.csv
count made/loans.csv {COLUMNS} --out loans.counts
audit loans.counts
table made/loans.csv --form four-fifths --prediction approved --sensitive sex,age --out table
power --tpr 0.8,0.6 --fpr 0.2 --share 0.4 --out power
"""


@pytest.mark.slow
def test_the_audits_run_without_modules_of_posix_and_name_each_encoding(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, "utf-8")
    environment = {
        **os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "utf-8", "PYTHONWARNDEFAULTENCODING": "1",
    }  # fmt: skip
    environment.pop("PYTHONWARNINGS", None)

    def run(commands):
        return subprocess.run(
            [sys.executable, script], cwd=tmp_path, env=environment, input=commands.encode(),
            capture_output=True, check=False,
        )  # fmt: skip

    first, _, others = COMMANDS.partition("\n")
    assert run(first).returncode == 0
    folder = tmp_path / "made"
    text = (folder / "loans.csv").read_text("utf-8").replace(",male", ",männlich")
    head, *rows = text.splitlines()
    rows = [f"{row},{row.rpartition(',')[2]}" for row in rows]
    (folder / "loans.csv").write_text("\n".join([f"{head},again", *rows]), "utf-8")
    (folder / "more.csv").write_text("\n".join([f"{head},again", *rows[:500]]), "utf-8")
    done = run(others)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    for name in ("audit/audit.html", "monitor/monitor.json", "table/table.md", "README.md"):
        assert "männlich" in (tmp_path / name).read_text("utf-8")
