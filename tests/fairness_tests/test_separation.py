"""The test separation: it needs binary labels."""

import pytest

from fairpairs.errors import InputError
from fairpairs.experiments.predictions import Settings
from fairpairs.experiments.testing import run_test


def run(test, predictions, dataset, **settings):
    return run_test(
        test, predictions, dataset, treatment="none", settings=Settings(1, 0.05, 1, **settings)
    )


def test_separation_asks_for_binary_labels(real_dataset, real_predictions):
    with pytest.raises(InputError, match="needs a label of 0 and 1"):
        run("separation", real_predictions, real_dataset)
