"""Checks of YAML files against JSON schemas, with messages that a person can act on."""

import difflib
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed, meant

# libyaml, where PyYAML has it, is many times as fast, and every job of a cluster reads all cards
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """A loader that refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # refused below
            if key in seen:
                line = key_node.start_mark.line + 1
                raise InputError(
                    f"line {line}: the key `{shortened(key)}` is a duplicate: drop one."
                )
            seen.add(key)
        constructed: dict[Any, Any] = super().construct_mapping(node, deep)
        return constructed


def yaml_of(text: str) -> Any:
    """Return what a text of YAML holds, by a SafeLoader with one more check."""
    return yaml.load(text, Loader=_Loader)


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file; all code of the project that reads YAML calls this."""
    path = Path(path)
    try:
        return yaml_of(path.read_text("utf-8"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not in UTF-8: save it in that encoding.") from error
    except (yaml.YAMLError, ValueError) as error:  # as of a 13th month
        raise InputError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def read_checked_yaml(path: str | Path, schema: str | Path) -> Any:
    """Read a YAML file and check it against a JSON schema (see `check`)."""
    content = read_yaml(path)
    check(content, schema, name=str(path))
    return content


def check(
    content: Any,
    schema: str | Path,
    *,
    name: str,
    parts: Mapping[str, str | Path] | None = None,
) -> None:
    """Check content against a JSON schema that is kept as YAML; `name` is that of its file.

    `parts` are further keys of the content, each with the path of its schema. The InputError is one
    sentence: the file, the key, what is wrong, and the remedy.
    """
    import jsonschema  # noqa: PLC0415  (slow)

    if not isinstance(content, dict):
        value = shortened(repr(content))
        raise InputError(f"{name}: {value} is not of type 'object': write keys with their values.")
    if wrong := next(_no_texts(content), None):
        raise InputError(f"{name}: {wrong}")
    of_file = _schema(str(Path(schema)))
    if parts:
        # with a name of its own, so that `$ref: "#/…"` is in its own file
        further = {k: {"$id": f"urn:study:{k}", **_schema(str(p))} for k, p in parts.items()}
        of_file = {**of_file, "properties": {**of_file["properties"], **further}}
    errors = jsonschema.Draft202012Validator(of_file).iter_errors(content)
    error: Any = jsonschema.exceptions.best_match(errors)
    if error is not None:
        raise InputError(f"{name}: {_sentence(error)}")


@cache
def _schema(path: str) -> Record:
    import jsonschema  # noqa: PLC0415  (slow)

    content: Record = read_yaml(path)
    try:
        if not isinstance(content, dict):
            raise jsonschema.SchemaError(f"{shortened(repr(content))} is not of type 'object'")
        jsonschema.Draft202012Validator.check_schema(
            content, jsonschema.Draft202012Validator.FORMAT_CHECKER
        )
    except jsonschema.SchemaError as error:
        key = ".".join(map(str, error.absolute_path))
        where = f"key `{key}`: " if key else ""
        raise InputError(
            f"{path}: not a JSON schema: {where}{shortened(error.message)}: correct it."
        ) from None
    return content


def _no_texts(content: Any, path: tuple[Any, ...] = ()) -> Iterator[str]:
    """Yield the keys that are no texts to YAML, such as yes, which no schema can refuse."""
    for key, value in content.items() if isinstance(content, dict) else ():
        if not isinstance(key, str):
            inside = f" of `{'.'.join(map(shortened, path))}`" if path else ""
            yield f"the key `{shortened(key)}`{inside} is not text to YAML: put it in quotes."
        yield from _no_texts(value, (*path, key))
    for i, value in enumerate(content if isinstance(content, list) else ()):
        yield from _no_texts(value, (*path, i))


def _sentence(error: Any) -> str:
    path = ".".join(shortened(part) for part in error.absolute_path)
    schema = error.schema
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = sorted(schema.get("properties", {}))
        key = next(key for key in error.instance if key not in known)
        close = difflib.get_close_matches(str(key), known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"the keys here are {_quoted(known)}."
        return f"unknown key `{f'{path}.' if path else ''}{shortened(key)}`; {hint}"
    where = f"key `{path}`: " if path else ""
    if error.validator == "required":
        missing = next(key for key in schema["required"] if key not in error.instance)
        meaning = schema.get("properties", {}).get(missing, {}).get("description")
        return f"{where}`{missing}` is missing" + (f" ({meaning.strip()})" if meaning else ".")
    if error.validator == "enum":
        found, known = error.instance, schema["enum"]
        hint = meant(found, map(str, known)) if isinstance(found, str) else ""
        return f"{where}{shortened(repr(found))} is not one of {_quoted(known)}{hint}."
    meaning = schema.get("description")
    if error.validator == "pattern" and meaning:
        return f"{where}{shortened(repr(error.instance))} is wrong; expected: {meaning.strip()}"
    message = error.message.replace(repr(error.instance), shortened(repr(error.instance)))
    return f"{where}{message}" + (f"; expected: {meaning.strip()}" if meaning else ".")


def _quoted(words: list[Any]) -> str:
    return listed(f"`{word}`" for word in words)
