"""The verdicts of the comparison with published numbers."""

from __future__ import annotations

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"
