"""Make a step by the function that the rule names. Output: its files."""

from fairpairs.base.scripting import run
from fairpairs.papers.run.step import call

run(lambda: call(snakemake), snakemake.log[0])
