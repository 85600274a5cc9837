"""The verdicts of a row of an audit, which are part of the JSON: their words and signs."""

VIOLATED = "violated"
BEYOND = "violated beyond the margin"
VIOLATED_WITHIN = "violated within the margin"
WITHIN = "shown within the margin"
NOT_SHOWN = "not shown"
MEASURED = "measured"
NOT_TESTED = "cannot be tested"
NOT_ESTIMATED = "cannot be estimated"
#: Verdict → its meaning.
VERDICTS = {
    BEYOND: "the difference is shown to exceed the margin",
    VIOLATED: "the adjusted p-value is below the level; with a margin, whether the difference "
    "exceeds it is not shown",
    VIOLATED_WITHIN: "there is a difference, and it is shown to lie within the margin",
    WITHIN: "the difference is shown to lie within the margin",
    NOT_SHOWN: "the adjusted p-value is not below the level: this is no evidence of fairness",
    MEASURED: "an estimate without a test",
    NOT_TESTED: "an estimate without a p-value that could show anything; the note says why",
    NOT_ESTIMATED: "no estimate; the note says why",
}
#: Those that only a margin gives.
WITH_MARGIN = (BEYOND, VIOLATED_WITHIN, WITHIN)
#: Verdict → what a table has room for.
SHORT = {BEYOND: "beyond", VIOLATED_WITHIN: "within, ≠0", WITHIN: "within", NOT_TESTED: "no test"}
#: Verdict → what its line is coloured by; others are open.
KINDS = {BEYOND: "strong", VIOLATED: "medium", VIOLATED_WITHIN: "within", WITHIN: "within"}
#: Verdict → its sign, distinct without colours.
SIGNS = {
    BEYOND: "◆",
    VIOLATED: "●",
    VIOLATED_WITHIN: "◐",
    WITHIN: "✓",
    NOT_SHOWN: "○",
    MEASURED: "·",
    NOT_TESTED: "?",
    NOT_ESTIMATED: "–",
}
