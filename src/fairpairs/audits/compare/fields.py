"""The fields of compare.json: what each key holds, and each column of a table."""

from fairpairs.audits.lines.fields import (
    ALPHA,
    CONTROL,
    CORRECTION,
    COUNTED_GROUPS,
    FAVOURABLE,
    ITEMS,
    THRESHOLD,
    WEIGHTS,
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
    IMPROVED,
    NOT_ESTIMATED,
    NOT_SHOWN,
    NOT_TESTED,
    NOT_WORSE,
    WORSE,
    WORSE_BEYOND,
    WORSE_WITHIN,
)

#: Verdict → its meaning.
VERDICTS = {
    WORSE_BEYOND: "the gap of the new model is shown to be larger, by more than the margin",
    WORSE: "the gap of the new model is shown to be larger; with a margin, whether by more than it "
    f"is {NOT_SHOWN}",
    WORSE_WITHIN: "the gap of the new model is shown to be larger, and by less than the margin",
    IMPROVED: "the gap of the new model is shown to be smaller",
    NOT_WORSE: "the gap of the new model is shown not to be larger by the margin or more",
    NOT_SHOWN: "none of these is shown: this is no evidence that the models are equally fair",
    NOT_TESTED: "a change without a p-value; the note says why",
    NOT_ESTIMATED: "no estimate; the note says why",
}
#: What was audited, and how.
ABOUT = {
    "control": CONTROL,
    "items": ITEMS,
    "label": one_of(["binary", "real"], "kind of the label"),
    "positive": text("value of the label that is positive; empty for a real one"),
    "favourable": FAVOURABLE,
    "prediction": one_of(["binary", "real"], "kind of the predictions"),
    "score": flag("whether scores were given"),
    **COUNTED_GROUPS,
    "threshold": THRESHOLD,
    "alpha": ALPHA,
    "correction": CORRECTION,
    "clusters": whole("number of clusters, if any", missing=True),
    "weights": WEIGHTS,
    "changed": whole("items that are decided otherwise", missing=True, least=0),
    "overall": by_name(
        record(
            {
                "old": number("of the old model", missing=False),
                "new": number("of the new model", missing=False),
            }
        ),
        "accuracy, AUC or mean absolute error over all items",
    ),
    "margin": by_name(number(missing=False), "margin of each criterion that has one", missing=True),
    "family": text("the hypotheses over which p-values are adjusted"),
    "gate": record(
        {
            "criteria": several(text(), "the criteria that count"),
            "lines": whole("number of their lines", least=0),
            "tested": whole("number of those that are tested", least=0),
            "pvalue": number("the smallest pvalue_gate"),
            "shown": flag("whether each line is shown not to be worse by the margin", missing=True),
        },
        "what counts for the verdict of the whole comparison",
    ),
    "left_out": by_name(text(), "criteria that are not compared, and why"),
    "checks": several(text(), "what to check in the input, such as values that look alike"),
    "notes": several(text(), "remarks"),
    "source": by_name(None, "files and columns, of the command; empty in Python"),
}
#: A row of `tests`.
TESTS = {
    "attribute": text("sensitive attribute; names of several are joined by &"),
    "group": text("the group"),
    "reference": text("the group that it is compared with"),
    "criterion": text("the criterion of the line"),
    "measure": text("the measure"),
    "old": number("gap of the old model, group minus reference"),
    "old_low": number("lower end of its interval"),
    "old_high": number("upper end of its interval"),
    "new": number("gap of the new model"),
    "new_low": number("lower end of its interval"),
    "new_high": number("upper end of its interval"),
    "change": number("new minus old"),
    "ci_low": number("lower end of the interval of the change"),
    "ci_high": number("upper end of the interval of the change"),
    "pvalue": number("two-sided p-value of no change"),
    "pvalue_adjusted": number("the same, adjusted over the family"),
    "pvalue_improved": number(
        "two-sided p-value of a gap that is not smaller, adjusted over the family"
    ),
    "pvalue_worse": number(
        "two-sided p-value of a gap that is not larger, adjusted over the family"
    ),
    "margin": number("the largest increase of the gap that does not matter"),
    "margin_low": number("lower end of the interval of the change of 1 - 2 alpha"),
    "margin_high": number("upper end of that interval"),
    "pvalue_not_worse": number(
        "p-value of a gap that is larger by the margin or more, not adjusted"
    ),
    "pvalue_worse_beyond": number(
        "p-value of a gap that is not larger by more than the margin, adjusted over the family"
    ),
    "pvalue_gate": number(
        "p-value of what would be worse, adjusted over all that counts; null for other criteria"
    ),
    "variance": number("variance of the change"),
    "variance_unpaired": number("the variance that it had if each model had items of its own"),
    "variance_ratio": number("the first by the second"),
    "n": whole("items that the line rests on", least=0),
    "changed": whole(
        "items of these that are decided otherwise; null where predictions are numbers",
        missing=True,
        least=0,
    ),
    "smallest_cell": whole("items in the smallest cell", least=0),
    "verdict": one_of(VERDICTS, "the verdict"),
    "note": text("a remark, or the reason why there is no result"),
}
#: A row of `decisions`.
DECISIONS = {
    "attribute": text("sensitive attribute"),
    "group": text("the group"),
    "label": one_of(["positive", "negative"], "label of the items"),
    "items": whole("number of items", least=0),
    "to_positive": whole("items that are positive by the new model alone", least=0),
    "to_positive_share": number("their share, by weight"),
    "to_positive_low": number("lower end of its interval"),
    "to_positive_high": number("upper end of its interval"),
    "to_negative": whole("items that are positive by the old model alone", least=0),
    "to_negative_share": number("their share, by weight"),
    "to_negative_low": number("lower end of its interval"),
    "to_negative_high": number("upper end of its interval"),
}
#: The JSON schema.
SCHEMA = document(
    "compare.json",
    "What a comparison of two models of the same items found.",
    2,
    ABOUT,
    {
        "worse": flag(
            "whether what counts is shown to be worse; null where nothing could be tested",
            missing=True,
        ),
        "shown": flag(
            "whether all that counts is shown not to be worse by the margin", missing=True
        ),
        "verdicts": counts(VERDICTS),
        "tests": rows(TESTS, "one entry per measure, group and attribute", "a line"),
        "decisions": rows(
            DECISIONS,
            "one entry per group and label of each attribute",
            "items that are decided otherwise",
        ),
    },
    optional=["control"],
)
