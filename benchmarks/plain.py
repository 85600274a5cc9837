"""Plain implementations of the same definitions: one repeat, one item, one pair at a time.

They are what the speed of the package is measured against, and they share no code with it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from statsmodels.stats.proportion import test_proportions_2indep


def split(groups, labels, rng):
    """Half and half within every joint group of attributes and label."""
    cells = {}
    for i in range(len(labels)):
        cells.setdefault((*(group[i] for group in groups), labels[i]), []).append(i)
    train, test = [], []
    for members in cells.values():
        shuffled = rng.permutation(members)
        half = len(shuffled) // 2
        test.extend(shuffled[:half])
        train.extend(shuffled[half:])
    return np.array(train), np.array(test)


def weights(treatment, groups, labels):
    """Sample weights by the joint group of all attributes."""
    n = len(labels)
    if treatment == "none":
        return np.ones(n)
    cells, group_sizes, label_sizes = {}, {}, {}
    for i in range(n):
        group = tuple(column[i] for column in groups)
        cells[group, labels[i]] = cells.get((group, labels[i]), 0) + 1
        group_sizes[group] = group_sizes.get(group, 0) + 1
        label_sizes[labels[i]] = label_sizes.get(labels[i], 0) + 1
    result = np.empty(n)
    for i in range(n):
        group = tuple(column[i] for column in groups)
        if treatment == "reweighing":
            result[i] = group_sizes[group] * label_sizes[labels[i]] / cells[group, labels[i]]
        else:
            result[i] = group_sizes[group] / cells[group, labels[i]] / 2
    return result * n / result.sum() if treatment == "reweighing" else result


def z_test(k1, n1, k2, n2):
    """p-value of the unpooled z-test, NaN where it cannot be computed."""
    if n1 == 0 or n2 == 0:
        return float("nan")
    p1, p2 = k1 / n1, k2 / n2
    variance = p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2
    if variance == 0:
        return float("nan")
    with np.errstate(divide="ignore"):  # it computes the ratio, too
        return test_proportions_2indep(k1, n1, k2, n2, method="wald").pvalue


def separation(y, c, a):
    """p-values of H0t and H0f."""
    n = {(group, label): 0 for group in (0, 1) for label in (0, 1)}
    k = dict(n)
    for i in range(len(y)):
        n[a[i], y[i]] += 1
        if c[i] == 1:
            k[a[i], y[i]] += 1
    return (
        z_test(k[1, 1], n[1, 1], k[0, 1], n[0, 1]),
        z_test(k[1, 0], n[1, 0], k[0, 0], n[0, 0]),
    )


def squared_gaps(y, c, a):
    """Sum of the squared gaps of TPR and FPR over their variances, of independent items."""
    n = {(group, label): 0 for group in (0, 1) for label in (0, 1)}
    k = dict(n)
    for i in range(len(y)):
        n[a[i], y[i]] += 1
        k[a[i], y[i]] += c[i]
    total = 0
    for label in (0, 1):
        (p1, n1), (p2, n2) = ((k[g, label] / n[g, label], n[g, label]) for g in (0, 1))
        total += (p1 - p2) ** 2 / (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    return total


def shuffled_clusters(y, c, a, clusters, shuffles, rng):
    """p-value of separation: groups shuffled among the items of each cluster with one label."""
    cells = {}
    for i in range(len(y)):
        cells.setdefault((clusters[i], y[i]), []).append(i)
    observed, beyond = squared_gaps(y, c, a), 0
    for _ in range(shuffles):
        shuffled = a.copy()
        for members in cells.values():
            shuffled[members] = rng.permutation(a[members])
        beyond += squared_gaps(y, c, shuffled) >= observed
    return (beyond + 1) / (shuffles + 1)


def comparative_separation(y, c, a, left, right):
    """p-values of H0c and H0w on pairs."""
    n = {(first, second): 0 for first in (0, 1) for second in (0, 1)}
    k = dict(n)
    for i, j in zip(left, right, strict=True):
        if y[i] == y[j]:
            continue
        winner, loser = (i, j) if y[i] > y[j] else (j, i)
        n[a[winner], a[loser]] += 1
        if c[winner] > c[loser]:
            k[a[winner], a[loser]] += 1
    return (
        z_test(k[1, 0], n[1, 0], k[0, 1], n[0, 1]),
        z_test(k[1, 1], n[1, 1], k[0, 0], n[0, 0]),
    )


def predict(features: pd.DataFrame, kinds, y, train, test, sample_weight):
    """scikit-learn's logistic regression with its default solver; P(Y = 1) of the test items."""
    columns = {"numeric": [], "categorical": []}
    for name, kind in kinds.items():
        columns[kind].append(name)
    encoder = ColumnTransformer(
        [
            ("levels", OneHotEncoder(handle_unknown="ignore"), columns["categorical"]),
            ("numbers", StandardScaler(), columns["numeric"]),
        ]
    )
    model = LogisticRegression(max_iter=100_000)
    model.fit(encoder.fit_transform(features.iloc[train]), y[train], sample_weight=sample_weight)
    return model.predict_proba(encoder.transform(features.iloc[test]))[:, 1]


