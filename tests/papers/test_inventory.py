import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.inventory import WITHOUT_SUMMARY, document, inventory
from fairpairs.papers.registry import KINDS, known


def test_every_part_of_the_package_describes_itself_in_a_line():
    listed = inventory()
    assert {kind: sorted(known(kind)) for kind in KINDS} == {
        kind: list(lines) for kind, lines in listed.items()
    }
    assert all(line.endswith(".") for lines in listed.values() for line in lines.values())


def test_parts_of_a_project_and_cards_are_listed_without_importing_them(tmp_path):
    (tmp_path / "treatments").mkdir()
    (tmp_path / "treatments/half.py").write_text('"""Half.\n\nMore."""\nraise SystemExit\n')
    (tmp_path / "treatments/silent.py").write_text("TREATMENT = None\n")
    card = tmp_path / "loans.yaml"
    card.write_text("title: Loans\n")
    listed = inventory([tmp_path], {"loans": card})
    assert listed["treatments"]["half"] == "Half."
    assert listed["treatments"]["silent"] == WITHOUT_SUMMARY
    assert listed["datasets"] == {"loans": "Loans"}
    assert "studies" not in listed
    assert "Data sets (1)" in document(listed).to_text()
    (tmp_path / "studies/loan_gaps").mkdir(parents=True)
    (tmp_path / "studies/loan_gaps/study.py").write_text('"""Loans."""\nraise SystemExit\n')
    with_study = inventory([tmp_path])
    assert with_study["studies"] == {"loan_gaps": "Loans."}
    assert "Studies (1)" in document(with_study).to_text()


def test_a_file_that_is_not_python_is_named(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/odd.py").write_text("def")
    with pytest.raises(InputError, match=r"odd\.py: cannot be imported \(SyntaxError"):
        inventory([tmp_path])
