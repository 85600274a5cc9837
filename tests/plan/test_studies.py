import pytest

from fairpairs.errors import InputError
from fairpairs.plan.studies import find_studies
from fairpairs.plan.study_files import load_part, study_folders

STUDY = """\
from fairpairs.plan.study import Outputs, Study

from .names import NAMES

STUDY = Study("Loans", "A paper on loans", outputs=lambda plan: Outputs(tables=NAMES))
"""


def test_the_studies_of_the_package_are_in_the_order_of_the_report():
    assert [*find_studies()] == [
        "comparative_separation",
        "xauc",
        "differential_parity",
        "density_ratio",
        "calibration",
    ]


def test_a_study_of_a_users_project_is_found_and_planned(plan_of, write_study):
    mine = write_study(study=STUDY, names='NAMES = ("rates",)\n')
    plan = plan_of(extensions=[mine])
    assert [*plan.studies][-1] == "loans"
    assert plan.study_tables("loans")[0] == "results/tables/loans/rates.csv"
    assert load_part("loans", "names", study_folders([mine])["loans"]).NAMES == ("rates",)


def test_a_setting_of_an_unknown_study_is_an_error(plan_of, write_study):
    with pytest.raises(InputError, match="unknown key `loans`"):
        plan_of(extensions=[write_study(study=STUDY, names="NAMES = ()\n")], loans={})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("xauc", STUDY, "there is a study `xauc` already"),
        ("Loans", STUDY, "small letters, digits and _"),
        ("empty", "", "has no `STUDY`"),
        ("typo", "import nothing_of_this_name\n", "cannot be imported (ModuleNotFoundError"),
    ],
)
def test_a_study_that_cannot_be_is_refused_in_a_sentence(write_study, name, text, words):
    mine = write_study(name, study=text)
    with pytest.raises(InputError) as error:
        find_studies([mine])
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_part_that_a_study_does_not_have(write_study):
    mine = write_study("bare", study=STUDY)
    with pytest.raises(InputError, match=r"cells\.py: there is no such file"):
        load_part("bare", "cells", study_folders([mine])["bare"])
