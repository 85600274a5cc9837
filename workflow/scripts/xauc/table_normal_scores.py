"""Show ΔxAUC of normal scores with equal means. Output: tables."""

from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_table
from fairpairs.scripting import run
from fairpairs.studies.xauc.normal_scores import normal_score_disparities


def main() -> None:
    write_table(snakemake.output.tables[0], normal_score_disparities())
    write_provenance(snakemake)


run(main, snakemake.log[0])
