"""The texts of a figure that was written as SVG."""

from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def words(path):
    svg = ElementTree.fromstring(path.with_suffix(".svg").read_bytes())
    return [" ".join("".join(text.itertext()).split()) for text in svg.iter(f"{SVG}text")]
