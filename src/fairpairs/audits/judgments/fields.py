"""The fields of judgments.json: what each key holds, and each column of a table."""

from typing import get_args

from fairpairs.audits.lines.fields import (
    ALPHA,
    CORRECTION,
    INTERVAL,
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
from fairpairs.audits.lines.verdicts import MEANINGS, NOT_ESTIMATED, NOT_SHOWN, NOT_TESTED, VIOLATED
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.judgments.given import JudgesAs, TiesInOutcome

#: Verdict → its meaning.
VERDICTS = {
    verdict: MEANINGS[verdict] for verdict in (VIOLATED, NOT_SHOWN, NOT_TESTED, NOT_ESTIMATED)
}
#: What was audited, and how.
ABOUT = {
    "files": rows(
        {
            "file": text("its name"),
            "sha256": text("digest of its content; empty for a table in memory"),
            "rows": whole("number of its rows", least=1),
            "holds": one_of(["judgments", "items"], "what a row is"),
            "group": text(
                "the group that it holds, if each group has a file of its own", missing=True
            ),
        },
        "the files that were read; none for tables in memory",
        "a file",
    ),
    "judgments": whole("number of judgments, with ties", least=1),
    "without_winner": whole("number of ties among them", least=0),
    "items": whole("number of judged items", least=2),
    "models": by_name(
        record(
            {
                "kind": one_of(
                    ["score", "preference"], "whether it scores the items or prefers one of two"
                ),
                "judgments": whole("number of judgments with a winner", least=0),
                "agrees": whole("number of these that it agrees with", least=0),
                "contradicts": whole("number of these that it contradicts", least=0),
            },
            "a model",
        ),
        "the models",
    ),
    "attributes": by_name(
        by_name(whole("number of items", least=1), "items of each group"),
        "the attributes, each with the items of its groups",
    ),
    "judges": whole("number of judges; null where none are named", missing=True, least=1),
    "judges_as": one_of(
        (*get_args(JudgesAs), None),
        "whether the audit is about these judges (fixed) or judges like them (sample)",
    ),
    "clusters": whole(
        "number of clusters of judgments; null where none are named", missing=True, least=1
    ),
    "item_clusters": whole(
        "number of clusters of items; null where none are named", missing=True, least=1
    ),
    "strata": by_name(
        whole("number of judgments", least=1),
        "judgments of each stratum; null where none are named",
        missing=True,
    ),
    "ties": one_of(get_args(Ties), "what a tie of two scores counts"),
    "ties_in_outcome": one_of(get_args(TiesInOutcome), "what a tie of a judgment counts"),
    "order": flag("whether the left item was shown first"),
    "alpha": ALPHA,
    "correction": CORRECTION,
    "family": text("the hypotheses over which they are adjusted"),
    "hypotheses": whole("number of hypotheses that are tested and count", least=0),
    "joint": rows(
        {
            "model": text("the model"),
            "attribute": text("the attribute"),
            "pvalue": number("its p-value", least=0, most=1),
        },
        "the joint test of all rates of a model and an attribute",
        "a row",
    ),
    "agreement": record(
        {
            "kappa": number("Fleiss' kappa"),
            **INTERVAL,
            "agreement": number("chance that two judges agree", least=0, most=1),
            "pairs": whole("pairs of items that several judged", least=1),
            "judgments": whole("their judgments", least=1),
        },
        "how far judges agree; null without pairs of items that several judged",
        missing=True,
    ),
    "few_labels": record(
        {
            "human": whole("judgments with a human outcome", least=1),
            "worth": several(
                number("human outcomes", least=0, missing=False),
                "the fewest and the most human outcomes that alone would tell as much as both, "
                "over the lines that are tested",
            ),
            "errors": rows(
                {
                    "attribute": text("the attribute"),
                    "winner": text("group that people prefer"),
                    "loser": text("group of the other item"),
                    "share": number("how often the cheap outcome is the same", least=0, most=1),
                    **INTERVAL,
                    "n": whole("human outcomes that it rests on", least=0),
                },
                "how the cheap outcomes err, by the groups of the two items",
                "a row",
            ),
        },
        "of outcomes that most judgments lack; only with cheap outcomes",
    ),
    "checks": several(text(), "what to check in the input, such as values that look alike"),
    "notes": several(text("a note"), "what the numbers rest on"),
}
#: A row of `tests`.
TESTS = {
    "model": text("name of the model; empty for the judgments themselves"),
    "attribute": text("the attribute"),
    "part": one_of(["all", "stratum", "judge"], "the judgments that the row is on"),
    "value": text("the stratum or the judge; empty for all judgments"),
    "criterion": one_of(
        ["across", "within", "ties", "first place", "lean of the judges"],
        "whether judgments between two groups or within each are compared, which counts, or what "
        "is asked of the judgments themselves",
    ),
    "group": text("one group; empty where a hypothesis names several"),
    "reference": text("the group that is subtracted"),
    "hypothesis": text("the null hypothesis"),
    "estimate": number("difference of the rates"),
    **INTERVAL,
    "effect_size": number("Cohen's h"),
    "magnitude": text("its size in words"),
    "statistic": number("test statistic"),
    "pvalue": number("p-value", least=0, most=1),
    "pvalue_adjusted": number("adjusted over `family`", least=0, most=1),
    "pvalue_gate": number(
        "by Holm over all models and attributes; null for lines that do not count", least=0, most=1
    ),
    "pvalue_strata": number(
        "that the gap is the same in all strata; null without any", least=0, most=1
    ),
    "n": whole("number of judgments", least=0),
    "smallest_cell": whole("number of judgments behind the rarer of the two rates", least=0),
    "verdict": one_of(VERDICTS, "what is shown"),
    "note": text("why it cannot be tested, or is rough"),
}
#: A row of `rates`.
RATES = {
    "model": text("name of the model; empty for the judgments themselves"),
    "attribute": text("the attribute"),
    "winner": text("group of the preferred item"),
    "loser": text("group of the other one"),
    "tpr": number("share of the judgments that the model agrees with"),
    **INTERVAL,
    "pairs": number("number of judgments, ties that count half as half", least=0, missing=False),
}
#: A row of `shares`.
SHARES = {
    "criterion": one_of(["ties", "first place", "lean of the judges"], "what is asked"),
    "model": text("name of the model; empty for the judgments themselves"),
    "attribute": text("the attribute"),
    "judgments": text("which judgments"),
    "share": number("the share"),
    **INTERVAL,
    "n": whole("number of judgments", least=0),
}
#: A row of `judges`.
JUDGES = {
    "attribute": text("the attribute"),
    "groups": text("group that is preferred, over the other one"),
    "judge": text("the judge"),
    "share": number("the share"),
    **INTERVAL,
    "n": whole("number of judgments", least=0),
}
#: A row of `differ`.
DIFFER = {
    "attribute": text("the attribute"),
    "groups": text("the groups"),
    "statistic": number("chi-square"),
    "df": whole("degrees of freedom", least=0),
    "pvalue": number("its p-value", least=0, most=1),
}
#: The JSON schema.
SCHEMA = document(
    "judgments.json",
    "What an audit of models by comparative judgments found.",
    3,
    ABOUT,
    {
        "violated": flag(
            "whether any hypothesis is violated, by Holm over all models and attributes; null when "
            "none can be tested",
            missing=True,
        ),
        "pvalue": number("the smallest p-value of these", least=0, most=1),
        "verdicts": counts(VERDICTS),
        "tests": rows(
            TESTS, "a row per model, attribute, part of the judgments and hypothesis", "a row"
        ),
        "rates": rows(RATES, "a row per model, attribute and two groups", "a row"),
        "shares": rows(SHARES, "a row per share of the judgments", "a row"),
        "judges": rows(
            JUDGES, "a row per judge and two groups: how often the judge prefers one", "a row"
        ),
        "differ": rows(DIFFER, "a row per two groups: whether judges differ in that", "a row"),
    },
    optional=["few_labels"],
)
