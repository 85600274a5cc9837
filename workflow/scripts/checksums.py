"""List checksums. Input: tables, predictions. Output: checksums, predictions."""

from fairpairs.base.scripting import run
from fairpairs.papers.run.checksums import write_checksums
from fairpairs.papers.run.provenance import write_provenance


def main() -> None:
    write_checksums(
        snakemake.output.checksums,
        tables=snakemake.input.tables,
        predictions=snakemake.input.predictions,
        predictions_table=snakemake.output.predictions,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
