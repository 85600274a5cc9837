"""Checks of YAML files against JSON schemas, with messages that a person can act on."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from fairpairs.errors import InputError

# libyaml, where PyYAML has it, is many times as fast, and every job of a cluster reads all cards
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """A loader that refuses a key that stands twice, of which YAML would take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                line = node.start_mark.line + 1
                raise InputError(f"the key `{key}` stands twice below line {line}: drop one.")
        constructed: dict[Any, Any] = super().construct_mapping(node, deep)
        return constructed


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file.

    Raises
    ------
    InputError
        When the file is missing, cannot be read, or is not YAML in UTF-8.
    """
    try:
        # a SafeLoader with one more check
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Loader)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not in UTF-8: save it in that encoding.") from error
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
    if not isinstance(content, dict):
        raise InputError(
            f"{name}: {content!r} is not of type 'object': write keys with their values."
        )
    wrong = next(_wrong_values(content, ()), None)
    if wrong is not None:
        raise InputError(f"{name}: {wrong}")
    error: Any = jsonschema.exceptions.best_match(_validator(str(schema)).iter_errors(content))
    if error is not None:
        raise InputError(f"{name}: {_sentence(error)}")


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


#: JSON schema takes 4.0 for an integer; a count of repeats is not written so.
_Validator = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


@cache
def _validator(schema: str) -> Any:
    return _Validator(read_yaml(schema))


def _wrong_values(content: Any, place: tuple[Any, ...]) -> Iterator[str]:
    """Find what no schema can say: keys that are not text, numbers that are not finite."""
    where = ".".join(map(str, place))
    if isinstance(content, dict):
        for key, value in content.items():
            if not isinstance(key, str):
                inside = f" of `{where}`" if where else ""
                yield f"the key `{key}`{inside} is not text to YAML: put it in quotes."
            yield from _wrong_values(value, (*place, key))
    elif isinstance(content, list):
        for i, value in enumerate(content):
            yield from _wrong_values(value, (*place, i))
    elif isinstance(content, float | int) and not abs(content) <= sys.float_info.max:
        yield f"key `{where}`: {content} is not a finite number of 64 bits."


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
