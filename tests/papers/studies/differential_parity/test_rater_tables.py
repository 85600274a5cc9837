"""Tables of everyone who decided."""

import re

import numpy as np
import pytest

from fairpairs.papers.display.layouts import display
from fairpairs.papers.studies.differential_parity import raters
from fairpairs.papers.studies.differential_parity.raters import summary

ABOUT = {
    "title": "Made faces & names",
    "sensitive": {
        "sex": {"one": "Male", "zero": "Female"},
        "race": {"one": "Asian", "zero": "Caucasian"},
    },
}


def test_a_person_has_the_size_and_the_counts_of_each_attribute(rated):
    _, people = rated
    table = display(raters.__file__, "people", people, title="", summary=[]).table
    assert list(table.index) == ["Ann", "Bob", "Cid", "Dan"]
    assert list(table.columns) == [
        f"{attribute}: {what}"
        for attribute in ("sex", "race")
        for what in ("DPD over the others", "more than", "less than")
    ]
    for row in people.to_dict("records"):
        own = table.loc[row["decisions"]].filter(like=f"{row['attribute']}: ")
        size, star = re.fullmatch(r"(\S+)( \*)?", own.iloc[0]).groups()
        assert float(size) == pytest.approx(row["dpd"], abs=0.00501)
        assert (star is not None) == (row["pvalue_holm"] < 0.05)
        assert list(own.iloc[1:]) == [str(row["prefers_more"]), str(row["prefers_less"])]
    stars = table.map(lambda text: "*" in text).to_numpy().sum()
    assert 0 < stars < 8


def test_a_sentence_says_how_many_pairs_differ_and_who_lies_farthest_out(rated):
    pairs, people = rated
    sentences = summary(pairs, people, ABOUT)
    assert len(sentences) == 2
    for sentence, attribute, one in zip(sentences, ("sex", "race"), ("Male", "Asian"), strict=True):
        own, each = (frame[frame["attribute"] == attribute] for frame in rated)
        counted = [(own[c] < 0.05).sum() for c in ("pvalue", "pvalue_fdr", "pvalue_holm")]
        each = each.sort_values("dpd")
        last, first = each.iloc[-1], each.iloc[0]
        assert sentence == (
            f"{attribute.capitalize()}: of 6 pairs of people {counted[0]} differ at 0.05 alone, "
            f"{counted[1]} with the false discovery rate under control (Benjamini and Hochberg), "
            f"{counted[2]} by Holm. {last['decisions']} prefers “{one}” most (DPD over the mean "
            f"of the others {last['dpd']:.2f}), {first['decisions']} least ({first['dpd']:.2f})."
        )


def test_where_nobody_can_be_compared_that_is_said(rated):
    pairs, people = rated
    nothing = {"dpd": np.nan, "pvalue": np.nan, "pvalue_holm": np.nan, "pvalue_fdr": np.nan}
    of_sex = pairs["attribute"] == "sex", people["attribute"] == "sex"
    for table, own in zip((pairs, people), of_sex, strict=True):
        for column in set(nothing) & set(table):
            table.loc[own, column] = np.nan
    sentences = summary(pairs, people, ABOUT)
    assert sentences[0] == (
        "Sex: no two people share two items of each group, so nobody can be compared."
    )
    assert sentences[1].startswith("Race: of 6 pairs of people ")
    table = display(raters.__file__, "people", people, title="", summary=[]).table
    assert set(table["sex: DPD over the others"]) == {"–"}
