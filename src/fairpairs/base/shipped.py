"""The files that come with the package: the workflow, its profiles, cards, numbers and templates.

The wheel has them in `fairpairs/_shipped`, at the same paths as the clone (`setup.py`).
"""

import os
from pathlib import Path

_PACKAGED, _CLONE = Path(__file__).parents[1] / "_shipped", Path(__file__).parents[3]
#: The folder of the clone or, of the wheel, of all packages, and a link to it in a project.
_ROOT = (_PACKAGED.parents[1] if _PACKAGED.is_dir() else _CLONE).resolve()
LINK = Path(".snakemake/package")
#: The folder that has them: of the wheel, or else the clone.
SHIPPED = _PACKAGED if _PACKAGED.is_dir() else _CLONE


def shipped(path: str = "") -> Path:
    """Return the place of a file or a folder, named as in the clone.

    >>> shipped("Snakefile").is_file()
    True
    """
    return SHIPPED / path


def from_here(path: str | Path) -> str:
    """Return the name of a file for a rule, the same wherever this package and the project lie.

    Snakemake runs a rule again when its inputs have other names. So a file in the working folder
    has a relative one, and one that comes with the package the name that LINK gives it.
    """
    whole = Path(path).resolve()
    for folder, name in ((Path.cwd().resolve(), Path()), (_ROOT, LINK)):
        if whole.is_relative_to(folder):
            return str(name / whole.relative_to(folder))
    return str(whole)


def link_package() -> None:
    """Make the link in the working folder through which `from_here` names what the package has."""
    if Path.cwd().resolve() != _ROOT != LINK.resolve():
        LINK.parent.mkdir(parents=True, exist_ok=True)
        new = LINK.with_name(f"{LINK.name}.{os.getpid()}")
        new.symlink_to(_ROOT)
        new.replace(LINK)
