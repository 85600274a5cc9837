"""The published tables of a user's project: what they name must be there."""

import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.plan.read import read_plan

STUDY = """\
from fairpairs.papers.plan.study import Study
from fairpairs.papers.published.source import Result

STUDY = Study(
    "Loans",
    results=lambda run: {"rates": Result(("rates.parquet",), ("german",))},
    vocabulary={"group": (0, 1)},
)
"""
CELLS = """\
CELLS = {f"table_{number}": lambda data: lambda key: None for number in (1, 2, 3)}
"""
TABLE = {
    "table": 1,
    "title": "A made table",
    "source": "A made paper",
    "from": {"experiments": ["risk"]},
    "columns": ["Share"],
    "rows": [{"name": "Men", "key": {"group": 0}, "kind": "computed", "digits": 1, "values": [1]}],
}


#: The least that a config must have.
LEAST = {"seed": 1, "alpha": 0.05, "repeats": 5, "chunk_size": 2}


@pytest.fixture
def plan_with(plan_of, write_study, folder, experiments):
    """Plan a run with tables: file in config/published → what differs from TABLE."""

    def plan(tables, cells=CELLS, **keys):
        for file, differs in tables.items():
            text = yaml.safe_dump({**TABLE, **differs}, sort_keys=False)
            write_text(folder / "config/published" / file, text)
        files = {"study": STUDY} if cells is None else {"study": STUDY, "cells": cells}
        return plan_of(experiments=experiments, extensions=[write_study(**files)], **keys)

    return plan


def key_of(**key):
    return {"rows": [{**TABLE["rows"][0], "key": key}]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"experiments": ["rsk"]}, "from.experiments: there is no experiment `rsk` (did you mean "
         "`risk`?): name one of again, risk."),
        ({"results": "rate"}, "from.results: there is no result of the study `rate` (did you mean "
         "`rates`?): name one of rates."),
        ({"datasets": ["germn"]}, "from.datasets: there is no data set `germn` (did you mean"),
        ({"items": "germn"}, "from.items: there is no data set `germn` (did you mean `german`"),
        ({"results": "rates", "published": ["table_9"]}, "from.published: there is no other table "
         "of the study `table_9`"),
        ({"published": ["table_1"]}, "from.published: there is no other table of the study"),
        ({"settings": True}, "from.settings: the study loans has no settings: write"),
    ],
)  # fmt: skip
def test_a_from_that_names_what_there_is_not_is_refused(plan_with, source, words):
    with pytest.raises(InputError) as error:
        plan_with({"loans/table_1.yaml": {"from": source}})
    assert "config/published/loans/table_1.yaml: " in str(error.value)
    assert words in str(error.value)


def test_a_table_that_follows_from_another_alone_is_asked_for_with_it(plan_with):
    plan = plan_with({
        "loans/table_1.yaml": {},
        "loans/table_2.yaml": {"table": 2, "from": {"published": ["table_1"]}},
        "loans/table_3.yaml": {"table": 3, "from": {"datasets": ["adult"]}},
    })  # fmt: skip
    assert plan.tables_of("loans") == ["loans/table_1", "loans/table_2"]


@pytest.mark.parametrize(
    ("file", "differs", "words"),
    [
        ("loans/table_1.yaml", {"table": 7}, "it says that it is Table 7: rename the file to "
         "table_7.yaml, or correct `table`."),
        ("loans/table_1b.yaml", {}, "rename the file to table_1.yaml"),
        ("loans/table_1.yml", {}, "is read from config/published/STUDY/table_N.yaml"),
        ("table_1.yaml", {}, "is read from config/published/STUDY/table_N.yaml"),
        ("loans/more/table_1.yaml", {}, "is read from config/published/STUDY/table_N.yaml"),
        ("xauc/table_1.yaml", {}, "xauc/table_1.yaml has this table already: rename or drop one"),
    ],
)  # fmt: skip
def test_a_wrong_name_place_or_number_of_a_table_is_refused(plan_with, file, differs, words):
    with pytest.raises(InputError) as error:
        plan_with({file: differs})
    assert file in str(error.value)
    assert words in str(error.value)


