"""What the gap of comparative separation across dialects adds to the paper's conclusions."""

from dataclasses import dataclass

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.studies.rejected_dialects.cells import LEVEL

#: Verdicts on an addition, by the share of models that show it.
FOR_ALL, FOR_MOST, NOT = "holds for all models", "holds for most models", "does not hold"


@dataclass(frozen=True)
class Addition:
    """A conclusion of ours, the verdict on it, and the numbers that it rests on."""

    statement: str
    verdict: str
    evidence: str


def additions(gaps: pd.DataFrame) -> list[Addition]:
    """Return what comparative separation adds: across dialects, and by pairing the prompts."""
    within, across = (
        gaps[gaps["hypothesis"] == name].set_index("model") for name in ("within", "across")
    )
    no_gap = within.index[~(within["pvalue_holm"] < LEVEL)]
    leaning = across.loc[no_gap]
    leans = int(((leaning["pvalue_holm"] < LEVEL) & (leaning["estimate"] > 0)).sum())
    against = 1 - across["second"]
    lean = Addition(
        "On one prompt, a preferred answer wins more often when it is the one in WME",
        verdict(across, sign=1),
        f"The gap across dialects is above 0 in {(across['estimate'] > 0).sum()} of {len(across)} "
        f"models, significantly in {shown(across, 1)} (Holm) ({_spread(across)}). A preferred "
        "answer in AAL is scored no higher than the dispreferred one in WME on "
        f"{_percent(against)} of the prompts, a preferred one in WME no higher than that in AAL on "
        f"{_percent(1 - across['first'])}. "
        f"Within the dialects, {len(no_gap)} of {len(within)} models show no gap (Holm); {leans} "
        "of these lean towards WME across them, which no accuracy within a dialect shows.",
    )
    lower = within["estimate"] < 0
    paired, unpaired = (
        int((lower & (within[name] < LEVEL)).sum()) for name in ("pvalue", "pvalue_unpaired")
    )
    pairing = Addition(
        "Pairing the prompts finds drops of accuracy that are missed without it",
        "holds" if paired > unpaired else NOT,
        f"Drops found at {LEVEL:g}, not adjusted: {paired} of {len(within)} paired by prompt, "
        f"{unpaired} as if the prompts in WME and in AAL were different ones.",
    )
    return [lean, pairing]


def verdict(effects: pd.DataFrame, *, sign: int) -> str:
    """Return whether all, most (more than half) or not most models show an effect of this sign."""
    number = shown(effects, sign)
    if number == len(effects):
        return FOR_ALL
    return FOR_MOST if 2 * number > len(effects) else NOT


def shown(effects: pd.DataFrame, sign: int) -> int:
    """Count the models with a significant effect of this sign."""
    return int(((effects["pvalue_holm"] < LEVEL) & (sign * effects["estimate"] > 0)).sum())


def _spread(effects: pd.DataFrame) -> str:
    low, high = (decimals(effects["estimate"].agg(limit), 2, sign=True) for limit in ("min", "max"))
    return f"{low} to {high}"


def _percent(shares: pd.Series) -> str:
    low, high = (decimals(100 * shares.agg(limit), 0) for limit in ("min", "max"))
    return f"{low} to {high} %"
