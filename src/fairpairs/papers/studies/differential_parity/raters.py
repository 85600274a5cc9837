"""Everyone who decided compared with everyone else, and with all others together."""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import decimals
from fairpairs.mathematics.estimates.estimates import LEVEL, magnitude
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.rater_pairs import adjusted_over, differential_parity_of_raters


def compare_raters(dataset: PreparedDataset) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare every two people, and each person with the mean of all others, for each attribute.

    People who are a mean or consensus are left out. P-values are adjusted over all rows of the
    attribute. In the first table (each pair once), `alike` marks people who differ by one number on
    all items that both have; in the second, `prefers_more` and `prefers_less` count those whom the
    person prefers group 1 more or less than (Holm, 0.05).
    """
    decisions = dataset.decisions.drop(columns=list(dataset.consensus))
    names = list(decisions)
    values = decisions.to_numpy(dtype=np.float64)
    others = _means_of_others(values)
    parts: list[tuple[pd.DataFrame, pd.DataFrame]] = []
    for column, attribute in enumerate(dataset.attributes):
        group = dataset.sensitive[:, column]
        compared = differential_parity_of_raters(decisions, sensitive_features=group)
        frame = compared.to_frame(correction="none").drop(columns="pvalue_adjusted")
        frame["alike"] = compared.test.constant[np.triu_indices(len(names), 1)]
        pvalue = frame["pvalue"].to_numpy()
        frame["pvalue_holm"] = adjusted_over(pvalue, "holm")
        frame["pvalue_fdr"] = adjusted_over(pvalue, "fdr_bh")
        sign = np.where(frame["pvalue_holm"] < LEVEL, np.sign(frame["dpd"]), 0)
        # row i, column i + n of [people, others] is the test of a person against the others
        beside = np.hstack([values, others])
        both = differential_parity_of_raters(beside, sensitive_features=group).test
        diagonal = (np.arange(len(names)), np.arange(len(names)) + len(names))
        fields = ("estimate", "error", "dpt", "dof", "pvalue", "dpd")
        tested = {field: getattr(both, field)[diagonal] for field in fields}
        person = pd.DataFrame({"decisions": names, **tested})
        person["pvalue_holm"] = adjusted_over(person["pvalue"].to_numpy(), "holm")
        person["magnitude"] = magnitude(person["dpd"].to_numpy(), "d")
        for name, direction in (("prefers_more", 1), ("prefers_less", -1)):
            first = frame["decisions"][sign == direction].value_counts()
            second = frame["reference"][sign == -direction].value_counts()
            person[name] = [int(first.get(n, 0) + second.get(n, 0)) for n in names]
        for table in (frame, person):
            table.insert(0, "attribute", attribute)
        parts.append((frame, person))
    pairs, people = zip(*parts, strict=True)
    return pd.concat(pairs, ignore_index=True), pd.concat(people, ignore_index=True)


def _means_of_others(values: Floats) -> Floats:
    """Return, for each item and person, the mean of what the others decided; NaN without others."""
    known = np.isfinite(values)
    filled = np.where(known, values, 0)
    number = known.sum(axis=1, keepdims=True) - known
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((filled.sum(axis=1, keepdims=True) - filled) / number)


def rater_tables(pairs: pd.DataFrame, people: pd.DataFrame, roles: Content) -> Record:
    """Return all people, with what their layout needs, and all pairs."""
    return {"people": (people, {"summary": summary(pairs, people, roles)}), "pairs": pairs}


def summary(pairs: pd.DataFrame, people: pd.DataFrame, metadata: Content) -> list[str]:
    """Return a sentence per attribute: how many pairs of people differ, under each correction."""
    sentences = []
    for attribute, rows in pairs.groupby("attribute", sort=False):
        known = people[people["attribute"] == attribute].dropna(subset="dpd")
        if known.empty:
            sentences.append(
                f"{str(attribute).capitalize()}: no two people share two items of each group, so "
                "nobody can be compared."
            )
            continue
        alone, holm, fdr = (
            f"{(rows[column] < LEVEL).sum():,}"
            for column in ("pvalue", "pvalue_holm", "pvalue_fdr")
        )
        names = metadata["sensitive"][attribute]
        most, least = (known.loc[known["dpd"].agg(extreme)] for extreme in ("idxmax", "idxmin"))
        sentences.append(
            f"{str(attribute).capitalize()}: of {len(rows):,} pairs of people {alone} "
            f"differ at 0.05 alone, {fdr} with the false discovery rate under control "
            f"(Benjamini and Hochberg), {holm} by Holm. {most['decisions']} prefers "
            f"“{names['one']}” most (DPD over the mean of the others {decimals(most['dpd'], 2)}), "
            f"{least['decisions']} least ({decimals(least['dpd'], 2)})."
        )
    alike = pairs[pairs["alike"]].drop_duplicates(["decisions", "reference"])
    sentences += [
        f"{one} and {two} decided alike on every item: one of them says nothing new."
        for one, two in alike[["decisions", "reference"]].itertuples(index=False)
    ]
    return sentences
