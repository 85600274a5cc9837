"""Set both forms of kernels beside printed correlations. Input: published, correlations."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.published.table import read_published
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.density_ratio.kernel_forms import write_kernel_table


def main() -> None:
    published = [read_published(f, snakemake.params.schema) for f in snakemake.input.published]
    write_kernel_table(
        [table.cells for table in published],
        read_parquet(snakemake.input.correlations),
        snakemake.output.table[0],
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