def repeat(features, kinds, y, attributes, treatment, rng):
    """One repeat of Table V: split, weigh, fit, predict, test each attribute twice."""
    train, test = split(attributes, y, rng)
    weight = weights(treatment, [a[train] for a in attributes], y[train])
    c = (predict(features, kinds, y, train, test, weight) > 0.5).astype(int)
    results = []
    for a in attributes:
        left, right = rng.integers(len(test), size=(2, 2 * len(test)))
        results.append(separation(y[test], c, a[test]))
        results.append(comparative_separation(y[test], c, a[test], left, right))
    return results


def simulate(items, n, notion, rng, alpha):
    """One repeat of Table III: draw items (or pairs of fresh items) and test them."""
    size = n if notion == "separation" else 2 * n
    cells = rng.choice(8, size=size, p=items.ravel())
    a, y, c = cells // 4, cells // 2 % 2, cells % 2
    if notion == "separation":
        p_values = separation(y, c, a)
    else:
        p_values = comparative_separation(y, c, a, range(n), range(n, 2 * n))
    return any(p < alpha for p in p_values)


def train_linear(x, y, weights, seed, epochs=600):
    """One training of the story-point model, as one writes it with torch."""
    import torch

    torch.manual_seed(seed)
    inputs, target, weight = (torch.tensor(a, dtype=torch.float32) for a in (x, y, weights))
    layer = torch.nn.Linear(inputs.shape[1], 1)
    torch.nn.init.xavier_uniform_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    adam = torch.optim.Adam(layer.parameters(), lr=1e-3, eps=1e-7)
    for _ in range(epochs):
        for batch in torch.randperm(len(inputs)).split(32):
            adam.zero_grad()
            error = (layer(inputs[batch])[:, 0] - target[batch]).abs()
            (weight[batch] * error).mean().backward()
            adam.step()
    return layer


def all_pairs(counts):
    """Count every pair of items of one table (a, y, c): usable and right, in a double loop."""
    cells = [(a, y, c) for a in (0, 1) for y in (0, 1) for c in (0, 1)]
    items = [cell for cell in cells for _ in range(counts[cell])]
    usable, right = np.zeros((2, 2)), np.zeros((2, 2))
    for a, y, c in items:
        for b, z, d in items:
            if y > z:
                usable[a, b] += 1
                right[a, b] += c > d
    return right / usable


def xauc(labels, scores, groups, block=1000):
    """xAUC(a, b) of all pairs of groups by counting pairs, a block of positive items at a time."""
    rates = np.empty((2, 2))
    for a in (0, 1):
        positives = scores[(labels == 1) & (groups == a)]
        for b in (0, 1):
            negatives = scores[(labels == 0) & (groups == b)]
            right = 0
            for start in range(0, len(positives), block):
                right += (positives[start : start + block, None] > negatives).sum()
            rates[a, b] = right / (len(positives) * len(negatives))
    return rates


def raters(ratings: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Compare every rater with every other, one Welch test at a time: the p-values."""
    n = ratings.shape[1]
    pvalues = np.ones((n, n))
    for i in range(n):
        for j in range(n):
            difference = ratings[:, i] - ratings[:, j]
            if i != j:
                one, zero = difference[group == 1], difference[group == 0]
                pvalues[i, j] = ttest_ind(one, zero, equal_var=False).pvalue
    return pvalues


def judgments(left, right, outcome, y_score, sensitive_features, judges, clusters):
    """Return TPR(a, b) and its covariance: a sum over pairs of judgments that share anything."""
    used, hits, numbers = [], np.zeros(4), np.zeros(4)
    for p in range(len(left)):
        if left[p] == right[p]:
            continue
        won, lost = (left[p], right[p]) if outcome[p] > 0 else (right[p], left[p])
        cell = 2 * sensitive_features[won] + sensitive_features[lost]
        hit = y_score[won] > y_score[lost]
        used.append(({won, lost}, judges[p], clusters[p], cell, hit))
        hits[cell] += hit
        numbers[cell] += 1
    tpr, covariance = hits / numbers, np.zeros((4, 4))
    adds = [(hit - tpr[cell]) / numbers[cell] for *_, cell, hit in used]
    for (items, judge, cluster, cell, _), one in zip(used, adds, strict=True):
        for (items_2, judge_2, cluster_2, cell_2, _), other in zip(used, adds, strict=True):
            if judge == judge_2 or cluster == cluster_2 or items & items_2:
                covariance[cell, cell_2] += one * other
    return tpr, covariance
