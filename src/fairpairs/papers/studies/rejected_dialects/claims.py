"""The conclusions of the paper on dialects, with checks on the effects of all reward models."""

import pandas as pd

from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Numbers, Printed, span
from fairpairs.papers.plan.claim_tests import agreeing
from fairpairs.papers.plan.claims import Claims, Finding, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART
from fairpairs.papers.studies.rejected_dialects.additions import shown

TABLE_1, TABLE_2, TABLE_3, ASTERISKS = (
    f"tables/rejected_dialects/{name}.csv"
    for name in ("table_1", "table_2", "table_3", "asterisks")
)
#: The mean drop of the abstract; ours meets it if it rounds to the printed digit.
PRINTED, ROUNDING = -0.04, 0.005
DROP, TRANSLATED = "AAL − WME", "d, WME − AAL"
AAL_PROMPT, WME_PROMPT = "AAL prompt: d, AAL − WME", "WME prompt: d, WME − AAL"
CLAIMS = Claims()


@CLAIMS.add(
    "Most reward models agree less often with human preferences in African American Language (AAL) "
    "than in White Mainstream English (WME), by 4 % on average.",
    "abstract; research question 1",
)
def less_accurate_in_aal(results: Results) -> Finding:
    """Ask which models are right less often in AAL."""
    effects = _effects(results, TABLE_1, DROP)
    mean, verdict = effects["estimate"].mean(), _verdict(effects, -1)
    numbers = _counts(effects, -1, "models less accurate in AAL")
    numbers["mean change of accuracy"] = Printed(mean, PRINTED)
    met = abs(mean - PRINTED) <= ROUNDING
    return Finding(IN_PART if verdict == HOLDS and not met else verdict, numbers)


@CLAIMS.add(
    "Reward models score texts in AAL lower than texts in WME.",
    "abstract; research question 2",
    note="This AAL was made by machine and may be worse text, which scores cannot tell from a "
    "bias; the paper's texts in AAL by people may not be published, and are not checked.",
)
def aal_scored_lower(results: Results) -> Finding:
    """Ask which models score answers in AAL lower, translated with their prompts or not."""
    translated = _effects(results, TABLE_2, TRANSLATED)
    to_wme = _effects(results, TABLE_3, WME_PROMPT)
    numbers = {
        **_counts(translated, 1, "models with lower scores, prompts translated too"),
        **_counts(to_wme, 1, "models with lower scores, to one prompt in WME"),
    }
    return Finding(agreeing([_verdict(translated, 1), _verdict(to_wme, 1)]), numbers)


@CLAIMS.add(
    "Reward models steer conversations towards WME, even when the prompt is in AAL.",
    "abstract; research question 3",
    note="Worse translations cannot be told from a bias.",
)
def steered_to_wme(results: Results) -> Finding:
    """Ask which models prefer the answer in WME to a prompt in AAL."""
    effects = _effects(results, TABLE_3, AAL_PROMPT)
    numbers = _counts(effects, -1, "models with a higher score of the answer in WME")
    numbers["effect size d of the models"] = span(-effects["estimate"])
    return Finding(_verdict(effects, -1), numbers)


def _effects(results: Results, path: str, column: str) -> pd.DataFrame:
    """Return the effect of each model, and its p-value after Holm over the models."""
    estimates = table(results, path, text=("row",)).set_index("row")
    tests = table(results, ASTERISKS, text=("row", "column", "verdict"))
    pvalues = tests[tests["column"] == column].set_index("row")
    if column not in estimates or pvalues.empty:
        raise CannotTellError(f"results/{path} has no column {column}.")
    frame = pd.DataFrame(
        {"estimate": estimates[column], "pvalue_holm": pvalues["pvalue_holm"]}
    ).dropna()
    if frame.empty:
        raise CannotTellError(f"results/{path} has no model.")
    return frame


def _counts(effects: pd.DataFrame, sign: int, name: str) -> Numbers:
    """Count the models with an effect of this sign, and those in which it is significant."""
    cases, as_claimed = len(effects), int((sign * effects["estimate"] > 0).sum())
    return {
        name: Count(as_claimed, cases),
        f"{name}, significantly (Holm)": Count(shown(effects, sign), cases),
    }


def _verdict(effects: pd.DataFrame, sign: int) -> str:
    """Return whether most models show an effect of this sign, and none the opposite."""
    as_claimed, against = shown(effects, sign), shown(effects, -sign)
    if 2 * as_claimed > len(effects):
        return IN_PART if against else HOLDS
    return IN_PART if as_claimed > against else FAILS
