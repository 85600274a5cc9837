"""The verdicts of a row of an audit, which are part of the JSON: their words and signs."""

VIOLATED = "violated"
NOT_SHOWN = "not shown"
MEASURED = "measured"
NOT_TESTED = "cannot be tested"
NOT_ESTIMATED = "cannot be estimated"
#: Verdict → its meaning.
VERDICTS = {
    VIOLATED: "the adjusted p-value is below the level",
    NOT_SHOWN: "the adjusted p-value is not below the level: this is no evidence of fairness",
    MEASURED: "an estimate without a test",
    NOT_TESTED: "an estimate without a p-value that could show anything; the note says why",
    NOT_ESTIMATED: "no estimate; the note says why",
}
#: Verdict → its sign, distinct without colours.
SIGNS = {VIOLATED: "●", NOT_SHOWN: "○", MEASURED: "·", NOT_TESTED: "?", NOT_ESTIMATED: "–"}
