"""The fields of monitor.json: what each key holds, and each column of a table."""

from fairpairs.audits.lines import fields as f
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
    BEYOND: "after this batch or an earlier one, the difference was shown to exceed the margin",
    VIOLATED: "after this batch or an earlier one, a difference was shown; with a margin, not "
    "whether it exceeds it",
    VIOLATED_WITHIN: "there is a difference, and it is shown to lie within the margin so far",
    WITHIN: "all rows so far show the difference to lie within the margin",
    NOT_SHOWN: "nothing is shown: this is no evidence of fairness",
    NOT_TESTED: "too few rows; the note says of what",
}
#: What was audited, and how.
ABOUT = {
    "state": f.text("name of the file of the state"),
    "batches": f.whole("number of batches", least=1),
    "batch_names": f.several(f.text(), "name of each batch; empty for one without"),
    "rows": f.whole("number of rows, or judgments", least=1),
    "alpha": f.number("level of all comparisons that count, after all batches", missing=False),
    "gap": f.number("difference that bets are tuned to", missing=False),
    "run_length": f.text("mean run length until a change is shown where there is none"),
    "margin": f.by_name(
        f.number(missing=False),
        "largest difference that does not matter, by criterion",
        missing=True,
    ),
    "criterion": f.several(f.text(), "criteria that count"),
    "judgments": f.flag("whether rows are judgments"),
    "positive": f.text("value of the label that is positive; empty for judgments and numbers"),
    "favourable": f.FAVOURABLE,
    "threshold": f.THRESHOLD,
    "columns": f.by_name(
        {"type": ["string", "null", "array"]}, "role of each column; sensitive is a list"
    ),
    "attributes": f.COMPARED_GROUPS,
    "window": f.text("the last batches, shown beside all; null for none", missing=True),
    "begun": f.whole("number of batches before the last reset; 0 without one"),
    "resets": f.several(
        f.record(
            {
                "after": f.whole("number of batches before it"),
                "reason": f.text("why"),
                "violated": f.several(f.text(), "what that counts was violated until then"),
            }
        ),
        "where evidence began anew",
    ),
    "held": f.record(
        {
            "rows": f.several(f.whole(), "rows of each batch"),
            "labels": f.several(f.whole(), "labels that came with each"),
            "missing": f.several(f.whole(), "rows of each whose label has not come"),
        },
        "what the batches held",
    ),
    "missing_labels": f.by_name(
        f.by_name(f.whole(), "by group"),
        "rows whose label has not come, by attribute; null where labels come with the rows",
        missing=True,
    ),
    "notes": f.several(f.text(), "notes on the last batches"),
}
#: A row of `lines`.
LINES = {
    "criterion": f.one_of((*CRITERIA, JUDGED), "criterion of the comparison"),
    "attribute": f.text("sensitive attribute"),
    "group": f.text("the group"),
    "reference": f.text("group that it is compared with"),
    "measure": f.one_of(
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
    "counts": f.flag("whether it counts for the verdict"),
    "estimate": f.number(
        "the group minus the reference; of AUC, xAUC and means, within blocks of time"
    ),
    "ci_low": f.number("lower end of an interval that covers after every batch"),
    "ci_high": f.number("its upper end"),
    "pvalue": f.number("p-value that is valid after every batch"),
    "pvalue_adjusted": f.number("by Holm over the comparisons that count (or over the others)"),
    "margin": f.number("largest difference that does not matter"),
    "pvalue_beyond": f.number(
        "that the difference exceeds the margin; valid after every batch, adjusted"
    ),
    "pvalue_within": f.number("that it lies within the margin, by all rows so far"),
    "items": f.whole("rows of the group"),
    "items_reference": f.whole("rows of the reference"),
    "verdict": f.one_of(VERDICTS, "what is shown"),
    "since": f.whole("batch in which the comparison was first violated; 0 for none"),
    "since_name": f.text("name of that batch, or its number; empty for none"),
    "since_rows": f.whole("rows until then"),
    "now": f.one_of(
        (NEVER, DIFFERS, ENDED, ""),
        "whether a difference is there now, by the run length; empty where changes are not looked "
        "for",
    ),
    "now_since": f.whole("batch since when that is so, an estimate; 0 for always"),
    "now_estimate": f.number("the difference in the batches since then, of rates"),
    "new_gap": f.flag("whether the batches of this call showed a difference for the first time"),
    "periods": f.text("batches with a difference, from first to last, such as 12-30, 41-"),
    "window_estimate": f.number("the difference in the window alone"),
    "window_low": f.number("lower end of an interval of it, which covers after this batch alone"),
    "window_high": f.number("its upper end"),
    "note": f.text("why it cannot be tested, or the estimate is not in its interval"),
}
#: The JSON schema.
SCHEMA = f.document(
    "monitor.json",
    "What a monitor shows.",
    3,
    ABOUT,
    {
        "violated": f.flag(
            "whether what counts was ever violated; with a margin, beyond it; null while "
            "nothing can be tested",
            missing=True,
        ),
        "shown": f.flag(
            "whether all that counts is shown to lie within the margin so far; null without one",
            missing=True,
        ),
        "differs_now": f.flag(
            "whether what counts differs now, by the run length; null where changes are not looked "
            "for",
            missing=True,
        ),
        "new_gap": f.flag(
            "whether the batches of this call showed a difference in what counts that no earlier "
            "call showed; null where changes are not looked for",
            missing=True,
        ),
        "pvalue": f.number("the smallest adjusted p-value of what counts"),
        "verdicts": f.counts(VERDICTS),
        "lines": f.rows(LINES, "one for each attribute, group and measure", "a comparison"),
    },
)
