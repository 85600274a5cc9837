"""Gather the rejections of all designs. Input: designs. Output: study, tables."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.calibration.designs.tables import write_design_tables


def main() -> None:
    stems = {"items": snakemake.output.tables[0], "pairs": snakemake.output.tables[3]}
    designs = map(read_parquet, snakemake.input.designs)
    write_design_tables(designs, stems, snakemake.output.study)
    write_provenance(snakemake)


run(main, snakemake.log[0])
