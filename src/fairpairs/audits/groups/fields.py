"""The fields of groups.json: what each key holds, and each column of a table."""

from fairpairs.audits.groups.settings import CRITERIA
from fairpairs.audits.lines import fields as f
from fairpairs.audits.lines.verdicts import (
    BEYOND,
    MEANINGS,
    NOT_ESTIMATED,
    NOT_SHOWN,
    NOT_TESTED,
    VIOLATED,
    VIOLATED_WITHIN,
    WITHIN,
)

#: What is compared.
MEASURES = list(dict.fromkeys(m for measures in CRITERIA.values() for m in measures))
#: Verdict → its meaning here.
VERDICTS = {
    verdict: MEANINGS[verdict] for verdict in (BEYOND, VIOLATED, VIOLATED_WITHIN, WITHIN, NOT_SHOWN)
} | {
    NOT_TESTED: "the rows of the group, or of everyone else, are of one cluster",
    NOT_ESTIMATED: "the group, or everyone else, has no row of that label, or no stratum of both",
}
#: Columns that only an audit with a control has.
OF_CONTROL = {
    "uncontrolled": f.number("the difference of the two rates; only with a control"),
    "pvalue_strata": f.number(
        "p-value of: the difference is the same in all strata; only with a control"
    ),
}
#: What was audited, and how.
ABOUT = {
    "control": f.CONTROL,
    "items": f.ITEMS,
    "clusters": f.whole(
        "number of clusters of dependent rows; null for independent ones", missing=True, least=2
    ),
    "label": f.flag("whether there are labels"),
    "positive": f.text("value of label and decision that is positive"),
    "favourable": f.FAVOURABLE,
    "rest": f.several(f.text(), "values that are not, where there are several"),
    "attributes": f.by_name(f.whole(least=2), "number of groups of each attribute"),
    "depth": f.whole("most attributes of an intersection", least=1),
    "smallest": f.whole("groups with fewer rows are left out", least=1),
    "groups": f.whole("number of groups that are compared", least=1),
    "left_out": f.record(
        {
            "small": f.whole("with too few rows", least=0),
            "same": f.whole("with the rows of another group, or all", least=0),
        },
        "groups that are left out",
    ),
    "criterion": f.several(f.one_of(CRITERIA, "criterion"), "what is compared", least=1),
    "alpha": f.number("level of all comparisons together", missing=False),
    "margin": f.number("largest difference that does not matter; null without one"),
    "lines": f.whole(
        "number of groups times measures; two groups of an attribute are one", least=1
    ),
    "tested": f.whole("of these with a p-value", least=0),
    "tau": f.by_name(
        f.number(least=0, missing=False), "standard deviation of true differences, by measure"
    ),
    "checks": f.several(f.text(), "what to check in the input, such as values that look the same"),
    "source": f.by_name(f.text(), "file, its sha256, and columns; empty for arrays"),
}
#: A row of `tests`.
TESTS = {
    "rank": f.whole("place of the comparison, the worst first", least=1),
    "group": f.text("the group, such as sex=Female & race=Other"),
    "others": f.text("what it is compared with: everyone else, or the other one of two groups"),
    "attributes": f.text("its attributes, joined by &"),
    "depth": f.whole("number of its attributes", least=1),
    "items": f.whole("rows of the group", least=1),
    "criterion": f.one_of(CRITERIA, "criterion"),
    "measure": f.one_of(MEASURES, "the rate that is compared"),
    "rate": f.number("rate of the group"),
    "rate_others": f.number("rate of the others"),
    "estimate": f.number("difference: group minus the others, with a control within strata"),
    "ci_low": f.number("lower end of the simultaneous interval"),
    "ci_high": f.number("its upper end"),
    "shrunken": f.number("empirical Bayes estimate of the difference"),
    "effect_size": f.number("Cohen's h"),
    "magnitude": f.text("its size in words"),
    "pvalue": f.number("p-value of no difference, not adjusted"),
    "pvalue_adjusted": f.number("adjusted by Bonferroni over all comparisons"),
    "margin": f.number("largest difference that does not matter; null without one"),
    "n": f.whole("rows of the group that the rate is of", least=0),
    "n_others": f.whole("those of the others", least=0),
    "verdict": f.one_of(VERDICTS, "verdict"),
    **OF_CONTROL,
}
#: The JSON schema.
SCHEMA = f.document(
    "groups.json",
    "What an audit of many groups found.",
    3,
    ABOUT,
    {
        "violated": f.flag(
            "whether any group is shown to differ, with a margin by more than it; null when none "
            "can be tested",
            missing=True,
        ),
        "shown": f.flag(
            "whether each comparison is shown to lie within it; null without a margin",
            missing=True,
        ),
        "pvalue": f.number("smallest adjusted p-value"),
        "verdicts": f.counts(VERDICTS),
        "tests": f.rows(
            TESTS, "one row per group and measure, the worst first", optional=[*OF_CONTROL]
        ),
    },
    optional=["control"],
)
