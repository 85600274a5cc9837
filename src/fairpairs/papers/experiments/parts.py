"""Models, treatments and measures as a config names them: by file, or by import path.

A spec is a mapping: `call` is a name of the registry, or the import path of a class or function of
any installed package; `with` has its parameters, where a mapping with `call` is built, too. What
else it has are options of ours, such as `held_out`.
"""

import copy
import importlib
import inspect
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from fairpairs.base import inputs
from fairpairs.base.errors import InputError, failures, shortened, shown
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import meant
from fairpairs.papers import registry
from fairpairs.papers.models.features import ENCODINGS
from fairpairs.papers.treatments.contract import Kind

#: What a spec may have.
OPTIONS = ("call", "with", "grid", "search", "held_out", "as", "encode")
#: Points of a grid at the most.
MOST = 1000

_packages = cache(metadata.packages_distributions)


def spec_of(named: object) -> Content:
    """Return the spec of a name, a mapping, a class, a function or an estimator.

    >>> spec_of("sklearn.linear_model.Ridge")
    {'call': 'sklearn.linear_model.Ridge'}
    """
    if isinstance(named, Mapping) and "call" in named:
        return _checked(dict(named))
    if hasattr(named, "get_params") and not inspect.isclass(named):
        given = named.get_params(deep=False).items()
        # what goes around a model has none, or it would get another
        parameters = {name: value for name, value in given if (name, value) != ("estimator", None)}
        return {"call": type(named), "with": parameters}
    if not isinstance(named, str) and not hasattr(named, "__name__"):
        raise InputError(
            f"{shown(named)} is no part of an experiment: give a name, an import path, a class, a "
            "function or an estimator."
        )
    return {"call": named}


def _checked(spec: Content) -> Content:
    """Return a spec; InputError for an option that there is not, as the schema of the config."""
    for key, value in spec.items():
        if key not in OPTIONS:
            raise InputError(
                f"`{name_of(spec)}` has no option `{shortened(key)}`{meant(key, OPTIONS)}: name "
                f"some of {', '.join(OPTIONS)}."
            )
        if key in ("with", "grid", "search"):
            inputs.of_type(value, f"{key} of {name_of(spec)}", Mapping, "a mapping by name")
        elif key == "held_out" and value is not None:
            inputs.between(value, "held_out", 0, 1)
        elif key in ("as", "encode"):
            inputs.one_of(value, key, [*map(str, Kind)] if key == "as" else ENCODINGS)
    for name, values in spec.get("grid", {}).items():
        inputs.of_type(values or None, f"grid of {name}", list, "a list of values")
    if "search" in spec:
        _check_search(spec)
    return spec


def _check_search(spec: Content) -> None:
    search = spec["search"]
    if not {"best"} <= {*search} <= {"best", "subject_to", "held_out"}:
        raise InputError(
            f"search of {name_of(spec)} names {', '.join(map(str, search)) or 'nothing'}: name "
            "`best`, and perhaps `subject_to` and `held_out`."
        )
    bounds = search.get("subject_to", {})
    inputs.of_type(search["best"], "best of a search", str, "the name of a measure")
    inputs.of_type(bounds, "subject_to of a search", Mapping, "bounds by measure")
    for measure, bound in bounds.items():
        inputs.finite(bound, f"subject_to of {measure}")
    inputs.between(search.get("held_out", 0.5), "held_out of a search", 0, 1)


def name_of(spec: Content) -> str:
    """Return what a spec calls, in words."""
    call = spec["call"]
    return str(getattr(call, "__name__", call))


def is_path(name: object) -> bool:
    """Whether a name is an import path, and not that of a file of the registry."""
    return isinstance(name, str) and "." in name


def short(name: str) -> str:
    """Return the last part of an import path."""
    return name.rpartition(".")[2]


def found(kind: str, spec: Content, extensions: Iterable[str | Path] = ()) -> Any:
    """Return the class or function that a spec calls; `kind` is that of the registry."""
    name = spec["call"]
    if callable(name):
        return name
    inputs.of_type(name, "call", str, "a name, an import path, a class or a function")
    if is_path(name):
        return imported(name)
    known = {*registry.known(kind), *(Path(file).stem for file in extensions)}
    if name not in known:
        word, near = registry.KINDS[kind].word, meant(name, known)
        raise InputError(
            f"there is no {word} `{shortened(name)}`{near}: name one of "
            f"{', '.join(sorted(known))}, or an import path."
        )
    return registry.load(kind, name, extensions)


