"""The workflow keeps the rules of Snakemake's own linter and of snakefmt."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_snakemake_finds_nothing_to_improve(small):
    run = small.snakemake("--lint")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Congratulations, your workflow is in a good condition!" in run.stdout + run.stderr


@pytest.mark.slow
def test_the_rules_are_formatted(root):
    snakefmt = Path(sys.executable).parent / "snakefmt"
    process = subprocess.run(
        [snakefmt, "--check", "Snakefile", "workflow"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
