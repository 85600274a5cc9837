"""What the report shows of the study: its tables in words, its figures, and a finding."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.tables import Display
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.density_ratio import asterisks, kernel_forms, known_separation_tables
from fairpairs.papers.studies.density_ratio.regressor_tables import (
    caps_display,
    conclusions_display,
    measures_display,
)
from fairpairs.papers.studies.density_ratio.synthetic_tables import estimators_display

#: Columns of text in the tables.
TEXT = (
    *("coefficient", "dataset", "estimator", "first", "form", "interval", "measure"),
    *("pairs of estimators", "regressor", "second"),
)


def section(results: Results) -> Content | None:
    """Return the tables that the run made."""
    alpha = results.config["alpha"]
    displays: dict[str, Callable[[pd.DataFrame], Display]] = {
        "estimators": estimators_display,
        "known_separation": partial(known_separation_tables.display, alpha=alpha),
        "conclusions": conclusions_display,
        "caps": caps_display,
        "regressor_kernels": kernel_forms.display,
        "regressor_asterisks": asterisks.display,
        "regressors": measures_display,
    }
    made = {name: results.csv(name, text=TEXT) for name in displays}
    rows = {name: table for name, table in made.items() if table is not None}
    if not rows:
        return None
    known = rows.get("known_separation")
    return {
        "tables": [displays[name](table) for name, table in rows.items()],
        "figures": {
            name: results.svg(name) for name in ("correlations", "synthetic", "regressors")
        },
        "ratios": "" if known is None else ratios_and_products(known),
    }


def ratios_and_products(rows: pd.DataFrame) -> str:
    """Return a sentence on the product of two ratios that should be divided, whose quotient is 1.

    It is empty if the run does not have the estimators.
    """
    independent: Any = rows[(rows["gap"] == 0) & (rows["noise"] == 1)].set_index("estimator")
    by_name = independent.to_dict("index")
    if not {"ulsif", "ulsif_published", "logistic"} <= set(by_name):
        return ""
    right, product, logistic = (
        by_name[name]["truth"] * np.exp(by_name[name]["bias"])
        for name in ("ulsif", "ulsif_published", "logistic")
    )
    names = {
        "logistic": "its permutation test",
        "information": "I_sep",
        "comparative_separation": "comparative separation",
    }
    rejected = ", ".join(
        f"{label} {100 * by_name[name]['rejected']:.0f} %"
        for name, label in names.items()
        if name in by_name
    )
    return (
        "Where separation holds, the mean ratio of densities is 1. Fitted by uLSIF it is "
        f"{product:.2f} (geometric mean over data sets) as the public code of the sensitivity "
        f"study has it, which multiplies two ratios, and {right:.2f} when they are divided; by "
        f"logistic regression {logistic:.2f}. Found violated there at 5 %: {rejected}."
    )
