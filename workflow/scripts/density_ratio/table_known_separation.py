"""Compare measures of separation with the truth. Input: results. Output: table."""

import pandas as pd

from fairpairs.files import read_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.scripting import run
from fairpairs.studies.density_ratio.known_separation_tables import write_known_separation_table


def main() -> None:
    results = pd.concat(map(read_parquet, snakemake.input.results), ignore_index=True)
    write_known_separation_table(results, snakemake.output.table[0], alpha=snakemake.params.alpha)
    write_provenance(snakemake)


run(main, snakemake.log[0])
