"""Compare the treatments of an experiment. Input: measures. Output: tables."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.treatments import write_treatments
from fairpairs.papers.run.provenance import write_provenance


def main() -> None:
    write_treatments(
        snakemake.output.tables[0],
        read_parquet(snakemake.input.measures),
        compare=snakemake.params.compare,
        title=snakemake.params.title,
        titles=snakemake.params.titles,
        searches=snakemake.params.searches,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
