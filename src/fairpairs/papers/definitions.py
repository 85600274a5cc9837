"""What treatments, models and tests take, read from their files without importing them."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairpairs.papers.registry import KINDS, syntax_tree

#: The parameters of a function: name → text of the default, empty without one.
Parameters = Mapping[str, str]


@dataclass(frozen=True)
class Definition:
    """A function or a class: what it takes, and of a class what each of its methods takes."""

    takes: Parameters
    methods: Mapping[str, Parameters] | None = None


def definition(kind: str, file: Path) -> Definition | None:
    """Return what the constant of a file names; None unless it is defined in the file."""
    body = syntax_tree(file).body
    named = next(filter(None, (_named(node, KINDS[kind].constant) for node in body)), None)
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == named:
            return Definition(_parameters(node))
        if isinstance(node, ast.ClassDef) and node.name == named:
            functions = (part for part in node.body if isinstance(part, ast.FunctionDef))
            methods = {function.name: _parameters(function) for function in functions}
            return Definition(methods.get("__init__", {}), methods)
    return None


def _named(node: ast.stmt, constant: str) -> str | None:
    """Return the name that a statement gives to a constant."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=name))
            | ast.AnnAssign(target=ast.Name(id=target), value=ast.Name(id=name))
        ) if target == constant:
            return name
    return None


def _parameters(function: ast.FunctionDef) -> Parameters:
    takes = function.args
    names = [*takes.posonlyargs, *takes.args, *takes.kwonlyargs]
    required = [None] * (len(names) - len(takes.defaults) - len(takes.kw_defaults))
    defaults = [*required, *takes.defaults, *takes.kw_defaults]
    return {
        name.arg: ast.unparse(default) if default else ""
        for name, default in zip(names, defaults, strict=True)
    }
