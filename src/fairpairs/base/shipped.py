"""The files that come with the package: the workflow, its profiles, cards, numbers and templates.

The wheel has them in `fairpairs/_shipped`, at the same paths as the clone (`setup.py`).
"""

from pathlib import Path

_PACKAGED, _CLONE = Path(__file__).parents[1] / "_shipped", Path(__file__).parents[3]
#: The folder that has them: of the wheel, or else the clone.
SHIPPED = _PACKAGED if _PACKAGED.is_dir() else _CLONE


def shipped(path: str = "") -> Path:
    """Return the place of a file or a folder, named as in the clone.

    >>> shipped("workflow/Snakefile").is_file()
    True
    """
    return SHIPPED / path


def from_here(path: str | Path) -> str:
    """Return the name of a file for a rule: a relative one in the working folder, else absolute.

    Snakemake runs a rule again when its inputs have other names. So a project that is moved has
    nothing to do again, wherever the package lies, nor has a clone with its results.
    """
    whole, here = Path(path).resolve(), Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)
