"""Checks of YAML files against JSON schemas, with messages that a person can act on."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from fairpairs.errors import InputError


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file.

    Raises
    ------
    InputError
        When the file is missing or is not YAML.
    """
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file.") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def read_checked_yaml(path: str | Path, schema: str | Path) -> Any:
    """Read a YAML file and check it against a JSON schema (see `check`)."""
    content = read_yaml(path)
    check(content, schema, name=str(path))
    return content


def check(content: Any, schema: str | Path, *, name: str) -> None:
    """Check `content` against a JSON schema that is kept as YAML.

    Parameters
    ----------
    content
        What was read from the file `name`.
    schema
        Path of the schema.
    name
        What the message calls the content: the path of the file.

    Raises
    ------
    InputError
        One sentence: the file, the key, what is wrong, and the remedy.
    """
    validator = jsonschema.Draft202012Validator(read_yaml(schema))
    error: Any = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if error is not None:
        raise InputError(f"{name}: {_sentence(error)}")


def _sentence(error: Any) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    schema = error.schema
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = sorted(schema.get("properties", {}))
        key = next(key for key in error.instance if key not in known)
        close = difflib.get_close_matches(str(key), known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"the keys here are {_listed(known)}."
        return f"unknown key `{f'{place}.' if place else ''}{key}`; {hint}"
    where = f"key `{place}`: " if place else ""
    if error.validator == "required":
        missing = next(key for key in schema["required"] if key not in error.instance)
        meaning = schema.get("properties", {}).get(missing, {}).get("description")
        return f"{where}`{missing}` is missing" + (f" ({meaning.strip()})" if meaning else ".")
    if error.validator == "enum":
        return f"{where}{error.instance!r} is not one of {_listed(schema['enum'])}."
    meaning = schema.get("description")
    return f"{where}{error.message}" + (f"; expected: {meaning.strip()}" if meaning else ".")


def _listed(words: list[Any]) -> str:
    return ", ".join(f"`{word}`" for word in words)
