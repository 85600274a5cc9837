"""Compare two models. Input: old, new. Output: compare_html and its other files."""

from pathlib import Path

from fairpairs.audits.compare.read import compare_files
from fairpairs.base.scripting import run


def main() -> None:
    settings = {"alpha": snakemake.params.alpha, **snakemake.params.settings}
    old, new = (Path(settings.pop(model)) for model in ("old", "new"))
    compare_files(old, new, **settings).write(Path(snakemake.output.compare_html).parent)


run(main, snakemake.log[0])
