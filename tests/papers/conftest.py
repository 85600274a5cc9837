from types import CodeType
from typing import Any

import jinja2
import pytest

from fairpairs.base.style import METADATA

#: Templates that have been compiled, which takes half the time of a page.
COMPILED: dict[tuple[Any, ...], CodeType] = {}


def _compile_once(
    self: jinja2.Environment, source: Any, name: str | None = None, *of: Any, **more: Any
) -> CodeType:
    key = (source, name, *of, *more.values(), self.finalize)
    if key not in COMPILED:
        COMPILED[key] = _compile(self, source, name, *of, **more)
    return COMPILED[key]


_compile, jinja2.Environment.compile = jinja2.Environment.compile, _compile_once


@pytest.fixture
def png() -> None:
    """Figures of a test with this fixture are saved as PNG too."""


@pytest.fixture(autouse=True)
def svg_alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save figures as SVG alone, in half of the time, where a test does not ask for PNG."""
    if "png" not in request.fixturenames:
        of_svg = {"svg": METADATA["svg"]}
        monkeypatch.setattr("fairpairs.papers.display.figures.METADATA", of_svg)
