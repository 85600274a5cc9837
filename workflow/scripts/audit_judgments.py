"""Audit models by judgments. Input: files. Output: judgments_html and the files beside it."""

from pathlib import Path

from fairpairs.audits.judgments.interface import audit_judgments
from fairpairs.base.scripting import run


def main() -> None:
    settings = {"alpha": snakemake.params.alpha, **snakemake.params.settings}
    audit_judgments(**settings).write(Path(snakemake.output.judgments_html).parent)


run(main, snakemake.log[0])
