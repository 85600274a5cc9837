"""Counts of many groups whose true rates are known, and what an audit says of them."""

from functools import cache

import numpy as np

from fairpairs.audits.groups.audit import audit_counted
from fairpairs.audits.groups.read import CountedGroups
from fairpairs.audits.groups.settings import GroupSettings
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles


def attributes_of(*sizes):
    """Every combination of attributes with so many groups, as attributes of the cells."""
    codes = np.indices(sizes).reshape(len(sizes), -1)
    return [
        Attribute(chr(ord("a") + i), code, tuple(f"{v:04d}" for v in range(k)), 0)
        for i, (code, k) in enumerate(zip(codes, sizes, strict=True))
    ]


def counted(attributes, labels, decided):
    """Items by cell and label, shape (cells, 2), of whom `decided` are predicted positive."""
    cells = len(labels)
    counts = np.stack([labels - decided, decided], axis=-1)  # (cells, label, prediction)
    y_true = np.tile([0.0, 0.0, 1.0, 1.0], cells)
    y_pred = np.tile([0.0, 1.0, 0.0, 1.0], cells)
    repeated = [Attribute(a.name, np.repeat(a.group, 4), a.names, 0) for a in attributes]
    roles = Roles(y_true, y_pred, None, "binary", "binary", "1")
    kept = counts.reshape(-1) > 0
    repeated = [Attribute(a.name, a.group[kept], a.names, 0) for a in repeated]
    return CountedGroups(roles.take(np.flatnonzero(kept)), repeated, counts.reshape(-1)[kept], True)


def sampled(rng, attributes, items, share, base, rates):
    """Draw items into cells, labels and decisions; also return the labels.

    `share` of the items is in each cell, `base` of them are positive, and `rates` (cells, 2) of
    those with each label are predicted positive.
    """
    sizes = rng.multinomial(items, share / share.sum())
    positive = rng.binomial(sizes, base)
    labels = np.stack([sizes - positive, positive], axis=1)
    return counted(attributes, labels, rng.binomial(labels, rates)), labels


def audited(items, **options):
    return audit_counted(items, GroupSettings(**options))


def truth(result, attributes, labels, rates):
    """The true difference of each line of a result, given the labels of the cells."""
    codes = {a.name: (a.group, {name: i for i, name in enumerate(a.names)}) for a in attributes}

    @cache
    def members(group):
        inside = np.ones(len(labels), dtype=bool)
        for part in group.split(" & "):
            name, value = part.split("=")
            code, places = codes[name]
            inside &= code == places[value]
        return inside

    true = []
    for group, measure in zip(result.tests["group"], result.tests["measure"], strict=True):
        inside = members(group)
        label = int(measure == "TPR")
        weight, rate = labels[:, label], rates[:, label]
        with np.errstate(invalid="ignore"):
            true.append(
                (weight[inside] @ rate[inside]) / weight[inside].sum()
                - (weight[~inside] @ rate[~inside]) / weight[~inside].sum()
            )
    return np.array(true)
