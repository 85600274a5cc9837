"""Check the papers' conclusions. Input: tables. Output: claims."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.plan.claims import judge_claims
from fairpairs.papers.run.provenance import write_provenance


def main() -> None:
    params = snakemake.params
    write_table(snakemake.output.claims, judge_claims(params.studies, config=params.config))
    write_provenance(snakemake)


run(main, snakemake.log[0])
