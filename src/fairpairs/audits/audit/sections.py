"""The sections of an audit, for text and page: an attribute, or one class of a label of several."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from fairpairs.audits.audit.tables import AuditTables
from fairpairs.base.plain_values import Content, TableRow
from fairpairs.base.texts import listed


@dataclass(frozen=True)
class Section:
    """The lines and the rates of an attribute."""

    #: The attribute, with the class if the section is of one.
    title: str
    attribute: str
    #: Number of items in each group.
    groups: Mapping[str, int]
    reference: str
    #: Rows of the tables of the audit.
    tests: pd.DataFrame
    rates: pd.DataFrame

    @property
    def comparisons(self) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """The lines by group and the one it is compared with; the group "" stands for all."""
        for (group, other), rows in self.tests.groupby(["group", "reference"], sort=False):
            yield str(group), str(other), rows

    def heading(self, group: str, other: str) -> str:
        """Return the words for a group against another, or for all groups."""
        if group:
            size, against = (f"{self.groups[name]:,}" for name in (group, other))
            reference = ", the reference" * (other == self.reference)
            return f"{group} ({size}) minus {other} ({against}{reference})"
        return "both groups" if len(self.groups) == 2 else f"all {len(self.groups)} groups"


def sections(result: AuditTables) -> Iterator[Section]:
    """Yield the sections of an audit in the order of its tables."""
    for name, attribute in result.about["attributes"].items():
        tests, rates = (table[table["attribute"] == name] for table in (result.tests, result.rates))
        groups, reference = attribute["groups"], attribute["reference"]
        if "label_class" not in tests:
            yield Section(name, name, groups, reference, tests, rates)
            continue
        for label_class in dict.fromkeys(tests["label_class"]):
            title = f"{name}, class {label_class}" if label_class else name
            tables = (table[table["label_class"] == label_class] for table in (tests, rates))
            yield Section(title, name, groups, reference, *tables)


def kinds_in_words(about: Content) -> tuple[str, str]:
    """Return the kinds of label and prediction in words."""
    if "classes" in about:
        ordered = ", from the lowest" if about["label"] == "ordinal" else ""
        return f"{len(about['classes'])} classes ({listed(about['classes'])}{ordered})", "classes"
    label = f"binary, positive is {about['positive']}" if about["positive"] else "a number"
    if about["rest"]:
        label += f" (against the rest: {listed(about['rest'])})"
    return label, "binary" if about["prediction"] == "binary" else "a number"


def compared(row: TableRow, separator: str = ", ") -> str:
    """Return what a line compares, in a sentence."""
    label_class = row.get("label_class")
    subject = f"{row['attribute']}, class {label_class}" if label_class else row["attribute"]
    groups = f"{row['group']} minus {row['reference']}" if row["group"] else "all groups"
    return f"{subject}{separator}{groups}"
