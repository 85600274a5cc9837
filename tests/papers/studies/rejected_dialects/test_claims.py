"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

from fairpairs.papers.plan.claim_numbers import written
from fairpairs.papers.published.verdicts import FAILS, IN_PART
from tests.papers.studies.planted import setting, tables

STUDY, DROP = "rejected_dialects", "AAL − WME"
AAL_PROMPT, WME_PROMPT = "AAL prompt: d, AAL − WME", "WME prompt: d, WME − AAL"
TABLE_1, TABLE_2, TABLE_3, ASTERISKS = tables(STUDY, "table_1", "table_2", "table_3", "asterisks")


def negated(column, some=17):
    """An edit: a column with the other sign, in some of the rows."""
    return lambda frame: frame.assign(
        **{column: frame[column].where(frame.index >= some, -frame[column])}
    )


PLANTED = [
    ("less-accurate-in-aal", FAILS, {TABLE_1: negated(DROP)}),
    ("less-accurate-in-aal", IN_PART, {TABLE_1: negated(DROP, 2)}),
    ("less-accurate-in-aal", IN_PART, {TABLE_1: lambda f: f.assign(**{DROP: 2 * f[DROP]})}),
    ("less-accurate-in-aal", FAILS, {ASTERISKS: setting("pvalue_holm", 0.5, column=DROP)}),
    ("aal-scored-lower", IN_PART, {TABLE_2: negated("d, WME − AAL")}),
    ("aal-scored-lower", IN_PART, {TABLE_3: negated(WME_PROMPT)}),
    ("aal-scored-lower", FAILS, {TABLE_2: negated("d, WME − AAL"), TABLE_3: negated(WME_PROMPT)}),
    ("steered-to-wme", FAILS, {TABLE_3: negated(AAL_PROMPT)}),
    ("steered-to-wme", FAILS, {ASTERISKS: setting("pvalue_holm", 0.5)}),
]


def test_models_are_counted_and_the_mean_is_beside_the_printed_one(finding_of):
    assert list(map(written, finding_of(STUDY, "less-accurate-in-aal").numbers.values())) == [
        "17 of 17", "12 of 17", "-0.0389 (printed -0.04)"
    ]  # fmt: skip
