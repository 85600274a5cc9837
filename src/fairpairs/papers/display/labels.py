"""The names of treatments and tests in tables and figures."""

from __future__ import annotations

#: Name of each treatment in a table.
TREATMENTS = {
    "none": "None",
    "fairbalance": "FairBalance",
    "reweighing": "Reweighing",
    "fair_reweighing": "FairReweighing",
}
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


def label(name: str) -> str:
    """Return a config's name as in a table: comparative_separation → Comparative separation."""
    return {**TREATMENTS, **TESTS}.get(name, name.replace("_", " ").capitalize())
