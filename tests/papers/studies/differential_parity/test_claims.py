"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.differential_parity import bridge_tables as named
from fairpairs.papers.studies.differential_parity.cells import UNIVERSAL
from tests.papers.studies.planted import all_of, claims_of, setting, tables

STUDY = "differential_parity"
CELLS, OF_60_40, OF_80_20 = tables(
    STUDY, *(f"bridges/split_{n}" for n in ("80_20", "60_40_conclusions", "80_20_conclusions"))
)
CONCLUSIONS = (OF_60_40, OF_80_20)
(RATERS,) = tables(STUDY, "raters/scut_fbp5500.pairs")


def both(*edits):
    """The same edits on both splits."""
    return dict.fromkeys(CONCLUSIONS, all_of(*edits))


def printed(value, name):
    return both(setting("of_printed_cells", value, row=name))


PLANTED = [
    ("symmetric", FAILS, {CELLS: setting("dpd", 0.4, row="Label Test", decisions="P1",
                                         reference="P2", attribute="sex")}),
    ("symmetric", FAILS, {CELLS: setting("p_two_sided", 0.2, row="Label Test", decisions="P1",
                                         reference="P2", attribute="sex")}),
    ("same-distribution", UNTOLD, {RATERS: setting("dof", 5498.0)}),
    ("more-than-95-confidence", HOLDS, {CELLS: setting("p_two_sided",
                                                       lambda rows: rows["p_one_sided"])}),
    ("more-than-95-confidence", UNTOLD, {CELLS: setting("p_two_sided", 0.3)}),
    ("vgg-16-best", UNTOLD, {}),
    ("robust-against-sampling", HOLDS, both(setting("mean", 30.0, row=named.LABELS),
                                            setting("in_text", 30.0, row=named.LABELS))),
    ("robust-against-sampling", UNTOLD, both(setting("mean", 30.0, row=named.LABELS))),
    ("robust-against-sampling", FAILS, both(setting("mean", 15.0, row=named.LABELS))),
    ("robust-against-sampling", UNTOLD, {OF_80_20: setting("mean", 20.0, row=named.LABELS)}),
    ("robust-against-sampling", UNTOLD, both(setting("standard_error", 6.0, row=named.LABELS))),
    ("models-less-robust", HOLDS, both(setting("mean", 12.0, row=named.TWO_PEOPLE),
                                       setting("mean", 20.0, row=named.MODELS))),
    ("models-less-robust", UNTOLD, both(setting("mean", 12.0, row=named.TWO_PEOPLE),
                                        setting("mean", 29.0, row=named.MODELS))),
    ("models-less-robust", UNTOLD, both(setting("mean", 30.0, row=named.MODELS))),
    ("models-less-robust", FAILS, both(setting("mean", 30.0, row=named.MODELS),
                                       setting("of_printed_cells", 30.0, row=named.MODELS))),
    ("no-opposite-conclusions", HOLDS, printed(0.1, named.LARGEST)),
    ("no-opposite-conclusions", FAILS, printed(1.0, named.OPPOSITE)),
    ("no-opposite-conclusions", FAILS, both(setting("mean", 5.0, row=named.OPPOSITE))),
    ("no-opposite-conclusions", IN_PART, {OF_80_20: setting("mean", 5.0, row=named.OPPOSITE)}),
    ("biased-bridge-better", UNTOLD, both(setting("mean", 30.0, row=named.UNBIASED),
                                         setting("of_printed_cells", 32.0, row=named.UNBIASED))),
    ("biased-bridge-better", UNTOLD, both(setting("mean", 30.0, row=named.UNBIASED))),
    ("biased-bridge-better", UNTOLD, {OF_60_40: setting("mean", 30.0, row=named.UNBIASED)}),
    ("biased-bridge-better", IN_PART, {OF_80_20: setting("missed", 0.6, row=named.BIASED)}),
    ("biased-bridge-better", UNTOLD, both(setting("standard_error", 5.0, row=named.BIASED))),
    ("misses-by-training-bias", IN_PART, printed(0.1, named.MISSED_BY_OTHERS)),
    ("misses-by-training-bias", FAILS, printed(0.3, named.MISSED_BY_OTHERS)),
    ("misses-by-training-bias", UNTOLD, both(setting("mean", 0.1, row=named.MISSED_BY_BIASED))),
    ("misses-by-training-bias", HOLDS, printed(0.8, named.MISSED_BY_BIASED)),
    ("biased-bridge-accurate", IN_PART, {OF_60_40: setting("missed", 0.2, row=named.AS_WRITTEN)}),
    ("biased-bridge-accurate", UNTOLD, {OF_60_40: setting("mean", 20.0, row=named.BIASED)}),
    ("biased-bridge-accurate", UNTOLD, printed(20.0, named.BIASED)),
    ("biased-bridge-accurate", UNTOLD, both(
        setting("mean", 20.0, row=named.AS_WRITTEN), setting("mean", 20.0, row=named.BIASED),
        setting("of_printed_cells", 20.0, row=named.BIASED))),
    ("biased-bridge-all-right", HOLDS, printed(32.0, named.BIASED)),
    ("biased-bridge-all-right", UNTOLD, both(
        setting("of_printed_cells", 32.0, row=named.BIASED),
        setting("share_all", 0.0, row=named.AS_WRITTEN))),
]  # fmt: skip


def test_a_table_of_an_older_version_cannot_tell(finding_of):
    edits = dict.fromkeys(CONCLUSIONS, lambda frame: frame.drop(columns="sd"))
    finding = finding_of(STUDY, "biased-bridge-better", edits)
    assert finding.verdict == UNTOLD
    assert finding.note.endswith("not all numbers of section 4.")


def test_a_number_said_of_all_cases_is_judged_as_a_conclusion_of_the_list():
    assert set(UNIVERSAL.values()) <= {claim.name for claim in claims_of(STUDY)}
