"""The arms of an experiment: its models, each with each of its treatments."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from fairpairs.base.errors import InputError, within
from fairpairs.base.plain_values import Content
from fairpairs.papers.experiments.parts import grid, is_path, name_of, short, spec_of, versions

#: The name of a part of a config, and its steps: of a model one.
Point = tuple[str, list[Content]]


#: Characters of a name, so that it can be that of a folder.
LONGEST = 200


@dataclass(frozen=True)
class Arm:
    """A model with a treatment of an experiment: the name of each, its spec, and its steps."""

    model: str
    treatment: str
    spec: Content
    steps: tuple[Content, ...]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Its treatments and its model that are files, as the registry names them."""
        named = [
            *(("treatments", step["call"]) for step in self.steps),
            ("models", self.spec["call"]),
        ]
        return [(kind, name) for kind, name in named if isinstance(name, str) and not is_path(name)]

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the packages of the others."""
        return versions([self.spec, *self.steps])


def arms(where: str, settings: Content, config: Content) -> dict[str, Arm]:
    """Return the arms of an experiment by name: that of the treatment, after that of the model.

    The model is left out of the names if there is one. `where` is the place in the config.

    >>> config = {"treatments": {"both": ["fairway", "fairbalance"]}}
    >>> list(arms("", {"model": "a.B", "treatments": ["none", "both", "x.Y"]}, config))
    ['none', 'both', 'Y']
    """
    models = _points(where, "models", settings.get("models") or [settings["model"]], config)
    treatments = _points(where, "treatments", settings["treatments"], config)
    made: dict[str, Arm] = {}
    for (model, (spec, *_)), (treatment, steps) in itertools.product(models, treatments):
        name = f"{model}+{treatment}" if len(models) > 1 else treatment
        if name in made:
            raise InputError(
                f"{where}: two parts have the name `{name}`: give them names of their own in "
                "`models` or `treatments` of the config."
            )
        if len(name) > LONGEST:
            raise InputError(
                f"{where}: `{name[:40]}…` is too long a name of files: give parts names of your "
                "own, without a `grid` of such values."
            )
        made[name] = Arm(model, treatment, spec, tuple(steps))
    return made


def _points(where: str, kind: str, named: Iterable[object], config: Content) -> list[Point]:
    """Return the parts of a list in the config, one for each point of a grid."""
    return [point for part in named for point in _meant(where, kind, part, config)]


def _meant(
    where: str,
    kind: str,
    named: object,
    config: Content,
    above: tuple[str, ...] = (),
    name: str = "",
) -> list[Point]:
    """Return the points of a part, which the config names `name`, below others of the config."""
    known = config.get(kind, {})
    if isinstance(named, str) and known.get(named, named) != named:
        if named in above:
            raise InputError(f"config: {kind}: `{named}` is a step of itself: name another.")
        return _meant(where, kind, known[named], config, (*above, named), name or named)
    if not isinstance(named, list):
        spec = spec_of(named)
        named_so = name or short(name_of(spec))
        with within(where):
            points = [(named_so, spec)] if "search" in spec else list(grid(named_so, spec))
        return [(_file_name(point), [of]) for point, of in points]
    steps = []
    for part in named:
        step, *others = _meant(where, kind, part, config, above)
        if others:
            raise InputError(
                f"{where}: a step of a treatment has a `grid`: give it one value, a `search`, or "
                "make a treatment of each."
            )
        steps.append(step)
    joined = name or "-".join(step for step, _ in steps)
    return [(_file_name(joined), [spec for _, specs in steps for spec in specs])]


def _file_name(name: str) -> str:
    """Return a name that can be that of a folder."""
    return re.sub(r"[^A-Za-z0-9_.=+-]+", "_", name)
