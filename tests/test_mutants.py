import ast
import time

import pytest

from benchmarks.mutants import follow, forked, judge, mutants_of, mutated, stages

# xdist has threads, which wait while a test forks
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

CODE = """LIMIT = 3


def small(x: int = 0) -> bool:
    return x < LIMIT


def doubled(x):
    return x + x


def unused(x):
    return -x
"""
TEST = """import pytest
from tiny import doubled, small


@pytest.fixture(scope="module")
def four():
    return doubled(2)


def test_two_is_small_and_five_is_not():
    assert small(2) and not small(5)


def test_four_is_even(four):
    assert four % 2 == 0 < four
"""


@pytest.fixture
def tiny(tmp_path):
    """A repository where no test tries the limit itself, or the last function."""
    for name, text in {"src/tiny.py": CODE, "tests/test_tiny.py": TEST, "pytest.ini": ""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


@pytest.mark.slow
def test_the_survivors_are_the_mutants_that_no_test_notices(tiny):
    run = forked(lambda: follow(tiny, "tests/test_tiny.py"), 60)
    name = "tests/test_tiny.py::test_two_is_small_and_five_is_not"
    of_a_fixture = "tests/test_tiny.py::test_four_is_even"
    assert [*run["seconds"]] == [name, of_a_fixture]
    assert run["lines"]["src/tiny.py"] == {"shared": [1, 4, 8, 9, 12], name: [5]}
    found = {m.text: judge(tiny, (m, stages(m, [run]))) for m in mutants_of(tiny, "src/tiny.py")}
    assert found == {
        "3 → 4": "",
        "0 → 1": "",
        "return x < LIMIT → return None": name,
        "x < LIMIT → x <= LIMIT": "",
        "return x + x → return None": of_a_fixture,
        "x + x → x - x": of_a_fixture,
        "return -x → return None": "",
        "-x → x": "",
    }
    assert (tiny / "src/tiny.py").read_text() == CODE


@pytest.mark.slow
def test_work_without_end_has_no_result():
    def work():
        time.sleep(9)
        return "done"

    assert forked(work, 0.2) is None


def test_changes_are_undone_one_after_the_other():
    tree = ast.parse("if a and not b:\n    raise f(min(x, 1 + y), strict=True)\n")
    before = ast.unparse(tree)
    texts = [ast.unparse(new) for _, new in mutated(tree)]
    assert texts == ["a or not b", "b", "pass", "max", "1 - y", "2"]
    assert ast.unparse(tree) == before


def test_the_key_of_a_mutant_does_not_depend_on_other_lines(tiny):
    keys = {mutant.key for mutant in mutants_of(tiny, "src/tiny.py")}
    (tiny / "src/tiny.py").write_text("FIRST = 7\n\n" + CODE)
    assert len(keys) == 8
    assert keys < {mutant.key for mutant in mutants_of(tiny, "src/tiny.py")}
