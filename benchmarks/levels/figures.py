"""The figures of the pages: worst cases, rejections of designs, label mix, and power."""

import math

import matplotlib as mpl
import numpy as np
from matplotlib.lines import Line2D
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

import fairpairs as fp
from benchmarks.levels.designs import FEW
from benchmarks.levels.runs import ALPHA
from benchmarks.levels.tables import AT_MOST
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved

#: Rows of a panel, and letters of a case that fit beside it.
MOST, LETTERS = 14, 46


def level_figure(stem, study):
    """Draw the worst case of each test, and the worst of all powers, by their distance."""
    study = study[study["promised"].notna()]
    power = study["promise"] == "power"
    with saved(stem, 13, 5) as figure:
        left, right = figure.subplots(1, 2)
        _worst(left, study[~power].drop_duplicates("test").head(MOST))
        left.set_title("levels, margins and coverage: worse than promised by", fontsize=9)
        _worst(right, study[power].drop_duplicates(["test", "case"]).head(MOST))
        right.set_title("power: less than promised by", fontsize=9)
        entries = left.get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=2, frameon=False)


def _worst(axes, rows):
    """Draw a row per case, to the right what is worse than promised; red where it is broken."""
    sign = np.where(rows["promise"].isin(AT_MOST), 1, -1)
    x = np.asarray(sign * (rows["measured"] - rows["promised"]))
    to_bound, y = np.asarray(abs(rows["measured"] - rows["bound"])), np.arange(len(rows))
    for kept, colour, marker in ((True, OURS, "o"), (False, PUBLISHED, "D")):
        shown = (rows["kept"] == kept).to_numpy()
        name = "kept, or not known yet" if kept else "broken"
        bars = np.stack([to_bound[shown], np.zeros(shown.sum())])
        style = {"color": colour, "markersize": 4, "label": name}
        axes.errorbar(x[shown], y[shown], xerr=bars, fmt=marker, **style)
    axes.axvline(0, color="#555555", linestyle="--", linewidth=1)
    tests = rows["test"].str.replace("_", " ")
    cases = [case if len(case) <= LETTERS else case[: LETTERS - 1] + "…" for case in rows["case"]]
    names = [f"{test}\n{case}" for test, case in zip(tests, cases, strict=True)]
    axes.set_yticks(y, names, fontsize=6)
    axes.invert_yaxis()


#: Test, quantity → name, colour (Okabe and Ito), marker.
CURVES = {
    ("binomial", "either"): ("paper, drawn pairs, either", PUBLISHED, "D"),
    ("fresh_pairs", "either"): ("paper, fresh pairs, either", "#E69F00", "s"),
    ("drawn_pairs", "holm"): ("dyadic, drawn pairs, Holm", OURS, "o"),
    ("all_pairs", "holm"): ("all pairs, Holm", "#009E73", "^"),
    ("separation", "holm"): ("separation, Holm", "#555555", "v"),
}
LABEL_CURVES = {
    ("all_pairs_raw", "holm"): ("all pairs, raw, Holm", PUBLISHED, "D"),
    ("all_pairs_balanced", "holm"): ("all pairs, balanced, Holm", OURS, "o"),
    ("permutation", "joint"): ("permutation within labels", "#009E73", "^"),
}
NOMINAL = {"color": "#999999", "linestyle": ":", "linewidth": 1}


def design_figure(stem, study):
    """Draw levels by number of pairs, by design and by number of items, and power."""
    study = study[study["rejected"].notna()]
    fair = study[study["separation"]]
    with saved(stem, 10, 8) as figure:
        panels = figure.subplots(2, 2)
        _levels_by_pairs(panels[0, 0], fair[fair["design"] == fair["design"].iloc[0]])
        _levels_by_design(panels[0, 1], fair)
        _levels_with_labels(panels[1, 0], fair)
        _power(panels[1, 1], study)


def _curve(axes, x, y, part, curve, direction="yerr", **style):
    name, colour, marker = curve
    style = {"markersize": 4, "capsize": 2, "linewidth": 1, "label": name, **style}
    error = {direction: ndtri(0.975) * part["standard_error"]}
    axes.errorbar(x, y, **error, color=colour, marker=marker, **style)


def _select(study, key):
    return study[(study["test"] == key[0]) & (study["quantity"] == key[1])]


def _finish(axes, title, size=7, **settings):
    axes.set(**settings)
    axes.set_title(title, fontsize=9)
    if axes.get_legend() is None:
        axes.legend(fontsize=size, frameon=False)


def _by_number(axes, title, xlabel):
    for level in (ALPHA, 1 - (1 - ALPHA) ** 2):
        axes.axhline(level, **NOMINAL)
    settings = {"xscale": "log", "ylim": (0, None), "xlabel": xlabel}
    _finish(axes, title, ylabel="P(violation found)", **settings)
    axes.xaxis.set_major_formatter("{x:,g}")


def _levels_by_pairs(axes, study):
    for key, curve in CURVES.items():
        for n, line in zip(sorted(study["n"].unique())[-2:], ("--", "-"), strict=False):
            part = _select(study[study["n"] == n], key).dropna(subset="pairs_per_item")
            if not part.empty:
                style = {"linestyle": line, "label": f"{curve[0]}, {n:,} items"}
                _curve(axes, part["pairs_per_item"], part["rejected"], part, curve, **style)
    _by_number(axes, f"{study['title'].iloc[0]}: nothing is violated", "pairs per item")


