"""What every command has: help, examples that are right, and completion."""

import os
import shlex
import subprocess
import sys

import pytest
import typer.main
from typer.testing import CliRunner

from fairpairs import cli
from fairpairs.cli import app

PROGRAM = typer.main.get_command(app)
COMMANDS = PROGRAM.commands
#: Those that read no data.
LISTS = {"datasets", "example", "list", "new", "run"}
PARAMETERS = [
    pytest.param(parameter, id=f"{name} {parameter.name}")
    for name, command in {"fairpairs": PROGRAM, **COMMANDS}.items()
    for parameter in command.params
]


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_option_has_a_help_text(parameter):
    assert len(parameter.help.split()) >= 3
    assert parameter.help.rstrip("]").endswith((".", "0.5"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_line_in_the_help(name):
    lines = CliRunner().invoke(app, ["--help"]).stdout.splitlines()
    (line,) = [line for line in lines if line.split()[:1] == [name]]
    assert line.endswith(".") and not line.endswith("...")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_examples_of_options_that_there_are(name):
    command = COMMANDS[name]
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"}).stdout
    text = shown[shown.index("Examples:") :].replace("\\\n", " ")
    examples = [shlex.split(line) for line in text.splitlines()[1:] if line.strip()]
    assert len(examples) >= 2
    options = {option for parameter in command.params for option in parameter.opts}
    for words in examples:
        assert words[:2] == ["fairpairs", name]
        assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_fits_into_sixty_lines_and_help_all_has_every_option(name):
    few, whole = (
        CliRunner().invoke(app, [name, option], env={"COLUMNS": "80"}).stdout
        for option in ("--help", "--help-all")
    )
    assert len(few.splitlines()) <= 60
    for parameter in COMMANDS[name].params:
        option = parameter.opts[-1]
        if option.startswith("--"):
            assert option in few and f"  {option}" in whole
    if name in {"audit", "compare", "monitor"}:
        at = [few.index(part) for part in ("What to audit:", "What decides:", "Output:", "Rarely")]
        assert at == sorted(at)
        assert few.index("--label") < few.index("--criterion") < few.index("--out <")
        assert "--separator CHARACTER" in whole and "--separator CHARACTER" not in few


@pytest.mark.parametrize(
    ("command", "guess", "option"),
    [("audit", guess, "--sensitive") for guess in ("--group", "--groups", "--attribute")]
    + [("audit", "--protected", "--sensitive"), ("bridge", "--group", "--sensitive")]
    + [("audit", "--target", "--label"), ("audit", "--y", "--label")]
    + [("audit", "--pred", "--prediction"), ("audit", "--probability", "--score")]
    + [("compare", "--y_true", "--label"), ("compare", "--pos-label", "--positive")]
    + [("audit", "--tolerance", "--margin"), ("audit", "--metric", "--criterion")]
    + [("monitor", "--output-dir", "--out"), ("table", "--weights", "--weight")]
    + [("audit", "--label-knd", "--label-kind"), ("audit", "--xyzzy", "--help-all")],
)
def test_a_guessed_option_is_answered_with_the_right_one(command, guess, option):
    result = CliRunner().invoke(app, [command, "x.csv", guess, "a"])
    assert result.exit_code == 2
    verb = "see" if option == "--help-all" else "use"
    assert f"There is no option {guess}: {verb} {option}.\n" in result.stderr


def test_a_fault_while_a_command_is_loaded_is_not_taken_for_an_unknown_name(monkeypatch):
    cli.load.cache_clear()
    monkeypatch.setitem(cli.COMMANDS, "audit", ("audits.commands.audit", "audit", "Audit."))
    monkeypatch.setattr(cli.importlib, "import_module", lambda _: {}["a key"])
    with pytest.raises(KeyError, match="a key"):
        CliRunner().invoke(app, ["audit", "--help"], catch_exceptions=False)
    result = CliRunner().invoke(app, ["audits"])
    assert result.exit_code == 2 and "No such command 'audits'" in result.stderr


def test_what_one_command_calls_by_a_name_another_takes_by_it_too():
    opts = {name: {o for p in command.params for o in p.opts} for name, command in COMMANDS.items()}
    assert all("--out" in opts[name] for name in set(COMMANDS) - LISTS)
    assert all("--separator" in opts[name] for name in set(COMMANDS) - LISTS)
    assert all("--sensitive" in opts[name] for name in set(COMMANDS) - LISTS)


@pytest.mark.slow
def test_the_shell_completes_commands():
    environment = {
        **os.environ,
        "_FAIRPAIRS_COMPLETE": "complete_bash",
        "COMP_WORDS": "fairpairs ex",
        "COMP_CWORD": "1",
    }
    process = subprocess.run(
        [sys.executable, "-c", "from fairpairs.cli import app; app(prog_name='fairpairs')"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.stdout.split() == ["example"]


def test_a_fault_of_ours_is_not_taken_for_a_violation(monkeypatch, capsys):
    def faulty():
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", faulty)
    with pytest.raises(SystemExit) as left:
        cli.program()
    assert left.value.code == 70
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert said.splitlines()[-1].startswith("fairpairs: this is a bug in FairPairs")


def test_the_installed_program_leaves_with_the_status_of_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["fairpairs", "audit", "missing.csv", "--label", "y"])
    with pytest.raises(SystemExit) as left:
        cli.program()
    assert left.value.code == 2


def test_two_values_of_an_option_without_a_comma_are_refused_with_the_remedy(tmp_path):
    options = "--label", "y", "--prediction", "p", "--sensitive", "sex", "race"
    result = CliRunner().invoke(app, ["audit", str(tmp_path), *options])
    assert result.exit_code == 2
    assert "race: there is no such file" in result.output
    assert "several values of an option are given with a comma" in result.output
