"""The fields of groups.json: what each key holds, and each column of a table."""

from fairpairs.audits.groups.settings import CRITERIA
from fairpairs.audits.lines.fields import (
    CONTROL,
    FAVOURABLE,
    ITEMS,
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
    MEANINGS,
    NOT_ESTIMATED,
    NOT_SHOWN,
    VIOLATED,
    VIOLATED_WITHIN,
    WITHIN,
)

#: What is compared.
MEASURES = list(dict.fromkeys(m for measures in CRITERIA.values() for m in measures))
#: Verdict → its meaning here.
VERDICTS = {
    verdict: MEANINGS[verdict] for verdict in (BEYOND, VIOLATED, VIOLATED_WITHIN, WITHIN, NOT_SHOWN)
} | {NOT_ESTIMATED: "the group, or everyone else, has no item of that label, or no stratum of both"}
#: Columns that only an audit with a control has.
OF_CONTROL = {
    "uncontrolled": number("the difference of the two rates; only with a control"),
    "pvalue_strata": number(
        "p-value of: the difference is the same in all strata; only with a control"
    ),
}
#: What was audited, and how.
ABOUT = {
    "control": CONTROL,
    "items": ITEMS,
    "label": flag("whether there are labels"),
    "positive": text("value of label and decision that is positive"),
    "favourable": FAVOURABLE,
    "rest": several(text(), "values that are not, where there are several"),
    "attributes": by_name(whole(least=2), "number of groups of each attribute"),
    "depth": whole("most attributes of an intersection", least=1),
    "smallest": whole("groups with fewer items are left out", least=1),
    "groups": whole("number of groups that are compared", least=1),
    "left_out": record(
        {
            "small": whole("with too few items", least=0),
            "same": whole("with the items of another group, or all", least=0),
        },
        "groups that are left out",
    ),
    "criterion": several(one_of(CRITERIA, "criterion"), "what is compared", least=1),
    "alpha": number("level of all lines together", missing=False),
    "margin": number("largest difference that does not matter; null without one"),
    "lines": whole("number of groups times measures; two groups of an attribute are one", least=1),
    "tested": whole("of these with a p-value", least=0),
    "tau": by_name(
        number(least=0, missing=False), "standard deviation of true differences, by measure"
    ),
    "checks": several(text(), "what to check in the input, such as values that look alike"),
    "source": by_name(text(), "file, its sha256, and columns; empty for arrays"),
}
#: A row of `tests`.
TESTS = {
    "rank": whole("place of the line, the worst first", least=1),
    "group": text("the group, such as sex=Female & race=Other"),
    "others": text("what it is compared with: everyone else, or the other one of two groups"),
    "attributes": text("its attributes, joined by &"),
    "depth": whole("number of its attributes", least=1),
    "items": whole("items of the group", least=1),
    "criterion": one_of(CRITERIA, "criterion"),
    "measure": one_of(MEASURES, "the rate that is compared"),
    "rate": number("rate of the group"),
    "rate_others": number("rate of the others"),
    "estimate": number("difference: group minus the others, with a control within strata"),
    "ci_low": number("lower end of the simultaneous interval"),
    "ci_high": number("its upper end"),
    "shrunken": number("empirical Bayes estimate of the difference"),
    "effect_size": number("Cohen's h"),
    "magnitude": text("its size in words"),
    "pvalue": number("p-value of no difference, not adjusted"),
    "pvalue_adjusted": number("adjusted by Bonferroni over all lines"),
    "margin": number("largest difference that does not matter; null without one"),
    "n": whole("items of the group that the rate is of", least=0),
    "n_others": whole("those of the others", least=0),
    "verdict": one_of(VERDICTS, "verdict"),
    **OF_CONTROL,
}
#: The JSON schema.
SCHEMA = document(
    "groups.json",
    "What an audit of many groups found.",
    2,
    ABOUT,
    {
        "violated": flag(
            "whether any group is shown to differ, with a margin by more than it; null when none "
            "can be tested",
            missing=True,
        ),
        "shown": flag(
            "whether each line is shown to lie within the margin; null without one", missing=True
        ),
        "pvalue": number("smallest adjusted p-value"),
        "verdicts": counts(VERDICTS),
        "tests": rows(
            TESTS, "one row per group and measure, the worst first", optional=[*OF_CONTROL]
        ),
    },
    optional=["control"],
)