def _levels_by_design(axes, study):
    names = dict(_select(study, ("all_pairs", "holm"))[["design", "title"]].to_numpy())
    for (key, curve), shift in zip(list(CURVES.items())[2:], (-0.2, 0, 0.2), strict=True):
        part = _select(study[study["design"].isin(names)], key)
        part = part.sort_values(["n", "pairs_per_item"]).groupby("design").tail(1)
        y = [list(names).index(name) + shift for name in part["design"]]
        _curve(axes, part["rejected"], y, part, curve, "xerr", linestyle="")
    axes.axvline(ALPHA, **NOMINAL)
    axes.set_yticks(range(len(names)), list(names.values()))
    axes.invert_yaxis()
    xlim = 0, max(0.13, axes.get_xlim()[1])
    _finish(
        axes, "Nothing is violated", xlabel="P(violation found), most items and pairs", xlim=xlim
    )


def _levels_with_labels(axes, study):
    real = _select(study, ("all_pairs_raw", "holm"))
    titles = dict(real[["design", "title"]].to_numpy())
    lines = dict(zip(titles, ("-", "--", ":", "-."), strict=False))
    for design, line in lines.items():
        for key, curve in LABEL_CURVES.items():
            part = _select(study[study["design"] == design], key)
            style = {"linestyle": line, "label": ""}
            _curve(axes, part["n"], part["rejected"], part, curve, **style)
    shown = [Line2D([], [], color=c, marker=m, label=name) for name, c, m in LABEL_CURVES.values()]
    shown += [
        Line2D([], [], color="#333333", linestyle=line, label=titles[design])
        for design, line in lines.items()
    ]
    axes.legend(handles=shown, fontsize=7, frameon=False, loc="upper left")
    _by_number(axes, "Real labels, separation holds", "items")


def _power(axes, study):
    known = study[study["expected"].notna() & (study["small"] <= FEW)]
    for key, curve in CURVES.items():
        part = _select(known, key)
        _curve(axes, part["expected"], part["rejected"], part, curve, linestyle="")
    axes.axline((0, 0), slope=1, **NOMINAL)
    title = "P(violation found), classifiers, cells of 30 and more"
    names = {"xlabel": "expected by the formulas", "ylabel": "simulated"}
    _finish(axes, title, xlim=(0, 1), ylim=(0, 1), **names)


def gap_of_label_mix(shift, noise):
    """Return TPR(1,0) − TPR(0,1) of a model that satisfies separation, if labels differ.

    Labels are normal with variance 1, group 1's higher by `shift`; scores are labels with normal
    noise of the standard deviation `noise` for both groups. With D = y_i − y_j ~ N(±shift, 2), each
    rate is E[Φ(D / (noise √2)) | D > 0].
    """

    def rate(mean):
        def right(d):
            density = math.exp(-((d - mean) ** 2) / 4) / math.sqrt(4 * math.pi)
            return density * ndtr(d / (noise * np.sqrt(2)))

        return quad(right, 0, mean + 20)[0] / ndtr(mean / np.sqrt(2))

    return rate(shift) - rate(-shift)


def label_mix(stem):
    """Draw the raw gap of a model that satisfies separation, by the shift of the labels."""
    shifts = np.linspace(0, 2, 41)
    with saved(stem, 5.5, 3.4) as figure:
        axes = figure.add_subplot()
        for noise, colour in ((0.5, "#009E73"), (1.0, PUBLISHED), (2.0, "#E69F00")):
            raw = [gap_of_label_mix(float(shift), noise) for shift in shifts]
            axes.plot(shifts, raw, color=colour, label=f"raw, noise {noise:g}")
        axes.plot(shifts, 0 * shifts, color=OURS, label="labels balanced, any noise")
        names = {"xlabel": "labels of group 1 higher by (standard deviations)"}
        names |= {"ylabel": "TPR(1,0) − TPR(0,1)"}
        _finish(axes, "A model that satisfies separation", 8, **names)


def power_curves(stem):
    """Draw how many judgments are needed over how many items, for a TPR of 0.8 against 0.7."""
    items = fp.power.items_from_rates(tpr=(0.8, 0.7))
    numbers = np.unique(np.geomspace(100, 100_000, 40).astype(int))
    sizes = (500, 1000, 2000, 4000, 8000)
    colours = mpl.colormaps["viridis"](np.linspace(0, 0.85, len(sizes)))

    def power(test, n, m=None):
        options = {"n_items": n, "n_pairs": m, "alpha": ALPHA, "correction": "holm"}
        return fp.power.expected_rejection(test, items, **options)

    with saved(stem, 6.5, 4) as figure:
        axes = figure.add_subplot()
        for n, colour in zip(sizes, colours, strict=True):
            found = [power("drawn_pairs", n, int(m)) for m in numbers]
            axes.plot(numbers, found, color=colour, label=f"{n:,} items")
            axes.axhline(power("all_pairs", n), color=colour, linestyle=":", linewidth=1)
        axes.axhline(0.8, color="#999999", linewidth=0.7)
        names = {"xlabel": "judgments over these items", "ylabel": "P(violation found)"}
        title = "TPR 0.8 against 0.7; dotted: all pairs of the items"
        _finish(axes, title, 8, xscale="log", ylim=(0, 1), **names)
