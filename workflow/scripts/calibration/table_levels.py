"""Gather level, coverage and power of all tests, worst first. Input: studies. Output: tables."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.calibration.levels.tables import write_level_tables


def main() -> None:
    write_level_tables(map(read_parquet, snakemake.input.studies), snakemake.output.tables[0])
    write_provenance(snakemake)


run(main, snakemake.log[0])
