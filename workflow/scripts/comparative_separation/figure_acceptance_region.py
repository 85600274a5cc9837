"""Draw Figure 1 of the paper on comparative separation. Output: figures."""

from fairpairs.scripting import run
from fairpairs.studies.comparative_separation.figures import acceptance_region

run(
    lambda: acceptance_region(snakemake.output.figures[0], alpha=snakemake.params.alpha),
    snakemake.log[0],
)
