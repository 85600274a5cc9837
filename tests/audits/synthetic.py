"""People whose model is audited, and parts of the tables of an audit."""

import numpy as np
import pandas as pd

import fairpairs as fp
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import Settings
from fairpairs.mathematics.arguments.design import SamplingDesign


def people(n=1500, seed=0):
    """People whose model is harder on group b, and all right with c."""
    rng = np.random.default_rng(seed)
    race = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    sex = rng.choice(["f", "m"], n)
    y = (rng.random(n) < 0.4).astype(int)
    score = np.clip(0.3 + 0.3 * y - 0.15 * (race == "b") + rng.normal(0, 0.2, n), 0, 1)
    frame = pd.DataFrame({"y": y, "score": score, "race": race, "sex": sex})
    return frame.assign(yhat=(score > 0.5).astype(int), points=y + 3 * score + rng.normal(size=n))


def rows(result, **where):
    frame = result.to_frame()
    for name, value in where.items():
        frame = frame[frame[name] == value]
    return frame


def two(data, group, reference="a", attribute="race"):
    part = data[data[attribute].isin([group, reference])]
    return part, (part[attribute] == group).astype(int)


def loans(n=1200, rates=(0.3, 0.5), harder=0.0, seed=0):
    """Labels, decisions and scores that depend on the label alone, but for `harder`, and groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    label = (rng.random(n) < np.asarray(rates)[group]).astype(int)
    score = label + rng.normal(size=n) - harder * group
    features = {"area": np.where(group == 1, "west", "east"), "sex": rng.choice(["f", "m"], n)}
    return label, (score > 0.5).astype(int), score, features


def items(y, yhat, group, score=None):
    """The items of one attribute, as a criterion takes them; group 0 is the reference."""
    prediction = "binary" if set(np.unique(yhat)) <= {0, 1} else "real"
    given = [None if x is None else np.asarray(x, dtype=float) for x in (y, yhat, score)]
    names = tuple(str(code) for code in range(group.max() + 1))
    attribute = Attribute("team", group, names, 0)
    design = SamplingDesign(len(given[0]))
    return AttributeItems(Roles(*given, "binary", prediction, "1"), attribute, Settings(), design)


def audited(*, score=True, **options):
    given = {name: options.pop(name) for name in ("rates", "harder") if name in options}
    label, decided, scores, features = loans(**given)
    return fp.audit(
        label, decided, y_score=scores if score else None, sensitive_features=features, **options
    )
