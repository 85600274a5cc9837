"""What the report shows of the study, besides its published tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairpairs.plan.results import Results


def section(results: Results) -> Mapping[str, Any] | None:
    """Return the figure of the paper that needs no data."""
    figure_1 = results.svg("figure_1")
    return {"figure_1": figure_1} if figure_1 else None
