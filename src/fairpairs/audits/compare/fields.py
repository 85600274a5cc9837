"""The fields of compare.json: what each key holds, and each column of a table."""

from fairpairs.audits.lines import fields as f
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
    "control": f.CONTROL,
    "items": f.ITEMS,
    "label": f.one_of(["binary", "real"], "kind of the label"),
    "positive": f.text("value of the label that is positive; empty for a real one"),
    "favourable": f.FAVOURABLE,
    "prediction": f.one_of(["binary", "real"], "kind of the predictions"),
    "score": f.flag("whether scores were given"),
    **f.COUNTED_GROUPS,
    "threshold": f.THRESHOLD,
    "alpha": f.ALPHA,
    "correction": f.CORRECTION,
    "clusters": f.whole("number of clusters, if any", missing=True),
    "weights": f.WEIGHTS,
    "changed": f.whole("rows that are decided differently", missing=True, least=0),
    "overall": f.by_name(
        f.record(
            {
                "old": f.number("of the old model", missing=False),
                "new": f.number("of the new model", missing=False),
            }
        ),
        "accuracy, AUC or mean absolute error over all rows",
    ),
    "margin": f.by_name(
        f.number(missing=False), "margin of each criterion that has one", missing=True
    ),
    "family": f.text("the hypotheses over which p-values are adjusted"),
    "gate": f.record(
        {
            "criteria": f.several(f.text(), "the criteria that count"),
            "lines": f.whole("number of their comparisons", least=0),
            "tested": f.whole("number of those that are tested", least=0),
            "pvalue": f.number("the smallest pvalue_gate"),
            "shown": f.flag(
                "whether each comparison is shown not to be worse by the margin", missing=True
            ),
            "better": f.flag("whether a gap is shown to be smaller, by adjusted p"),
        },
        "what counts for the verdict of the whole comparison",
    ),
    "left_out": f.by_name(f.text(), "criteria that are not compared, and why"),
    "checks": f.several(f.text(), "what to check in the input, such as values that look the same"),
    "notes": f.several(f.text(), "remarks"),
    "source": f.by_name(None, "files and columns, of the command; empty in Python"),
}
#: A row of `tests`.
TESTS = {
    "attribute": f.text("sensitive attribute; names of several are joined by &"),
    "group": f.text("the group"),
    "reference": f.text("the group that it is compared with"),
    "criterion": f.text("the criterion of the comparison"),
    "measure": f.text("the measure"),
    "old": f.number("gap of the old model, group minus reference"),
    "old_low": f.number("lower end of its interval"),
    "old_high": f.number("upper end of its interval"),
    "new": f.number("gap of the new model"),
    "new_low": f.number("lower end of its interval"),
    "new_high": f.number("upper end of its interval"),
    "change": f.number("new minus old"),
    "ci_low": f.number("lower end of the interval of the change"),
    "ci_high": f.number("upper end of the interval of the change"),
    "pvalue": f.number("two-sided p-value of no change"),
    "pvalue_adjusted": f.number("the same, adjusted over the family"),
    "pvalue_improved": f.number(
        "two-sided p-value of a gap that is not smaller, adjusted over the family"
    ),
    "pvalue_worse": f.number(
        "two-sided p-value of a gap that is not larger, adjusted over the family"
    ),
    "margin": f.number("the largest increase of the gap that does not matter"),
    "margin_low": f.number("lower end of the interval of the change of 1 - 2 alpha"),
    "margin_high": f.number("upper end of that interval"),
    "pvalue_not_worse": f.number(
        "p-value of a gap that is larger by the margin or more, not adjusted"
    ),
    "pvalue_worse_beyond": f.number(
        "p-value of a gap that is not larger by more than the margin, adjusted over the family"
    ),
    "pvalue_gate": f.number(
        "p-value of what would be worse, adjusted over all that counts; null for other criteria"
    ),
    "variance": f.number("variance of the change"),
    "variance_unpaired": f.number("the variance that it had if each model had rows of its own"),
    "variance_ratio": f.number("the first by the second"),
    "n": f.whole("rows that the comparison rests on", least=0),
    "changed": f.whole(
        "rows of these that are decided differently; null where predictions are numbers",
        missing=True,
        least=0,
    ),
    "smallest_cell": f.whole("rows in the smallest cell", least=0),
    "verdict": f.one_of(VERDICTS, "the verdict"),
    "note": f.text("a remark, or the reason why there is no result"),
}
#: A row of `decisions`.
DECISIONS = {
    "attribute": f.text("sensitive attribute"),
    "group": f.text("the group"),
    "label": f.one_of(["positive", "negative"], "label of the rows"),
    "items": f.whole("number of rows", least=0),
    "to_positive": f.whole("rows that are positive by the new model alone", least=0),
    "to_positive_share": f.number("their share, by weight"),
    "to_positive_low": f.number("lower end of its interval"),
    "to_positive_high": f.number("upper end of its interval"),
    "to_negative": f.whole("rows that are positive by the old model alone", least=0),
    "to_negative_share": f.number("their share, by weight"),
    "to_negative_low": f.number("lower end of its interval"),
    "to_negative_high": f.number("upper end of its interval"),
}
#: The JSON schema.
SCHEMA = f.document(
    "compare.json",
    "What a comparison of two models of the same rows found.",
    3,
    ABOUT,
    {
        "worse": f.flag(
            "whether what counts is shown to be worse; null where nothing could be tested",
            missing=True,
        ),
        "shown": f.flag(
            "whether all that counts is shown not to be worse by the margin", missing=True
        ),
        "verdicts": f.counts(VERDICTS),
        "tests": f.rows(TESTS, "one entry per measure, group and attribute", "a comparison"),
        "decisions": f.rows(
            DECISIONS,
            "one entry per group and label of each attribute",
            "rows that are decided differently",
        ),
    },
    optional=["control"],
)
