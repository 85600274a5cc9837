"""The page of an audit of judgments, as a browser would read it."""

import pytest

from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.settings import JudgmentSettings
from fairpairs.base.texts import number
from tests.audits.judgments.synthetic import FAVOURS, synthetic
from tests.page import Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def audited():
    return audit_judged(synthetic(), JudgmentSettings())


def test_the_page_opens_alone_and_begins_with_the_answer(audited):
    text = audited.to_html()
    page = Page(text)
    assert page.loads == [] and len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") for link in page.hrefs)
    assert page.headings == [
        "LEANS: 2 of 3 models agree more often with judgments for one group than another.",
        "Differences between groups", "area: 2 groups (north 105, south 95)",
        "sex: 2 groups (female 98, male 102)", "What the numbers mean",
    ]  # fmt: skip
    assert page.text.index("TPR(a,b)") < page.text.index("TPR(south,north)")
    assert "Together: p < 0.001, by Holm." in page.text
    for note in audited.about["notes"]:
        assert note.replace("`", "") in page.text


def test_every_line_and_rate_is_on_the_page(audited):
    page = Page(audited.to_html())
    cells = "\n".join(page.cells)
    for row in audited.to_frame().itertuples():
        assert number(row.estimate, sign=True) in cells
        assert row.hypothesis in page.text
    for row in audited.rates().itertuples():
        assert number(row.tpr) in cells
    for model in FAVOURS:
        assert cells.count(model) == 2 * 4  # with two hypotheses, of each attribute


def test_a_page_of_one_model_is_short():
    result = audit_judged(synthetic({"only": 0.9}), JudgmentSettings())
    page = Page(result.to_html())
    assert "only" not in page.cells
    assert "of the judgments that prefer south over north" in page.text
    assert len(page.text.split()) < 700


def test_one_forest_plot_has_all_models(audited):
    text = audited.to_html()
    assert text.count("<figure") == 2 * 2  # across and within, of each attribute
    first = text[text.index("<figure") : text.index("</figure>")]
    for model in FAVOURS:
        assert f">{model}</text>" in first


def test_names_from_the_data_are_no_html():
    judged = synthetic({"<b>bold</b>": 0.9, "`tick`": 0.0})
    judged.items["area"] = judged.items["area"].replace("north", "<i>north</i>")
    page = Page(audit_judged(judged, JudgmentSettings()).to_html())
    assert sum(cell.startswith("<b>bold</b>") for cell in page.cells) == 2 * 4
    assert "<b>bold</b>" in page.text
    assert "<i>north</i>" in page.text
