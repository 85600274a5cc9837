"""An experiment of the config, and its repeats in chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairpairs.base.plain_values import Content
from fairpairs.papers.experiments.arms import Arm, arms
from fairpairs.papers.experiments.blocks import chunks


@dataclass(frozen=True)
class Experiment:
    """An experiment of the config, with its defaults; `datasets` are those that are available."""

    name: str
    title: str
    datasets: tuple[str, ...]
    arms: Mapping[str, Arm]
    repeats: int
    chunk_size: int
    tests: tuple[str, ...] = ()
    measures: tuple[str | Content, ...] = ()
    #: Arguments of `compare_treatments`; None if there is nothing to compare.
    compare: Content | None = None
    test_fraction: float = 0.5
    pairs_per_item: float = 2
    draws: int = 1
    curves: bool = False
    folds: int | None = None
    encoder: str | None = None

    @classmethod
    def from_settings(
        cls, name: str, settings: Content, config: Content, datasets: list[str]
    ) -> Experiment:
        """Return an experiment from its part of the config, for some of its data sets."""
        values = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in settings.items()
            if key not in ("model", "models", "treatments", "compare")
        }
        values["arms"] = trained = arms(f"config: experiments.{name}", settings, config)
        treatments = list(dict.fromkeys(arm.treatment for arm in trained.values()))
        repeats = settings.get("repeats", config["repeats"])
        if "measures" in settings and len(treatments) > 1 and repeats > 1:
            against = "none" if "none" in treatments else treatments[0]
            given = {"against": against, "alpha": config["alpha"]}
            values["compare"] = {**given, **settings.get("compare", {})}
        defaults = {"title": name, **{key: config[key] for key in ("repeats", "chunk_size")}}
        return cls(**{**defaults, **values, "name": name, "datasets": tuple(datasets)})

    @classmethod
    def from_params(cls, params: Content) -> Experiment:
        """Return an experiment from its fields, as `dataclasses.asdict` has them."""
        return cls(**{**params, "arms": {k: Arm(**arm) for k, arm in params["arms"].items()}})

    @property
    def treatments(self) -> tuple[str, ...]:
        """The names of its arms."""
        return tuple(self.arms)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of its models."""
        return tuple(dict.fromkeys(arm.model for arm in self.arms.values()))

    @property
    def tested_by(self) -> list[tuple[str, str]]:
        """The tests of its predictions, as the registry names them."""
        return [("tests", name) for name in self.tests]

    @property
    def chunks(self) -> list[str]:
        """Its repeats in chunks (see `chunks`)."""
        return chunks(self.repeats, self.chunk_size)
