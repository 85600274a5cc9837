"""All treatments of the paper's experiment, beside scikit-learn and loops over groups."""

from collections import Counter

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairpairs.base.schemas import read_yaml
from fairpairs.papers.experiments.measures import measure_of, measure_predictions
from fairpairs.papers.experiments.train import train_repeats


def fitted(X, y, weights=None, rows=None):
    """The model of the repository, fitted on `rows`, with an encoder of all of X."""
    texts = [name for name in X if X[name].dtype.kind not in "iuf"]
    others = [name for name in X if name not in texts]
    encoder = ColumnTransformer([
        ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
        ("numbers", StandardScaler(), others),
    ]).fit(X)  # fmt: skip
    rows = np.ones(len(y), bool) if rows is None else rows
    model = LogisticRegression(max_iter=100_000, tol=1e-9)
    model.fit(encoder.transform(X[rows]), y[rows], sample_weight=weights)
    return lambda frame: model.predict_proba(encoder.transform(frame))[:, 1]


def kept(name, X, y, attributes):
    if name == "fairway":
        of = [[fitted(X, y, rows=(X[a] == code).to_numpy())(X) > 0.5 for code in (0, 1)]
              for a in attributes]  # fmt: skip
        return np.all([one == other for one, other in of], axis=0)
    score = fitted(X, y)
    flipped = [X.assign(**{a: 1 - X[a]}) for a in attributes]
    return np.all([(score(X) > 0.5) == (score(f) > 0.5) for f in flipped], axis=0)


def weights(name, cells):
    """The weights of a treatment by loops over the rows; a cell is (group, label)."""
    both, n = Counter(cells), len(cells)
    group, label = Counter(g for g, _ in cells), Counter(y for _, y in cells)
    of = {
        "reweighing": lambda g, y: label[y] * group[g] / both[g, y],
        "fairbalance": lambda g, y: group[g] / both[g, y] / 2,
        "fairbalance_variant": lambda g, y: 1 / both[g, y],
    }[name]
    found = np.array([of(g, y) for g, y in cells])
    return found if name == "fairbalance" else found * n / found.sum()


def gaps(score, decision, y, groups):
    """mEOD, mAOD, smEOD and smAOD by loops over groups."""
    for of in (decision, score):
        rates = [[of[[h == g and label == code for h, label in zip(groups, y, strict=True)]].mean()
                  for code in (1, 0)] for g in sorted(set(groups))]  # fmt: skip
        tpr, both = [rate[0] for rate in rates], [sum(rate) for rate in rates]
        yield max(tpr) - min(tpr)
        yield (max(both) - min(both)) / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heart", "german"])
def test_measures_are_those_of_scikit_learn(prepared, root, name):
    dataset = prepared(name)
    config = read_yaml(root / "config/config.yaml")["experiments"]["fairbalance"]
    measures = [measure_of(named) for named in config["measures"]]
    frame, y = dataset.frame, dataset.label.astype(int)
    X, attributes = frame[[*dataset.kinds]], [f"sensitive_{a}" for a in dataset.attributes]
    joint = list(map(tuple, dataset.sensitive))
    for treatment in config["treatments"]:
        found = train_repeats(
            dataset, model=config["model"], treatment=treatment, repeats=[0, 1], seed=20260101,
            test_fraction=config["test_fraction"],
        )  # fmt: skip
        ours = measure_predictions(found, dataset, measures, model="", treatment="")
        for repeat, part in found.groupby("repeat"):
            test = frame["item"].isin(part["item"]).to_numpy()
            train = np.flatnonzero(~test)
            given = None
            for step in treatment if isinstance(treatment, list) else [treatment]:
                if step in ("fairway", "fairsituation"):
                    left = X.iloc[train].reset_index(drop=True)
                    train = train[kept(step, left, y[train], attributes)]
                elif step != "none":
                    given = weights(step, [(joint[i], y[i]) for i in train])
            score = fitted(X.iloc[train], y[train], given)(X[test])
            np.testing.assert_allclose(part["score"], score, atol=1e-4)
            groups = [joint[i] for i in np.flatnonzero(test)]
            values = ours[ours["repeat"] == repeat]["value"].to_numpy()
            decision = (score > 0.5).astype(int)
            assert values[0] == pytest.approx((decision == y[test]).mean())
            expected = list(gaps(score, decision, y[test], groups))
            np.testing.assert_allclose(values[2:], expected, atol=1e-3)
