"""The settings of an audit, the columns that it reads, and other names of its criteria."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from fairpairs.audits.items.messages import Wording
from fairpairs.base import inputs
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError
from fairpairs.base.texts import named_twice
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

#: Kinds of the label of an audit; "auto" infers it from the values.
AuditLabelKind = Literal["auto", "binary", "number", "classes", "ordinal"]
#: Other name of a criterion → its name here.
ALIASES = {"equalized_odds": "separation"}
#: Criterion → the one that has all its lines.
PART_OF = {"equal_opportunity": "separation"}


def plain_names(criterion: object) -> tuple[object, ...]:
    """Return one or several names as a tuple, each as it is called here.

    >>> plain_names("equalized_odds")
    ('separation',)
    """
    names: Sequence[object] = (criterion,)
    if isinstance(criterion, Sequence) and not isinstance(criterion, str):
        names = criterion
    return tuple(ALIASES.get(name, name) if isinstance(name, str) else name for name in names)


def plain_margins(margin: Mapping[Any, float], option: str) -> dict[Any, float]:
    """Return margins by the names of criteria here; InputError where two are of one criterion."""
    names = plain_names(list(margin))
    if (twice := named_twice(names)) is not None:
        raise InputError(f"{option} names {twice} twice, once by another name: give one margin.")
    return dict(zip(names, margin.values(), strict=True))


def check_parts(names: Sequence[object], option: str) -> None:
    """Raise where a criterion is named beside the one that has all its lines."""
    for part, whole in PART_OF.items():
        if part in names and whole in names:
            raise InputError(f"{option}: {whole} has the comparisons of {part}: name one of them.")


@dataclass(frozen=True)
class ColumnNames:
    """The columns of a table, as the options name them."""

    label: str | None = None
    prediction: str | None = None
    sensitive: Sequence[str] = ()
    score: str | None = None
    cluster: str | None = None
    weight: str | None = None
    cheap_label: str | None = None
    chance: str | None = None
    drawn_within: str | None = None
    control: Sequence[str] = ()
    selected: str | None = None
    of: str | None = None


@dataclass(frozen=True)
class AuditColumns:
    """The columns of the items, as `audit` takes them; shape (n,) each."""

    #: An array, a `Column`, or None where predictions alone are compared.
    y_true: Any
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
    #: How many equal items each row stands for; None for one each.
    count: Integers | None = None
    #: Whether `y_true` is a label; if not, it is the prediction.
    with_label: bool = True

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

    def check_same_items(self, wording: Wording) -> None:
        """Raise unless all are of the same items, as far as lengths and indexes tell."""
        arrays = {
            wording.label: self.y_true,
            wording.prediction: self.y_pred,
            wording.score: self.y_score,
            wording.clusters: self.clusters,
            wording.weight: self.sample_weight,
            wording.cheap_label: self.cheap_label,
            wording.chance: self.chance,
            wording.drawn_within: self.drawn_within,
            **{wording.attribute(name): each for name, each in self.sensitive_features.items()},
            **{wording.control(name): each for name, each in self.control.items()},
        }
        inputs.same_items(**{name: each for name, each in arrays.items() if each is not None})


@dataclass(frozen=True)
class Settings:
    """The options of `audit`, which describes them."""

    positive: object = None
    favourable: object = None
    label_kind: AuditLabelKind = "auto"
    order: Sequence[object] | None = None
    missing_group: bool = False
    intersections: bool = False
    #: The group by attribute, or that of the only one.
    reference: object = None
    weight_kind: WeightKind = "sampling"
    alpha: float = 0.05
    correction: Correction = "holm"
    criterion: str | Sequence[str] | None = None
    margin: float | Mapping[str, float] | None = None
    #: Groups with fewer items do not count.
    smallest: int = 1
    permutations: int = 0
    seed: int = 0
    threshold: float | None = None

    def check(self, wording: Wording) -> None:
        """Raise where an option is none of those allowed, whatever the items."""
        inputs.level(self.alpha, wording.option("alpha"))
        inputs.whole(self.permutations, wording.option("permutations"), 0, inputs.MAX_PERMUTATIONS)
        inputs.whole(self.seed, wording.option("seed"), 0)
        inputs.whole(self.smallest, wording.option("smallest"), 1)
        inputs.flag(self.intersections, "intersections")
        inputs.flag(self.missing_group, "missing_group")
        inputs.one_of(self.correction, "correction", get_args(Correction))
        inputs.one_of(self.weight_kind, "weight_kind", get_args(WeightKind))
        if self.threshold is not None:
            inputs.finite(self.threshold, wording.option("threshold"))
