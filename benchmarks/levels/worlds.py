"""Worlds as data: the cases on which tests must keep their level, and how their data are drawn.

In all of them groups are treated alike, so every difference is 0. A draw takes a generator and the
settings of a case, and returns columns by name.
"""

from functools import partial

import numpy as np
from scipy.special import ndtri

#: Numbers of items of two groups: equal, and unequal down to a share of 1 %.
SIZES = (
    (10, 10), (30, 30), (500, 500), (5000, 5000), (1000, 10), (1000, 30), (1000, 100), (2970, 30),
    (5000, 50),
)  # fmt: skip
EIGHT = (1000, 500, 300, 200, 100, 60, 60, 60)
#: Distance of the mean scores of both labels, in standard deviations → the AUC that it makes.
AUC = {0.0: "0.5", 1.0: "0.76", 2.0: "0.92", 3.0: "0.983", 4.0: "0.998"}
#: Prevalence, TPR and FPR: from common to rare and perfect.
RATES = (
    (0.5, 0.8, 0.4), (0.1, 0.8, 0.1), (0.01, 0.5, 0.02), (0.5, 0.02, 0.02), (0.3, 0.99, 0.01),
    (0.3, 1.0, 0.0),
)  # fmt: skip
#: Numbers with one shape, by name; the skewed ones are lognormal with the mean 0.
SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy": lambda rng, n: rng.standard_t(3, n),
    "skewed": lambda rng, n: rng.lognormal(size=n) - np.exp(0.5),
}
#: Attributes without groups, by name.
ATTRIBUTES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "pareto": lambda rng, n: rng.pareto(2, n) + 1,
    # as of prior convictions
    "mostly zero": lambda rng, n: (rng.random(n) < 1 / 30) * rng.geometric(0.5, n).astype(float),
}


def words(sizes):
    """Write numbers of items as in names of cases."""
    return " / ".join(f"{size:,}" for size in sizes)


def groups(sizes):
    """Return the group of each item, group by group."""
    return np.repeat(np.arange(len(sizes)), sizes)


def predictions(rng, sizes, prevalence, tpr, fpr):
    """Draw labels and predictions."""
    group = groups(sizes)
    label = (rng.random(len(group)) < prevalence).astype(int)
    score = (rng.random(len(group)) < np.where(label == 1, tpr, fpr)).astype(int)
    return {"group": group, "label": label, "score": score}


def scores(rng, sizes, distance=2.0, prevalence=0.5, shape="normal", spread=(1.0, 1.0)):
    """Draw labels and scores, whose mean is higher by a distance for label 1.

    `spread` is the standard deviation of the positive items of each group: with a distance of 0,
    half of all pairs are ranked right for every spread.
    """
    group = groups(sizes)
    label = (rng.random(len(group)) < prevalence).astype(int)
    noise = SHAPES["heavy" if shape == "heavy" else "normal"](rng, len(group))
    score = distance * label + np.where(label == 1, np.take(spread, group % 2), 1) * noise
    return {"group": group, "label": label, "score": score.round() if shape == "tied" else score}


def numbers(rng, sizes, shift=0.0, levels=None, shape="normal"):
    """Draw labels, each group's higher by `shift` than the last one's, and scores around them."""
    group = groups(sizes)
    label = SHAPES[shape](rng, len(group)) + shift * group
    if levels is not None:
        label = np.searchsorted(ndtri(np.arange(1, levels) / levels), label).astype(float)
    return {"group": group, "label": label, "score": label + 0.5 * rng.normal(size=len(group))}


def decisions(rng, sizes, shape="normal", spread=1.0, rare=None):
    """Draw decisions and a reference; those of 0 and 1 differ in a share of `rare`, either way."""
    group = groups(sizes)
    n = len(group)
    if rare is None:
        reference = rng.normal(size=n)
        score = reference + np.where(group == 0, 1, spread) * SHAPES[shape](rng, n)
    else:
        reference = rng.integers(2, size=n).astype(float)
        score = np.where(rng.random(n) < rare, 1 - reference, reference)
    return {"group": group, "reference": reference, "score": score}


