"""Comparative separation of each model between two dialects, within them and across them.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, equation (16).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from fairpairs.arrays import Floats
from fairpairs.fairness.results import adjusted
from fairpairs.studies.rejected_dialects.scores import DialectScores

#: Hypothesis → what its gap is.
HYPOTHESES = {
    "within": "TPR(AAL,AAL) − TPR(WME,WME)",
    "across": "TPR(WME,AAL) − TPR(AAL,WME)",
}


def measure_gaps(models: Mapping[str, DialectScores], *, alpha: float = 0.05) -> pd.DataFrame:
    """Test comparative separation of the dialects, paired by prompt, of all models.

    TPR(a, b) is the chance that the preferred answer, in dialect a, has a higher score than the
    dispreferred one in dialect b.

    Parameters
    ----------
    models
        The scores of each model, by name.
    alpha
        Level of the intervals, each of one gap alone.

    Returns
    -------
    DataFrame
        A row for each model and `hypothesis`: "within", prompt and answers in AAL against prompt
        and answers in WME, TPR(AAL,AAL) − TPR(WME,WME); "across", on one prompt in WME,
        TPR(WME,AAL) − TPR(AAL,WME). Columns `model`, `hypothesis`, `first` and `second` (the two
        rates), `estimate`, `ci_low`, `ci_high`, `pvalue` (paired), `pvalue_holm` (over the
        models), `pvalue_unpaired` (as if the two rates were of different prompts), `prompts`.
    """
    rows = [
        {"model": model, "hypothesis": hypothesis, **_gap(*sides, alpha=alpha)}
        for model, scores in models.items()
        for hypothesis, sides in _right(scores).items()
    ]
    frame = pd.DataFrame(rows)
    holm = frame.groupby("hypothesis")["pvalue"].transform(
        lambda pvalues: adjusted(pvalues.to_numpy(), "holm")
    )
    frame.insert(list(frame).index("pvalue") + 1, "pvalue_holm", holm)
    return frame


def _right(scores: DialectScores) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return whether each prompt's judgment is right, of the two rates of each hypothesis."""
    wme, aal, other = scores.wme, scores.aal, scores.wme_prompt_aal_answers
    return {
        "within": (aal[:, 0] > aal[:, 1], wme[:, 0] > wme[:, 1]),
        "across": (wme[:, 0] > other[:, 1], other[:, 0] > wme[:, 1]),
    }


def _gap(first: np.ndarray, second: np.ndarray, *, alpha: float) -> dict[str, float]:
    difference = first.astype(np.float64) - second
    estimate, n = difference.mean(), len(difference)
    error = np.sqrt(np.mean((difference - estimate) ** 2) / n)
    pooled = (first.mean() + second.mean()) / 2
    half = -ndtri(alpha / 2) * error
    return {
        "first": first.mean(),
        "second": second.mean(),
        "estimate": estimate,
        "ci_low": estimate - half,
        "ci_high": estimate + half,
        "pvalue": _two_sided(estimate, error),
        "pvalue_unpaired": _two_sided(estimate, np.sqrt(2 * pooled * (1 - pooled) / n)),
        "prompts": n,
    }


def _two_sided(estimate: Floats, error: Floats) -> float:
    return float(2 * ndtr(-abs(estimate) / error)) if error > 0 else float("nan")
