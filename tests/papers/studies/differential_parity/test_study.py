import re

import pytest
import yaml

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.papers.studies.differential_parity.study import check_bridge_study
from tests.papers.experiments.test_checks import CARDS, ENCODERS

STUDY = {"dataset": "faces", "decisions": ["ann", "cid"], "encoder": "net", "model": "ridge"}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"model": "dense", "encoder": "deep"},
        {"model": "fine_tuned", "encoder": "deep"},
        {"dataset": "items", "decisions": ["ann", "bob"], "encoder": "words"},
    ],
)
def test_a_study_of_bridges_that_goes_together_is_accepted(change):
    study = {**STUDY, **change}
    check_bridge_study("b", study, CARDS[study["dataset"]], ENCODERS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"decisions": ["ann", "dot"]},
            "the data set faces has no decisions of `dot`: name one of ann, bob, cid.",
        ),
        (
            {"dataset": "loans"},
            "the data set loans has no decisions of `ann`: name another data set, it has none.",
        ),
        (
            {"model": "fine_tuned"},
            "the model fine_tuned starts from the weights of an encoder of the kind vgg16, and "
            "net is none: name another.",
        ),
        (
            {"dataset": "items", "decisions": ["ann"], "encoder": "words", "model": "fine_tuned"},
            "the model fine_tuned starts from .*, and words is none: name another.",
        ),
    ],
)
def test_a_study_of_bridges_that_does_not_go_together_is_refused(change, words):
    study = {**STUDY, **change}
    with pytest.raises(InputError, match=rf"^config: differential_parity\.bridges\.b: {words}$"):
        check_bridge_study("b", study, CARDS[study["dataset"]], ENCODERS)


def test_a_study_of_images_needs_an_encoder():
    study = {key: value for key, value in STUDY.items() if key != "encoder"}
    with pytest.raises(
        InputError, match=r"bridges\.b\.encoder must name one of net, deep; it is No"
    ):
        check_bridge_study("b", study, CARDS["faces"], ENCODERS)


def test_the_guide_has_settings_that_the_schema_takes(root):
    page = (root / "docs/how-to/add-a-dataset.md").read_text("utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    (settings,) = (yaml.safe_load(b) for b in blocks if b.startswith("differential_parity:"))
    folder = root / "src/fairpairs/papers/studies/differential_parity"
    schemas.check(settings["differential_parity"], folder / "settings.schema.yaml", name="guide")
