"""One style for all figures: colours, markers, settings of matplotlib; how one is rendered."""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

#: Two colours of Okabe and Ito's palette, which the colour-blind tell apart.
OURS, PUBLISHED = "#0072B2", "#D55E00"
#: The whole palette, for figures of many tests, and a marker for each colour.
PALETTE = (OURS, PUBLISHED, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
MARKERS = "oD^svP*X"
#: Settings of every figure.
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "svg.hashsalt": "fairpairs",  # the identifiers in an SVG are otherwise random
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name such as $10k-$20k is no mathematics
}
#: Without what would change from day to day.
METADATA: dict[str, dict[str, str | None]] = {"svg": {"Date": None}, "png": {"Software": None}}
#: What draws each kind of file, and its dots per inch; an SVG has points.
CANVASES = {"svg": (FigureCanvasSVG, 72), "png": (FigureCanvasAgg, 150)}
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PowersOfTen(LogFormatterSciNotation):
    """Writes the ticks of a logarithmic axis in plain characters, such as 2×10³."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the text of a tick."""
        text = super().__call__(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$")
        text = re.sub(r"\^\{(.*?)\}", lambda match: match[1].translate(SUPERSCRIPTS), text)
        return text.replace(r"\times", "×")


@contextmanager
def drawing(
    width: float, height: float, style: Any = STYLE, layout: Any = "constrained"
) -> Iterator[Figure]:
    """Give a figure of so many inches, to be drawn and rendered within the context."""
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # ignore a matplotlibrc of the user or the folder
        mpl.rcParams.update(style)
        # a browser has other fonts for the characters of an SVG
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield Figure(figsize=(width, height), layout=layout)


def rendered(figure: Figure, ending: str) -> bytes:
    """Return the content of a file that ends in svg or png, the same for the same figure."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
                axis.set_major_formatter(PowersOfTen())
            if isinstance(minor := axis.get_minor_formatter(), LogFormatterSciNotation):
                axis.set_minor_formatter(PowersOfTen(labelOnlyBase=minor.labelOnlyBase))
    buffer = io.BytesIO()
    canvas, dpi = CANVASES[ending]
    canvas(figure)
    figure.dpi = dpi
    # before it saves, matplotlib draws a figure that has an engine once more, to lay it out
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
    figure.set_layout_engine(None)
    figure.savefig(buffer, format=ending, dpi=150, metadata=METADATA[ending])
    figure.set_layout_engine(engine)
    content = buffer.getvalue()
    if ending == "svg":
        content = NOT_IN_XML.sub("\ufffd", content.decode()).encode()
    return content
