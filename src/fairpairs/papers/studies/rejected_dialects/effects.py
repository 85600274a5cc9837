"""What the paper measures: accuracies, and differences of scores in two dialects."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.studies.rejected_dialects.scores import DialectScores


def measure_effects(models: Mapping[str, DialectScores]) -> pd.DataFrame:
    """Return what the paper prints of each model, with p-values adjusted over the models (Holm).

    The quantities are

    - "accuracy", the share of prompts whose preferred answer has the higher score, in WME;
    - "drop", the accuracy in AAL minus it, with McNemar's test;
    - "d_translated", the effect size d of the scores of preferred answers, all in WME minus
      all in AAL, with the paired t-test, as the next two;
    - "d_aal_prompt", to a prompt in AAL, the answer in AAL minus that in WME;
    - "d_wme_prompt", to a prompt in WME, the answer in WME minus that in AAL.
    """
    rows = [
        {"model": model, "quantity": quantity, "estimate": estimate, "pvalue": pvalue}
        for model, scores in models.items()
        for quantity, (estimate, pvalue) in _effects(scores).items()
    ]
    return with_holm(pd.DataFrame(rows), "quantity")


def with_holm(frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Add p-values that are adjusted over the models, behind those that are not."""
    pvalues = frame.groupby(kind)["pvalue"]
    holm = pvalues.transform(lambda values: adjusted(values.to_numpy(), "holm"))
    frame.insert(list(frame).index("pvalue") + 1, "pvalue_holm", holm)
    return frame


def _effects(scores: DialectScores) -> dict[str, tuple[float, float]]:
    right_wme, right_aal = (pair[:, 0] > pair[:, 1] for pair in (scores.wme, scores.aal))
    wme, aal = scores.wme[:, 0], scores.aal[:, 0]
    drop = right_aal.mean() - right_wme.mean()
    return {
        "accuracy": (right_wme.mean(), np.nan),
        "drop": (drop, mcnemar_pvalue(right_wme, right_aal)),
        "d_translated": difference(wme, aal),
        "d_aal_prompt": difference(aal, scores.aal_prompt_wme_answers[:, 0]),
        "d_wme_prompt": difference(wme, scores.wme_prompt_aal_answers[:, 0]),
    }


def mcnemar_pvalue(first: np.ndarray, second: np.ndarray) -> float:
    """Return the p-value of McNemar's test of paired yes or no, without continuity correction."""
    from statsmodels.stats.contingency_tables import mcnemar  # noqa: PLC0415  (slow)

    table = [[np.sum((first == a) & (second == b)) for b in (True, False)] for a in (True, False)]
    if table[0][1] + table[1][0] == 0:
        return 1.0
    return float(mcnemar(table, exact=False, correction=False).pvalue)


def difference(first: Floats, second: Floats) -> tuple[float, float]:
    """Return d, the difference of means over the root of the mean variance, and the paired t's p.

    The paper's d ignores the pairing that its test uses.
    """
    from scipy.stats import ttest_rel  # noqa: PLC0415  (slow)

    spread = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        d = (first.mean() - second.mean()) / spread
        return float(d), float(ttest_rel(first, second).pvalue)
