"""Draw the gaps of all models. Input: gaps. Output: figures."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.rejected_dialects.figures import forest


def main() -> None:
    forest(snakemake.output.figures[0], read_parquet(snakemake.input.gaps))


run(main, snakemake.log[0])
