"""Sections of studies, as files of a user's own project."""

import re
from pathlib import Path

import pandas as pd
import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.plan.study_files import study_folders
from fairpairs.papers.report.report import page_environment, section_html


@pytest.fixture
def show(tmp_path):
    """A function that shows the section of a study with these files."""

    def show(files):
        folder = tmp_path / "studies/made_here"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        results = Results("made_here", tmp_path, {"alpha": 0.05}, {}, [])
        return section_html(results, folder, page_environment({"made_here": folder}))

    return show


def test_a_section_is_shown_by_its_template(show):
    section = (
        "import pandas as pd\n"
        "def section(results):\n"
        "    table = pd.DataFrame({'a': ['1 ▲'], 'b': ['<2>']}, index=['x'])\n"
        "    return {'table': table, 'alpha': results.config['alpha']}\n"
    )
    template = (
        '{% from "macros.html.j2" import table as shown %}'
        '{{ shown(table, "corner", {"b": "text"}, {"▲": "green"}) }}<p>{{ alpha }}</p>'
    )
    main, html = show({"section.py": section, "section.html.j2": template})
    assert main == ""
    assert '<th>corner</th><th>a</th><th class="text">b</th>' in html
    assert '<td>x</td><td class="green">1 ▲</td><td class="text">&lt;2&gt;</td>' in html
    assert html.endswith("<p>0.05</p>")


@pytest.mark.parametrize("files", [{}, {"section.py": "def section(results):\n    return None\n"}])
def test_a_study_may_show_nothing(show, files):
    assert show(files) == ("", "")


def test_the_main_figure_has_a_template_of_its_own(show):
    section = "def section(results):\n    return {'a': '<1>'}\n"
    files = {"section.py": section, "section.html.j2": "<p>{{ a }}</p>"}
    assert show({**files, "main.html.j2": "<i>{{ a }}</i>"}) == (
        "<i>&lt;1&gt;</i>",
        "<p>&lt;1&gt;</p>",
    )


@pytest.mark.parametrize(
    ("section", "remedy"),
    [
        ("", "has no function `section`: write `def section(results): return {…}`"),
        ("def section(results):\n    return {}\n", "section.html.j2: there is no such file: write"),
        ("1 / 0", "cannot be imported (ZeroDivisionError: division by zero): correct it."),
    ],
)
def test_what_is_wrong_with_a_section_is_said_with_the_remedy(show, section, remedy):
    with pytest.raises(InputError, match=re.escape(remedy)):
        show({"section.py": section})


SHOWN = "def section(results):\n    return {'a': 1}\n"


@pytest.mark.parametrize(
    ("section", "template", "sentence"),
    [
        ("def section(results):\n    return 1 / 0\n", "",
         "section.py, line 2: the study made_here cannot be shown in the report "
         "(ZeroDivisionError: division by zero): correct it."),
        ("def section(results):\n    return {'a': results.csv('typo')['b']}\n", "",
         "section.py, line 2: the study made_here cannot be shown in the report (TypeError: "
         "'NoneType' object is not subscriptable): correct it; `results.csv` and `results.words` "
         "return None for a table that is not there."),
        ("def section(results):\n    return [1]\n", "",
         "section.py: `section` returns [1]: return a dictionary of what the template shows"),
        (SHOWN, "<p>\n{{ b }}", "section.html.j2, line 2: the study made_here cannot be shown in "
         "the report (UndefinedError: 'b' is undefined): correct it."),
        (SHOWN, "<p>\n{% if %}", "section.html.j2, line 2: the study made_here cannot be shown in "
         "the report (TemplateSyntaxError: "),
    ],
)  # fmt: skip
def test_a_section_that_fails_is_named_with_its_line(show, section, template, sentence):
    with pytest.raises(InputError, match=re.escape(f"studies/made_here/{sentence}")):
        show({"section.py": section, "section.html.j2": template})


def test_a_template_alone_shows_the_tables_of_the_run_in_words(show, tmp_path):
    template = (
        '{% for shown in tables("loans", "gaps") %}<p>{{ shown.title }}: {{ shown.table.n.item() }}'
        '</p>{% endfor %}{{ results.svg("loans") }}'
    )
    layout = "loans: {title: 'At {{ alpha }}', line: '{{ bank }}', cells: {n: '{{ n }}'}}\n"
    files = {"section.html.j2": template, "tables.yaml": layout}
    assert show(files) == ("", "")
    write_table(tmp_path / "results/tables/made_here/loans", pd.DataFrame({"bank": ["a"], "n": 3}))
    assert show(files) == ("", "<p>At 0.05: 3</p>")


def test_every_section_of_the_package_has_its_template():
    for folder in map(Path, study_folders().values()):
        assert not (folder / "section.py").exists() or (folder / "section.html.j2").exists()