def raters(rng, sizes):
    """Draw the ratings of four raters, who differ by noise only."""
    group = groups(sizes)
    label = rng.normal(size=(len(group), 1))
    return {"ratings": label + rng.normal(size=(len(group), 4)), "sensitive_features": group}


def attributes(rng, n, shape, prevalence=0.5, growing=False):
    """Draw an attribute on which scores do not depend; their spread may grow with it."""
    values = ATTRIBUTES[shape](rng, n)
    values[:2] = values[0], values[0] + 1  # never all equal
    label = (rng.random(n) < prevalence).astype(float)
    score = label + (1 + np.abs(values) if growing else 1.0) * rng.normal(size=n)
    return {"group": values, "label": label, "score": score}


def judges(rng, n, features, share):
    """Draw features and decisions for two judges who decide alike, each on half of the items."""
    group = (rng.random(n) < share).astype(np.int64)
    group[:4], group[4:8] = 0, 1
    x = rng.normal(size=(n, features)) + 0.3 * group[:, None]
    decision = x[:, :5].sum(axis=1) + 0.5 * group + rng.normal(size=n)
    first = np.arange(n) % 2 == 0
    of = {"features": x, "decisions": decision, "sensitive_features": group}
    both = {f"{name}_{code}": values[first == (not code)] for name, values in of.items()
            for code in (0, 1)}  # fmt: skip
    return both | {"random_state": rng}


def judgments(rng, items, number, design="random", share=0.3, distance=1.0, wrong=0.0):
    """Draw judgments of items whose scores satisfy separation; a share is wrong.

    `design` is "random", "fresh" (no item is in two pairs), "anchors" (one of six items is in each
    pair) or "zipf" (item i is drawn with a chance proportional to 1 / i).
    """
    items = 2 * number if design == "fresh" else items
    group = rng.permuted(np.arange(items) < max(2, round(items * share))).astype(int)
    label = rng.integers(2, size=items)
    chance = 1 / np.arange(1, items + 1) if design == "zipf" else np.ones(items)
    left, right = rng.choice(items, size=(2, number), p=chance / chance.sum())
    if design == "fresh":
        left, right = np.arange(items).reshape(-1, 2).T
    elif design == "anchors":
        left = rng.integers(6, size=number)
    outcome = np.where(rng.random(number) < wrong, -1, 1) * (label[left] - label[right])
    score = rng.normal(size=items) + distance * label
    return {"left": left, "right": right, "outcome": outcome, "y_score": score,
            "sensitive_features": group}  # fmt: skip


def hospitals(
    rng, number, mean, sigma=0.0, largest=0, icc=0.05, own=0.0, tpr=0.7, fpr=0.2, gap=0.0
):
    """Draw predictions in clusters of both groups; the TPR of group 1 is lower by the gap.

    Sizes are lognormal, of a mean and a sigma, beside a `largest` one. Clusters share a part `icc`
    of the variance, and have gaps of their own with the variance `own`.
    """
    group, cluster, shared, apart, noise = _in_hospitals(rng, number, mean, sigma, largest)
    label = rng.integers(0, 2, len(group))
    rest = np.sqrt(1 - icc - own * group) * noise
    latent = np.sqrt(icc) * shared + np.sqrt(own) * group * apart + rest
    predicted = (latent < ndtri(np.where(label == 1, tpr - gap * group, fpr))).astype(int)
    return {"y_true": label, "y_pred": predicted, "sensitive_features": group, "clusters": cluster}


def means_of_hospitals(rng, number, mean, sigma, icc, own, heavy=False, gap=0.0):
    """Draw decisions in clusters of both groups, by a mean error higher by the gap in group 1."""
    group, cluster, shared, apart, noise = _in_hospitals(rng, number, mean, sigma, 0, heavy)
    apart = np.where(group == 1, apart, rng.normal(size=cluster[-1] + 1)[cluster])
    rest = np.sqrt(1 - icc - own) * noise
    error = np.sqrt(icc) * shared + np.sqrt(own) * apart + rest + gap * group
    reference = rng.normal(size=len(group))
    return {"decisions": reference + error, "reference": reference,
            "sensitive_features": group, "clusters": cluster}  # fmt: skip


