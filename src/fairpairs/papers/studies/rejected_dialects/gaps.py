"""Comparative separation of each model between two dialects, within and across them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats, Series
from fairpairs.mathematics.fairness.comparative_result import ComparativeSeparationResult
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.papers.studies.rejected_dialects.scores import DialectScores

#: Dialects of the answers to a prompt, in the order of `_answers`.
DIALECTS = ("WME", "WME", "AAL", "AAL", "AAL", "AAL")


@dataclass(frozen=True)
class Gap:
    """The difference of two rates (first minus second), each of one judgment per prompt."""

    #: for each rate, the positions in `DIALECTS` of the preferred and of the dispreferred answer
    judged: tuple[tuple[int, int], tuple[int, int]]

    @property
    def rates(self) -> tuple[str, str]:
        """The names of the two rates, such as TPR(AAL,AAL)."""
        first, second = (
            f"TPR({DIALECTS[preferred]},{DIALECTS[other]})" for preferred, other in self.judged
        )
        return first, second


HYPOTHESES = {"within": Gap(((2, 3), (0, 1))), "across": Gap(((0, 5), (4, 1)))}


def measure_gaps(models: Mapping[str, DialectScores], *, alpha: float = 0.05) -> pd.DataFrame:
    """Test comparative separation of the dialects, paired by prompt, for each model.

    TPR(a, b) is the chance that the preferred answer, in dialect a, has a higher score than the
    dispreferred one in dialect b. "within" is TPR(AAL,AAL) − TPR(WME,WME), prompt and answers in
    one dialect; "across" is TPR(WME,AAL) − TPR(AAL,WME), on one prompt in WME. `pvalue_unpaired` is
    as if the two rates were of different prompts.
    """
    rows = [
        {"model": model, "hypothesis": hypothesis, **_measured(scores, gap, alpha)}
        for model, scores in models.items()
        for hypothesis, gap in HYPOTHESES.items()
    ]
    frame = pd.DataFrame(rows)
    holm = frame.groupby("hypothesis")["pvalue"].transform(
        lambda pvalues: adjusted(pvalues.to_numpy(), "holm")
    )
    frame.insert(list(frame).index("pvalue") + 1, "pvalue_holm", holm)
    return frame


def _answers(scores: DialectScores) -> Floats:
    """Return the scores of the answers to each prompt: in WME, in AAL, in AAL to WME."""
    return np.hstack([scores.wme, scores.aal, scores.wme_prompt_aal_answers])


def _measured(scores: DialectScores, gap: Gap, alpha: float) -> dict[str, float]:
    """Test one gap of one model, with the prompts as clusters and without them."""
    answers = _answers(scores)
    prompts, answers_per_prompt = answers.shape
    items = np.arange(prompts * answers_per_prompt).reshape(prompts, answers_per_prompt)
    preferred, other = (
        np.concatenate([items[:, pair[side]] for pair in gap.judged]) for side in (0, 1)
    )
    paired, unpaired = (
        comparative_separation_from_judgments(
            preferred,
            other,
            np.ones(len(preferred)),
            answers.ravel(),
            sensitive_features=np.tile(DIALECTS, prompts),
            clusters=clusters,
            alpha=alpha,
            correction="none",
        )
        for clusters in (np.tile(np.arange(prompts), 2), None)
    )
    rates = paired.rates().set_index(["winner", "loser"])["tpr"]
    first, second = (rates[DIALECTS[one], DIALECTS[two]] for one, two in gap.judged)
    row = _tested(paired)
    sign = 1 if row["hypothesis"].startswith(gap.rates[0]) else -1
    low, high = sorted(sign * row[["ci_low", "ci_high"]])
    return {
        "first": first,
        "second": second,
        "estimate": first - second,
        "ci_low": low,
        "ci_high": high,
        "pvalue": row["pvalue"],
        "pvalue_unpaired": _tested(unpaired)["pvalue"],
        "prompts": prompts,
    }


def _tested(result: ComparativeSeparationResult) -> Series:
    """Return the row of the gap that there are judgments of."""
    frame = result.to_frame()
    return frame[frame["n"] > 0].iloc[0]
