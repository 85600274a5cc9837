"""Tables of everyone who decided: who prefers a group more than the others do."""

from pathlib import Path

import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.base.texts import decimals
from fairpairs.mathematics.estimates.estimates import LEVEL
from fairpairs.papers.display.tables import Display, write_table


def display_table(people: pd.DataFrame) -> pd.DataFrame:
    """Return a row per person: DPD over the mean of the others and the counts, per attribute."""
    parts = {}
    for attribute, part in people.groupby("attribute", sort=False):
        rows = part.set_index("decisions")
        stars = rows["pvalue_holm"].lt(LEVEL).map({True: " *", False: ""})
        parts[f"{attribute}: DPD over the others"] = (
            rows["dpd"].map(lambda dpd: decimals(dpd, 2)) + stars
        )
        parts[f"{attribute}: more than"] = rows["prefers_more"].astype(str)
        parts[f"{attribute}: less than"] = rows["prefers_less"].astype(str)
    return pd.DataFrame(parts).rename_axis("")


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
        corrections = (("alone", "pvalue"), ("Holm", "pvalue_holm"), ("FDR", "pvalue_fdr"))
        counts = {name: f"{(rows[column] < LEVEL).sum():,}" for name, column in corrections}
        names = metadata["sensitive"][attribute]
        most, least = (known.loc[known["dpd"].agg(extreme)] for extreme in ("idxmax", "idxmin"))
        sentences.append(
            f"{str(attribute).capitalize()}: of {len(rows):,} pairs of people {counts['alone']} "
            f"differ at 0.05 alone, {counts['FDR']} with the false discovery rate under control "
            f"(Benjamini and Hochberg), {counts['Holm']} by Holm. {most['decisions']} prefers "
            f"“{names['one']}” most (DPD over the mean of the others {decimals(most['dpd'], 2)}), "
            f"{least['decisions']} least ({decimals(least['dpd'], 2)})."
        )
    alike = pairs[pairs["alike"]].drop_duplicates(["decisions", "reference"])
    sentences += [
        f"{one} and {two} decided alike on every item: one of them says nothing new."
        for one, two in alike[["decisions", "reference"]].itertuples(index=False)
    ]
    return sentences


def write_rater_tables(
    pairs: pd.DataFrame,
    people: pd.DataFrame,
    roles: Content,
    stem: str | Path,
    pairs_csv: str | Path,
) -> None:
    """Write all people as stem.csv (tidy), .md and .tex, and all pairs as a CSV."""
    write_table(pairs_csv, pairs)
    note = " ".join(
        [
            *summary(pairs, people, roles),
            "DPD: positive where a person prefers group 1 more than the mean of the others does; "
            "* p < 0.05 by Holm over all people. More than, less than: the number of people whom "
            "the person prefers group 1 more or less than, by Holm over all pairs.",
        ]
    )
    title = f"{roles['title']}: every person and all others"
    write_table(stem, people, Display(display_table(people), title, note))
