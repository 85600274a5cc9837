"""Reading the scores of a model: a JSON object in each line, bad ones refused in one sentence."""

import json

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.studies.rejected_dialects.measures import read_dialects, read_scores

GOOD = '{"chosen": 1.5, "rejected": -2}'


@pytest.fixture
def write(tmp_path):
    def write_lines(*lines, name="scores.jsonl"):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return tmp_path / name

    return write_lines


def test_a_score_is_a_number_or_a_list_of_one(write):
    scores = read_scores(write(GOOD, '{"chosen": [0.25], "rejected": [3]}'))
    assert scores.tolist() == [[1.5, -2.0], [0.25, 3.0]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"chosen": [1, 2], "rejected": 0}', "column `chosen` holds lists"),
        ('{"chosen": [], "rejected": 0}', "column `chosen` holds lists"),
        ('{"chosen": 1}', "column `rejected` has 1 missing value(s), the first in row 2"),
        ('{"chosen": "high", "rejected": 0}', "column `chosen` must hold finite numbers"),
        ('{"chosen": NaN, "rejected": 0}', "column `chosen` has 1 missing value(s)"),
        ("[1, 2]", "it holds [1, 2], which is no object"),
        ("{", "line 2 is not JSON"),
    ],
)
def test_a_line_that_is_no_pair_of_scores_is_refused(write, line, words):
    with pytest.raises(InputError) as error:
        read_scores(write(GOOD, line, GOOD))
    assert words in str(error.value)


def test_a_file_without_one_of_the_two_is_refused(write):
    with pytest.raises(InputError, match="there is no column `rejected`; it has chosen, text"):
        read_scores(write('{"chosen": 1, "text": "a"}'))


def test_the_four_files_have_the_same_prompts(write):
    files = [write(json.dumps({"chosen": i, "rejected": 0}), name=f"{i}") for i in range(4)]
    scores = read_dialects(files)
    assert (scores["wme"][0, 0], scores["aal"][0, 0]) == (0, 1)
    assert scores["wme_prompt_aal_answers"][0, 0] == 2
    assert scores["aal_prompt_wme_answers"][0, 0] == 3
    write(GOOD, GOOD, name="2")
    with pytest.raises(InputError, match=r"2: 2 prompts, and .*0 has 1: give both the same"):
        read_dialects(files)
