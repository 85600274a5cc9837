"""Checks of YAML files against JSON schemas, with messages that a person can act on."""

import difflib
import re
import sys
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import UNPRINTABLE, listed, meant

# libyaml, where PyYAML has it, is many times as fast, and every job of a cluster reads all cards
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

#: Bounds of a file. Ours are below 50 kB, 2,000 values and 11 levels.
MAX_BYTES = 1_000_000
MAX_VALUES = 100_000
MAX_DEPTH = 50
#: Characters of a number or a date.
MAX_NUMBER = 100


class _Loader(_Base):  # type: ignore[misc]
    """A loader that refuses duplicate keys, and invalid numbers and dates."""

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

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        kind = node.tag.rpartition(":")[2]
        try:
            if isinstance(node, yaml.ScalarNode) and kind != "str" and len(node.value) > MAX_NUMBER:
                raise ValueError
            return super().construct_object(node, deep)
        except InputError:
            raise
        # PyYAML raises all of these for a value that looks like a number or date but is invalid
        except (AttributeError, LookupError, OverflowError, ValueError) as error:
            line, value = node.start_mark.line + 1, shortened(node.value)
            raise InputError(
                f"line {line}: `{value}` is not a valid {kind}: correct it, or put it in quotes."
            ) from error


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file; all code of the project that reads YAML calls this.

    InputError if it is beyond the bounds above, within which it cannot fill the memory.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise InputError("not a regular file: put a text file in its place.")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(f"longer than {MAX_BYTES:,} bytes: shorten it.")
        text = content.decode("utf-8")
        _check_bounds(text)
        # a SafeLoader with more checks
        return yaml.load(text, Loader=_Loader)
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


def _check_bounds(text: str) -> None:
    """Raise when a text is too deep, or too large once its aliases are replaced.

    Goes through the events, without recursion: the loader of libyaml would exhaust the C stack.
    """
    total = 0
    inside: list[tuple[Any, int]] = []  # anchor of each open collection, values before it
    anchored: dict[Any, int] = {}  # number of values of each anchor
    event: Any
    for event in yaml.parse(text, Loader=_Base):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor in [anchor for anchor, _ in inside]:
                raise InputError(
                    f"line {line}: the alias `*{event.anchor}` is a part of itself: drop it."
                )
            total += anchored.get(event.anchor, 0)
        elif isinstance(event, yaml.ScalarEvent):
            size = 1 + len(event.value) // 100  # so that a long text cannot be repeated at will
            total += size
            anchored[event.anchor] = size
        elif isinstance(event, yaml.CollectionStartEvent):
            inside.append((event.anchor, total))
            total += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = inside.pop()
            anchored[anchor] = total - before
        if len(inside) > MAX_DEPTH:
            raise InputError(f"line {line}: more than {MAX_DEPTH} levels deep: flatten it.")
        if total > MAX_VALUES:
            raise InputError(
                f"line {line}: more than {MAX_VALUES:,} values so far, where an alias (`*name`) "
                "counts as all that it repeats: drop values or aliases."
            )


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
    wrong = next(_wrong_values(content, ()), None)
    if wrong is not None:
        raise InputError(f"{name}: {wrong}")
    errors = _validator(str(Path(schema)), parts).iter_errors(content)
    try:
        error: Any = jsonschema.exceptions.best_match(errors)
    # the library makes no public name of this exception
    except jsonschema.exceptions._WrappedReferencingError as wrong_ref:  # type: ignore[attr-defined]
        files = map(Path, [schema, *(parts or {}).values()])
        names = [str(file) for file in files if wrong_ref.ref in file.read_text("utf-8")]
        raise InputError(
            f"{' or '.join(names)}: there is nothing at the `$ref` {wrong_ref.ref}: correct it."
        ) from None
    if error is not None:
        raise InputError(f"{name}: {_sentence(error)}")


@cache
def _validator_class() -> Any:
    """Return the validator of JSON schemas that takes integers and patterns as a YAML file does."""
    import jsonschema  # noqa: PLC0415  (slow)

    def is_integer(_: Any, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def match(_: Any, pattern: str, text: Any, __: Any) -> Iterator[Any]:
        """Match as JSON schema does: `$` is the very end; Python's lets a line break follow."""
        if isinstance(text, str) and not re.search(re.sub(r"\$(?=\)|$)", r"\\Z", pattern), text):
            yield jsonschema.ValidationError(f"{text!r} does not match {pattern!r}")

    plain = jsonschema.Draft202012Validator
    # JSON schema takes 4.0 for an integer; a count of repeats is not written so
    types = plain.TYPE_CHECKER.redefine("integer", is_integer)
    return jsonschema.validators.extend(plain, {"pattern": match}, type_checker=types)  # type: ignore[no-untyped-call]


def _validator(schema: str, parts: Mapping[str, str | Path] | None) -> Any:
    content = _schema(schema)
    if parts:
        # with a name of its own, so that `$ref: "#/…"` is in its own file
        further = {k: {"$id": f"urn:study:{k}", **_schema(str(p))} for k, p in parts.items()}
        for part in further.values():
            part.pop("$schema", None)  # with it, a part would be checked by the plain validator
        content = {**content, "properties": {**content["properties"], **further}}
    return _validator_class()(content)


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


def _wrong_values(content: Any, path: tuple[Any, ...]) -> Iterator[str]:
    """Yield errors that a schema cannot express: non-text keys, control characters, infinity."""
    where = ".".join(map(shortened, path))
    if isinstance(content, dict):
        inside = f" of `{where}`" if where else ""
        for key, value in content.items():
            if not isinstance(key, str):
                yield f"the key `{shortened(key)}`{inside} is not text to YAML: put it in quotes."
            elif UNPRINTABLE.search(key):
                shown = shortened(repr(key))
                what = "a line break or a control or invisible character"
                yield f"the key {shown}{inside} has {what}: drop that."
            yield from _wrong_values(value, (*path, key))
    elif isinstance(content, list):
        for i, value in enumerate(content):
            yield from _wrong_values(value, (*path, i))
    elif isinstance(content, str) and "\0" in content:
        yield f"key `{where}`: {shortened(repr(content))} has a control character: drop that."
    elif isinstance(content, float | int) and not abs(content) <= sys.float_info.max:
        yield f"key `{where}`: {shortened(content)} is not a finite number of 64 bits."


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
