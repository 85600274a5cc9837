"""Check the papers' conclusions. Input: tables. Output: claims."""

from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_table
from fairpairs.plan.judged_claims import judge_claims
from fairpairs.scripting import run


def main() -> None:
    params = snakemake.params
    write_table(snakemake.output.claims, judge_claims(params.studies, config=params.config))
    write_provenance(snakemake)


run(main, snakemake.log[0])
