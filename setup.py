"""The wheel has what the workflow needs of the clone, too: `fairpairs.base.shipped` finds it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("Snakefile", "workflow", "profiles", "config", "templates", "environment.yml")


class Build(build_py):
    """Put these files beside the modules, but not for an editable install, which has the clone."""

    def run(self) -> None:
        """Copy the modules, then the other files."""
        super().run()
        if self.editable_mode:
            return
        folder = Path(self.build_lib, "fairpairs/_shipped")
        shutil.rmtree(folder, ignore_errors=True)  # an earlier build may have left other files
        folder.mkdir(parents=True)
        for name in SHIPPED:
            if Path(name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(name, folder / name, ignore=ignored)
            else:
                shutil.copy(name, folder / name)


setup(cmdclass={"build_py": Build})
