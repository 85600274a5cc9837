"""The check of claims.yaml, on the effects of all reward models."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Numbers, Printed, span
from fairpairs.papers.plan.claim_tests import agreeing
from fairpairs.papers.plan.claims import Finding, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART
from fairpairs.papers.studies.rejected_dialects.cells import LEVEL

#: A mean meets the printed one if it rounds to the printed digit.
ROUNDING = 0.005


def shown_by_most_models(
    results: Results, effects: Sequence[Content], printed: float | None = None, size: str = ""
) -> Finding:
    """Ask whether most models show effects of a sign, and none the opposite.

    Each effect has the `table` and `column` of its estimates, a `sign`, and the `name` of its
    numbers. The mean of the last one is compared with a printed one; `size` is the name of its
    span.
    """
    verdicts, numbers = [], Numbers()
    for effect in effects:
        sign, name = effect["sign"], effect["name"]
        frame = _effects(results, effect["table"], effect["column"])
        signs = np.sign(frame["estimate"]).where(frame["pvalue_holm"] < LEVEL)
        as_claimed, against = (int((signs == one).sum()) for one in (sign, -sign))
        most = HOLDS if 2 * as_claimed > len(frame) else FAILS
        some = against > 0 if most == HOLDS else as_claimed > against
        verdicts.append(IN_PART if some else most)
        numbers |= {
            name: Count.of(sign * frame["estimate"] > 0),
            f"{name}, significantly (Holm)": Count(as_claimed, len(frame)),
        }
    verdict, mean = agreeing(verdicts), frame["estimate"].mean()
    if size:
        numbers[size] = span(sign * frame["estimate"])
    if printed is not None:
        numbers["mean change of accuracy"] = Printed(mean, printed)
        met = abs(mean - printed) <= ROUNDING
        verdict = IN_PART if verdict == HOLDS and not met else verdict
    return Finding(verdict, numbers)


def _effects(results: Results, name: str, column: str) -> pd.DataFrame:
    """Return the effect of each model, and its p-value after Holm over the models."""
    estimates, tests = table(results, name), table(results, "asterisks")
    pvalues = tests[tests["column"] == column].set_index("row")["pvalue_holm"]
    if column not in estimates or pvalues.empty:
        raise CannotTellError(f"results/{estimates.attrs['path']} has no column {column}.")
    effects = estimates.set_index("row")[column].rename("estimate")
    frame = pd.concat([effects, pvalues], axis=1).dropna()
    if frame.empty:
        raise CannotTellError(f"results/{estimates.attrs['path']} has no model.")
    return frame
