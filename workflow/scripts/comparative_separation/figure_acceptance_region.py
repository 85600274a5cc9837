"""Draw Figure 1 of the paper on comparative separation. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.studies.comparative_separation.figures import acceptance_region

run(
    lambda: acceptance_region(snakemake.output.figures[0], alpha=snakemake.params.alpha),
    snakemake.log[0],
)
