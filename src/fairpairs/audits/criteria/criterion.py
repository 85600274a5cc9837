"""A criterion of an audit: its question, when it applies, and the function for its rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.ratios import with_ratio
from fairpairs.audits.criteria.rows import Difference, Measure, Row
from fairpairs.audits.items.roles import Roles
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.sampling.gaps import Gap


@dataclass(frozen=True)
class Criterion:
    """A criterion of an audit."""

    #: In the column `criterion` and in the option `--criterion`.
    name: str
    title: str
    question: str
    measures: tuple[Measure, ...]
    #: Yields its differences for one group against the reference group; rows, if it has no sign.
    compare: Callable[[Comparison], Iterator[Difference | Row]]
    #: Returns why it does not apply to labels and predictions of this kind; "" if it applies.
    why_not: Callable[[Roles], str] = lambda roles: ""
    #: Whether it measures both groups together: then its estimate has no sign and, for real
    #: predictions, no p-value without shuffles.
    measured: bool = False
    #: Whether it rests on labels, so that items without one do not count.
    needs_label: bool = True
    #: Whether its rows are differences of rates, or of means of predictions on that scale; if not,
    #: they are in units of the predictions.
    rates: Callable[[Roles], bool] = lambda roles: True
    #: Whether its gaps have a form within strata.
    controlled: bool = False
    #: Its measures if predictions are numbers, and if labels are, if they are others.
    of_numbers: tuple[Measure, ...] = ()
    of_real_labels: tuple[Measure, ...] = ()

    @property
    def all_measures(self) -> tuple[Measure, ...]:
        """Its measures of labels and predictions of any kind."""
        return (*self.measures, *self.of_numbers, *self.of_real_labels)

    def measures_of(self, roles: Roles) -> tuple[Measure, ...]:
        """Return its measures of labels and predictions of this kind."""
        if roles.label == "real" and self.of_real_labels:
            return self.of_real_labels
        return self.of_numbers if self.of_numbers and roles.prediction == "real" else self.measures

    def gaps(self, comparison: Comparison) -> list[Gap]:
        """Return its differences with the influence of each item; none for rows without a sign."""
        lines = self.compare(comparison)
        return [line.gap() for line in lines if isinstance(line, Difference)]

    def rows(self, comparison: Comparison) -> list[Row]:
        """Return the rows of a comparison; if a test fails, one row with the reason."""
        try:
            rows = [
                line if isinstance(line, Row) else _row(line, comparison)
                for line in self.compare(comparison)
            ]
            if comparison.all_items.strata is not None:
                rows = [
                    replace(row, uncontrolled=gap.difference.estimate)
                    for row, gap in zip(rows, self.gaps(comparison.crude), strict=True)
                ]
        except InputError as error:
            measures = self.measures_of(comparison.all_items.roles)
            rows = list(comparison.no_estimate(str(error).rstrip("."), *measures))
        by_name = {measure.name: measure for measure in self.measures}
        return [
            replace(with_ratio(row, by_name[row.measure], comparison), criterion=self.name)
            if row.measure in by_name
            else replace(row, criterion=self.name)
            for row in rows
        ]


def _row(difference: Difference, comparison: Comparison) -> Row:
    if comparison.design is None:
        return difference.row()
    return comparison.row_of_gap(difference.measure, difference.gap())
