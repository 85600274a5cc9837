"""The criteria of a label of several classes, tested for all classes and all groups at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.audits.items.groups import Attribute
from fairpairs.base.arrays import Integers
from fairpairs.mathematics.estimates.estimates import UNVARYING, magnitude
from fairpairs.mathematics.fairness.chi_square import chi_square_of_strata, corrected_cramers_v


@dataclass(frozen=True)
class AllClasses:
    """A criterion tested for all classes at once, by chi-square in strata; else as `Criterion`."""

    name: str
    title: str
    question: str
    measure: Measure
    #: Returns tables (S, K, c) of groups by classes, from items by group, label and prediction, (K,
    #: c, c).
    strata: Callable[[Integers], Integers]
    #: What its strata are, in notes; "" if there is only one.
    stratum: str = ""

    #: Its estimate has no sign, as of a `Criterion` that measures both groups together.
    measured = True

    def row(self, counts: Integers, names: tuple[str, ...], attribute: Attribute) -> Row:
        """Return its row of all K groups; counts (K, c, c) are by group, label and prediction."""
        tables = list(self.strata(counts))
        total, _ = chi_square_of_strata(tables)
        group_sizes = [table.sum(axis=1) for table in tables]
        compared = [int((sizes > 0).sum()) > 1 for sizes in group_sizes]
        used = [sizes for sizes, two in zip(group_sizes, compared, strict=True) if two]
        row = Row(
            attribute.name,
            "",
            "",
            self.measure.name,
            self.measure.hypothesis,
            criterion=self.name,
            n=int(sum(sizes.sum() for sizes in used)),
            smallest_cell=min((int(sizes[sizes > 0].min()) for sizes in used), default=0),
        )
        if not used:
            return replace(row, note=(f"no {self.stratum} has rows of two groups"))
        left_out = [
            f"{self.stratum} {name}"
            for name, sizes, two in zip(names, group_sizes, compared, strict=False)
            if not two and sizes.sum()
        ]
        notes = [(f"left out, as of one group only: {', '.join(left_out)}")] if left_out else []
        if np.isnan(total.statistic):  # as of a perfect model
            return replace(
                row,
                estimate=0.0,
                effect_size=0.0,
                effect_kind="w",
                pvalue=1.0,
                magnitude=str(magnitude(0.0, "w")),
                note="; ".join([UNVARYING, *notes]),
            )
        v, w = corrected_cramers_v(tables)
        if total.shuffles:
            within = f" within {self.stratum}s" if self.stratum else ""
            shuffles = f"p by {total.shuffles:,} shuffles of the groups{within}"
            notes.insert(0, f"few rows expected in a cell: {shuffles}")
        return replace(
            row,
            estimate=v,
            effect_size=w,
            effect_kind="w",
            magnitude=str(magnitude(w, "w")),
            statistic=float(total.statistic),
            pvalue=float(total.pvalue),
            shuffles=total.shuffles,
            note="; ".join(notes),
        )


ALL_CLASSES = {
    criterion.name: criterion
    for criterion in (
        AllClasses(
            "separation_all_classes",
            "Separation of all classes",
            "Among those with the same label, does the predicted class depend on the group? All "
            "classes and all groups are tested at once.",
            Measure(
                "separation",
                "prediction ⟂ group | label",
                drawn=False,
                share=False,
                brief="for the same {label}, {prediction} depends on {attribute}",
            ),
            lambda counts: np.moveaxis(counts, 1, 0),
            "label",
        ),
        AllClasses(
            "demographic_parity_all_classes",
            "Demographic parity of all classes",
            "Does the predicted class depend on the group, whatever the label? All classes and all "
            "groups are tested at once.",
            Measure(
                "demographic parity",
                "prediction ⟂ group",
                drawn=False,
                share=False,
                brief="{prediction} depends on {attribute}",
            ),
            lambda counts: counts.sum(axis=1)[None],
        ),
        AllClasses(
            "predictive_parity_all_classes",
            "Predictive parity of all classes",
            "Among those with the same prediction, does the label depend on the group? All classes "
            "and all groups are tested at once.",
            Measure(
                "predictive parity",
                "label ⟂ group | prediction",
                drawn=False,
                share=False,
                brief="for the same {prediction}, {label} depends on {attribute}",
            ),
            lambda counts: np.moveaxis(counts, 2, 0),
            "prediction",
        ),
    )
}
