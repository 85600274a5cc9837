"""Show ΔxAUC of normal scores with equal means. Output: tables."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.xauc.normal_scores import normal_score_disparities


def main() -> None:
    write_table(snakemake.output.tables[0], normal_score_disparities())
    write_provenance(snakemake)


run(main, snakemake.log[0])
