"""The audit of a label of several classes: all at once, and each against the rest."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.audit.adjustment import judge, judge_all
from fairpairs.audits.audit.fields import OF_FEW_LABELS, TESTS
from fairpairs.audits.audit.rates import group_rates
from fairpairs.audits.audit.result import AuditResult
from fairpairs.audits.criteria import CRITERIA, criteria_tested, named_criteria
from fairpairs.audits.criteria.all_classes import ALL_CLASSES
from fairpairs.audits.criteria.comparative_separation import COMPARATIVE_SEPARATION
from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.margins import read_margins, without_margin
from fairpairs.audits.criteria.rates import SEPARATION
from fairpairs.audits.criteria.rows import Row
from fairpairs.audits.items.about import about_items, checks_on_values, notes_on_design
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.class_roles import ClassRoles
from fairpairs.audits.items.groups import Attribute, small_groups
from fairpairs.audits.items.messages import BALANCED, FAMILY, Wording, short
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import Settings
from fairpairs.audits.lines.verdicts import are_small
from fairpairs.base.arrays import Array
from fairpairs.base.long_work import long_work
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import listed
from fairpairs.mathematics.arguments.design import SamplingDesign

#: Why a criterion is not one of the lines of several classes.
OF_ONE_CLASS = "it is for one class: name that as positive"
NOT_ORDINAL = "it needs an order of the classes"
#: Why all classes are not tested together.
NO_DEPENDENT_CLASSES = "the test of all classes takes no clusters and no weights"
CLASS_LINES = (
    "Each class is compared with the rest by separation, demographic parity and predictive parity; "
    "to audit one class by every criterion, name it as positive."
)

#: The criteria of the lines of each class.
OF_A_CLASS = ("separation", "equal_opportunity", "demographic_parity", "predictive_parity")
#: That of whether the class is right, of all classes together.
ACCURACY = CRITERIA["accuracy"]
#: That which counts by default, of all classes and of each.
DEFAULT, DEFAULT_LINES = "separation_all_classes", SEPARATION.name


@dataclass(frozen=True)
class ClassItems:
    """Labels and predictions of several classes, with the groups of one attribute."""

    roles: ClassRoles
    attribute: Attribute
    settings: Settings
    #: How the items were sampled, and how many equal, independent ones each stands for.
    design: SamplingDesign

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Items in each cell (group, label, prediction), shape (K, c, c)."""
        roles, k, c = self.roles, len(self.attribute.names), len(self.roles.names)
        cell = (self.attribute.group * c + roles.y_true) * c + roles.y_pred
        return np.bincount(cell, self.design.counts, k * c * c).astype(np.int64).reshape(k, c, c)

    @property
    def classes(self) -> list[int]:
        """Indices of the classes that the label has."""
        return [int(index) for index in np.flatnonzero(self.counts.sum(axis=(0, 2)))]

    def of_class(self, index: int) -> AttributeItems:
        """Return the items with one class against the rest, as `--positive` audits it."""
        label, predicted = (values == index for values in (self.roles.y_true, self.roles.y_pred))
        return self._coded(label, predicted, "binary", self.roles.names[index])

    def right(self) -> AttributeItems:
        """Return the items with label 1, predicted 1 where the class is right."""
        right = self.roles.y_true == self.roles.y_pred
        return self._coded(np.ones_like(right), right, "binary")

    def ranks(self) -> AttributeItems:
        """Return the items with the ranks 1 to c of ordered classes as label and prediction."""
        return self._coded(self.roles.y_true + 1, self.roles.y_pred + 1, "real")

    def _coded(
        self, label: Array, predicted: Array, kind: str, positive: str = ""
    ) -> AttributeItems:
        """Return items with label and prediction as numbers, computed from the classes."""
        both = label.astype(np.float64), predicted.astype(np.float64)
        roles = Roles(*both, None, kind, kind, positive)
        return AttributeItems(roles, self.attribute, self.settings, self.design)


def audit_classes(
    items: Sequence[ClassItems],
    settings: Settings,
    wording: Wording,
    *,
    source: Content | None = None,
    checks: Sequence[str] = (),
    answer_only: bool = False,
) -> AuditResult:
    """Audit labels and predictions of several classes (see `audit_columns`)."""
    first, attributes = items[0], [one.attribute for one in items]
    left_out = _left_out(first)
    reported = {name: why for name, why in left_out.items() if name in ALL_CLASSES}
    binary = first.of_class(first.classes[0]).roles
    margins = read_margins(settings, binary, left_out, wording)
    counted = _counted(settings, left_out, margins, wording)
    told: Collection[str] = (*ALL_CLASSES, *CRITERIA)
    if answer_only:  # of all classes, the class that differs most is told
        told = (*counted, *(name.removesuffix("_all_classes") for name in counted))
    of_a_class = criteria_tested(settings, left_out, [name for name in OF_A_CLASS if name in told])
    tests: list[Row] = []
    rates: list[Record] = []
    steps = sum(
        len(one.classes) * (len(one.attribute.others) + len(one.attribute.further_pairs))
        for one in items
    )
    with long_work(steps, "Testing", shown=wording.shell) as step:
        for one in items:
            place, names = one.attribute.place, ["", *one.roles.names]
            tests += sorted(
                _rows(one, told, left_out, of_a_class, counted, step, ratios=not answer_only),
                key=lambda row: (names.index(row.label_class), place(row.group, row.reference)),
            )
            rates += sorted(
                _rates(one),
                key=lambda row: (names.index(row["label_class"]), place(row["group"], "")),
            )
        table = judge(tests, settings.alpha, settings.correction, margins)
    small = small_groups(attributes, settings.smallest, wording)
    table["small"] = are_small(table, small)
    gate, *_ = judge_all(table, counted, settings.alpha)
    kind = "ordinal" if first.roles.ordered else "classes"
    kinds = {
        "label": kind,
        "positive": "",
        "rest": [],
        "prediction": kind,
        "score": False,
        "classes": list(first.roles.names),
    }
    tested = criteria_tested(settings, left_out)
    about = about_items(kinds, attributes, settings, first.design) | {
        "small": small,
        "missing_rows": {},
        "margin": margins or None,
        "family": FAMILY,
        "four_fifths": [],
        "gate": gate,
        "not_applicable": reported,
        "checks": checks_on_values(checks, attributes, None),
        "notes": [
            *_notes_on_classes(first, wording),
            CLASS_LINES,
            *([BALANCED] if first.roles.ordered else []),
            *(without_margin(margins, binary, tested) if margins else []),
            *notes_on_design(first.design, attributes),
        ],
        "source": dict(source or {}),
    }
    return AuditResult(
        table[[name for name in TESTS if name not in OF_FEW_LABELS]], pd.DataFrame(rates), about
    )


