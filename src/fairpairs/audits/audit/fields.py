"""The fields of audit.json: what each key holds, and each column of a table."""

from fairpairs.audits.audit.judge_errors import MEASURES as JUDGE_MEASURES
from fairpairs.audits.criteria import ALL_CRITERIA
from fairpairs.audits.lines import fields as f
from fairpairs.audits.lines.verdicts import MEANINGS, NOT_ESTIMATED

#: Kinds of the label, and of the prediction.
LABEL_KINDS = ("binary", "real", "classes", "ordinal")
#: What `source` has of a file: its name, its digest, and the columns of roles.
SOURCE = (
    "file", "sha256", "label", "prediction", "score", "cluster", "weight", "cheap_label", "chance",
    "drawn_within",
)  # fmt: skip
#: A row of the four-fifths rule.
RATIOS = {
    "attribute": f.text("sensitive attribute"),
    "group": f.text("group that is compared with the reference; empty where all groups are"),
    "lowest": f.text("group with the lower rate, or the lowest"),
    "highest": f.text("group with the higher rate, or the highest"),
    "ratio": f.number("the lower rate by the higher one; null where both are 0"),
    "ratio_low": f.number("lower end of its interval of 1 - alpha"),
    "ratio_high": f.number("upper end"),
    "finding": f.one_of(
        ["below four fifths", "at least four fifths", NOT_ESTIMATED, None],
        "on which side of 0.8 the ratio is; null where no outcome is named favourable",
    ),
    "shown": f.flag(
        "whether the interval lies on that side too; null without a finding", missing=True
    ),
}
#: A column that only a label of f.several classes has.
OF_CLASSES = {
    "label_class": f.text(
        "class that is compared with the rest; empty for all classes; only of a label of several "
        "classes"
    )
}
#: A column that only audits with cheap labels have.
OF_FEW_LABELS = {
    "worth": f.number(
        "human labels of rows drawn at random that alone would tell as much; null without a test; "
        "only with cheap labels"
    )
}
#: A row on how the cheap labels of a group err.
ERRORS = {
    "attribute": f.text("sensitive attribute; names of several are joined by &"),
    "group": f.text("group"),
    "measure": f.one_of(JUDGE_MEASURES, "what is estimated"),
    "estimate": f.number("its value; null where it cannot be estimated"),
    **f.INTERVAL,
    "n": f.whole("human labels that it rests on", least=0),
}
#: A column that only an audit with a control has.
OF_CONTROL = {
    "uncontrolled": f.number("the estimate over all strata together; only with a control")
}
#: What was audited, and how.
ABOUT = {
    "control": f.CONTROL,
    "items": f.ITEMS,
    "label": f.one_of(LABEL_KINDS, "kind of the label; ordinal for classes in an order"),
    "positive": f.text(
        "value of the label that is positive; empty for other labels than binary ones"
    ),
    "favourable": f.FAVOURABLE,
    "rest": f.several(
        f.text(),
        "the other values of a label of more than two classes, one of which is audited against the "
        "rest",
    ),
    "classes": f.several(
        f.text(),
        "the classes of a label of several, ordinal ones from the lowest; without it for other "
        "labels",
        least=2,
        different=True,
    ),
    "prediction": f.one_of(LABEL_KINDS, "kind of the prediction"),
    "score": f.flag("whether a score was given"),
    **f.COUNTED_GROUPS,
    "alpha": f.ALPHA,
    "correction": f.CORRECTION,
    "family": f.text("what is adjusted together, for pvalue_adjusted"),
    "four_fifths": f.rows(
        RATIOS,
        "the four-fifths rule for selection rates (29 CFR 1607.4(D)), for each group with the "
        "reference, then for all groups of an attribute; empty where predictions are numbers or "
        "several classes",
        "two selection rates",
    ),
    "gate": f.record(
        {
            "criteria": f.several(
                f.one_of(ALL_CRITERIA), "criteria that count", least=1, different=True
            ),
            "lines": f.whole("rows of these criteria, of all attributes", least=1),
            "hypotheses": f.whole(
                "those that are tested, over which p is adjusted by Holm", least=0
            ),
            "untested": f.whole(
                "rows that count and have no test; with a margin, no test against it", least=0
            ),
            "within": f.whole(
                "rows that count and are shown to lie within the margin; null without a margin",
                missing=True,
                least=0,
            ),
            "beyond": f.whole(
                "rows that count and are shown to exceed the margin, with p adjusted over all that "
                "counts; null without a margin",
                missing=True,
                least=0,
            ),
            "pvalue": f.number(
                "the smallest adjusted p-value, with a margin of pvalue_beyond_gate, else of "
                "pvalue_gate; null when none could be tested"
            ),
            "pvalue_within": f.number(
                "the largest pvalue_within of what counts; null without a margin, or when a row "
                "cannot be tested against it"
            ),
            "shown": f.flag(
                "whether all that counts is shown to lie within the margin; null without a margin, "
                "or when the only rows that are not cannot be tested against it",
                missing=True,
            ),
        },
        "what counts for the verdict of the whole audit, and the p-value that decides it",
    ),
    "threshold": f.THRESHOLD,
    "n_permutations": f.whole("shuffles for real predictions", least=0),
    "not_applicable": f.by_name(f.text(), "criteria that were not run, and why"),
    "checks": f.several(f.text(), "what to check in the input, such as values that look the same"),
    "notes": f.several(f.text(), "what else to know"),
    "source": f.record(
        dict.fromkeys(SOURCE, f.text()),
        "file, its sha256 (of many, that of their sorted digests; of counts none), and its "
        "columns; empty for arrays",
        optional=SOURCE,
    ),
    "few_labels": f.record(
        {
            "human": f.whole("rows with a human label", least=1),
            "groups": f.by_name(
                f.by_name(f.whole(least=0), ""), "rows with a human label by attribute and group"
            ),
            "errors": f.rows(ERRORS, "how the cheap labels err in each group", "a measure"),
        },
        "of labels that most rows lack; only with cheap labels",
    ),
    "margin": f.by_name(
        f.number(above=0, missing=False),
        "largest difference that does not matter, by criterion; null without one",
        missing=True,
    ),
    "clusters": f.whole(
        "number of clusters of dependent rows; null for independent ones", missing=True, least=2
    ),
    "weights": f.WEIGHTS,
}
#: A row of `tests`.
TESTS = {
    "attribute": f.text("sensitive attribute; names of several are joined by &"),
    "group": f.text("group that is compared; empty for a test of all groups at once"),
    "reference": f.text("group that it is compared with; empty for a test of all groups at once"),
    **OF_CLASSES,
    "criterion": f.one_of(
        ALL_CRITERIA, "criterion, which with the attribute makes a family for the adjustment"
    ),
    "measure": f.text("what is estimated"),
    "hypothesis": f.text("the hypothesis in words"),
    "estimate": f.number(
        "group less reference; I_sep or the mean ratio for the last two criteria; Cramér's V "
        "within strata, corrected for chance, for all classes; null where it cannot be estimated"
    ),
    "ci_low": f.number("lower end of the interval of 1 - alpha, not adjusted"),
    "ci_high": f.number("upper end"),
    "effect_size": f.number(
        "Cohen's h, d in standard deviations within the groups, or Cohen's w of all classes"
    ),
    "effect_kind": f.one_of(["h", "d", "w", ""], "which of these, or none"),
    "magnitude": f.text("the effect size in words"),
    "statistic": f.number("z or t; chi-square for all classes"),
    "pvalue": f.number(
        "two-sided p-value, not adjusted; one-sided for the last two criteria and all classes"
    ),
    "pvalue_adjusted": f.number("adjusted over the family"),
    "pvalue_gate": f.number(
        "adjusted by Holm over all that counts for the whole audit; null for other criteria"
    ),
    "margin": f.number("largest difference that does not matter; null without one"),
    "margin_low": f.number(
        "lower end of the interval of 1 - 2 alpha, which lies within the margin if that is shown"
    ),
    "margin_high": f.number("upper end"),
    "pvalue_within": f.number(
        "p-value of a difference of the margin or more, not adjusted: below alpha, the difference "
        "is shown to lie within the margin"
    ),
    "pvalue_beyond": f.number(
        "p-value of a difference of the margin or less, adjusted over the family: below alpha, the "
        "difference is shown to exceed the margin"
    ),
    "pvalue_beyond_gate": f.number(
        "the same, adjusted by Holm over all that counts for the whole audit; of a row without a "
        "margin, of no difference; null for other criteria and without a margin"
    ),
    "ratio": f.number(
        "the rate of the group, or its mean absolute or squared error, by that of the reference; "
        "null for other measures, and where that of the reference is 0"
    ),
    "ratio_low": f.number("lower end of its interval of 1 - alpha"),
    "ratio_high": f.number("upper end; null where it is infinite"),
    **OF_FEW_LABELS,
    "n": f.whole("rows; pairs of rows for comparative separation", least=0),
    "smallest_cell": f.whole("rows in the smallest cell that the estimate rests on", least=0),
    "verdict": f.one_of(MEANINGS, "what is found"),
    "note": f.text("why there is no estimate or no test, how p was had, small cells"),
    **OF_CONTROL,
}
#: A row of `rates`.
RATES = {
    "attribute": f.text("sensitive attribute; names of several are joined by &"),
    "group": f.text("group"),
    **OF_CLASSES,
    "items": f.whole("rows of the group", least=1),
    "measure": f.text("the rate or mean"),
    "estimate": f.number("its value; null where it cannot be estimated"),
    **f.INTERVAL,
    "count": f.number("what the rate counts; null for means and AUC"),
    "n": f.whole("of how many rows", least=0),
    "note": f.text("why there is no estimate, or that a cell is small"),
}
#: The JSON schema.
SCHEMA = f.document(
    "audit.json",
    "What an audit of the predictions of one model found.",
    4,
    ABOUT,
    {
        "violated": f.flag(
            "whether the p-value of the gate is below the level; with a margin, whether a "
            "difference that counts is shown to exceed it; null when none could be tested",
            missing=True,
        ),
        "shown": f.flag("the same as about.gate.shown", missing=True),
        "verdicts": f.counts(MEANINGS),
        "tests": f.rows(
            TESTS,
            "a hypothesis or measure of a group against the reference",
            "a row",
            optional=[*OF_CLASSES, *OF_FEW_LABELS, *OF_CONTROL],
        ),
        "rates": f.rows(RATES, "a rate or mean of a group", "a row", optional=OF_CLASSES),
    },
    optional=["classes", "few_labels", "control"],
)
