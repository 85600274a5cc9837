"""The fields of judgments.json: what each key holds, and each column of a table."""

from typing import get_args

from fairpairs.audits.lines import fields as f
from fairpairs.audits.lines.verdicts import MEANINGS, NOT_ESTIMATED, NOT_SHOWN, NOT_TESTED, VIOLATED
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.judgments.given import JudgesAs, TiesInOutcome

#: Verdict → its meaning.
VERDICTS = {
    verdict: MEANINGS[verdict] for verdict in (VIOLATED, NOT_SHOWN, NOT_TESTED, NOT_ESTIMATED)
}
#: What was audited, and how.
ABOUT = {
    "files": f.rows(
        {
            "file": f.text("its name"),
            "sha256": f.text("digest of its content; empty for a table in memory"),
            "rows": f.whole("number of its rows", least=1),
            "holds": f.one_of(["judgments", "items"], "what a row is"),
            "group": f.text(
                "the group that it holds, if each group has a file of its own", missing=True
            ),
        },
        "the files that were read; none for tables in memory",
        "a file",
    ),
    "judgments": f.whole("number of judgments, with ties", least=1),
    "without_winner": f.whole("number of ties among them", least=0),
    "items": f.whole("number of judged items", least=2),
    "models": f.by_name(
        f.record(
            {
                "kind": f.one_of(
                    ["score", "preference"], "whether it scores the items or prefers one of two"
                ),
                "judgments": f.whole("number of judgments with a winner", least=0),
                "agrees": f.whole("number of these that it agrees with", least=0),
                "contradicts": f.whole("number of these that it contradicts", least=0),
            },
            "a model",
        ),
        "the models",
    ),
    "attributes": f.by_name(
        f.by_name(f.whole("number of items", least=1), "items of each group"),
        "the attributes, each with the items of its groups",
    ),
    "judges": f.whole("number of judges; null where none are named", missing=True, least=1),
    "judges_as": f.one_of(
        (*get_args(JudgesAs), None),
        "whether the audit is about these judges (fixed) or judges like them (sample)",
    ),
    "clusters": f.whole(
        "number of clusters of judgments; null where none are named", missing=True, least=1
    ),
    "item_clusters": f.whole(
        "number of clusters of items; null where none are named", missing=True, least=1
    ),
    "strata": f.by_name(
        f.whole("number of judgments", least=1),
        "judgments of each stratum; null where none are named",
        missing=True,
    ),
    "ties": f.one_of(get_args(Ties), "what a tie of two scores counts"),
    "ties_in_outcome": f.one_of(get_args(TiesInOutcome), "what a tie of a judgment counts"),
    "order": f.flag("whether the left item was shown first"),
    "alpha": f.ALPHA,
    "correction": f.CORRECTION,
    "family": f.text("the hypotheses over which they are adjusted"),
    "hypotheses": f.whole("number of hypotheses that are tested and count", least=0),
    "joint": f.rows(
        {
            "model": f.text("the model"),
            "attribute": f.text("the attribute"),
            "pvalue": f.number("its p-value", least=0, most=1),
        },
        "the joint test of all rates of a model and an attribute",
        "a row",
    ),
    "agreement": f.record(
        {
            "kappa": f.number("Fleiss' kappa"),
            **f.INTERVAL,
            "agreement": f.number("chance that two judges agree", least=0, most=1),
            "pairs": f.whole("pairs of items that several judged", least=1),
            "judgments": f.whole("their judgments", least=1),
        },
        "how far judges agree; null without pairs of items that several judged",
        missing=True,
    ),
    "few_labels": f.record(
        {
            "human": f.whole("judgments with a human outcome", least=1),
            "worth": f.several(
                f.number("human outcomes", least=0, missing=False),
                "the fewest and the most human outcomes that alone would tell as much as both, "
                "over the comparisons that are tested",
            ),
            "errors": f.rows(
                {
                    "attribute": f.text("the attribute"),
                    "winner": f.text("group that people prefer"),
                    "loser": f.text("group of the other item"),
                    "share": f.number("how often the cheap outcome is the same", least=0, most=1),
                    **f.INTERVAL,
                    "n": f.whole("human outcomes that it rests on", least=0),
                },
                "how the cheap outcomes err, by the groups of the two items",
                "a row",
            ),
        },
        "of outcomes that most judgments lack; only with cheap outcomes",
    ),
    "checks": f.several(f.text(), "what to check in the input, such as values that look the same"),
    "notes": f.several(f.text("a note"), "what the numbers rest on"),
}
#: A row of `tests`.
TESTS = {
    "model": f.text("name of the model; empty for the judgments themselves"),
    "attribute": f.text("the attribute"),
    "part": f.one_of(["all", "stratum", "judge"], "the judgments that the row is on"),
    "value": f.text("the stratum or the judge; empty for all judgments"),
    "criterion": f.one_of(
        ["across", "within", "ties", "first place", "lean of the judges"],
        "whether judgments between two groups or within each are compared, which counts, or what "
        "is asked of the judgments themselves",
    ),
    "group": f.text("one group; empty where a hypothesis names several"),
    "reference": f.text("the group that is subtracted"),
    "hypothesis": f.text("the null hypothesis"),
    "estimate": f.number("difference of the rates"),
    **f.INTERVAL,
    "effect_size": f.number("Cohen's h"),
    "magnitude": f.text("its size in words"),
    "statistic": f.number("test statistic"),
    "pvalue": f.number("p-value", least=0, most=1),
    "pvalue_adjusted": f.number("adjusted over `family`", least=0, most=1),
    "pvalue_gate": f.number(
        "by Holm over all models and attributes; null if they do not count", least=0, most=1
    ),
    "pvalue_strata": f.number(
        "that the gap is the same in all strata; null without any", least=0, most=1
    ),
    "n": f.whole("number of judgments", least=0),
    "smallest_cell": f.whole("number of judgments behind the rarer of the two rates", least=0),
    "verdict": f.one_of(VERDICTS, "what is shown"),
    "note": f.text("why it cannot be tested, or is rough"),
}
#: A row of `rates`.
RATES = {
    "model": f.text("name of the model; empty for the judgments themselves"),
    "attribute": f.text("the attribute"),
    "winner": f.text("group of the preferred item"),
    "loser": f.text("group of the other one"),
    "tpr": f.number("share of the judgments that the model agrees with"),
    **f.INTERVAL,
    "pairs": f.number("number of judgments, ties that count half as half", least=0, missing=False),
}
#: A row of `shares`.
SHARES = {
    "criterion": f.one_of(["ties", "first place", "lean of the judges"], "what is asked"),
    "model": f.text("name of the model; empty for the judgments themselves"),
    "attribute": f.text("the attribute"),
    "judgments": f.text("which judgments"),
    "share": f.number("the share"),
    **f.INTERVAL,
    "n": f.whole("number of judgments", least=0),
}
#: A row of `judges`.
JUDGES = {
    "attribute": f.text("the attribute"),
    "groups": f.text("group that is preferred, over the other one"),
    "judge": f.text("the judge"),
    "share": f.number("the share"),
    **f.INTERVAL,
    "n": f.whole("number of judgments", least=0),
}
#: A row of `differ`.
DIFFER = {
    "attribute": f.text("the attribute"),
    "groups": f.text("the groups"),
    "statistic": f.number("chi-square"),
    "df": f.whole("degrees of freedom", least=0),
    "pvalue": f.number("its p-value", least=0, most=1),
}
#: The JSON schema.
SCHEMA = f.document(
    "judgments.json",
    "What an audit of models by comparative judgments found.",
    4,
    ABOUT,
    {
        "violated": f.flag(
            "whether any hypothesis is violated, by Holm over all models and attributes; null when "
            "none can be tested",
            missing=True,
        ),
        "pvalue": f.number("the smallest p-value of these", least=0, most=1),
        "verdicts": f.counts(VERDICTS),
        "tests": f.rows(
            TESTS, "a row per model, attribute, part of the judgments and hypothesis", "a row"
        ),
        "rates": f.rows(RATES, "a row per model, attribute and two groups", "a row"),
        "shares": f.rows(SHARES, "a row per share of the judgments", "a row"),
        "judges": f.rows(
            JUDGES, "a row per judge and two groups: how often the judge prefers one", "a row"
        ),
        "differ": f.rows(DIFFER, "a row per two groups: whether judges differ in that", "a row"),
    },
    optional=["few_labels"],
)
