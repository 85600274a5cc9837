"""Measure each model in two dialects. Input: scores. Output: effects, gaps."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.rejected_dialects.measures import measure_effects, measure_gaps
from fairpairs.papers.studies.rejected_dialects.scores import read_dialects


def main() -> None:
    files, each = list(snakemake.input.scores), snakemake.params.files_each
    models = {
        model: read_dialects(files[each * i : each * (i + 1)])
        for i, model in enumerate(snakemake.params.models)
    }
    write_parquet(snakemake.output.effects, measure_effects(models))
    write_parquet(snakemake.output.gaps, measure_gaps(models, alpha=snakemake.params.alpha))


run(main, snakemake.log[0])
