from __future__ import annotations

import copy

import pytest

CARD = {
    "title": "People",
    "citation": "Nobody (2026), People.",
    "licence": "CC0",
    "files": [
        {
            "name": "people.csv",
            "bytes": 100,
            "sha256": "0" * 64,
            "urls": ["https://example.org/people.csv"],
        }
    ],
    "features": {"age": "numeric", "city": "categorical", "sex": "sensitive"},
    "label": {
        "column": "outcome",
        "one": ["good"],
        "zero": ["bad"],
        "names": {"one": "Good", "zero": "Bad"},
    },
    "sensitive": {
        "sex": {
            "column": "gender",
            "one": ["m"],
            "zero": ["f"],
            "names": {"one": "Men", "zero": "Women"},
        }
    },
}


@pytest.fixture
def card():
    """A card that has nothing but what it must have; a test may change it."""
    return copy.deepcopy(CARD)
