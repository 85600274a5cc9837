"""The keys of an audit in the config are the options of its command, with the same values."""

import inspect
import types
from pathlib import Path
from typing import Literal, Union, get_args, get_origin

import pytest

from fairpairs.audits.commands.audit import audit
from fairpairs.audits.commands.audit_judgments import audit_judgments
from fairpairs.audits.commands.compare import compare
from fairpairs.base.schemas import read_yaml

#: Section of the config → its commands, the one with more choices first.
COMMANDS = {"audits": (audit, compare), "judgments": (audit_judgments,)}
#: What the workflow decides, or has no use for.
OF_THE_SHELL = {
    "seed", "separator", "decimal", "details", "out", "card", "junit", "figure",
    "fail_on_violation", "fail_on_worse", "fail_unless_shown",
}  # fmt: skip
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", Path: "string"}


def options_of(command):
    """Return the options and arguments of a command that the config may hold, by their keys."""
    parameters = inspect.signature(command).parameters
    return {
        "file" if command is audit and name == "predictions" else name: parameter
        for name, parameter in parameters.items()
        if name not in OF_THE_SHELL
    }


def section_of(root, name):
    config = read_yaml(root / "workflow/schemas/config.schema.yaml")
    return config["properties"][name]["additionalProperties"]


def without_none(annotation):
    """Return the type of an option that may be left out, without what typer is told of it."""
    if hasattr(annotation, "__metadata__"):
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        (annotation,) = (each for each in get_args(annotation) if each is not type(None))
    return annotation


@pytest.mark.parametrize("section", COMMANDS)
def test_the_keys_of_the_config_are_the_options_of_the_command(root, section):
    options = {name for command in COMMANDS[section] for name in options_of(command)}
    assert set(section_of(root, section)["properties"]) == options


@pytest.mark.parametrize(
    ("section", "name", "option"),
    [
        pytest.param(section, name, option, id=f"{section}-{name}")
        for section, (command, *others) in COMMANDS.items()
        for each in (command, *others)
        for name, option in options_of(each).items()
        if each is command or name not in options_of(command)
    ],
)
def test_a_key_takes_what_its_option_takes(root, section, name, option):
    key, told = section_of(root, section)["properties"][name], option.default
    kind = without_none(option.annotation)
    if get_origin(kind) is Literal:
        assert key["enum"] == list(get_args(kind))
    else:
        words = getattr(told, "metavar", None) or ""
        several = get_origin(kind) is list or words == "CLASSES"
        listed = "object" if "=" in words else "array"
        types_of_key = key["type"] if isinstance(key["type"], list) else [key["type"]]
        assert (listed if several else KINDS[kind]) in types_of_key
    least, most = (getattr(told, end, None) for end in ("min", "max"))
    ends = ("exclusiveMinimum", "exclusiveMaximum") if kind is float else ("minimum", "maximum")
    if name != "margin":  # which is read from a text
        bounds = {end: key[end] for end in key if "imum" in end}
        both = zip(ends, (least, most), strict=True)
        assert bounds == {end: bound for end, bound in both if bound is not None}
    if (get_origin(kind) is Literal or kind is int) and told.default is not None:
        assert f"(by default {told.default})" in key["description"]


def test_a_comparison_takes_the_kinds_of_labels_of_its_command(root):
    kinds = section_of(root, "audits")["then"]["properties"]["label_kind"]["enum"]
    assert kinds == list(get_args(options_of(compare)["label_kind"].annotation))