def imported(path: str) -> Any:
    """Import the class or function of a path such as `sklearn.linear_model.Ridge`."""
    module_name, _, name = path.rpartition(".")
    with failures(f"`{path}` cannot be imported", "correct the path, or install its package"):
        module = importlib.import_module(module_name)
    if not hasattr(module, name):
        known = [other for other in dir(module) if not other.startswith("_")]
        raise InputError(f"`{path}`: {module_name} has no `{name}`{meant(name, known)}.")
    target = getattr(module, name)
    if not callable(target):
        raise InputError(
            f"`{path}` is a {type(target).__name__}: give the path of a class or a function."
        )
    return target


def built(target: Any, spec: Content, **more: object) -> Any:
    """Call the target of a spec with the parameters of the spec, and more."""
    return target(**{**values(spec), **more})


def values(spec: Content) -> dict[str, object]:
    """Return the parameters of a spec, those with `call` built."""
    return {key: _value(value) for key, value in spec.get("with", {}).items()}


def _value(value: object) -> object:
    """Build the mappings with `call` in a parameter."""
    if isinstance(value, Mapping) and "call" in value:
        return built(imported(value["call"]), value)
    if isinstance(value, Mapping):
        return {key: _value(part) for key, part in value.items()}
    # an object is as new for every fit as what a config names
    return [_value(part) for part in value] if isinstance(value, list) else copy.deepcopy(value)


def check_parameters(target: Any, spec: Content, given: Collection[str] = ()) -> None:
    """Raise InputError when a target, or one in its parameters, does not take a parameter.

    What it is `given` is no parameter.
    """
    try:
        taken = inspect.signature(target).parameters
    except ValueError:  # of a type that is built in
        return
    any_name = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values())
    known = [name for name in taken if name not in given]
    for name, value in spec.get("with", {}).items():
        if name not in known and not any_name:
            raise InputError(
                f"`{name_of(spec)}` has no parameter `{name}`{meant(name, known)}: it takes "
                f"{', '.join(known) or 'none'}."
            )
        if isinstance(value, Mapping) and "call" in value:
            check_parameters(imported(value["call"]), value)


def grid(name: str, spec: Content) -> Iterator[tuple[str, Content]]:
    """Yield the name and the spec of each point of a spec with a `grid`, or the spec itself.

    >>> points = {"call": "a.B", "with": {"k": {"call": "a.C"}}, "grid": {"k.eps": [1, 2]}}
    >>> for point in grid("b", points): print(*point)
    b-eps=1 {'call': 'a.B', 'with': {'k': {'call': 'a.C', 'with': {'eps': 1}}}}
    b-eps=2 {'call': 'a.B', 'with': {'k': {'call': 'a.C', 'with': {'eps': 2}}}}
    """
    axes = spec.get("grid", {})
    if (points := math.prod(map(len, axes.values()))) > MOST:
        raise InputError(f"The grid of {name} has {points:,} points: give at most {MOST:,}.")
    rest = {key: value for key, value in spec.items() if key != "grid"}
    for values in itertools.product(*axes.values()):
        point: Content = rest
        words = [name]
        for path, value in zip(axes, values, strict=True):
            point = _set(point, path.split("."), value)
            words.append(f"{short(path)}={value}")
        yield "-".join(words), point


def _set(spec: Content, path: list[str], value: object) -> Content:
    first, *rest = path
    if not isinstance(spec, Mapping) or "call" not in spec:
        raise InputError(
            f"A grid varies `{first}` of {shown(spec)}, which has no parameters: correct its key."
        )
    parameters = dict(spec.get("with", {}))
    parameters[first] = _set(parameters.get(first, {}), rest, value) if rest else value
    return {**spec, "with": parameters}


def paths(spec: object) -> Iterator[str]:
    """Yield the import paths in names and specs."""
    if is_path(spec):
        yield str(spec)
    parts = list(spec.values()) if isinstance(spec, Mapping) else spec
    for part in parts if isinstance(parts, list | tuple) else ():
        yield from paths(part)


def versions(spec: object) -> dict[str, str]:
    """Return the version of each package whose parts specs name."""
    tops = dict.fromkeys(path.partition(".")[0] for path in paths(spec))
    known = _packages() if tops else {}
    return {name: metadata.version(name) for top in tops for name in known.get(top, ())}


def named_versions(config: Content) -> dict[str, str]:
    """Return the version of each package whose parts the models and treatments of a config name."""
    keys = ("model", "models", "treatments", "measures")
    parts = (config, *config.get("experiments", {}).values())
    return versions([part[key] for part in parts for key in keys if key in part])
