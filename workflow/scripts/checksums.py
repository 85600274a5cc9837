"""List checksums. Input: tables, predictions. Output: checksums, predictions."""

from fairpairs.output.checksums import write_checksums
from fairpairs.output.provenance import write_provenance
from fairpairs.scripting import run


def main() -> None:
    write_checksums(
        snakemake.output.checksums,
        tables=snakemake.input.tables,
        predictions=snakemake.input.predictions,
        predictions_table=snakemake.output.predictions,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
