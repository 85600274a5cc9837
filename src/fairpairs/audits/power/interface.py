"""`fairpairs.power`: a plan from Python, and the functions that it is computed by."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.audits.lines.outcome import Report
from fairpairs.audits.options import in_python, options_as_arguments
from fairpairs.audits.power.plan import (
    accuracy_of_cheap_labels,
    check_mode,
    of_each,
    plan_from_pilot,
    plan_from_rates,
    rates_of_pilot,
    true_rates,
)
from fairpairs.audits.power.sample_size import SampleSizes, check_power, sample_sizes
from fairpairs.audits.power.text import ItemsWithin, items_within, report
from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table
from fairpairs.mathematics import power as functions

#: A rate of all groups, or one of each.
Rates = float | Sequence[float]


def items_needed(
    pilot: Table | None,
    rates: Record,
    roles: Record,
    *,
    items: int | None,
    wanted: float,
    alpha: float,
    cheap_accuracy: str = "",
) -> tuple[SampleSizes | ItemsWithin, Report]:
    """Return the numbers and their report; `rates`, and `roles` in the pilot, are by option."""
    tpr, fpr, pairs, prevalence, share, difference, margin = (
        rates[f"--{name}"]
        for name in (
            "tpr", "fpr", "pair-accuracy", "prevalence", "share", "difference", "margin",
        )
    )  # fmt: skip
    accuracy = accuracy_of_cheap_labels(cheap_accuracy, margin=margin, pair_accuracy=pairs)
    if margin is not None:
        if pairs:
            raise InputError(
                "--margin and --pair-accuracy cannot be combined: labels show that TPR and FPR lie "
                "within a margin, judgments do not: give --tpr and --fpr."
            )
        true = (
            true_rates(tpr, fpr, prevalence, difference=difference, share=share)
            if pilot is None
            else rates_of_pilot(pilot, roles, difference=difference)
        )
        within = items_within(true, margin, items=items, wanted=wanted, alpha=alpha)
        return within, within.report()
    plan = (
        plan_from_rates(tpr, fpr, pairs, prevalence, difference=difference, share=share)
        if pilot is None
        else plan_from_pilot(pilot, roles, alpha)
    )
    if accuracy is not None:
        if plan.cells is None:
            raise InputError(
                "--cheap-accuracy is for labels of decisions, and the pilot has scores: give the "
                "score from which on a prediction is 1, --threshold."
            )
        accuracy = of_each(accuracy, "--cheap-accuracy", len(plan.cells))
    sizes = sample_sizes(plan, items=items, wanted=wanted, alpha=alpha, accuracy=accuracy)
    return sizes, report(sizes)


class Power:
    """`fairpairs.power(...)` plans; its attributes are the functions of `mathematics.power`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(functions, name)

    def __dir__(self) -> list[str]:
        return dir(functions)

    def __call__(
        self,
        *,
        tpr: Rates | None = None,
        fpr: Rates | None = None,
        pair_accuracy: Rates | None = None,
        prevalence: Rates | None = None,
        share: Rates | None = None,
        difference: float | None = None,
        y_true: ArrayLike | str | None = None,
        y_pred: ArrayLike | str | None = None,
        y_score: ArrayLike | str | None = None,
        threshold: float | None = None,
        sensitive_features: ArrayLike | str | None = None,
        data: object = None,
        margin: float | None = None,
        cheap_accuracy: Rates | None = None,
        n_items: int | None = None,
        power: float = 0.8,
        alpha: float = 0.05,
    ) -> Report:
        """Plan how many labels, or judgments, find a difference or show a margin.

        What is to be found comes from rates, or from the rows of a pilot.

        Parameters
        ----------
        tpr, fpr
            Rates of all groups, or one of each: `tpr=(0.8, 0.7)`. By default 0.8 and 0.4. There are
            as many groups as one of these has numbers, or two.
        pair_accuracy
            Instead of these: share of the judgments within each of two groups that are predicted
            right.
        prevalence
            Share of label 1, of all groups or of each; by default 0.5.
        share
            Share of each group; of two, also that of the second. By default all have the same.
        difference
            How much lower the TPR, or the accuracy, of the last group is.
        y_true, y_pred, y_score, sensitive_features
            A pilot: labels, predictions (or scores), and two groups, shape (n,); labels and
            predictions are 0 and 1.
        threshold
            Score from which on a prediction is 1.
        data
            A table or a path, of which the arguments of the pilot then name columns.
        margin
            Plan to show that the differences of TPR and FPR lie within it, not to find them.
        cheap_accuracy
            Share of cheap labels, such as a language model's, that are right, of all groups or of
            each: plan human labels beside them.
        n_items
            Items to be judged; with a margin, labelled items at hand; with `cheap_accuracy`, items
            that have a cheap label (by default ten for each label that is needed without).
        power, alpha
            Wanted chance, and level.

        Returns
        -------
        Report
            It prints its answer; `to_dict()` has the numbers, `to_frame()` the power by the number,
            `to_text()`, `to_html()` and `write(folder)` all of it.

        Raises
        ------
        InputError
            What does not go together, a value out of its range, a difference that no number finds.

        Examples
        --------
        >>> from fairpairs import power
        >>> plan = power(tpr=(0.8, 0.7), fpr=0.2, share=0.4)
        >>> plan.answer.sentence.split(" if ")[0]
        '1,444 labelled rows find the difference with a power of 0.8'
        """
        rates = {
            "--tpr": _text(tpr),
            "--fpr": _text(fpr),
            "--pair-accuracy": _text(pair_accuracy),
            "--prevalence": _text(prevalence),
            "--share": _text(share),
        }
        roles = {
            "--label": y_true,
            "--prediction": y_pred,
            "--score": y_score,
            "--threshold": threshold,
            "--sensitive": sensitive_features,
        }
        numbers = {"--difference": difference, "--margin": margin}
        with options_as_arguments(
            lambda option: "n_items" if option == "items" else in_python(option)
        ):
            inputs.level(alpha)
            check_power(power, alpha)
            for name, value in {**numbers, "--threshold": threshold}.items():
                if value is not None:
                    inputs.finite(value, name)
            if n_items is not None:
                inputs.whole(n_items, "--items", 2)
            pilot, columns = _pilot(data, roles)
            check_mode(None if pilot is None else "data", {**rates, **numbers}, columns)
            _, plan = items_needed(
                pilot, {**rates, **numbers}, columns, items=n_items, wanted=power, alpha=alpha,
                cheap_accuracy=_text(cheap_accuracy),
            )  # fmt: skip
        return plan


def _text(rates: Rates | None) -> str:
    """Return a rate, or several, as the command takes them."""
    if rates is None:
        return ""
    several = [rates] if isinstance(rates, str) or np.ndim(rates) == 0 else list(rates)  # type: ignore[arg-type]
    return ",".join(map(str, several))


def _pilot(data: object, roles: dict[str, Any]) -> tuple[Table | None, dict[str, Any]]:
    """Return the pilot as a table, and its columns by option; no table without labels."""
    if data is not None:
        for name, value in roles.items():
            if name != "--threshold" and not (value is None or isinstance(value, str)):
                raise InputError(f"{name} is {shown(value)}: with data, name a column of it.")
        table = Table(Path(data)) if isinstance(data, str | Path) else Table.of(data, "data")
        return table, roles
    arrays = {
        name: value for name, value in roles.items() if value is not None and name != "--threshold"
    }
    if not arrays:
        return None, roles
    inputs.same_items(**arrays)
    frame = pd.DataFrame({name: one_dimensional(values, name) for name, values in arrays.items()})
    return Table.of(frame, "the pilot"), {**roles, **{name: name for name in arrays}}


power = Power()
