"""The settings of an audit, and the columns that it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from fairpairs.audits.audit.messages import Wording
from fairpairs.base import inputs
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

#: Kinds of the label of an audit; "auto" infers it from the values.
AuditLabelKind = Literal["auto", "binary", "number", "classes", "ordinal"]


@dataclass(frozen=True)
class AuditColumns:
    """The columns of the items, as `audit` takes them; shape (n,) each."""

    y_true: ArrayLike | Column
    y_pred: ArrayLike | Column | None
    sensitive_features: Mapping[str, ArrayLike | Column]
    y_score: ArrayLike | Column | None = None
    clusters: ArrayLike | Column | None = None
    sample_weight: ArrayLike | Column | None = None
    #: A label that all items have, where most have no `y_true` (a `PartialColumn`); the chance of
    #: each item to have that, or strata within which those that have it were drawn at random.
    cheap_label: ArrayLike | Column | None = None
    chance: ArrayLike | Column | None = None
    drawn_within: ArrayLike | Column | None = None
    #: What is controlled for, by name.
    control: Mapping[str, ArrayLike | Column] = field(default_factory=dict)

    @property
    def with_options(self) -> dict[str, tuple[str, Any]]:
        """The option and values of each array by which related rows are seen, by its name."""
        return {
            "y_true": ("label", self.y_true),
            "y_pred": ("prediction", self.y_pred),
            "y_score": ("score", self.y_score),
            "cheap_label": ("cheap_label", self.cheap_label),
            "drawn_within": ("drawn_within", self.drawn_within),
            **{name: ("sensitive", values) for name, values in self.sensitive_features.items()},
            **{name: ("control", values) for name, values in self.control.items()},
        }


@dataclass(frozen=True)
class Settings:
    """The options of `audit`, which describes them."""

    positive: object = None
    favourable: object = None
    label_kind: AuditLabelKind = "auto"
    order: Sequence[object] | None = None
    missing_group: bool = False
    intersections: bool = False
    reference: Mapping[str, object] = field(default_factory=dict)
    weight_kind: WeightKind = "sampling"
    alpha: float = 0.05
    correction: Correction = "holm"
    criterion: str | Sequence[str] | None = None
    margin: float | Mapping[str, float] | None = None
    #: Groups with fewer items do not count.
    smallest: int = 1
    n_permutations: int = 0
    random_state: int = 0
    threshold: float | None = None

    def check(self, wording: Wording) -> None:
        """Raise where an option is none of those allowed, whatever the items."""
        inputs.level(self.alpha, wording.option("alpha"))
        inputs.whole(
            self.n_permutations, wording.option("permutations"), 0, inputs.MAX_PERMUTATIONS
        )
        inputs.whole(self.random_state, wording.option("seed"), 0)
        inputs.whole(self.smallest, wording.option("smallest"), 1)
        inputs.flag(self.intersections, "intersections")
        inputs.flag(self.missing_group, "missing_group")
        inputs.one_of(self.correction, "correction", get_args(Correction))
        inputs.one_of(self.weight_kind, "weight_kind", get_args(WeightKind))
        if self.threshold is not None:
            inputs.finite(self.threshold, wording.option("threshold"))
        if not isinstance(self.reference, Mapping):
            raise InputError(
                "reference must name a group by attribute, such as {'sex': 'female'}; it is "
                f"{shown(self.reference)}."
            )
