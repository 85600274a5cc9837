"""Measure level, coverage and power of one tool. Input: reason. Output: study."""

from pathlib import Path

from fairpairs.base.files import write_text
from fairpairs.base.scripting import run
from fairpairs.papers.studies.register.measure import measure_tool, not_measured
from fairpairs.papers.studies.register.tools import read_tool


def main() -> None:
    params = snakemake.params
    tool = read_tool(Path(params.tools), snakemake.wildcards.tool)
    if reason := "".join(Path(file).read_text("utf-8") for file in snakemake.input.reason):
        study = not_measured(tool, reason)
    else:
        study = measure_tool(
            tool,
            params.worlds,
            sets=params.sets,
            seed=params.seed,
            environments=Path(params.environments),
        )
    write_text(snakemake.output.study, study.to_csv(index=False))


run(main, snakemake.log[0])
