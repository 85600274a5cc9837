"""What the config asks for, and the files that a card must have."""

from types import SimpleNamespace

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS, check, raw_name

NAMES = [raw_name(condition, "o/m-1") for condition in CONDITIONS]


def run_with(names):
    """A run of one model, with a card that has files of these names."""
    cards = {"scores": {"files": [{"name": name} for name in names]}}
    settings = {"dataset": "scores", "models": ["o/m-1"]}
    return SimpleNamespace(settings=lambda _: settings, data=SimpleNamespace(cards=cards))


def test_a_model_has_four_files():
    assert NAMES[0] == "w_prompt.orig--o--m-1.jsonl"
    assert len(set(NAMES)) == 4
    check(run_with(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_the_card_lacks_is_named(name):
    message = f"card of the data set scores has no file {name}, the scores of o/m-1: add it, or dr"
    with pytest.raises(InputError, match=message):
        check(run_with(other for other in NAMES if other != name))
