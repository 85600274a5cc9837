"""The fields of monitor.json: what each key holds, and each column of a table."""

from fairpairs.audits.lines.fields import (
    COMPARED_GROUPS,
    FAVOURABLE,
    THRESHOLD,
    by_name,
    counts,
    document,
    flag,
    number,
    one_of,
    record,
    rows,
    several,
    text,
    whole,
)
from fairpairs.audits.lines.verdicts import (
    BEYOND,
    NOT_SHOWN,
    NOT_TESTED,
    VIOLATED,
    VIOLATED_WITHIN,
    WITHIN,
)
from fairpairs.audits.monitor.settings import CRITERIA, JUDGED

#: What a line says of now: no change was shown, a difference began, it ended.
NEVER, DIFFERS, ENDED = ("no change", "differs", "no longer")
#: Measures in which groups are compared within blocks of time.
IN_BLOCKS = {"AUC", "xAUC", "mean error", "mean absolute error", "mean prediction"}
#: Verdict → its meaning here.
VERDICTS = {
    BEYOND: "at this look or an earlier one, the difference was shown to exceed the margin",
    VIOLATED: "at this look or an earlier one, a difference was shown; with a margin, not whether "
    "it exceeds it",
    VIOLATED_WITHIN: "there is a difference, and it is shown to lie within the margin so far",
    WITHIN: "all items so far show the difference to lie within the margin",
    NOT_SHOWN: "nothing is shown: this is no evidence of fairness",
    NOT_TESTED: "too few items; the note says of what",
}
#: What was audited, and how.
ABOUT = {
    "state": text("name of the file of the state"),
    "batches": whole("number of batches", least=1),
    "batch_names": several(text(), "name of each batch; empty for one without"),
    "rows": whole("number of rows, or judgments", least=1),
    "alpha": number("level of all lines that count and all looks", missing=False),
    "gap": number("difference that bets are tuned to", missing=False),
    "run_length": text("mean run length until a change is shown where there is none"),
    "margin": by_name(
        number(missing=False), "largest difference that does not matter, by criterion", missing=True
    ),
    "criterion": several(text(), "criteria that count"),
    "judgments": flag("whether rows are judgments"),
    "positive": text("value of the label that is positive; empty for judgments and numbers"),
    "favourable": FAVOURABLE,
    "threshold": THRESHOLD,
    "columns": by_name(
        {"type": ["string", "null", "array"]}, "role of each column; sensitive is a list"
    ),
    "attributes": COMPARED_GROUPS,
    "window": text("the last batches, shown beside all; null for none", missing=True),
    "begun": whole("number of batches before the last reset; 0 without one"),
    "resets": several(
        record(
            {
                "after": whole("number of batches before it"),
                "reason": text("why"),
                "violated": several(text(), "what that counts was violated until then"),
            }
        ),
        "where evidence began anew",
    ),
    "held": record(
        {
            "rows": several(whole(), "rows of each batch"),
            "labels": several(whole(), "labels that came with each"),
            "missing": several(whole(), "rows of each whose label has not come"),
        },
        "what the batches held",
    ),
    "missing_labels": by_name(
        by_name(whole(), "by group"),
        "rows whose label has not come, by attribute; null where labels come with the rows",
        missing=True,
    ),
    "notes": several(text(), "notes on the last batches"),
}
#: A row of `lines`.
LINES = {
    "criterion": one_of((*CRITERIA, JUDGED), "criterion of the line"),
    "attribute": text("sensitive attribute"),
    "group": text("the group"),
    "reference": text("group that it is compared with"),
    "measure": one_of(
        [
            "TPR",
            "FPR",
            "accuracy",
            "AUC",
            "xAUC",
            "mean error",
            "mean absolute error",
            "selection rate",
            "mean prediction",
            "comparative, across",
            "comparative, within",
        ],
        "what is compared",
    ),
    "counts": flag("whether it counts for the verdict"),
    "estimate": number(
        "the group minus the reference; of AUC, xAUC and means, within blocks of time"
    ),
    "ci_low": number("lower end of an interval that covers at all looks"),
    "ci_high": number("its upper end"),
    "pvalue": number("p-value that is valid at all looks"),
    "pvalue_adjusted": number("by Holm over the lines that count (or over the others)"),
    "margin": number("largest difference that does not matter"),
    "pvalue_beyond": number("that the difference exceeds the margin; valid at all looks, adjusted"),
    "pvalue_within": number("that it lies within the margin, by all items so far"),
    "items": whole("items of the group"),
    "items_reference": whole("items of the reference"),
    "verdict": one_of(VERDICTS, "what is shown"),
    "since": whole("batch in which the line was first violated; 0 for none"),
    "since_name": text("name of that batch, or its number; empty for none"),
    "since_rows": whole("rows until then"),
    "now": one_of(
        (NEVER, DIFFERS, ENDED, ""),
        "whether a difference is there now, by the run length; empty where changes are not looked "
        "for",
    ),
    "now_since": whole("batch since when that is so, an estimate; 0 for always"),
    "periods": text("batches with a difference, from first to last, such as 12-30, 41-"),
    "window_estimate": number("the difference in the window alone"),
    "window_low": number("lower end of an interval of it, which covers at one look"),
    "window_high": number("its upper end"),
    "note": text("why it cannot be tested, or the estimate is not in its interval"),
}
#: The JSON schema.
SCHEMA = document(
    "monitor.json",
    "What a monitor shows.",
    2,
    ABOUT,
    {
        "violated": flag(
            "whether what counts was violated at any look; with a margin, beyond it; null while "
            "nothing can be tested",
            missing=True,
        ),
        "shown": flag(
            "whether all that counts is shown to lie within the margin so far; null without one",
            missing=True,
        ),
        "differs_now": flag(
            "whether what counts differs now, by the run length; null where changes are not looked "
            "for",
            missing=True,
        ),
        "pvalue": number("the smallest adjusted p-value of what counts"),
        "verdicts": counts(VERDICTS),
        "lines": rows(LINES, "a line for each attribute, group and measure", "a line"),
    },
)
