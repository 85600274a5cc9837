"""What the config says of the register."""

import pytest

from fairpairs.base.errors import InputError

QUICK = {"size": "quick", "sizes": {"quick": {"sets": 3, "worlds": ["20 + 20 rows"]}}}


def test_the_register_has_a_table_and_a_picture(plan_of):
    assert "results/tables/register/levels.csv" in plan_of(register=QUICK).study_files("register")
    assert plan_of().study_files("register") == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": "slow"}, "register.size must be one of quick; it is slow"),
        ({"sizes": {"quick": {"sets": 3, "worlds": ["20 rows"]}}}, "there is no world '20 rows'"),
        ({"sizes": {"quick": {"sets": 0}}}, "sets"),
    ],
)
def test_an_unknown_size_or_world_is_refused_in_a_sentence(plan_of, change, words):
    with pytest.raises(InputError) as error:
        plan_of(register={**QUICK, **change})
    assert words in str(error.value)
    assert "\n" not in str(error.value)
