"""What is measured of scores: accuracies and means as in the paper, comparative separation."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS

SIDES = ("chosen", "rejected")
#: Name in `CONDITIONS` → scores of preferred and dispreferred answers, shape (prompts, 2).
DialectScores = Mapping[str, Floats]
#: Dialects of the answers to a prompt: all in WME, all in AAL, and to a prompt in WME in AAL.
DIALECTS = ("WME", "WME", "AAL", "AAL", "AAL", "AAL")
#: Gap → for each of its two rates, the positions of the preferred and the other answer.
JUDGED = {"within": ((2, 3), (0, 1)), "across": ((0, 5), (4, 1))}
#: The names of the two rates, such as TPR(AAL,AAL).
RATES = {
    gap: [f"TPR({DIALECTS[preferred]},{DIALECTS[other]})" for preferred, other in judged]
    for gap, judged in JUDGED.items()
}


def measure_dialects(
    scores: Sequence[str], *, models: Sequence[str], alpha: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the effects and the gaps of models; `scores` are the files of each in turn."""
    each = len(scores) // len(models)
    read = {name: read_dialects(scores[each * i :][:each]) for i, name in enumerate(models)}
    return measure_effects(read), measure_gaps(read, alpha=alpha)


def read_dialects(files: Sequence[str | Path]) -> DialectScores:
    """Read the four files of a model, in the order of `CONDITIONS`.

    An `InputError` names lines that are no pair of scores, and files of unequal length.
    """
    scores = {name: read_scores(file) for name, file in zip(CONDITIONS, files, strict=True)}
    for name, file in zip(CONDITIONS, files, strict=True):
        if len(scores[name]) != len(scores["wme"]):
            raise InputError(
                f"{file}: {len(scores[name]):,} prompts, and {files[0]} has "
                f"{len(scores['wme']):,}: give both the same prompts in the same order."
            )
    return scores


def read_scores(file: str | Path) -> Floats:
    """Read the scores of preferred and dispreferred answers, shape (prompts, 2), in JSON lines."""
    table = Table(Path(file))
    for side in SIDES:
        table.check_column(side, "the file")
    return np.column_stack([table.numbers(side, "correct it") for side in SIDES])


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
    right_wme, right_aal = (pair[:, 0] > pair[:, 1] for pair in (scores["wme"], scores["aal"]))
    first = {name: pairs[:, 0] for name, pairs in scores.items()}
    wme, aal = first["wme"], first["aal"]
    drop = right_aal.mean() - right_wme.mean()
    return {
        "accuracy": (right_wme.mean(), np.nan),
        "drop": (drop, mcnemar_pvalue(right_wme, right_aal)),
        "d_translated": difference(wme, aal),
        "d_aal_prompt": difference(aal, first["aal_prompt_wme_answers"]),
        "d_wme_prompt": difference(wme, first["wme_prompt_aal_answers"]),
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
    answers = np.hstack([scores[name] for name in ("wme", "aal", "wme_prompt_aal_answers")])
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
