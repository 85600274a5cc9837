"""Audit predictions. Input: file. Output: audit_html, audit_json, audit_csv, rates_csv."""

from pathlib import Path

from fairpairs.auditing.read import audit_file
from fairpairs.scripting import run


def main() -> None:
    settings = {"alpha": snakemake.params.alpha, **snakemake.params.settings}
    path = Path(settings.pop("file"))
    result = audit_file(path, seed=snakemake.params.seed, **settings)
    result.write(Path(snakemake.output.audit_html).parent)


run(main, snakemake.log[0])
