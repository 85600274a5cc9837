"""The verdicts of a line of a comparison, which are part of the JSON: their words and signs."""

from fairpairs.audits.lines.verdicts import NOT_ESTIMATED, NOT_SHOWN, NOT_TESTED

WORSE_BEYOND = "worse beyond the margin"
WORSE = "worse"
WORSE_WITHIN = "worse within the margin"
IMPROVED = "improved"
NOT_WORSE = "not worse by the margin"
#: Verdict → its meaning.
VERDICTS = {
    WORSE_BEYOND: "the gap of the new model is shown to be larger, by more than the margin",
    WORSE: "the gap of the new model is shown to be larger; with a margin, whether by more than it "
    "is not shown",
    WORSE_WITHIN: "the gap of the new model is shown to be larger, and by less than the margin",
    IMPROVED: "the gap of the new model is shown to be smaller",
    NOT_WORSE: "the gap of the new model is shown not to be larger by the margin or more",
    NOT_SHOWN: "none of these is shown: this is no evidence that the models are equally fair",
    NOT_TESTED: "a change without a p-value; the note says why",
    NOT_ESTIMATED: "no estimate; the note says why",
}
#: Verdict → its sign, distinct without colours.
SIGNS = {
    WORSE_BEYOND: "◆",
    WORSE: "●",
    WORSE_WITHIN: "◐",
    IMPROVED: "▲",
    NOT_WORSE: "✓",
    NOT_SHOWN: "○",
    NOT_TESTED: "?",
    NOT_ESTIMATED: "–",
}
#: Verdict → what a table has room for, and what its line is coloured by.
SHORT = {
    NOT_WORSE: "not worse",
    WORSE_BEYOND: "worse beyond",
    WORSE_WITHIN: "worse within",
    NOT_TESTED: "no test",
}
KINDS = {
    WORSE_BEYOND: "strong", WORSE: "medium", WORSE_WITHIN: "medium", IMPROVED: "within",
    NOT_WORSE: "within",
}  # fmt: skip
#: Those in which the new model is worse.
ALL_WORSE = (WORSE_BEYOND, WORSE, WORSE_WITHIN)
#: Those that show that the new model is not worse by the margin.
SHOWN = (IMPROVED, NOT_WORSE, WORSE_WITHIN)
