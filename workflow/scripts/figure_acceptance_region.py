"""Draw Figure 1 of the paper on comparative separation. Output: figures."""

from fairpairs.reporting.figures import acceptance_region
from fairpairs.scripting import run

run(
    lambda: acceptance_region(snakemake.output.figures[0], alpha=snakemake.params.alpha),
    snakemake.log[0],
)
