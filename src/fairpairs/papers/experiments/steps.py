"""The steps of a treatment, one after the other, and whether they go together."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers import registry
from fairpairs.papers.experiments.parts import found, is_path, name_of, spec_of, values
from fairpairs.papers.treatments.contract import Kind, kind_by

#: A model or a treatment: its name or spec, or the specs of several steps.
Named = str | Content | Sequence[str | Content]
#: Kinds that predict, and so are the last of their steps.
LAST = (Kind.AROUND, Kind.ESTIMATOR, Kind.DECISIONS)
#: What a treatment function takes, for the message.
FORMS = "(y, sensitive_features) for weights, or (X, y, sensitive_features, rng) for other rows"


@dataclass(frozen=True)
class Step:
    """A treatment, or one of several: its name, its class, function or object, and its spec."""

    name: str
    target: Any
    spec: Content = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """Its kind (see `contract`): as the spec has it, or by the signature."""
        return Kind(self.spec.get("as") or kind_of(self.target, self.name))

    @property
    def function(self) -> Any:
        """The treatment of rows or weights, with the parameters of its spec."""
        return partial(self.target, **values(self.spec))

    def given(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of some arguments that it takes."""
        return {name: part for name, part in parts.items() if takes(self.target, name)}


def specs_of(treatment: Named) -> list[Content]:
    """Return the specs of the steps of a treatment."""
    named = treatment if isinstance(treatment, list | tuple) else [treatment]
    return [spec_of(part) for part in named]


def steps_of(treatment: Named, extensions: Iterable[str | Path] = ()) -> list[Step]:
    """Return the steps of a treatment, imported and checked; `none` is no step."""
    specs = [spec for spec in specs_of(treatment) if spec["call"] != "none"]
    steps = []
    for spec in specs:
        name, target = name_of(spec), found("treatments", spec, extensions)
        ours = isinstance(spec["call"], str) and not is_path(name)
        file = registry.file_of("treatments", name, extensions) if ours else None
        kind = registry.constant_of(file, "KIND") if file else None
        steps.append(Step(name, target, {"as": kind, **spec} if kind else spec))
    check_steps(steps)
    return steps


def kind_of(target: Any, name: str) -> Kind:
    """Tell the kind of a treatment from what it takes; InputError if it takes something else."""
    methods = None
    if inspect.isclass(target):
        named = [method for method in ("fit", "predict", "transform") if hasattr(target, method)]
        methods = {
            method: inspect.signature(getattr(target, method)).parameters for method in named
        }
    try:
        kind = kind_by(inspect.signature(target).parameters, methods)
    except ValueError:  # of a type that is built in
        kind = None
    if kind is not None:
        return kind
    raise InputError(
        f"The treatment {name} is neither a class with `fit` nor a function of {FORMS}: write one "
        "of these, or say what it is with `as`."
    )


def check_steps(steps: Sequence[Step]) -> None:
    """Raise InputError when steps do not go together."""
    kinds = [step.kind for step in steps]
    for place, (step, kind) in enumerate(zip(steps, kinds, strict=True)):
        held_out = step.spec.get("held_out")
        if kind in LAST and step is not steps[-1]:
            raise InputError(f"The treatment {step.name} must be the last of its steps.")
        if kind in (Kind.FILTER, Kind.ROWS) and Kind.WEIGHTS in kinds[:place]:
            raise InputError(
                f"The treatment {step.name} changes rows that have been weighted: put it first."
            )
        if kind == Kind.DECISIONS and not held_out:
            raise InputError(
                f"The treatment {step.name} is fitted on rows that the model has not seen: give "
                "it a share of the training rows, as `held_out: 0.3`."
            )
        if held_out and kind != Kind.DECISIONS and not takes(step.target, "prefit"):
            raise InputError(
                f"The treatment {step.name} takes no rows that are held out: drop `held_out`."
            )
        if kind == Kind.AROUND and Kind.WEIGHTS in kinds and not held_out:
            raise InputError(
                f"The treatment {step.name} gives the model weights of its own, so other weights "
                "are lost: drop one of the two."
            )
    if kinds.count(Kind.WEIGHTS) > 1:
        raise InputError("Only one step of a treatment may give weights: drop the others.")
    if kinds and kinds[-1] in (Kind.AROUND, Kind.ESTIMATOR) and Kind.TRANSFORMER in kinds:
        raise InputError(f"No transformer goes before {steps[-1].name}: drop one of the two.")
    if kinds and kinds[-1] == Kind.ESTIMATOR and Kind.WEIGHTS in kinds:
        raise InputError(f"{steps[-1].name} gets no weights: drop one of the two.")


def takes(target: Any, parameter: str) -> bool:
    """Whether a function or class takes a parameter of a name."""
    return parameter in inspect.signature(target).parameters
