"""How an audit of many groups tests."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairpairs.audits.criteria import CRITERIA as OF_ALL
from fairpairs.audits.criteria.rows import CellRate
from fairpairs.audits.items.settings import check_parts, plain_names
from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import meant

#: Criterion → its measures, each with its rate of decisions.
CRITERIA: dict[str, dict[str, CellRate]] = {
    name: {one.name: one.rate for one in OF_ALL[name].measures if one.rate is not None}
    for name in ("separation", "equal_opportunity", "demographic_parity", "accuracy")
}
#: The criterion that needs no label.
WITHOUT_LABEL = "demographic_parity"
#: Most groups of an audit, and of an attribute.
MOST_GROUPS = 100_000
#: No data set has more items.
MOST_ITEMS = 10**15
#: Attributes of an intersection unless the caller names a depth.
DEPTH = 2
#: With fewer items, of which about half have each label, a group cannot be shown to differ among a
#: thousand: a rate of 0 of 5 has p = 1e-5 where the others' rate is 0.9.
SMALLEST = 10
#: What a group is compared with, unless its attribute has two groups.
EVERYONE = "everyone else"
#: The order of the lines, in words.
ORDER = "the largest first, by the end of the interval that is nearer to 0"


@dataclass(frozen=True)
class GroupSettings:
    """How an audit of many groups tests."""

    #: None for separation, or, without labels, demographic parity.
    criterion: str | Sequence[str] | None = None
    #: Most attributes of an intersection; None for two, or for one if there is only one attribute.
    depth: int | None = None
    #: Groups with fewer items are left out.
    smallest: int = SMALLEST
    #: Largest difference that does not matter, or None.
    margin: float | None = None
    #: Level of all lines together.
    alpha: float = 0.05
    #: Value of the label that is positive, or None.
    positive: object = None
    #: Value of the label (without labels, of the decision) that is good for a person, or None.
    favourable: object = None
    #: Whether rows without a value of an attribute are a group.
    missing_group: bool = False

    def check(self, n_attributes: int, *, with_label: bool) -> None:
        """Raise InputError for an option that is invalid, or does not fit the data."""
        inputs.level(self.alpha, "--alpha")
        inputs.flag(self.missing_group, "--missing-group")
        inputs.whole(self.smallest, "--smallest", 1, MOST_ITEMS)
        if self.margin is not None:
            inputs.between(self.margin, "--margin", 0, 1)
        if self.depth is not None:
            inputs.whole(self.depth, "--depth", 1)
            if self.depth > n_attributes:
                raise InputError(
                    f"--depth is {shown(self.depth)}, and there are {n_attributes} sensitive "
                    f"attribute(s): give {n_attributes} at most."
                )
        if not with_label and (needing := [c for c in self.criteria(False) if c != WITHOUT_LABEL]):
            raise InputError(
                f"--criterion {needing[0]} needs labels, and none are given: name them, or take "
                f"{WITHOUT_LABEL}."
            )
        self.criteria(with_label)

    def criteria(self, with_label: bool) -> tuple[str, ...]:
        """Return the criteria that are tested, in the order of CRITERIA."""
        if self.criterion is None:
            return ("separation" if with_label else WITHOUT_LABEL,)
        names = plain_names(self.criterion)
        for name in names:
            if not isinstance(name, str) or name not in CRITERIA:
                raise InputError(
                    f"--criterion: {shown(name)} is not a criterion of an audit of many groups"
                    f"{meant(str(name), CRITERIA)}: name one of {', '.join(CRITERIA)}."
                )
        if not names:
            raise InputError(f"--criterion is empty: name at least one of {', '.join(CRITERIA)}.")
        check_parts(names, "--criterion")
        return tuple(name for name in CRITERIA if name in names)
