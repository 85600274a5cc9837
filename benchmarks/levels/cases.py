"""The cases on which tests must keep what they promise: settings of the draws, as data."""

from functools import partial

from benchmarks.levels import draws

#: Numbers of items of two groups: equal, and unequal down to a share of 1 %.
SIZES = (
    (10, 10), (30, 30), (500, 500), (5000, 5000), (1000, 10), (1000, 30), (1000, 100), (2970, 30),
    (5000, 50),
)  # fmt: skip
#: Distance of the mean scores of both labels, in standard deviations → the AUC that it makes.
AUC = {0.0: "0.5", 1.0: "0.76", 2.0: "0.92", 3.0: "0.983", 4.0: "0.998"}


def words(sizes):
    """Write numbers of items as in names of cases."""
    return " / ".join(f"{size:,}" for size in sizes)


def _cases(draw, rows):
    """Return a function that draws a data set, by the name of the case."""
    return {name: partial(draw, **settings) for name, settings in rows}


def _predictions():
    """Yield rates from common to rare and perfect, in groups of all sizes; groups of two kinds."""
    for sizes in SIZES:
        for prevalence, tpr, fpr in (
            (0.5, 0.8, 0.4), (0.1, 0.8, 0.1), (0.01, 0.5, 0.02), (0.5, 0.02, 0.02),
            (0.3, 0.99, 0.01), (0.3, 1.0, 0.0),
        ):  # fmt: skip
            name = f"{words(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            yield name, {"sizes": sizes, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
    eight = (1000, 500, 300, 200, 100, 60, 40, 30)
    for name, sizes, prevalence, tpr, fpr in (
        ("500 / 30 / 500, TPR 0.95 / 0.95 / 0.7", (500, 30, 500), 0.5, (0.95, 0.95, 0.7), 0.1),
        ("500 / 30 / 500, TPR 0.7 / 0.7 / 0.95", (500, 30, 500), 0.5, (0.7, 0.7, 0.95), 0.1),
        (f"8 groups ({words(eight)}), TPR 0.9", eight, 0.3, 0.9, 0.1),
        ("1,000 / 100, TPR 0.9 / 0.97", (1000, 100), 0.5, (0.9, 0.97), 0.05),
        ("1,000 / 100, TPR 0.97 / 0.9", (1000, 100), 0.5, (0.97, 0.9), 0.05),
    ):
        settings = {"sizes": sizes, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
        yield f"{name}, FPR {fpr:g}", settings


def _scores():
    """Yield scores of all qualities in groups of all sizes; ties, tails, groups of two kinds."""
    for sizes in SIZES:
        for distance, auc in AUC.items():
            yield f"{words(sizes)}, AUC {auc}", {"sizes": sizes, "distance": distance}
    for sizes in ((1000, 100), (5000, 500), (5000, 5000)):
        for prevalence in (0.01, 0.1):
            for distance in (2.0, 4.0):
                name = f"{words(sizes)}, AUC {AUC[distance]}, prevalence {prevalence:g}"
                yield name, {"sizes": sizes, "distance": distance, "prevalence": prevalence}
    for sizes in ((1000, 60), (300, 300)):
        for shape, distance in (("heavy", 2.0), ("levels", 2.0), ("flags", 0.0)):
            settings = {"sizes": sizes, "shape": shape, "distance": distance}
            yield f"{words(sizes)}, {shape}", settings
    for spread in (3.0, 1 / 3):
        name = f"2,000 / 200, AUC 0.5, positives spread {spread:.2g}"
        yield name, {"sizes": (2000, 200), "distance": 0.0, "spread": (1, spread)}
    for k, sizes in ((5, (800, 400, 200, 100, 60)), (8, (1000, 500, 300, 200, 100, 60, 60, 60))):
        yield f"{k} groups ({words(sizes)}), AUC 0.983", {"sizes": sizes, "distance": 3.0}
    for sizes, distances in (
        ((1000, 60, 1000), ((3, 3, 0), (4, 4, 2), (2, 2, 4), (0, 0, 3))),
        ((1000, 100), ((3, 2), (2, 3), (4, 2), (2, 4))),
    ):
        for apart in distances:
            name = f"{words(sizes)}, AUC {' / '.join(AUC[d] for d in apart)}"
            yield name, {"sizes": sizes, "distance": apart}


def _real():
    """Yield real labels of groups that are shifted, few, many, tied, heavy-tailed or skewed."""
    for sizes in ((50, 50), (500, 500), (950, 50), (970, 30), (2000, 20), (2000, 2000)):
        for shift in (0.0, 0.5, 1.0, 3.0):
            yield f"{words(sizes)}, shift {shift:g}", {"sizes": sizes, "shift": shift}
    for shape in ("heavy", "skewed"):
        yield f"300 / 100, shift 0.5, {shape}", {"sizes": (300, 100), "shift": 0.5, "shape": shape}
    for levels in (4, 9, 35):
        settings = {"sizes": (300, 100), "shift": 0.5, "levels": levels}
        yield f"300 / 100, shift 0.5, {levels} levels", settings
    for k, n, shifts in (
        (3, 100, (0.5, 1)),
        (4, 100, (0.5, 1)),
        (5, 100, (0.5, 1)),
        (8, 60, [0.25]),
    ):
        for shift in shifts:
            yield f"{k} groups of {n}, shift {shift:g}", {"sizes": (n,) * k, "shift": shift}


def _decisions():
    """Yield differences of all sizes and spreads, skewed, heavy-tailed and rare ones."""
    for sizes in ((2, 2), (3, 3), (10, 10), (1000, 15), (1000, 29), (1000, 35), (1000, 60)):
        for spread in (1 / 3, 1.0, 3.0):
            settings = {"sizes": sizes, "spread": (1, spread)}
            yield f"{words(sizes)}, spread 1 / {spread:.2g}", settings
    for sizes in ((30, 30), (1000, 15), (3000, 30), (1000, 60), (1000, 200)):
        for shape in ("skewed", "heavy"):
            yield f"{words(sizes)}, {shape}", {"sizes": sizes, "shape": shape}
    five = (2000, 500, 100, 60, 40)
    for sizes in ((3, 3), (20, 20), (3000, 50), (3000, 100), (3000, 200), five):
        for rare in (0.02, 0.1):
            settings = {"sizes": sizes, "shape": "rare", "rare": rare}
            yield f"{words(sizes)}, 0/1, {rare:g} differ", settings
    yield "8 groups of 4, 0/1, 0.1 differ", {"sizes": (4,) * 8, "shape": "rare", "rare": 0.1}
    yield words(five), {"sizes": five}


def _attributes():
    """Yield attributes from normal to Pareto."""
    for shape in ("normal", "uniform", "lognormal", "income", "pareto", "flag", "mostly zero"):
        for n in (30, 100, 300, 1000):
            yield f"{n:,} items, {shape}", {"n": n, "shape": shape}


def _rare_labels():
    for n, prevalence in ((300, 0.03), (1000, 0.01), (1000, 0.1)):
        for shape in ("normal", "lognormal"):
            settings = {"n": n, "shape": shape, "prevalence": prevalence}
            yield f"{n:,} items, {shape}, prevalence {prevalence:g}", settings


def _growing():
    for shape in ("normal", "lognormal", "pareto"):
        for n in (50, 100, 1000):
            settings = {"n": n, "shape": shape, "growing": True}
            yield f"{n:,} items, {shape}, spread grows", settings


def _judges():
    """Yield items of two judges: few and many, few and many features, small groups."""
    for n, features, share in ((80, 10, 0.5), (300, 5, 0.5), (300, 60, 0.5), (1000, 5, 0.1)):
        name = f"{n:,} items, {features} features, minority {share:g}"
        yield name, {"n": n, "features": features, "share": share}
    known = {"n": 1000, "features": 5, "share": 0.1, "group_is_known": True}
    yield "1,000 items, 5 features and the group, minority 0.1", known


def _judgments():
    """Yield judgments that share items: at random, by Zipf, against few anchors, repeated."""
    for name, items, number, more in (
        ("300 items, 1,200 at random", 300, 1200, {}),
        ("1,000 fresh pairs", 0, 1000, {"design": "fresh"}),
        *((f"{items} items, 600 at random", items, 600, {"share": 0.5}) for items in (16, 24, 40)),
        ("40 items, 4,000 at random, minority 0.2", 40, 4000, {"share": 0.2}),
        *(
            (f"{items:,} items, {number:,} at random, minority {share:g}, AUC {AUC[distance]}",
             items, number, {"share": share, "distance": distance})
            for items, number, share, distance in (
                (100, 5000, 0.2, 3.0), (1000, 4000, 0.05, 3.0), (1000, 4000, 0.05, 4.0)
            )
        ),
        *(
            (f"1,000 items, 2,000 against {anchors} anchors", 1000, 2000,
             {"design": "anchors", "share": 0.5, "anchors": anchors})
            for anchors in (3, 6, 20)
        ),
        ("300 items, 1,500 by Zipf", 300, 1500, {"design": "zipf"}),
        ("1,000 items, 4,000 by Zipf", 1000, 4000, {"design": "zipf"}),
        *(
            (f"60 pairs judged 1,500 times, {wrong:g} wrong", 300, 1500,
             {"design": "repeated", "anchors": 60, "wrong": wrong})
            for wrong in (0.0, 0.2)
        ),
        ("300 items, 1,200 at random, 0.2 wrong", 300, 1200, {"wrong": 0.2}),
        ("300 items, 1,200 at random, minority 0.1", 300, 1200, {"share": 0.1}),
        ("300 items, 1,200 at random, real needs", 300, 1200, {"real": True}),
    ):  # fmt: skip
        yield name, {"items": items, "number": number, **more}


PREDICTIONS = _cases(draws.predictions, _predictions())
SCORES = _cases(draws.scores, _scores())
REAL = _cases(draws.real_labels, _real())
DECISIONS = _cases(draws.decisions, _decisions())
ATTRIBUTES = _cases(draws.attributes, [*_attributes(), *_rare_labels()])
SLOPES = _cases(draws.attributes, [*_attributes(), *_growing()])
BRIDGES = _cases(draws.judges, _judges())
JUDGMENTS = _cases(draws.judgments, _judgments())
