"""What the config asks for, and the files that a card must have."""

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS, check_files, raw_name

NAMES = [raw_name(condition, "o/m-1") for condition in CONDITIONS]


def test_a_model_has_four_files():
    assert NAMES[0] == "w_prompt.orig--o--m-1.jsonl"
    assert len(set(NAMES)) == 4
    check_files("o/m-1", "scores", {"files": [{"name": name} for name in NAMES]})


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_the_card_lacks_is_named(name):
    files = [{"name": other} for other in NAMES if other != name]
    message = f"card of the data set scores has no file {name}, the scores of o/m-1: add it, or dr"
    with pytest.raises(InputError, match=message):
        check_files("o/m-1", "scores", {"files": files})
