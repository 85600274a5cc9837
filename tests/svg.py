"""What figures are tested for: the same bytes from the same data, and the texts that they show."""

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def words(path):
    svg = ElementTree.fromstring(path.with_suffix(".svg").read_bytes())
    return [" ".join("".join(text.itertext()).split()) for text in svg.iter(f"{SVG}text")]


def check_figure(draw, folder, endings=("svg",)):
    """Draw a figure twice: the same bytes, of any day, as XML that needs no other file."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        draw(folder / name / "figure.svg")
        drawn = sorted(path.name for path in (folder / name).iterdir())
        assert drawn == [f"figure.{ending}" for ending in endings]
    for file in drawn:
        one, two = (folder / name / file for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert one.stat().st_size > 2000
        assert b"Software" not in one.read_bytes()
    text = (folder / "one/figure.svg").read_text("utf-8")
    assert "<dc:date>" not in text
    assert ElementTree.fromstring(text.encode()).tag == f"{SVG}svg"
    assert not re.search(r"<(image|script|style [^>]*src)\b", text)
    assert set(re.findall(r"href=\"(.)", text)) <= {"#"}
