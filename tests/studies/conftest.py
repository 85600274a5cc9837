from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairpairs.files import write_text
from fairpairs.plan.experiment import Experiment
from fairpairs.plan.results import Results
from fairpairs.plan.study_files import study_folders
from fairpairs.report.sections import page_environment, section_html

SVG = '<?xml version="1.0"?>\n<svg><g id="a"/><use href="#a"/><g clip-path="url(#a)"/></svg>'


@pytest.fixture
def section_of(tmp_path: Path) -> Callable[..., str]:
    """A function that shows the section of a study: `section_of(name, config=…, …)`.

    The results are those in `tmp_path`; `figures` are drawn there first.
    """

    def show(
        study: str,
        *,
        config: dict[str, Any] | None = None,
        experiments: tuple[Experiment, ...] = (),
        datasets: tuple[str, ...] = (),
        figures: tuple[str, ...] = (),
    ) -> str:
        for figure in figures:
            write_text(tmp_path / f"results/figures/{study}/{figure}.svg", SVG)
        folder = study_folders()[study]
        named = {experiment.name: experiment for experiment in experiments}
        results = Results(study, tmp_path, {"alpha": 0.05, **(config or {})}, named, datasets)
        return section_html(results, folder, page_environment({study: folder}))

    return show
