"""Tables in words, laid out by `tables.yaml`."""

import jinja2
import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.layouts import display, layouts

LAYOUT = """\
loans:
  title: "{{ title }} of {{ rows.year.nunique() }} years"
  note: "Up to {{ '%g' % rows.share.max() }}."
  corner: bank
  where: n > 1
  with: {last: year == 2021}
  line: "{{ bank | label }}"
  cells:
    "{{ year }}": "{{ share | d(2) }}
      {%- if low == low %} ({{ low | interval(row['at most'], sign=True) }}){% endif %}"
    "{% if last %}p{% endif %}": "{{ p | p }}"
counted:
  line: "{{ bank | label }}"
  counts: {large: share > 0.2, unknown and late: low != low and year > 2020}
"""


@pytest.fixture
def module(tmp_path):
    (tmp_path / "tables.yaml").write_text(LAYOUT, "utf-8")
    return tmp_path / "section.py"


ROWS = pd.DataFrame(
    [
        ("mine", 2020, 5, 0.25, -0.1, 0.1, 0.5),
        ("the_other", 2021, 5, 1.5, np.nan, np.nan, 0.0001),
        ("mine", 2021, 5, 0.125, 0.0, 0.2, np.nan),
        ("a_third", 2021, 1, 0.5, np.nan, np.nan, 0.5),
    ],
    columns=["bank", "year", "n", "share", "low", "at most", "p"],
)


def test_each_row_adds_its_cells_in_the_order_of_the_rows(module):
    shown = display(module, "loans", ROWS, title="Loans")
    assert (shown.title, shown.note) == ("Loans of 2 years", "Up to 1.5.")
    assert shown.table.index.name == "bank"
    assert shown.table.reset_index().to_numpy().tolist() == [
        ["Mine", "0.25 (-0.100 to +0.100)", "0.12 (0.000 to +0.200)", "–"],
        ["The other", "–", "1.50", "<0.001"],
    ]
    assert list(shown.table) == ["2020", "2021", "p"]


def test_a_value_that_is_not_there_is_no_blank(module):
    with pytest.raises(jinja2.UndefinedError, match="'share' is undefined"):
        display(module, "loans", ROWS.drop(columns="share"), title="Loans")


def test_a_folder_without_layouts_has_none(tmp_path):
    assert layouts(tmp_path / "empty" / "section.py") == {}


def test_cases_are_counted_by_line_and_in_all(module):
    table = display(module, "counted", ROWS).table
    assert list(table.index) == ["Mine", "The other", "A third", "all"]
    assert table["large"].tolist() == ["1", "1", "1", "3"]
    assert table["unknown and late"].tolist() == ["0", "1", "1", "2"]
    assert display(module, "counted", ROWS[:0]).table.loc["all"].tolist() == ["0", "0"]
