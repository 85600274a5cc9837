"""Plans from Python, and the file of a curve."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs import power
from fairpairs.audits.power import interface as needed
from fairpairs.audits.power.figure import power_by_number
from fairpairs.audits.power.plan import plan_from_pilot, rates_of_pilot
from fairpairs.base.reading.table import Table
from fairpairs.cli import app


@pytest.fixture(scope="module")
def pilot():
    rng = np.random.default_rng(0)
    n = 300
    group, y = rng.choice(["a", "b"], n), rng.integers(0, 2, n)
    score = rng.normal(y - 0.5 * (group == "a")).round(2)
    return pd.DataFrame({"y": y, "yhat": (score > 0.4).astype(int), "s": score, "g": group})


COLUMNS = {"y_true": "y", "sensitive_features": "g"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"tpr": (0.8, 0.7), "fpr": 0.2, "share": 0.4}, "--tpr 0.8,0.7 --fpr 0.2 --share 0.4"),
        (
            {"tpr": (0.8, 0.6), "fpr": 0.2, "cheap_accuracy": (0.9, 0.8), "n_items": 4000},
            "--tpr 0.8,0.6 --fpr 0.2 --cheap-accuracy 0.9,0.8 --items 4000",
        ),
        ({"tpr": 0.8, "margin": 0.4, "alpha": 0.1}, "--tpr 0.8 --margin 0.4 --alpha 0.1"),
    ],
)
@pytest.mark.usefixtures("few_sets")
def test_the_numbers_are_those_of_the_command(folder, arguments, options):
    plan = power(**arguments)
    ran = CliRunner().invoke(app, ["power", *options.split(), "--out", "out"])
    assert ran.exit_code == 0, ran.output
    assert plan.to_dict() == json.loads((folder / "out/power.json").read_text("utf-8"))
    assert repr(plan) == str(plan.answer)
    assert plan._repr_html_().startswith("<div")
    assert list(plan.to_frame()) == ["test", "number", "power"]


@pytest.mark.parametrize(
    "arguments", [{"y_pred": "yhat"}, {"y_score": "s", "threshold": 0.4}, {"y_score": "s"}]
)
def test_a_pilot_is_read_as_the_command_reads_it(pilot, monkeypatch, arguments):
    monkeypatch.setattr(needed, "sample_sizes", lambda plan, **options: (plan, options))
    monkeypatch.setattr(needed, "report", lambda planned: planned)
    arrays = {
        name: pilot[value] if isinstance(value, str) else value for name, value in arguments.items()
    }
    named = power(**COLUMNS, **arguments, data=pilot, n_items=500)
    given = power(y_true=pilot["y"], sensitive_features=pilot["g"], **arrays, n_items=500)
    expected = plan_from_pilot(Table.of(pilot, "data"), roles_of(**arguments), 0.05)
    for plan, options in (named, given):
        assert plan.rates.shown == expected.rates.shown
        assert str(plan.comparisons) == str(expected.comparisons)
        assert options["items"] == 500


def roles_of(y_pred=None, y_score=None, threshold=None):
    """Return the columns of the pilot as the command names them."""
    return {
        "--label": "y", "--prediction": y_pred, "--score": y_score, "--threshold": threshold,
        "--sensitive": "g",
    }  # fmt: skip


def test_a_pilot_has_the_rates_for_a_margin(pilot, monkeypatch):
    monkeypatch.setattr(needed, "items_within", lambda rates, margin, **options: Shown(rates))
    rates = power(**COLUMNS, y_pred="yhat", data=pilot, margin=0.3, difference=0)
    expected = rates_of_pilot(Table.of(pilot, "data"), roles_of(y_pred="yhat"), difference=0)
    assert rates.assumed == expected.assumed
    np.testing.assert_allclose(rates.cells, expected.cells)


class Shown:
    """Labels needed, whose report is the rates that they are planned for."""

    def __init__(self, rates):
        self.rates = rates

    def report(self):
        return self.rates


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "^Nothing to compute: give tpr"),
        ({"tpr": 0.8, "difference": "a"}, "^difference must be a finite number; it is 'a'"),
        ({"tpr": (0.8, 0.7), "n_items": 1}, "^n_items must be a whole number from 2 on"),
        ({**COLUMNS, "y_true": pd.Series([1, 0]), "y_pred": "yhat", "data": "p.csv"},
         r"^y_true is .*: with data, name a column of it\.$"),
        ({"y_true": [1, 0], "y_pred": [1, 0]}, "^sensitive_features is missing: name the column"),
        ({**COLUMNS, "y_pred": "q", "data": {"y": [1, 0]}}, "^data must be a path or a table"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_one_sentence(arguments, sentence):
    with pytest.raises(fp.InputError, match=sentence) as error:
        power(**arguments)
    assert "\n" not in str(error.value)
    assert "--" not in str(error.value)


def test_the_functions_are_attributes_as_before():
    items = fp.power.items_from_rates(tpr=(0.8, 0.7))
    assert 0.5 < power.expected_rejection("all_pairs", items, n_items=1000) < 0.6
    assert {"PilotOfScores", "power_within", "smallest_margin"} <= set(dir(power))
    with pytest.raises(AttributeError, match="nothing"):
        _ = power.nothing


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_power_curve_is_returned_as_a_file(ending):
    curves = pd.DataFrame({"test": "$a$", "number": np.array([10, 1000]), "power": [0.1, 0.9]})
    content = power_by_number(ending, curves, wanted=0.8)
    assert content == power_by_number(ending, curves, wanted=0.8)
    assert content.startswith(b"<?xml" if ending == "svg" else b"\x89PNG")
    assert power_by_number(ending, curves, wanted=0.8, margin=0.05) != content