def _in_hospitals(rng, number, mean, sigma, largest, heavy=False):
    """Draw the groups and clusters of rows, what clusters share and their gaps, and noise."""
    sizes = mean * np.exp(sigma * rng.normal(size=number) - sigma**2 / 2)
    sizes = np.append(np.maximum(sizes.round(), 3), largest).astype(int)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    share = np.clip(rng.normal(0.4, 0.15, len(sizes)), 0.02, 0.98)[cluster]
    group = (rng.random(len(cluster)) < share).astype(int)
    shared, apart = rng.normal(size=(2, len(sizes)))[:, cluster]
    noise = SHAPES["heavy"](rng, len(group)) / np.sqrt(3) if heavy else rng.normal(size=len(group))
    return group, cluster, shared, apart, noise


#: Name → settings of `hospitals`, and the gap.
HOSPITALS = {
    "one of 1,000 rows and 30 of 20, ICC 0.05, TPR 0.7 and 0.4": ((30, 20, 0, 1000), 0.3),
    "one of 300 and 30 of 20, ICC 0.05, 0.7 and 0.5": ((30, 20, 0, 300), 0.2),
    "8, lognormal sizes (1) of 100, own gaps (0.1), 0.7 and 0.45": (
        (8, 100, 1, 0, 0.05, 0.1),
        0.25,
    ),
    "20, lognormal (1.2) of 40, ICC 0.1, 0.7 and 0.58": ((20, 40, 1.2, 0, 0.1), 0.12),
    "the same, rates 0.96 and 0.04, and 0.85": ((20, 40, 1.2, 0, 0.1, 0, 0.96, 0.04), 0.11),
    "4 equal schools of 200, own gaps (0.05), 0.7 and 0.45": ((4, 200, 0, 0, 0.05, 0.05), 0.25),
    "100 users, lognormal (1.5) of 20, own gaps (0.2), 0.7 and 0.55": (
        (100, 20, 1.5, 0, 0.1, 0.2),
        0.15,
    ),
}
#: The same of `means_of_hospitals`.
MEANS_OF_HOSPITALS = {
    "means, 8 clusters, lognormal (1) of 60, own gaps (0.1), t3 errors, 0.5": (
        (8, 60, 1, 0.1, 0.1, True), 0.5
    ),
    "means, 20 clusters, lognormal (1) of 30, own gaps (0.1), 0.35": ((20, 30, 1, 0.1, 0.1), 0.35),
}  # fmt: skip


def _predictions():
    for sizes in (*SIZES, EIGHT):
        for prevalence, tpr, fpr in RATES if sizes != EIGHT else RATES[:1]:
            name = f"{words(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            yield name, {"sizes": sizes, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}


def _scores():
    for sizes in SIZES:
        for distance, auc in AUC.items():
            yield f"{words(sizes)}, AUC {auc}", {"sizes": sizes, "distance": distance}
    for prevalence, distance in ((0.01, 2.0), (0.01, 4.0), (0.1, 4.0)):
        name = f"1,000 / 100, AUC {AUC[distance]}, prevalence {prevalence:g}"
        yield name, {"sizes": (1000, 100), "distance": distance, "prevalence": prevalence}
    for sizes in ((1000, 60), (300, 300)):
        for shape in ("heavy", "tied"):
            yield f"{words(sizes)}, {shape}", {"sizes": sizes, "shape": shape}
    for spread in (3.0, 1 / 3):
        name = f"2,000 / 200, AUC 0.5, positives spread {spread:.2g}"
        yield name, {"sizes": (2000, 200), "distance": 0.0, "spread": (1, spread)}
    yield f"8 groups ({words(EIGHT)}), AUC 0.983", {"sizes": EIGHT, "distance": 3.0}


