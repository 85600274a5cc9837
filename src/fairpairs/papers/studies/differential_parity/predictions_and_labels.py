"""Differential parity of predictions over labels, next to separation, for every treatment."""

from pathlib import Path

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.experiments.summaries import Summary
from fairpairs.papers.published.cells import by

#: An experiment is shown if it has both tests.
TESTS = ("differential_parity", "differential_parity_effect_size")
#: Tests of separation that are shown beside them if the experiment has them.
SEPARATION = (
    *("separation", "separation_permutation"),
    *("comparative_separation_all_pairs", "information_separation_permutation"),
)
NOTE = (
    "Prediction less label is the difference of two decisions on an item. Difference: its mean in "
    "group 1 less that in group 0; DPD: the same over the pooled standard deviation within groups, "
    "positive where predictions prefer group 1 more than labels do; ± Monte Carlo standard errors. "
    "Then the share of repeats in which a test finds a violation at 0.05. A model can satisfy "
    "differential parity and violate separation, where errors of different labels cancel, and the "
    "other way round, where labels are mixed differently."
)


def parity_rows(summary: Summary) -> pd.DataFrame:
    """Return mean DPD of predictions over labels, for each data set, attribute and treatment.

    `violated`, and a column for each test of separation, are shares of repeats with a violation.
    """
    keys = ("dataset", "attribute", "treatment")
    estimates = summary["estimates"].set_index("test")
    violations = summary["violations"]
    means, sizes = (by(estimates.loc[[test]], *keys) for test in TESTS)
    shares = by(violations, *keys, "test")
    tests = [test for test in SEPARATION if test in set(violations["test"])]
    return pd.DataFrame(
        [
            {
                **dict(zip(keys, key, strict=True)),
                "difference": mean["mean"],
                "difference_error": mean["standard_error"],
                "dpd": sizes[key]["mean"],
                "dpd_error": sizes[key]["standard_error"],
                "violated": shares[*key, "differential_parity"]["violated"],
                **{test: shares[*key, test]["violated"] for test in tests},
            }
            for key, mean in means.items()
        ]
    )


def display_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in words."""
    table = pd.DataFrame(
        {
            "difference": [
                f"{decimals(a, 3)} ± {decimals(b, 3)}"
                for a, b in rows[["difference", "difference_error"]].to_numpy()
            ],
            "DPD": [
                f"{decimals(a, 3)} ± {decimals(b, 3)}"
                for a, b in rows[["dpd", "dpd_error"]].to_numpy()
            ],
            "Differential parity": rows["violated"].map(_three_digits),
            **{label(t): rows[t].map(_three_digits) for t in SEPARATION if t in rows},
        }
    )
    cases = rows[["dataset", "attribute", "treatment"]].to_numpy()
    names = [
        f"{label(dataset)}, {attribute}, {label(treatment)}"
        for dataset, attribute, treatment in cases
    ]
    return table.set_axis(pd.Index(names, name=""))


def write_parity_table(summary: Summary, stem: str | Path, *, title: str) -> None:
    """Write the table of an experiment as stem.csv, .md and .tex."""
    rows = parity_rows(summary)
    title = f"{title}: predictions against labels"
    write_table(stem, rows, Display(display_table(rows), title, NOTE))


def _three_digits(value: float) -> str:
    return decimals(value, 3)
