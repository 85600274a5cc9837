"""What a row of an audit may be found to be."""

VIOLATED = "violated"
NOT_SHOWN = "not shown"
MEASURED = "measured"
NOT_TESTED = "cannot be tested"
NOT_ESTIMATED = "cannot be estimated"
#: What a row may be found to be, and what that means.
VERDICTS = {
    VIOLATED: "the adjusted p-value is below the level",
    NOT_SHOWN: "the adjusted p-value is not below the level: that is no proof of fairness",
    MEASURED: "an estimate without a test",
    NOT_TESTED: "an estimate without a p-value that could show anything; the note says why",
    NOT_ESTIMATED: "no estimate; the note says why",
}

#: A sign for each, told apart without colours.
SIGNS = {VIOLATED: "●", NOT_SHOWN: "○", MEASURED: "·", NOT_TESTED: "?", NOT_ESTIMATED: "–"}
