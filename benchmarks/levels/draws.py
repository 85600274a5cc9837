"""Data whose truth is known: a function per kind draws a `Sample` with a generator.

The truth tells a correct rejection from a wrong one, also where only some groups are treated alike.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.papers.experiments.normal_scores import xauc_of_normal_scores


@dataclass(frozen=True)
class Sample:
    """One data set of n items in K groups; fields that its kind does not need are None."""

    group: Integers
    label: Floats
    score: Floats
    #: kind of each group, shape (K,): groups of one kind are treated alike
    kind: Integers
    #: true TPR(a, b), shape (K, K), if known
    rates: Floats | None = None
    attribute: Floats | None = None
    #: other decisions on the same items
    reference: Floats | None = None
    #: left item, right item and outcome of each judgment, shape (3, m)
    judgments: Integers | None = None
    #: whether all groups have the same distribution of labels
    same_labels: bool = True


def groups(sizes):
    """Return the group of each item, group by group."""
    return np.repeat(np.arange(len(sizes)), sizes)


def _binary(rng, n, prevalence):
    return (rng.random(n) < prevalence).astype(float)


def _kinds(*values):
    """Return the kind of each group: groups with equal values have one kind."""
    return np.unique(np.column_stack(values), axis=0, return_inverse=True)[1].ravel()


def predictions(rng, *, sizes, prevalence, tpr, fpr):
    """Draw labels and predictions; a rate is one number for all groups, or one for each."""
    group = groups(sizes)
    hit, false = (np.broadcast_to(np.asarray(rate, float), len(sizes)) for rate in (tpr, fpr))
    label = _binary(rng, len(group), prevalence)
    score = _binary(rng, len(group), np.where(label == 1, hit[group], false[group]))
    return Sample(group, label, score, _kinds(hit, false), rates=np.outer(hit, 1 - false))


def scores(rng, *, sizes, prevalence=0.5, distance=2.0, spread=None, shape="normal"):
    """Draw binary labels, and scores whose mean is higher by the group's distance for label 1.

    `spread` is the standard deviation of the positive items of each group; with a distance of 0, a
    positive item outscores a negative one with probability ½ for every spread. `shape` is "normal",
    "heavy" (Student's t, 2 degrees of freedom), "levels" (rounded to whole numbers, with many ties)
    or "flags" (0 but for 5 % of the positive and 2 % of the negative items).
    """
    group, k = groups(sizes), len(sizes)
    label = _binary(rng, len(group), prevalence)
    apart = np.broadcast_to(np.asarray(distance, float), k)
    sd = np.ones(k) if spread is None else np.asarray(spread, float)
    kind = _kinds(apart, sd)
    if shape == "flags":
        chance = np.where(label == 1, 0.05, 0.02)
        return Sample(group, label, _binary(rng, len(group), chance), kind)
    noise = rng.standard_t(2, len(group)) if shape == "heavy" else rng.normal(size=len(group))
    score = apart[group] * label + np.where(label == 1, sd[group], 1) * noise
    if shape != "normal":
        return Sample(group, label, np.round(score) if shape == "levels" else score, kind)
    mean, spreads = np.column_stack([np.zeros(k), apart]), np.column_stack([np.ones(k), sd])
    if spread is not None and not apart.any():
        kind = np.zeros(k, dtype=np.int64)  # every TPR(a, b) is one half
    return Sample(group, label, score, kind, rates=xauc_of_normal_scores(mean, spreads))


def real_labels(rng, *, sizes, shift=0.0, noise=0.5, levels=None, shape="normal"):
    """Draw labels, each group's higher by `shift` than the last one's, and score = label + noise.

    Separation holds. Labels are cut into `levels` values, if given; `shape` is "normal", "heavy"
    (Student's t, 3 degrees of freedom) or "skewed" (lognormal).
    """
    group = groups(sizes)
    label = _shapes(rng, len(group))[shape] + shift * group
    if levels is not None:
        label = np.searchsorted(ndtri(np.arange(1, levels) / levels), label).astype(float)
    score = label + noise * rng.normal(size=len(group))
    return Sample(group, label, score, np.zeros(len(sizes), int), same_labels=shift == 0)


def _shapes(rng, n):
    return {
        "normal": rng.normal(size=n), "heavy": rng.standard_t(3, n), "skewed": rng.lognormal(size=n)
    }  # fmt: skip


def decisions(rng, *, sizes, shape="normal", spread=None, rare=0.02):
    """Draw decisions and a reference whose differences have mean 0 in every group.

    `shape` of the differences: "normal", "heavy" (Student's t, 3), "skewed" (lognormal, centred) or
    "rare" (decisions of 0 and 1, of which a share of `rare` differs, either way).
    """
    group, kind = groups(sizes), np.zeros(len(sizes), int)
    n = len(group)
    if shape == "rare":
        reference = rng.integers(2, size=n).astype(float)
        decided = np.where(rng.random(n) < rare, 1 - reference, reference)
    else:
        difference = _shapes(rng, n)[shape] - (np.exp(0.5) if shape == "skewed" else 0)
        sd = np.ones(len(sizes)) if spread is None else np.asarray(spread, float)
        reference = rng.normal(size=n)
        decided = reference + sd[group] * difference
    return Sample(group, reference, decided, kind, reference=reference)


def attributes(rng, *, n, shape, prevalence=0.5, growing=False, real=False):
    """Draw a continuous attribute on which neither labels nor scores depend.

    `shape` is "normal", "uniform", "lognormal", "income" (lognormal, standard deviation 1.5 of the
    logarithm), "pareto" (exponent 2), "flag" (1 for a tenth) or "mostly zero" (1 or more for one in
    thirty, as of prior convictions). With `growing`, the spread of the scores grows with the
    attribute.
    """
    shapes = {
        "normal": rng.normal(size=n),
        "uniform": rng.random(n),
        "lognormal": rng.lognormal(size=n),
        "income": rng.lognormal(sigma=1.5, size=n),
        "pareto": rng.pareto(2, n) + 1,
        "flag": _binary(rng, n, 0.1),
    }
    if shape == "mostly zero":  # drawn only here: the other cases keep their draws
        shapes[shape] = (rng.random(n) < 1 / 30) * rng.geometric(0.5, n).astype(float)
    values = shapes[shape]
    if shape in ("flag", "mostly zero"):
        values[:2] = 0, 1
    label = rng.normal(size=n) if real else _binary(rng, n, prevalence)
    score = label + (1 + np.abs(values) if growing else 1.0) * rng.normal(size=n)
    return Sample(np.zeros(n, int), label, score, np.zeros(1, int), None, values, label)


def judges(rng, *, n, features, share, group_is_known=False):
    """Draw features and decisions that depend on them and on the group alike for two judges."""
    group = (rng.random(n) < share).astype(np.int64)
    group[:4], group[4:8] = 0, 1
    x = rng.normal(size=(n, features)) + 0.3 * group[:, None]
    decision = x[:, :5].sum(axis=1) + 0.5 * group + rng.normal(size=n)
    x = np.column_stack([x, group]) if group_is_known else x
    return Sample(group, decision, decision, np.zeros(2, int), attribute=x)


def judgments(
    rng,
    *,
    items,
    number,
    design="random",
    anchors=0,
    share=0.3,
    distance=1.0,
    wrong=0.0,
    real=False,
):
    """Draw judgments of items whose scores satisfy separation.

    `design` is "random", "fresh" (no item is in two pairs), "anchors" (one item of each judgment is
    an anchor), "zipf" (item i is drawn with a chance proportional to 1/i) or "repeated" (`anchors`
    pairs, judged again and again); a share of `wrong` judgments is reversed.
    """
    items = 2 * number if design == "fresh" else items
    group = np.zeros(items, dtype=np.int64)
    group[: max(2, round(items * share))] = 1
    group = rng.permuted(group)
    label = rng.normal(size=items) if real else rng.integers(2, size=items).astype(float)
    score = rng.normal(size=items) + distance * label
    if design == "fresh":
        left, right = np.arange(items).reshape(-1, 2).T
    elif design == "anchors":
        left, right = rng.integers(anchors, size=number), rng.integers(items, size=number)
    elif design == "zipf":
        chance = 1 / np.arange(1, items + 1)
        left, right = rng.choice(items, size=(2, number), p=chance / chance.sum())
    elif design == "repeated":
        again = rng.integers(anchors, size=number)
        left, right = rng.integers(items, size=(2, anchors))[:, again]
    else:
        left, right = rng.integers(items, size=(2, number))
    outcome = np.sign(label[left] - label[right]).astype(np.int64)
    outcome = np.where(rng.random(number) < wrong, -outcome, outcome)
    return Sample(group, label, score, np.zeros(2, int), judgments=np.stack([left, right, outcome]))
