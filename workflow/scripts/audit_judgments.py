"""Audit models by judgments. Input: files. Output: judgments_html and the files beside it."""

from pathlib import Path

from fairpairs.audits.judgments.interface import ARGUMENTS, audit_judgments
from fairpairs.base.scripting import run


def main() -> None:
    settings = {"alpha": snakemake.params.alpha, **snakemake.params.settings}
    named = {ARGUMENTS.get(option, option): value for option, value in settings.items()}
    audit_judgments(**named).write(Path(snakemake.output.judgments_html).parent)


run(main, snakemake.log[0])