def _numbers():
    for sizes in ((50, 50), (500, 500), (950, 50), (970, 30), (2000, 20), (2000, 2000)):
        for shift in (0.0, 0.5, 3.0):
            yield f"{words(sizes)}, shift {shift:g}", {"sizes": sizes, "shift": shift}
    for more in ({"shape": "heavy"}, {"shape": "skewed"}, {"levels": 4}, {"levels": 35}):
        name = " ".join(str(word) for one in more.items() for word in one[::-1])
        yield f"300 / 100, shift 0.5, {name}", {"sizes": (300, 100), "shift": 0.5, **more}
    yield "5 groups of 100, shift 1", {"sizes": (100,) * 5, "shift": 1.0}


def _decisions():
    for sizes in ((3, 3), (10, 10), (1000, 15), (1000, 35), (1000, 60)):
        for spread in (1 / 3, 1.0, 3.0):
            name = f"{words(sizes)}, spread 1 / {spread:.2g}"
            yield name, {"sizes": sizes, "spread": spread}
    for sizes in ((30, 30), (1000, 15), (1000, 60)):
        for shape in ("skewed", "heavy"):
            yield f"{words(sizes)}, {shape}", {"sizes": sizes, "shape": shape}
    for sizes in ((20, 20), (3000, 100), (3000, 200), (2000, 500, 100, 60, 40)):
        for rare in (0.02, 0.1):
            yield f"{words(sizes)}, 0/1, {rare:g} differ", {"sizes": sizes, "rare": rare}


def _attributes():
    for shape in ATTRIBUTES:
        for n in (30, 100, 1000):
            yield f"{n:,} items, {shape}", {"n": n, "shape": shape}
    for shape in ("normal", "lognormal"):
        for more, name in (({"prevalence": 0.03}, "prevalence 0.03"),
                           ({"growing": True}, "spread grows")):  # fmt: skip
            yield f"300 items, {shape}, {name}", {"n": 300, "shape": shape, **more}


def _judges():
    for n, features, share in ((80, 10, 0.5), (300, 5, 0.5), (300, 60, 0.5), (1000, 5, 0.1)):
        name = f"{n:,} items, {features} features, minority {share:g}"
        yield name, {"n": n, "features": features, "share": share}


def _judgments():
    for name, items, number, more in (
        ("300 items, 1,200 at random", 300, 1200, {}),
        ("300 items, 1,200 at random, 0.2 wrong", 300, 1200, {"wrong": 0.2}),
        ("300 items, 1,200 at random, minority 0.1", 300, 1200, {"share": 0.1}),
        ("1,000 fresh pairs", 0, 1000, {"design": "fresh"}),
        ("24 items, 600 at random", 24, 600, {"share": 0.5}),
        ("1,000 items, 4,000 at random, minority 0.05, AUC 0.983", 1000, 4000,
         {"share": 0.05, "distance": 3.0}),
        ("1,000 items, 2,000 against 6 anchors", 1000, 2000, {"design": "anchors", "share": 0.5}),
        ("300 items, 1,500 by Zipf", 300, 1500, {"design": "zipf"}),
    ):  # fmt: skip
        yield name, {"items": items, "number": number, **more}


def _drawn(draw, cases):
    """Return a function of a generator for each case, by its name."""
    return {name: partial(draw, **settings) for name, settings in cases}


PREDICTIONS = _drawn(predictions, _predictions())
SCORES = _drawn(scores, _scores())
NUMBERS = _drawn(numbers, _numbers())
DECISIONS = _drawn(decisions, _decisions())
RATERS = _drawn(
    raters, ((words(sizes), {"sizes": sizes}) for sizes in ((50, 50), (950, 50), (1000, 15)))
)
SLOPES = _drawn(attributes, _attributes())
BRIDGES = _drawn(judges, _judges())
JUDGMENTS = _drawn(judgments, _judgments())
