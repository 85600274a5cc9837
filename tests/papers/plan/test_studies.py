from pathlib import Path

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.plan.study import find_studies
from fairpairs.papers.plan.study_files import load_part, study_folders

STUDY = """\
from fairpairs.papers.plan.study import Outputs, Study

from .names import NAMES

STUDY = Study("Loans", "A paper on loans", outputs=lambda plan: Outputs(tables=NAMES))
"""


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


IMPORTS = """\
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.study import Outputs, Study
from fairpairs.papers.published.source import Result

"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("outputs=lambda run: run.nothing", "outputs fails (AttributeError: "),
        ("outputs=lambda run: None", "outputs returns None: return `Outputs`"),
        ("outputs=lambda run: ['rates']", "outputs returns ['rates']: return `Outputs`"),
        ("outputs=lambda: Outputs()", "outputs fails (TypeError: "),
        ("outputs=Outputs()", "outputs fails (TypeError: "),
        ("outputs=lambda run: Outputs(tables=('rates'))", "tables of Outputs is 'rates'"),
        ("results=lambda run: None", "results returns None: return a dict of `Result`"),
        ("results=lambda run: ['a']", "results returns ['a']"),
        ("results=lambda run: {'a': 'b'}", "results returns {'a': 'b'}"),
        ("results=lambda run: {'a': Result('b')}", "files of Result is 'b'"),
        ("results=lambda run: {'a': Result((), ('lons',))}", "study loans: There is no data set"),
        ("requests=lambda settings: settings['a']", "requests fails (KeyError: 'a'"),
        ("requests=lambda settings: None", "requests returns None: return a list of `Request`"),
        ("requests=lambda settings: ['german']", "requests returns ('german',)"),
        ("requests=lambda settings: [Request('german')]", "datasets of Request is 'german'"),
        ("requests=lambda settings: [Request(('lons',))]", "study loans: There is no data set"),
        ("requests=lambda settings: [Request(('german',), 'x')]", "there is no encoder `x`"),
        ("check=lambda run: 1 / 0", "check fails (ZeroDivisionError: division by zero"),
        ("check=lambda run: 'wrong'", "check returns 'wrong'"),
    ],
)
def test_an_error_of_a_study_names_its_file_and_the_remedy(plan_of, write_study, arguments, words):
    mine = write_study(study=f"{IMPORTS}STUDY = Study('Loans', {arguments})\n")
    with pytest.raises(InputError) as error:
        plan_of(extensions=[mine])
    assert words in str(error.value)
    message = str(error.value)
    assert "mine/studies/loans/study.py: " in message or message.startswith("the study loans: ")


@pytest.mark.parametrize("name", ["seed", "predictions"])
def test_a_study_cannot_have_a_name_that_the_workflow_has(plan_of, write_study, name):
    mine = write_study(name, study=f"{IMPORTS}STUDY = Study('Loans')\n")
    with pytest.raises(InputError, match=f"mine/studies/{name}: `{name}` is .*rename the folder"):
        plan_of(extensions=[mine])


def test_a_folder_of_studies_has_a_study_py_or_yaml(write_study):
    folder = write_study(Study="")
    with pytest.raises(InputError, match=r"loans/study\.py: there is no such file, and no study"):
        find_studies([folder])
    Path(folder, "studies/loans/study.yaml").write_text("title: Loans\ncitation: A paper\n")
    assert find_studies([folder])["loans"].title == "Loans"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "None is not of type 'object'"),
        ("citation: x", "`title` is missing (its heading in the report, as `title: Loans`)"),
        ("title: 5", "key `title`: 5 is not of type 'string'"),
        ("title: Loans\ntitel: x", "unknown key `titel`; did you mean `title`?"),
        ("title: Loans\noutputs: [rates]", "unknown key `outputs`"),
        ("title: Loans\nvocabulary: null", "key `vocabulary`: None is not of type 'object'"),
        ("title: Loans\nvocabulary: {group: bool}", "of the types str, int and float"),
    ],
)
def test_a_study_yaml_that_is_none_is_refused_in_a_sentence(write_study, text, words):
    with pytest.raises(InputError) as error:
        find_studies([write_study(**{"study.yaml": text})])
    assert "mine/studies/loans/study.yaml: " in str(error.value)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("", "not a JSON schema: None is not of type 'object'"),
        ("- 1\n", "not a JSON schema: [1] is not of type 'object'"),
        ("type: objct\n", "not a JSON schema: key `type`: 'objct' is not valid"),
        ("required: 5\n", "not a JSON schema: key `required`: 5 is not of type 'array'"),
        ('properties: {a: {pattern: "["}}\n', "key `properties.a.pattern`: '[' is not a 'regex'"),
    ],
)
def test_a_schema_of_a_study_that_is_none(plan_of, write_study, folder, schema, words):
    mine = write_study(study=f"{IMPORTS}STUDY = Study('Loans')\n")
    file = folder / "mine/studies/loans/settings.schema.yaml"
    file.write_text(schema, "utf-8")
    with pytest.raises(InputError) as error:
        plan_of(extensions=[mine], loans={"a": "b"})
    assert "mine/studies/loans/settings.schema.yaml: " in str(error.value)
    assert words in str(error.value)


@pytest.mark.slow
def test_a_reference_in_a_schema_of_a_study_is_to_the_same_file(plan_of, write_study, folder):
    mine = write_study(study=f"{IMPORTS}STUDY = Study('Loans')\n")
    file = folder / "mine/studies/loans/settings.schema.yaml"
    text = '$defs: {a: {type: integer}}\nproperties: {n: {$ref: "#/$defs/a"}}\n'
    file.write_text(text, "utf-8")
    plan_of(extensions=[mine], loans={"n": 1})
    with pytest.raises(InputError, match=r"key `loans\.n`: 'b' is not of type 'integer'"):
        plan_of(extensions=[mine], loans={"n": "b"})
