"""The wheel has what the workflow needs of the clone, too: `fairpairs.base.shipped` finds it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("workflow", "profiles", "config", "templates", "environment.yml")


class Build(build_py):
    """Put these files beside the modules, but not for an editable install, which has the clone."""

    def run(self) -> None:
        """Copy the modules, then the other files."""
        super().run()
        if self.editable_mode:
            return
        for name in SHIPPED:
            source, target = Path(name), Path(self.build_lib, "fairpairs/_shipped", name)
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)


setup(cmdclass={"build_py": Build})
