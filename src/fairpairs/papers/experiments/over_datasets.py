"""What each treatment did over all data sets of an experiment, each of which counts once."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.inference.resampled_t import resampled_mean
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.experiments.comparison import BETTER, NO_WORSE, OPEN, WORSE
from fairpairs.papers.experiments.measures import HIGHER, NEARER_0

#: The data sets from which on ranks are tested.
FEWEST = 6


def treatments_over_datasets(comparison: pd.DataFrame, *, alpha: float = 0.05) -> pd.DataFrame:
    """Count verdicts over data sets, and compare mean ranks of treatments.

    Repeats are never pooled: a data set counts once, with the mean of its measure, of a gap with
    the mean of its sizes over attributes.

    Parameters
    ----------
    comparison
        The result of `compare_treatments`.
    alpha
        1 − the level of the intervals.

    Returns
    -------
    DataFrame
        For each model, measure and treatment: `better`, `worse` and `open` verdicts (of a data set
        one for each attribute), `datasets`, the mean `difference` (of a gap, of its size) with its
        interval from `low` to `high` by Student's t over data sets, the mean `rank` among all
        treatments and the baseline (1 is best), `friedman_p`, that all treatments rank alike, and
        `p_adjusted`, by Wilcoxon's signed ranks against the baseline, Holm over treatments. Both
        tests from six data sets on (Demšar 2006, *Statistical Comparisons of Classifiers over
        Multiple Data Sets*).
    """
    rows = []
    for (model, measure), part in comparison.groupby(["model", "measure"], sort=False):
        values = _values(part, part["preferred"].iloc[0])
        ranks = values.rank(axis=1).mean()
        friedman, pvalues = _tests(values)
        sign = -1 if part["preferred"].iloc[0] == HIGHER else 1
        changes = sign * values.iloc[:, 1:].sub(values.iloc[:, 0], axis=0)
        over = resampled_mean(changes.to_numpy(), 0, alpha=alpha)  # data sets do not overlap
        means = {
            key: pd.Series(getattr(over, part), index=changes.columns)
            for key, part in (("difference", "estimate"), ("low", "low"), ("high", "high"))
        }
        for treatment, found in part.groupby("treatment", sort=False):
            counts = found["verdict"].value_counts()
            rows.append(
                {
                    "model": model,
                    "measure": measure,
                    "treatment": treatment,
                    "datasets": len(values),
                    BETTER: int(counts.get(BETTER, 0)),
                    OPEN: int(counts.get(OPEN, 0) + counts.get(NO_WORSE, 0)),
                    WORSE: int(counts.get(WORSE, 0)),
                    **{key: of.get(treatment, np.nan) for key, of in means.items()},
                    "rank": ranks.get(treatment, np.nan),
                    "rank_of_baseline": ranks.iloc[0],
                    "friedman_p": friedman,
                    "p_adjusted": pvalues.get(treatment, np.nan),
                }
            )
    return pd.DataFrame(rows)


def _values(part: pd.DataFrame, better: str) -> pd.DataFrame:
    """Return a number for each data set and treatment, less is better; the baseline is first.

    A treatment without the measure on any data set, as without scores, has no column.
    """
    sized = part[["old", "new"]] * (-1 if better == HIGHER else 1)
    part = part.assign(**(sized.abs() if better == NEARER_0 else sized))
    old = part.groupby("dataset", sort=False)["old"].mean()
    new = part.pivot_table(index="dataset", columns="treatment", values="new", sort=False)
    values: pd.DataFrame = pd.concat([old, new], axis=1).dropna()
    return values


def _tests(values: pd.DataFrame) -> tuple[float, pd.Series]:
    """Return the p of Friedman's test, and the adjusted p of each treatment against the first."""
    from scipy.stats import friedmanchisquare, wilcoxon  # noqa: PLC0415  (slow)

    treatments = list(values.columns[1:])
    none = pd.Series(np.nan, index=treatments)
    if len(values) < FEWEST:
        return np.nan, none
    friedman = np.nan
    if len(treatments) > 1:
        friedman = float(friedmanchisquare(*values.to_numpy().T).pvalue)
    first = values.iloc[:, 0]
    p = [
        1.0 if (first == values[name]).all() else float(wilcoxon(first, values[name]).pvalue)
        for name in treatments
    ]
    return friedman, pd.Series(adjusted(np.array(p), "holm"), index=treatments)
