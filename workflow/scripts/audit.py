"""Audit predictions. Input: files. Output: audit_html, audit_json, audit_csv, rates_csv."""

from pathlib import Path

from fairpairs.audits.audit.audit import audit_file
from fairpairs.base.scripting import run


def main() -> None:
    settings = {"alpha": snakemake.params.alpha, **snakemake.params.settings}
    paths = [Path(path) for path in snakemake.input.files]
    result = audit_file(paths, seed=snakemake.params.seed, **settings)
    result.write(Path(snakemake.output.audit_html).parent)


run(main, snakemake.log[0])
