from pathlib import Path

import yaml

from fairpairs.experiments.fairness_tests import TESTS
from fairpairs.models import MODELS
from fairpairs.reporting.comparative_separation import TABLES
from fairpairs.reporting.tables import TREATMENTS as TREATMENT_LABELS
from fairpairs.treatments import TREATMENTS

ROOT = Path(__file__).parent.parent


def experiment_keys():
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text("utf-8"))
    return schema["properties"]["experiments"]["additionalProperties"]["properties"]


def test_config_schema_offers_exactly_the_treatments_models_and_tests_of_the_package():
    keys = experiment_keys()
    assert set(keys["treatments"]["items"]["enum"]) == set(TREATMENTS)
    assert set(keys["model"]["enum"]) == set(MODELS)
    assert set(keys["tests"]["items"]["enum"]) == set(TESTS)


def test_every_treatment_has_a_name_for_tables():
    assert set(TREATMENT_LABELS) == set(TREATMENTS)


def test_every_published_table_can_be_reproduced():
    published = {path.stem for path in (ROOT / "config/published").glob("*.yaml")}
    assert published == set(TABLES)
