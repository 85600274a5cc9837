"""The published tables of a user's project: what they name must be there."""

import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text

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
        ({"experiments": []}, "from.experiments"),
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
        ("loans/foo.yaml", {}, "rename the file to table_1.yaml"),
        ("loans/table_1.yml", {}, "is read from config/published/STUDY/table_N.yaml"),
        ("table_1.yaml", {}, "is read from config/published/STUDY/table_N.yaml"),
        ("loans/more/table_1.yaml", {}, "is read from config/published/STUDY/table_N.yaml"),
        ("xauc/table_1.yaml", {}, "xauc/table_1.yaml has this table already: rename or drop one"),
        ("loans/table_1.yaml", {"runs": 0}, "runs"),
        ("loans/table_1.yaml", {"rows": [{**TABLE["rows"][0], "digits": -1}]}, "digits"),
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
        ("CELLS = {'table_2': print}", "cells.py: `CELLS` has no function for table_1: add one."),
        ("CELLS = ['table_1']", "cells.py: `CELLS` has no function for table_1: add one."),
        ("import nothing_here", "cells.py: cannot be imported (ModuleNotFoundError"),
    ],
)
def test_a_table_without_a_function_is_refused_before_the_run(plan_with, cells, words):
    with pytest.raises(InputError) as error:
        plan_with({"loans/table_1.yaml": {}}, cells)
    assert words in str(error.value)
