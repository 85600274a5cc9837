import inspect

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.experiments.measures import MEASURES
from fairpairs.papers.experiments.steps import steps_of
from fairpairs.papers.inventory import SUMMARY, UNKNOWN, document, inventory
from fairpairs.papers.registry import KINDS, known, load


def test_every_part_of_the_package_describes_itself_in_a_line():
    listed = inventory()
    assert tuple(listed.pop("measures")) == MEASURES
    assert {kind: sorted(known(kind)) for kind in KINDS} == {
        kind: list(parts) for kind, parts in listed.items()
    }
    summaries = [part[SUMMARY] for parts in listed.values() for part in parts.values()]
    assert all(summary.endswith(".") for summary in summaries)


def test_kinds_and_parameters_are_those_of_the_imported_treatments():
    for name, listed in inventory()["treatments"].items():
        treatment = load("treatments", name)
        named = {"call": name, "held_out": 0.5} if listed["kind"] == "decisions" else name
        assert [step.kind for step in steps_of(named)] == [listed["kind"]] * (name != "none")
        takes = inspect.signature(treatment).parameters.values()
        defaults = [f"{p.name}={p.default!r}" for p in takes if p.default is not p.empty]
        assert listed["parameters"] == ", ".join(defaults)


def test_the_labels_of_models_and_measures_are_listed():
    listed = inventory()
    assert {name: part["label"] for name, part in listed["models"].items()} == {
        "linear_mae": "a number",
        "logistic_regression": "yes/no",
        "rankboost": "yes/no",
        "ridge": "a number",
    }
    assert listed["measures"]["accuracy"] == {
        "label": "yes/no",
        SUMMARY: "sklearn.metrics.accuracy_score",
    }
    assert listed["measures"]["mean_error_gap"]["label"] == "a number"


def test_a_treatment_of_a_project_is_listed_with_its_parameters(tmp_path):
    (tmp_path / "treatments").mkdir()
    (tmp_path / "treatments/own.py").write_text(
        "def mine(X, y, sensitive_features, rng, n, *, k: int = 3): ...\n\nTREATMENT = mine\n"
    )
    listed = inventory([tmp_path])["treatments"]["own"]
    assert listed == {"kind": "rows", SUMMARY: UNKNOWN, "parameters": "n, k=3"}


def test_parts_of_a_project_and_cards_are_listed_without_importing_them(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/half.py").write_text('"""Half.\n\nMore."""\nraise SystemExit\n')
    (tmp_path / "models/silent.py").write_text("MODEL = None\n")
    card = tmp_path / "loans.yaml"
    card.write_text("title: Loans\n")
    listed = inventory([tmp_path], {"loans": card})
    assert listed["models"]["half"][SUMMARY] == "Half."
    assert listed["models"]["silent"][SUMMARY] == UNKNOWN
    assert listed["datasets"] == {"loans": {SUMMARY: "Loans"}}
    assert "studies" not in listed
    assert "Data sets (1)" in document(listed).to_text()
    (tmp_path / "studies/loan_gaps").mkdir(parents=True)
    (tmp_path / "studies/loan_gaps/study.py").write_text('"""Loans."""\nraise SystemExit\n')
    with_study = inventory([tmp_path])
    assert with_study["studies"] == {"loan_gaps": {SUMMARY: "Loans."}}
    assert "Studies (1)" in document(with_study).to_text()


def test_a_file_that_is_not_python_is_named(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/odd.py").write_text("def")
    with pytest.raises(InputError, match=r"odd\.py: cannot be imported \(SyntaxError"):
        inventory([tmp_path])
