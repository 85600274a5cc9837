"""Worlds at the margin: groups that differ by just the margin, and what is said of the difference.

Whether a difference lies within ±margin is tested from both sides; only the hypothesis on the side
of the true difference is true. Its rejections bound those of the equivalence test, and a test of
non-inferiority consists of them.
"""

from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

import fairpairs as fp
from benchmarks.levels.worlds import AUC, decisions, groups, predictions, words

#: The margin of rates, and of means in standard deviations of the larger group.
MARGIN, MEAN_MARGIN = 0.05, 0.5


def apart(rng, draw, more, **settings):
    """Draw two groups, of which the second has other settings."""
    drawn = [draw(rng, **settings), draw(rng, **settings | more)]
    second = drawn[0]["group"] == 1
    return {name: np.where(second, *(one[name] for one in drawn[::-1])) for name in drawn[0]}


def ranked(rng, sizes, means):
    """Draw normal scores whose means are those of (group, label); half of the labels are 1."""
    group = groups(sizes)
    label = np.concatenate([np.arange(size) % 2 for size in sizes])
    score = np.asarray(means)[group, label] + rng.normal(size=len(group))
    return {"group": group, "label": label, "score": score}


def means_apart(measure, distance, difference):
    """Return the means of (group, label) with which AUC or xAUC differ by a difference."""
    if measure == "AUC":
        other = np.sqrt(2) * ndtri(ndtr(distance / np.sqrt(2)) + difference)
        return [[0, distance], [0, other]]

    def over(shift):
        rates = ndtr(np.array([distance + shift, distance - shift]) / np.sqrt(2))
        return rates[0] - rates[1] - difference

    shift = brentq(over, -3, 3)
    return [[0, distance], [shift, distance + shift]]


def shifted(rng, sizes, shape, step):
    """Draw decisions, those of the second group higher by a step."""
    drawn = decisions(rng, sizes, shape=shape)
    return drawn | {"score": drawn["score"] + step * drawn["group"]}


def of_predictions(step):
    """Yield the measure, the name and the draw of each world of predictions."""
    for sizes in ((5000, 5000), (1000, 10), (1000, 100)):
        for prevalence, tpr, fpr in ((0.5, 0.8, 0.4), (0.3, 0.99, 0.01), (0.5, 0.5, 0.5)):
            case = {"sizes": sizes, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
            name = f"{words(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            for measure, other in (("TPR", tpr + step), ("across", tpr + step / (1 - fpr))):
                if 0 <= other <= 1:
                    draw = partial(apart, draw=predictions, more={"tpr": other}, **case)
                    yield measure, name, draw


def of_scores(step):
    """Yield the measure, the name and the draw of each world of scores."""
    for sizes in ((200, 200), (1000, 30)):
        for distance in (0.0, 2.0):
            for measure in ("AUC", "xAUC"):
                draw = partial(ranked, sizes=sizes, means=means_apart(measure, distance, step))
                yield measure, f"{words(sizes)}, AUC {AUC[distance]}", draw


def of_means(step):
    """Yield the measure, the name and the draw of each world of means."""
    for sizes in ((10, 10), (1000, 15), (200, 200)):
        for shape in ("normal", "heavy", "skewed"):
            draw = partial(shifted, sizes=sizes, shape=shape, step=step)
            yield "mean", f"{words(sizes)}, {shape}", draw


def worlds():
    """Yield the test and the world of each difference, on both sides."""
    for kinds, margin in (
        (of_predictions, MARGIN), (of_scores, MARGIN), (of_means, MEAN_MARGIN)
    ):  # fmt: skip
        for step, sign in ((margin, "+"), (-margin, "−")):
            for measure, name, draw in kinds(step):
                world = fp.World(f"{name}, {sign}{margin:g}", draw)
                yield partial(said, measure, step), world, None


#: Measure → its test, and the start of the name of its hypothesis.
TESTS = {
    "TPR": (fp.separation_test, "TPR"),
    "across": (fp.comparative_separation_test, "TPR(1,0)"),
    "AUC": (fp.xauc, "AUC("),
    "xAUC": (fp.xauc, "xAUC(1,0)"),
    "mean": (fp.differential_parity_test, ""),
}


def said(measure, step, group, score, label=None, reference=None):
    """Say whether the side of the true difference is rejected, and whether it is within."""
    test, hypothesis = TESTS[measure]
    items = (score, reference) if label is None else (label, score)
    result = test(*items, sensitive_features=group)
    index = next(i for i, name in enumerate(result.hypotheses) if name.startswith(hypothesis))
    if (contrast := result.contrasts[index]) is None:
        return {}
    sides = contrast.pvalue_below(abs(step)), contrast.pvalue_above(-abs(step))
    return {f"{measure}, one side": sides[int(step < 0)], f"{measure}, both": max(sides)}
