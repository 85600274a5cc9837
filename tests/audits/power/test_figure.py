import numpy as np
import pandas as pd
import pytest

from fairpairs.audits.power.figure import power_by_number


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_power_curve_is_returned_as_a_file(ending):
    curves = pd.DataFrame({"test": "$a$", "number": np.array([10, 1000]), "power": [0.1, 0.9]})
    content = power_by_number(ending, curves, wanted=0.8)
    assert content == power_by_number(ending, curves, wanted=0.8)
    assert content.startswith(b"<?xml" if ending == "svg" else b"\x89PNG")
    assert power_by_number(ending, curves, wanted=0.8, margin=0.05) != content
