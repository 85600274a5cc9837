"""The test separation: it needs binary labels."""

import pytest

from fairpairs.base.errors import InputError
from tests.papers.fairness_tests.real_labels import run


def test_separation_asks_for_binary_labels(real_dataset, real_predictions):
    with pytest.raises(InputError, match="needs a label of 0 and 1"):
        run("separation", real_predictions, real_dataset)