def _left_out(items: ClassItems) -> dict[str, str]:
    """Return the criteria that do not apply: name → why."""
    applicable = (*OF_A_CLASS, ACCURACY.name)
    left_out = {name: OF_ONE_CLASS for name in CRITERIA if name not in applicable}
    if items.roles.ordered:
        del left_out[COMPARATIVE_SEPARATION.name]
    else:
        left_out[COMPARATIVE_SEPARATION.name] = NOT_ORDINAL
    if not items.design.independent:
        left_out |= dict.fromkeys(ALL_CLASSES, NO_DEPENDENT_CLASSES)
    return left_out


def _counted(
    settings: Settings, left_out: Mapping[str, str], margins: Iterable[str], wording: Wording
) -> tuple[str, ...]:
    """Return the criteria that count for the verdict of the whole audit.

    By default all classes are tested at once. Only lines of classes can be shown to lie within a
    margin, so these count where there is one.
    """
    if settings.criterion is None:
        lines = DEFAULT in left_out or DEFAULT_LINES in margins
        return (DEFAULT_LINES if lines else DEFAULT,)
    applicable = [name for name in (*ALL_CLASSES, *CRITERIA) if name not in left_out]
    return named_criteria(settings.criterion, applicable, left_out, wording)


def _rows(
    items: ClassItems,
    told: Collection[str],
    left_out: Mapping[str, str],
    of_a_class: Sequence[str],
    counted: Collection[str],
    step: Callable[[], object],
    *,
    ratios: bool,
) -> Iterator[Row]:
    """Yield the rows of each criterion that is told: of all classes, of ranks, and of each class.

    `step` is called after each group of each class; `ratios` are as `Criterion.rows` takes them.
    """
    for name, of_all in ALL_CLASSES.items():
        if name in told and name not in left_out:
            yield of_all.row(items.counts, items.roles.names, items.attribute)
    attribute = items.attribute
    of_all_classes = [(ACCURACY, items.right())]
    if items.roles.ordered:
        of_all_classes.append((COMPARATIVE_SEPARATION, items.ranks()))
    for criterion, one in of_all_classes:
        if criterion.name not in told:
            continue
        for two in attribute.pairs + attribute.further_pairs * (criterion.name in counted):
            yield from criterion.rows(Comparison(one, *two), ratios=ratios)
    for index in items.classes:
        name = items.roles.names[index]
        of_class = items.of_class(index)
        few = [each for each in of_a_class if each in counted]
        for pairs, criteria in (attribute.pairs, of_a_class), (attribute.further_pairs, few):
            for two in pairs:
                comparison = Comparison(of_class, *two)
                for each in criteria:
                    for row in CRITERIA[each].rows(comparison, ratios=ratios):
                        words = f"class {name}: {row.hypothesis}"
                        yield replace(row, label_class=name, hypothesis=words)
                step()


def _rates(items: ClassItems) -> Iterator[Record]:
    """Yield accuracy (of ordered classes also means) of all, and the rates of each class."""
    of_all = [items.right(), *([items.ranks()] if items.roles.ordered else [])]
    of_each = [(items.roles.names[i], items.of_class(i)) for i in items.classes]
    for name, one in [*(("", each) for each in of_all), *of_each]:
        for row in group_rates(one):
            if one.roles.label != "binary" or (row["measure"] == "accuracy") == (not name):
                # columns in their order
                first = {key: row[key] for key in ("attribute", "group")}
                yield {**first, "label_class": name, **row}


def _notes_on_classes(items: ClassItems, wording: Wording) -> list[str]:
    """Return notes on classes that only labels or only predictions have."""
    in_label, predicted = (items.counts.sum(axis=axes) > 0 for axes in ((0, 2), (0, 1)))
    names = np.array(items.roles.names, dtype=object)
    texts = []
    if (only := names[~in_label & predicted]).size:
        texts.append(
            f"{short(wording.prediction)} has classes that {short(wording.label)} does not have "
            f"({listed(only)}): they count as wrong, and have no comparisons of their own"
        )
    if (never := names[in_label & ~predicted]).size:
        texts.append(f"{short(wording.prediction)} is never {listed(never)}")
    if items.roles.ordered:
        texts.append(
            f"Means are those of ranks, from 1 ({names[0]}) to {len(names)} ({names[-1]})."
        )
    return texts
