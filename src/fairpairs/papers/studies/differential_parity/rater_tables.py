"""Tables of everyone who decided: who prefers a group more than the others do."""

import pandas as pd

from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import decimals
from fairpairs.mathematics.estimates.estimates import LEVEL


def rater_tables(pairs: pd.DataFrame, people: pd.DataFrame, roles: Content) -> Record:
    """Return all people, with what their layout needs, and all pairs."""
    said = {"summary": summary(pairs, people, roles), "title": roles["title"]}
    return {"people": (people, said), "pairs": pairs}


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
