from fairpairs.base.document import Document, Grid, Heading, Notes

GRID = Grid(["name", "n"], [("a", "1"), ("bcd", "20")], left=("name",), caption="Sizes:")
REPORT = Document("a & b", ["One\ntwo.", Heading("sex"), GRID, Notes(["<b>\x1b"])])


def test_the_text_has_a_blank_line_between_parts():
    assert REPORT.to_text().split("\n\n") == [
        "One\ntwo.", "sex",
        "Sizes:\nname      n\n------  ---\na         1\nbcd      20",
        "Notes:\n- <b>\x1b",
    ]  # fmt: skip


def test_the_page_stands_alone_and_escapes_what_is_in_the_data():
    page = REPORT.to_html()
    assert "<title>FairPairs: a &amp; b</title>" in page
    assert "<p>One\ntwo.</p>" in page and "<h2>sex</h2>" in page
    assert "<caption>Sizes:</caption>" in page
    assert '<td class="left">bcd</td><td>20</td>' in page
    assert r"<li>&lt;b&gt;\x1b</li>" in page
    assert "http" not in page and "<script" not in page
