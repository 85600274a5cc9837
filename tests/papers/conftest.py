from __future__ import annotations

import pytest

from fairpairs.base.style import METADATA


@pytest.fixture
def png() -> None:
    """Figures of a test with this fixture are saved as PNG too."""


@pytest.fixture(autouse=True)
def svg_alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save figures as SVG alone, in half of the time, where a test does not ask for PNG."""
    if "png" not in request.fixturenames:
        of_svg = {"svg": METADATA["svg"]}
        monkeypatch.setattr("fairpairs.papers.display.figures.METADATA", of_svg)
