"""The conclusions of the paper on dialects, with checks on the effects of all reward models."""

from __future__ import annotations

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claims import CannotTellError, Claim, Finding, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART
from fairpairs.papers.studies.rejected_dialects.additions import counted
from fairpairs.papers.studies.rejected_dialects.cells import LEVEL

TABLE_1, TABLE_2, TABLE_3, ASTERISKS = (
    f"tables/rejected_dialects/{name}.csv"
    for name in ("table_1", "table_2", "table_3", "asterisks")
)
#: The mean drop of the abstract; ours meets it if it rounds to the printed digit.
PRINTED, ROUNDING = -0.04, 0.005
DROP, TRANSLATED = "AAL − WME", "d, WME − AAL"
AAL_PROMPT, WME_PROMPT = "AAL prompt: d, AAL − WME", "WME prompt: d, WME − AAL"


def check_accuracy(results: Results) -> Finding:
    """Ask which models are right less often in AAL."""
    effects = _effects(results, TABLE_1, DROP)
    mean = effects["estimate"].mean()
    reason = (
        f"Accuracy is lower in AAL in {counted(effects, -1)}; it changes by "
        f"{decimals(mean, 3, sign=True)} on average."
    )
    verdict = _verdict(effects, -1)
    if verdict == HOLDS and abs(mean - PRINTED) > ROUNDING:
        verdict = IN_PART
    return Finding(verdict, reason, (TABLE_1, ASTERISKS))


def check_scores(results: Results) -> Finding:
    """Ask which models score answers in AAL lower."""
    parts = [_effects(results, TABLE_2, TRANSLATED), _effects(results, TABLE_3, WME_PROMPT)]
    reason = (
        f"Translated with their prompts, answers lose score in {counted(parts[0], 1)}; to one "
        f"prompt in WME, in {counted(parts[1], 1)}. This AAL was made by machine and may be worse "
        "text, which these scores alone cannot tell from a bias against the dialect; the paper's "
        "texts in AAL by people may not be published, and are not checked."
    )
    verdicts = {_verdict(part, 1) for part in parts}
    verdict = verdicts.pop() if len(verdicts) == 1 else IN_PART
    return Finding(verdict, reason, (TABLE_2, TABLE_3, ASTERISKS))


def check_mirroring(results: Results) -> Finding:
    """Ask which models prefer the answer in WME to a prompt in AAL."""
    effects = _effects(results, TABLE_3, AAL_PROMPT)
    reason = (
        "To one prompt in AAL, the answer in WME has the higher score in "
        f"{counted(effects, -1)}, by d = {_span(-effects['estimate'])}. The same limit holds: "
        "worse translations cannot be told from a bias."
    )
    return Finding(_verdict(effects, -1), reason, (TABLE_3, ASTERISKS))


def _effects(results: Results, path: str, column: str) -> pd.DataFrame:
    """Return the effect of each model, and its p-value after Holm over the models."""
    estimates = table(results, path, text=("row",)).set_index("row")
    tests = table(results, ASTERISKS, text=("row", "column", "verdict"))
    pvalues = tests[tests["column"] == column].set_index("row")
    if column not in estimates or pvalues.empty:
        raise CannotTellError(f"results/{path} has no column {column}.", path, ASTERISKS)
    frame = pd.DataFrame(
        {"estimate": estimates[column], "pvalue_holm": pvalues["pvalue_holm"]}
    ).dropna()
    if frame.empty:
        raise CannotTellError(f"results/{path} has no model.", path, ASTERISKS)
    return frame


def _verdict(effects: pd.DataFrame, sign: int) -> str:
    """Return whether most models show an effect of this sign, and none the opposite."""
    significant = effects["pvalue_holm"] < LEVEL
    shown, against = (
        int((significant & (direction * effects["estimate"] > 0)).sum())
        for direction in (sign, -sign)
    )
    if 2 * shown > len(effects):
        return IN_PART if against else HOLDS
    return IN_PART if shown > against else FAILS


def _span(values: pd.Series[float]) -> str:
    return f"{decimals(values.min(), 2)} to {decimals(values.max(), 2)}"


CLAIMS = [
    Claim(
        "less-accurate-in-aal",
        "Most reward models agree less often with human preferences in African American Language "
        "(AAL) than in White Mainstream English (WME), by 4 % on average.",
        "abstract; research question 1",
        check_accuracy,
    ),
    Claim(
        "aal-scored-lower",
        "Reward models score texts in AAL lower than texts in WME.",
        "abstract; research question 2",
        check_scores,
    ),
    Claim(
        "steered-to-wme",
        "Reward models steer conversations towards WME, even when the prompt is in AAL.",
        "abstract; research question 3",
        check_mirroring,
    ),
]
