"""The rule table_dialects, and what else shows the results: published tables and the report."""

from tests.workflow.rejected_dialects.conftest import MODELS

GAPS, ASTERISKS = (f"results/tables/rejected_dialects/{name}" for name in ("gaps", "asterisks"))


def test_each_model_has_two_gaps(scored):
    gaps = scored.frame(f"{GAPS}.csv").set_index(["model", "hypothesis"])
    assert list(gaps.index) == [(model, name) for model in MODELS for name in ("within", "across")]
    across = gaps.xs("across", level="hypothesis")
    assert (across["pvalue_holm"] < 0.05).tolist() == [True, False, False]
    assert across["estimate"].iloc[0] > 0.2
    for model in MODELS:
        assert model in scored.text(f"{GAPS}.md")


def test_published_numbers_stand_beside_ours(scored):
    comparison = scored.frame("results/comparison.csv")
    own = comparison[comparison["paper"] == "rejected_dialects"]
    assert len(own) == 85
    ours = own[own["row"].isin(MODELS)]
    assert ours["reproduced"].notna().all()
    assert set(own.loc[~own["row"].isin(MODELS), "note"]) == {"not part of this run"}


def test_asterisks_stand_beside_ours(scored):
    rows = scored.frame(f"{ASTERISKS}.csv")
    assert len(rows) == 68
    assert rows.loc[rows["row"].isin(MODELS), "asterisk"].notna().all()
    assert "not comparable" not in set(rows.loc[rows["row"].isin(MODELS), "verdict"])


def test_the_report_has_the_section(scored):
    report = scored.text("results/report.html")
    assert "Do reward models treat two dialects alike?" in report
    assert report.count('aria-label="Gaps of comparative separation') == 1
    assert "3 reward models score" in report
    assert "Made scores" in report  # the data, with their terms
    assert "12, listed under" in report


def test_other_cores_give_the_same_bytes(scored, unscored):
    unscored.snakemake(f"{GAPS}.md", cores=1).check()
    tables = [f"{stem}.{ending}" for stem in (GAPS, ASTERISKS) for ending in ("csv", "md", "tex")]
    assert unscored.bytes(*tables) == scored.bytes(*tables)
