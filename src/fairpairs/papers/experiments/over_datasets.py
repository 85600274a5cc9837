"""What each treatment did over all data sets of an experiment, each of which counts once."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.inference.resampled_t import resampled_mean
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.experiments.comparison import BETTER, NO_WORSE, OPEN, WORSE
from fairpairs.papers.experiments.measures import HIGHER, NEARER_0

#: The data sets from which on ranks are tested.
FEWEST = 6
#: Decimals by which changes are ranked, as shares of the largest value or of 1.
DIGITS = 12


def treatments_over_datasets(comparison: pd.DataFrame, *, alpha: float = 0.05) -> pd.DataFrame:
    """Count verdicts of `compare_treatments` over data sets, and compare mean ranks of treatments.

    Repeats are never pooled: a data set counts once, with the mean of its measure, of a gap with
    the mean of its sizes over attributes. Returned are, for each model, measure and treatment:
    `better`, `worse` and `open` verdicts (of a data set one for each attribute), `datasets`, the
    mean `difference` (of a gap, of its size) with its interval from `low` to `high` by Student's t
    over data sets, the mean `rank` among all treatments and the baseline (1 is best), `friedman_p`,
    that all treatments rank alike, and `p_adjusted`, by Wilcoxon's signed ranks against the
    baseline, Holm over treatments. Both tests from six data sets on (Demšar 2006, *Statistical
    Comparisons of Classifiers over Multiple Data Sets*).
    """
    rows = []
    for (model, measure), part in comparison.groupby(["model", "measure"], sort=False):
        changes = _changes(part, part["preferred"].iloc[0])
        sign = -1 if part["preferred"].iloc[0] == HIGHER else 1
        rank_of_baseline, ranks, friedman, pvalues = _ranked(
            changes, float(np.nanmax(part[["old", "new"]].abs().to_numpy(), initial=0))
        )
        # data sets do not overlap
        over = resampled_mean(sign * changes.to_numpy(), 0, alpha=alpha)
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
                    "datasets": len(changes),
                    BETTER: int(counts.get(BETTER, 0)),
                    OPEN: int(counts.get(OPEN, 0) + counts.get(NO_WORSE, 0)),
                    WORSE: int(counts.get(WORSE, 0)),
                    **{key: of.get(treatment, np.nan) for key, of in means.items()},
                    "rank": ranks.get(treatment, np.nan),
                    "rank_of_baseline": rank_of_baseline,
                    "friedman_p": friedman,
                    "p_adjusted": pvalues.get(treatment, np.nan),
                }
            )
    return pd.DataFrame(rows)


def _changes(part: pd.DataFrame, better: str) -> pd.DataFrame:
    """Return the change of each data set by each treatment, less is better.

    A treatment without the measure on any data set, as without scores, has no column.
    """
    sized = part[["old", "new"]] * (-1 if better == HIGHER else 1)
    sized = sized.abs() if better == NEARER_0 else sized
    # of the same repeats and attributes, in which both have a value
    paired = part.assign(change=sized["new"] - sized["old"]).dropna(subset="change")
    means = paired.groupby(["dataset", "treatment"], sort=False, observed=True)["change"].mean()
    order = [name for name in dict.fromkeys(part["treatment"]) if name in set(paired["treatment"])]
    return means.unstack().reindex(columns=order).dropna()


def _ranked(changes: pd.DataFrame, largest: float) -> tuple[float, pd.Series, float, pd.Series]:
    """Return the mean ranks of the baseline and of the treatments, and what tests say of them.

    The p of Friedman's test, and the adjusted p of each treatment against the baseline.
    """
    from scipy.stats import friedmanchisquare, wilcoxon  # noqa: PLC0415  (slow)

    names = list(changes)
    none = pd.Series(np.nan, index=names)
    if not changes.size:
        return np.nan, none, np.nan, none
    # what differs by rounding alone is tied
    changes = (changes / max(1.0, largest)).round(DIGITS)
    both = pd.DataFrame(np.column_stack([np.zeros(len(changes)), changes]))
    of_baseline, *ranks = both.rank(axis=1).mean()
    found = of_baseline, pd.Series(ranks, index=names)
    if len(changes) < FEWEST:
        return *found, np.nan, none
    friedman = np.nan
    if len(names) > 1:
        differ = changes.any(axis=None)
        friedman = float(friedmanchisquare(*both.to_numpy().T).pvalue) if differ else 1.0
    columns = changes.to_numpy().T
    p = [float(wilcoxon(change).pvalue) if change.any() else 1.0 for change in columns]
    return *found, friedman, pd.Series(adjusted(np.array(p), "holm"), index=names)
