"""What a browser would make of a page."""

import base64
import hashlib
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}


#: What a page may load: what is in it.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src"
)


class Page(HTMLParser):
    """What a browser would make of the page, and whether every tag is closed in its turn.

    No script but that of the page may run.
    """

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.hrefs, self.loads, self.cells = [], [], [], [], []
        self.headings, self.warnings, self.tags = [], [], set()
        self.text = self.script = self.policy = ""
        self._into = []
        self.feed(text)
        self.close()
        assert self.open == []
        if "html" in self.tags:
            digest = base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()
            assert self.policy == f"{POLICY} 'sha256-{digest}'"

    def handle_starttag(self, tag, attrs):
        self._look(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)
            about = dict(attrs)
            for kind, place in (
                (tag in ("td", "th"), self.cells),
                (tag in ("h1", "h2", "h3", "h4", "h5"), self.headings),
                ("warn" in (about.get("class") or "").split(), self.warnings),
            ):
                if kind:
                    place.append("")
                    self._into.append((len(self.open), place, len(place) - 1))

    def handle_startendtag(self, tag, attrs):
        # HTML knows this in an SVG only
        assert "svg" in self.open or tag in VOID
        self._look(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}> at {self.getpos()}"
        self._into = [place for place in self._into if place[0] < len(self.open)]
        self.open.pop()

    def handle_data(self, data):
        if not {"svg", "style", "script"} & set(self.open):
            self.text += data
        if "script" in self.open:
            self.script += data
        for _, place, i in self._into:
            place[i] += data

    def _look(self, tag, attrs):
        if ("http-equiv", "Content-Security-Policy") in attrs:
            assert not {"style", "script"} & self.tags  # which it would not be about
            self.policy = dict(attrs)["content"]
        self.tags.add(tag)
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href"):
                self.hrefs.append(value)
            if name in ("src", "srcset", "data", "poster", "background", "action"):
                self.loads.append(value)
