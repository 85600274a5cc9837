"""The names of treatments and tests in tables and figures."""

from collections import Counter
from collections.abc import Iterable

#: Name of each treatment in a table.
TREATMENTS = {
    "none": "None",
    "fairbalance": "FairBalance",
    "reweighing": "Reweighing",
    "fair_reweighing": "FairReweighing",
    "fairbalance_variant": "FairBalanceVariant",
    "fair_smote": "Fair-SMOTE",
    "fairsituation": "FairSituation",
    "fairway": "Fairway",
    "massaging": "Massaging",
}
#: Tests on data where separation holds.
NULL_CONTROLS = ("comparative_separation_permuted", "comparative_separation_fresh")
#: Name of a test in a table, unless it follows from that in the config.
TESTS = {
    "comparative_separation_permuted": "Comparative separation, groups shuffled within labels",
    "comparative_separation_fresh": "Comparative separation, fresh pairs of one rate",
    "comparative_separation_dyadic": "Comparative separation, drawn pairs, dyadic, Holm",
    "comparative_separation_all_pairs": "Comparative separation, all pairs, Holm",
    "comparative_separation_all_pairs_raw": "Comparative separation, all pairs, raw, Holm",
    "separation_permutation": "Separation, permutation within labels (gaps)",
    "information_separation_permutation": "Separation, permutation within labels (I_sep)",
    "xauc": "Equal AUC and xAUC, Holm",
}
#: Test → why it does not keep its level, "" if it does (docs/explanation/calibration.md). Null
#: controls, and tests of other projects, are none of these.
LEVELS = {
    "separation": "Wald's z, and each of two hypotheses is rejected alone",
    "comparative_separation": "the paper's: pairs that share items are taken to be independent",
    **{name: "" for name in (*TESTS, "differential_parity") if name not in NULL_CONTROLS},
}


def levels(tests: Iterable[str]) -> str:
    """Return which tests of an experiment keep their level, and why others do not.

    >>> levels(["xauc", "separation", "my_test"])
    "Keeps its level: Equal AUC and xAUC, Holm. Does not: Separation (Wald's z, and each of two \
hypotheses is rejected alone)."
    """
    known = {test: LEVELS[test] for test in dict.fromkeys(tests) if test in LEVELS}
    kept = [label(test) for test, why in known.items() if not why]
    others = [f"{label(test)} ({why})" for test, why in known.items() if why]
    does = "Keeps its level" if len(kept) == 1 else "Keep their level"
    does_not = "Does not" if kept else "Does not keep its level"
    parts = ((does, kept), (does_not, others))
    return " ".join(f"{start}: {'; '.join(names)}." for start, names in parts if names)


def label(name: str) -> str:
    """Return a config's name as in a table, that of a model with a treatment in parts.

    >>> label("comparative_separation"), label("RandomForestClassifier+mine")
    ('Comparative separation', 'RandomForestClassifier + Mine')
    >>> label("ridge+none"), label("fairway-reweighing")
    ('Ridge + None', 'Fairway → Reweighing')
    """
    return " + ".join(_label(part) for part in name.split("+"))


def labels(names: Iterable[str]) -> dict[str, str]:
    """Return the label of each name, and the name itself where two have one label.

    >>> labels(["none", "mine", "Mine"])
    {'none': 'None', 'mine': 'mine', 'Mine': 'Mine'}
    """
    found = {name: label(name) for name in names}
    times = Counter(found.values())
    return {name: text if times[text] == 1 else name for name, text in found.items()}


def _label(name: str) -> str:
    steps = name.split("-")
    if len(steps) > 1 and all(step in TREATMENTS for step in steps):
        return " → ".join(TREATMENTS[step] for step in steps)
    words = name.replace("_", " ")
    return {**TREATMENTS, **TESTS}.get(name, words[:1].upper() + words[1:])
