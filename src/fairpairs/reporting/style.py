"""One style for all figures: colours, markers, settings of matplotlib."""

#: Two colours of Okabe and Ito's palette, which the colour-blind tell apart.
OURS, PUBLISHED = "#0072B2", "#D55E00"
#: All of it, for figures of many tests, and a marker for each.
PALETTE = (OURS, PUBLISHED, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
MARKERS = "oD^svP*X"
#: What every figure has.
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "svg.hashsalt": "fairpairs",  # the identifiers in an SVG are otherwise random
    "svg.fonttype": "none",
}
