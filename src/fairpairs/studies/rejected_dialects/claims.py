"""Which conclusions of the paper hold on our numbers, and what the gap across dialects adds."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from fairpairs.studies.rejected_dialects.cells import LEVEL
from fairpairs.texts import decimals

#: Verdicts on a conclusion, by the share of models that show it.
FOR_ALL, FOR_MOST, NOT = "holds for all models", "holds for most models", "does not hold"


@dataclass(frozen=True)
class Claim:
    """A conclusion, the verdict on it, and the numbers that it rests on."""

    claim: str
    verdict: str
    evidence: str


def paper_claims(effects: pd.DataFrame) -> list[Claim]:
    """Check the paper's conclusions: each is shown by models with p < 0.05 in its direction.

    Parameters
    ----------
    effects
        What `effects.measure_effects` returned.
    """
    drop = _of(effects, "drop")
    accuracy = Claim(
        "Reward models agree less often with human preferences in AAL than in WME",
        verdict(drop, sign=-1),
        f"The accuracy is lower in AAL in {_counted(drop, -1)}; it changes by "
        f"{decimals(drop['estimate'].mean(), 3, sign=True)} on average.",
    )
    translated, wme_prompt = _of(effects, "d_translated"), _of(effects, "d_wme_prompt")
    scores = Claim(
        "They score texts in AAL lower than texts in WME",
        weaker(verdict(translated, sign=1), verdict(wme_prompt, sign=1)),
        f"Translated with their prompts, answers lose score in {_counted(translated, 1)} "
        f"({_spread(translated)}); to one prompt in WME, in {_counted(wme_prompt, 1)} "
        f"({_spread(wme_prompt)}).",
    )
    aal_prompt = _of(effects, "d_aal_prompt")
    mirroring = Claim(
        "They steer towards WME even when the prompt is in AAL",
        verdict(aal_prompt, sign=-1),
        "To one prompt in AAL, the answer in WME has the higher score in "
        f"{_counted(aal_prompt, -1)} ({_spread(aal_prompt)}).",
    )
    return [accuracy, scores, mirroring]


def gap_claims(gaps: pd.DataFrame) -> list[Claim]:
    """Say what comparative separation adds: across dialects, and by pairing the prompts.

    Parameters
    ----------
    gaps
        What `gaps.measure_gaps` returned.
    """
    within, across = (_of(gaps, name, "hypothesis") for name in ("within", "across"))
    hidden = within.index[~(within["pvalue_holm"] < LEVEL)]
    leaning = across.loc[hidden]
    found = int(((leaning["pvalue_holm"] < LEVEL) & (leaning["estimate"] > 0)).sum())
    against = 1 - across["second"]
    lean = Claim(
        "On one prompt, a preferred answer wins more often when it is the one in WME",
        verdict(across, sign=1),
        f"The gap across dialects is above 0 in {_counted(across, 1)} ({_spread(across)}). A "
        "preferred answer in AAL is scored no higher than the dispreferred one in WME on "
        f"{_percent(against)} of the prompts, a preferred one in WME no higher than that in AAL on "
        f"{_percent(1 - across['first'])}. "
        f"Within the dialects, {len(hidden)} of {len(within)} models show no gap (Holm); {found} "
        "of these lean towards WME across them, which no accuracy within a dialect shows.",
    )
    lower = within["estimate"] < 0
    paired, unpaired = (
        int((lower & (within[name] < LEVEL)).sum()) for name in ("pvalue", "pvalue_unpaired")
    )
    pairing = Claim(
        "Pairing the prompts finds drops of accuracy that are missed without it",
        "holds" if paired > unpaired else NOT,
        f"Drops found at {LEVEL:g}, not adjusted: {paired} of {len(within)} paired by prompt, "
        f"{unpaired} as if the prompts in WME and in AAL were different ones.",
    )
    return [lean, pairing]


def verdict(own: pd.DataFrame, *, sign: int) -> str:
    """Say whether all, most (more than half) or not most models show an effect of this sign."""
    shown = int(((own["pvalue_holm"] < LEVEL) & (sign * own["estimate"] > 0)).sum())
    if shown == len(own):
        return FOR_ALL
    return FOR_MOST if 2 * shown > len(own) else NOT


def weaker(*verdicts: str) -> str:
    """Return the weakest of some verdicts."""
    return max(verdicts, key=[FOR_ALL, FOR_MOST, NOT].index)


def _of(frame: pd.DataFrame, name: str, column: str = "quantity") -> pd.DataFrame:
    return frame[frame[column] == name].set_index("model")


def _counted(own: pd.DataFrame, sign: int) -> str:
    """Count the models with an effect of this sign, and those in which it is significant."""
    as_claimed = sign * own["estimate"] > 0
    shown = as_claimed & (own["pvalue_holm"] < LEVEL)
    return f"{as_claimed.sum()} of {len(own)} models, significantly in {shown.sum()} (Holm)"


def _spread(own: pd.DataFrame) -> str:
    low, high = (decimals(own["estimate"].agg(of), 2, sign=True) for of in ("min", "max"))
    return f"{low} to {high}"


def _percent(shares: pd.Series) -> str:
    low, high = (decimals(100 * shares.agg(of), 0) for of in ("min", "max"))
    return f"{low} to {high} %"
