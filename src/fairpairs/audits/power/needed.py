"""How many rows are needed, by what is given: rates or a pilot, with a margin or without one."""

from fairpairs.audits.lines.report import Report
from fairpairs.audits.power.pilot import plan_from_pilot, rates_of_pilot
from fairpairs.audits.power.plan import (
    accuracy_of_cheap_labels,
    check_margin,
    of_each,
    plan_from_rates,
    true_rates,
)
from fairpairs.audits.power.sample_size import SampleSizes, sample_sizes
from fairpairs.audits.power.text import report
from fairpairs.audits.power.within import ItemsWithin, items_within
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table


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
        check_margin(pairs)
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
