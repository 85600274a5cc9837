"""Treatments, models and tests are found by their files, of the package and of a user's project."""

import sys
from dataclasses import is_dataclass

import pytest

from fairpairs import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.datasets.card import find_card, find_cards
from fairpairs.papers.registry import KINDS, check_folder, constant_of, find, known, load


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_loads_what_its_file_registers(kind):
    for name, file in known(kind).items():
        thing = load(kind, name)
        assert callable(thing)
        module = f"{KINDS[kind].package}.{name}"
        assert getattr(sys.modules[module], KINDS[kind].constant) is thing
        assert sys.modules[module].__file__ == str(file)


def test_helpers_in_the_folders_are_none():
    assert "groups" not in known("treatments")
    assert "features" not in known("models")
    assert "contract" not in {*known("treatments"), *known("models")}


def test_a_file_in_a_users_folder_is_registered(tmp_path):
    file = tmp_path / "models/mine.py"
    write_text(
        file,
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n\n\n"
        "@dataclass\nclass Mine:\n    features: object\n    kinds: object\n\n"
        "    def fit_repeats(self, y, tested, weights, rngs): ...\n\n\n"
        "MODEL: type = Mine\nBINARY_LABEL = True\n",
    )
    write_text(tmp_path / "models/_helper.py", "raise RuntimeError\n")
    write_text(tmp_path / "models/unused.py", "raise RuntimeError\n")  # never imported
    names = known("models", [tmp_path])
    assert set(names) == {*known("models"), "mine", "unused"}
    assert find("models", "mine", [tmp_path], where="config") == file
    assert is_dataclass(load("models", "mine", [file]))
    assert constant_of(file, "BINARY_LABEL") == "True"
    assert known("tests", [tmp_path]) == known("tests")


def test_what_a_users_file_is_for_is_told_by_its_folder(tmp_path):
    write_text(tmp_path / "tests/mine.py", "TEST = print\n")
    assert load("tests", "mine", [tmp_path / "tests/mine.py"]) is print
    with pytest.raises(ModuleNotFoundError, match=r"papers\.treatments\.mine"):
        load("treatments", "mine", [tmp_path / "tests/mine.py"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_library\n", r"cannot be imported \(ModuleNotFoundError: No module"),
        ("def mine(:\n", r"cannot be imported \(SyntaxError: "),
        ("def mine(y, a): ...\n", "has no `TREATMENT`: write `TREATMENT = …` with the treatment."),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path, text, words):
    file = tmp_path / "treatments/mine.py"
    write_text(file, text)
    with pytest.raises(InputError, match=rf"^{file}: {words}"):
        load("treatments", "mine", [file])


def test_a_name_that_is_taken_is_refused(tmp_path):
    write_text(tmp_path / "one/models/ridge.py", "MODEL = object\n")
    with pytest.raises(InputError, match=r"one/models/ridge.py: there is a model `ridge` already"):
        known("models", [tmp_path / "one"])
    for folder in ("two", "three"):
        write_text(tmp_path / folder / "tests/mine.py", "TEST = print\n")
    with pytest.raises(
        InputError,
        match=r"three/tests/mine.py: there is a test `mine` already, in .*two/tests/mine",
    ):
        known("tests", [tmp_path / "two", tmp_path / "three"])


def test_a_folder_without_any_known_one_is_refused(tmp_path):
    (tmp_path / "treatment").mkdir()
    with pytest.raises(InputError, match="has none of the folders treatments, models, tests, data"):
        check_folder(tmp_path)
    with pytest.raises(InputError, match="has none of the folders treatments, models, tests, data"):
        known("models", [tmp_path / "nowhere"])
    (tmp_path / "datasets").mkdir()
    check_folder(tmp_path)


def test_an_unknown_name_comes_with_those_that_there_are(tmp_path):
    (tmp_path / "treatments").mkdir()
    with pytest.raises(
        InputError,
        match=r"^here: there is no treatment `reweihing` \(did you mean `reweighing`\?\): name one "
        r"of fair_reweighing, .*, none, reweighing, .* or put a file reweihing.py into",
    ):
        find("treatments", "reweihing", [tmp_path], where="here")


def test_cards_are_the_projects_then_those_of_extensions_then_the_shipped(tmp_path):
    for path in ("own/loans", "own/farms", "more/datasets/ships", "shipped/loans", "shipped/cats"):
        write_text(tmp_path / f"{path}.yaml", "title: x\n")
    found = find_cards(tmp_path / "own", [tmp_path / "more"], shipped=tmp_path / "shipped")
    assert {name: card.parent.name for name, card in found.items()} == {
        **{"farms": "own", "loans": "own"},
        **{"ships": "datasets", "cats": "shipped"},
    }
    assert find_card("cats", found) == tmp_path / "shipped/cats.yaml"
    with pytest.raises(
        InputError, match=r"There is no data set `dogs`: write its card .* farms, lo"
    ):
        find_card("dogs", found)


@pytest.mark.parametrize("taken", ["loans", "cats"])
def test_a_card_of_an_extension_takes_no_name(tmp_path, taken):
    for path in ("own/loans", f"more/datasets/{taken}", "shipped/cats"):
        write_text(tmp_path / f"{path}.yaml", "title: x\n")
    with pytest.raises(
        InputError, match=f"{taken}.yaml: there is a data set `{taken}` already, in"
    ):
        find_cards(tmp_path / "own", [tmp_path / "more"], shipped=tmp_path / "shipped")
