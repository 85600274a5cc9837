import copy
from pathlib import Path

import pytest
import yaml

from fairpairs.papers.datasets.prepare import prepare
from tests.papers.datasets.raw_files import FACES, PEOPLE

EVENTS = """\
age,gender,race,event,days,score
30,m,x,1,100,-31
40,f,x,1,9000,-30
25,f,y,0,9000,0
50,m,y,1,3652,30
60,m,x,0,20,31
"""
CARD, OF_IMAGES = (
    yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text("utf-8"))
    for name in ("people", "faces")
)


@pytest.fixture
def card():
    """A card that has nothing but what it must have; a test may change it."""
    return copy.deepcopy(CARD)


@pytest.fixture
def prepare_people(tmp_path, card):
    """A function that prepares a text by the card, with changes."""

    def prepare_text(text=PEOPLE, **changes):
        raw = tmp_path / "people.csv"
        raw.write_text(text, encoding="utf-8")
        return prepare(raw, {**card, **changes}, name="people")

    return prepare_text


@pytest.fixture
def faces(card):
    """A card of images; a test may change it."""
    return card | copy.deepcopy(OF_IMAGES)


@pytest.fixture
def prepare_faces(tmp_path, faces):
    """A function that prepares a text by the card of images, with changes."""

    def prepare_text(text=FACES, **changes):
        raw = tmp_path / "faces.csv"
        raw.write_text(text, "utf-8")
        return prepare(raw, {**faces, **changes}, name="faces")

    return prepare_text


@pytest.fixture
def events():
    """People, what happened to them, and when."""
    return EVENTS


@pytest.fixture
def prepare_events(card, prepare_people):
    """A function that prepares EVENTS by the card, with changes."""
    card["features"] = {"age": "numeric", "gender": "categorical"}
    card["label"] = {"column": "event", "one": [1], "zero": [0], "names": {}}
    card["sensitive"]["race"] = {"column": "race", "one": ["x"], "zero": ["y"], "names": {}}

    def prepare_text(text=EVENTS, **changes):
        return prepare_people(text, **changes)

    return prepare_text
