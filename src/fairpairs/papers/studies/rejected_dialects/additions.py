"""What the gap of comparative separation across dialects adds to the paper's conclusions."""

import pandas as pd

from fairpairs.papers.plan.claim_numbers import Count, Numbers, span
from fairpairs.papers.studies.rejected_dialects.cells import LEVEL

#: Verdicts on an addition, by the share of models that show it.
FOR_ALL, FOR_MOST, NOT = "holds for all models", "holds for most models", "does not hold"


def additions(gaps: pd.DataFrame) -> list[tuple[str, str, Numbers]]:
    """Return what comparative separation adds: across dialects, and by pairing the prompts.

    Each is a statement, the verdict on it and the numbers that it rests on.
    """
    within, across = (
        gaps[gaps["hypothesis"] == name].set_index("model") for name in ("within", "across")
    )
    no_gap = within.index[~(within["pvalue_holm"] < LEVEL)]
    lean: Numbers = {
        "models with a gap across the dialects": Count(shown(across, 1), len(across)),
        "gap across the dialects": span(across["estimate"]),
        "share of prompts where a preferred answer in AAL scores no higher than one in WME": span(
            1 - across["second"]
        ),
        "share where a preferred one in WME scores no higher": span(1 - across["first"]),
        "models without a gap within the dialects": Count(len(no_gap), len(within)),
        "of these with a gap across them": shown(across.loc[no_gap], 1),
    }
    drops = [
        int(((within["estimate"] < 0) & (within[name] < LEVEL)).sum())
        for name in ("pvalue", "pvalue_unpaired")
    ]
    pairing: Numbers = {
        f"drops found at {LEVEL:g}, not adjusted, prompts paired": Count(drops[0], len(within)),
        "prompts in WME and in AAL as different ones": Count(drops[1], len(within)),
    }
    return [
        (
            "On one prompt, a preferred answer wins more often when it is the one in WME",
            verdict(across, sign=1),
            lean,
        ),
        (
            "Pairing the prompts finds drops of accuracy that are missed without it",
            "holds" if drops[0] > drops[1] else NOT,
            pairing,
        ),
    ]


def verdict(effects: pd.DataFrame, *, sign: int) -> str:
    """Return whether all, most (more than half) or not most models show an effect of this sign."""
    number, cases = shown(effects, sign), len(effects)
    return FOR_ALL if number == cases else FOR_MOST if 2 * number > cases else NOT


def shown(effects: pd.DataFrame, sign: int) -> int:
    """Count the models with a significant effect of this sign."""
    return int(((effects["pvalue_holm"] < LEVEL) & (sign * effects["estimate"] > 0)).sum())
