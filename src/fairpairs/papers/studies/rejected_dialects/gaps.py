"""Comparative separation of each model between two dialects, within and across them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.papers.studies.rejected_dialects.effects import with_holm
from fairpairs.papers.studies.rejected_dialects.scores import DialectScores

#: Dialects of the answers to a prompt: all in WME, all in AAL, and to a prompt in WME in AAL.
DIALECTS = ("WME", "WME", "AAL", "AAL", "AAL", "AAL")
#: Gap → for each of its two rates, the positions of the preferred and the other answer.
JUDGED = {"within": ((2, 3), (0, 1)), "across": ((0, 5), (4, 1))}
#: The names of the two rates, such as TPR(AAL,AAL).
RATES = {
    gap: [f"TPR({DIALECTS[preferred]},{DIALECTS[other]})" for preferred, other in judged]
    for gap, judged in JUDGED.items()
}


def measure_gaps(models: Mapping[str, DialectScores], *, alpha: float = 0.05) -> pd.DataFrame:
    """Test comparative separation of the dialects, paired by prompt, for each model.

    TPR(a, b) is the chance that the preferred answer, in dialect a, has a higher score than the
    dispreferred one in dialect b. "within" is TPR(AAL,AAL) − TPR(WME,WME), prompt and answers in
    one dialect; "across" is TPR(WME,AAL) − TPR(AAL,WME), on one prompt in WME. `pvalue_unpaired` is
    as if the two rates were of different prompts.
    """
    rows = [
        {"model": model, "hypothesis": gap, **_measured(scores, gap, alpha)}
        for model, scores in models.items()
        for gap in JUDGED
    ]
    return with_holm(pd.DataFrame(rows), "hypothesis")


def _measured(scores: DialectScores, gap: str, alpha: float) -> dict[str, float]:
    """Test one gap of one model, with the prompts as clusters and without them."""
    answers = np.hstack([scores.wme, scores.aal, scores.wme_prompt_aal_answers])
    items = np.arange(answers.size).reshape(answers.shape)
    preferred, other = (
        np.concatenate([items[:, pair[side]] for pair in JUDGED[gap]]) for side in (0, 1)
    )
    results = [
        comparative_separation_from_judgments(
            preferred,
            other,
            np.ones(len(preferred)),
            answers.ravel(),
            sensitive_features=np.tile(DIALECTS, len(answers)),
            clusters=clusters,
            alpha=alpha,
            correction="none",
        )
        for clusters in (np.tile(np.arange(len(answers)), 2), None)
    ]
    # of the rows of the two hypotheses one has judgments
    paired, unpaired = (found[found["n"] > 0].iloc[0] for found in (r.to_frame() for r in results))
    rates = results[0].rates().set_index(["winner", "loser"])["tpr"]
    first, second = (rates[DIALECTS[one], DIALECTS[two]] for one, two in JUDGED[gap])
    sign = 1 if paired["hypothesis"].startswith(RATES[gap][0]) else -1
    low, high = sorted(sign * paired[["ci_low", "ci_high"]])
    return {
        **{"first": first, "second": second, "estimate": first - second},
        **{"ci_low": low, "ci_high": high, "pvalue": paired["pvalue"]},
        **{"pvalue_unpaired": unpaired["pvalue"], "prompts": len(answers)},
    }
