"""A criterion of an audit: its question, when it applies, and the function for its rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.ratios import with_ratio
from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.audits.items.roles import Roles
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.sampling.gaps import Gap

#: What labels and predictions must be for a criterion: of the last score, not the prediction.
Need = Literal["", "decisions", "numbers", "score", "probability", "own score"]
NO_DECISIONS = "the prediction is a number: give decisions of two values, as by a threshold"
NO_NUMBERS = "it is of labels that are numbers"
REAL_LABEL = "the label is a number"
NO_SCORE = "no score is given"
SAME_AS_MEAN_ERROR = "the prediction is the score, so that it is the mean error with another sign"


def lacking(roles: Roles) -> dict[Need, str]:
    """Return why labels and predictions of this kind lack each need; "" for what they have."""
    score = REAL_LABEL if roles.label == "real" else NO_SCORE if roles.score is None else ""
    probability = score
    if not score and roles.probability is None:
        low, high = roles.score_range
        probability = (
            f"scores from {low + 0.0:g} to {high:g} are no probabilities, which lie from 0 to 1"
        )
    return {
        "": "",
        "decisions": NO_DECISIONS if roles.prediction == "real" else "",
        "numbers": "" if roles.label == "real" else NO_NUMBERS,
        "score": score,
        "probability": probability,
        "own score": probability or (SAME_AS_MEAN_ERROR if roles.y_score is None else ""),
    }


@dataclass(frozen=True)
class Criterion:
    """A criterion of an audit."""

    #: In the column `criterion` and in the option `--criterion`.
    name: str
    title: str
    question: str
    measures: tuple[Measure, ...]
    #: Returns its rows for one group against another, of independent items of equal weight.
    test: Callable[[Comparison], Iterable[Row]]
    #: Returns its differences with the influence of each item: for clusters, weights, strata, and
    #: two models. None if it measures both groups together: then its estimate has no sign and, for
    #: real predictions, no p-value without shuffles.
    gaps: Callable[[Comparison], Iterable[Gap]] | None
    #: What it applies to; "" for labels and predictions of any kind.
    needs: Need = ""
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

    @property
    def measured(self) -> bool:
        """Whether it measures both groups together."""
        return self.gaps is None

    def rows(self, comparison: Comparison, *, ratios: bool = True) -> list[Row]:
        """Return the rows of a comparison; if a test fails, rows with the reason.

        Without `ratios`, only mean errors have one, which an answer tells.
        """
        items, measures = comparison.all_items, self.measures_of(comparison.all_items.roles)
        try:
            if self.gaps is None or comparison.plain:
                rows = list(self.test(comparison))
            else:
                gaps = self.gaps(comparison)
                rows = list(map(comparison.row_of_gap, measures, gaps))
            if self.gaps is not None and items.strata is not None:
                crude = self.gaps(comparison.crude)
                rows = [
                    replace(row, uncontrolled=gap.difference.estimate)
                    for row, gap in zip(rows, crude, strict=True)
                ]
        except InputError as error:
            reason = str(error).rstrip(".")
            rows = [comparison.row(measure, note=reason) for measure in measures]
        return [
            replace(
                with_ratio(row, measure, comparison) if ratios or measure.size else row,
                criterion=self.name,
            )
            for row, measure in zip(rows, measures, strict=True)
        ]