def test_files_of_editors_are_no_tables(plan_with, folder):
    write_text(folder / "config/published/loans/.#table_1.yaml", "")
    assert plan_with({"loans/table_1.yaml": {}}).tables_of("loans") == ["loans/table_1"]


@pytest.mark.parametrize(
    ("differs", "words"),
    [
        (key_of(attribute="sexx"), "`attribute`: there is no `sexx` (did you mean `sex`?)"),
        (key_of(group="0"), "`group` is the text `0`: write it without quotes."),
        ({"from": {"datasets": ["adult"]}, **key_of(gruop=0)}, "unknown key `gruop`"),
    ],
)
def test_a_wrong_key_is_refused_in_tables_that_are_not_asked_for_too(plan_with, differs, words):
    with pytest.raises(InputError) as error:
        plan_with({"loans/table_1.yaml": differs})
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (None, "cells.py: there is no such file"),
        ("", "cells.py: `CELLS` has no function for table_1: add one."),
        ("CELLS = ['table_1']", "cells.py: `CELLS` has no function for table_1: add one."),
        ("import nothing_here", "cells.py: cannot be imported (ModuleNotFoundError"),
    ],
)
def test_a_table_without_a_function_is_refused_before_the_run(plan_with, cells, words):
    with pytest.raises(InputError) as error:
        plan_with({"loans/table_1.yaml": {}}, cells)
    assert words in str(error.value)


MEASURED = {
    "datasets": ["german"],
    "treatments": ["none", "both"],
    "models": ["logistic_regression", "sklearn.naive_bayes.GaussianNB"],
    "measures": ["accuracy", "tpr_gap", {"fpr_gap": {"groups": "intersections"}}],
}
MEDIAN = {
    "model": "GaussianNB", "treatment": "both", "measure": "accuracy", "statistic": "median"
}  # fmt: skip


@pytest.fixture
def measured_plan(plan_of, write_study, folder):
    """Plan a run with a study that is a study.yaml alone, and a table whose cell has this key."""

    def plan(key, experiment=MEASURED, **keys):
        text = yaml.safe_dump({**TABLE, "from": {"experiments": ["risk"]}, **key_of(**key)})
        write_text(folder / "config/published/loans/table_1.yaml", text)
        mine = write_study(**{"study.yaml": "title: Loans\n"})
        arms = {"treatments": {"both": ["fairway", "fairbalance"]}, **keys}
        return plan_of(experiments={"risk": experiment}, extensions=[mine], **arms)

    return plan


@pytest.mark.parametrize(
    "key", [{}, {"measure": "tpr_gap", "attribute": "sex"}, {"measure": "fpr_gap_intersections"}]
)
def test_the_key_of_a_measure_names_models_and_treatments_of_the_config(measured_plan, key):
    assert measured_plan({**MEDIAN, **key}).tables_of("loans") == ["loans/table_1"]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({"treatment": "GaussianNB+both"}, "`treatment`: there is no `GaussianNB+both`"),
        ({"statistic": "medain"}, "`statistic`: there is no `medain` (did you mean `median`?)"),
        ({"measure": "auc"}, "`measure`: there is no `auc`: write one of accuracy,"),
        *[({name: None}, f"the key lacks {name}: add it.") for name in MEDIAN],
        ({"test": "separation"}, "a statistic of a measure has no `test`: drop it."),
        ({"attribute": "sex"}, "accuracy is of no single attribute: drop `attribute`."),
        ({"measure": "tpr_gap"}, "add `attribute`, one of "),
    ],
)
def test_the_key_of_a_measure_names_one_series(measured_plan, key, words):
    named = {name: value for name, value in {**MEDIAN, **key}.items() if value is not None}
    with pytest.raises(InputError) as error:
        measured_plan(named)
    assert "config/published/loans/table_1.yaml: " in str(error.value)
    assert words in str(error.value)


def test_an_experiment_without_measures_is_named(measured_plan):
    experiment = {**MEASURED, "tests": ["separation"]}
    del experiment["measures"]
    with pytest.raises(InputError, match="and risk of the config has no `measures`: add them"):
        measured_plan(MEDIAN, experiment)


def test_a_shipped_table_of_an_experiment_that_the_config_lacks_is_no_error(
    root, monkeypatch, experiments
):
    monkeypatch.chdir(root)
    read_plan({**LEAST, "experiments": experiments}, root)
