import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.base.errors import InputError
from fairpairs.papers.models import linear_mae
from fairpairs.papers.models.linear_mae import LinearMAE

EPOCHS = 3


@pytest.fixture
def few_epochs(monkeypatch):
    monkeypatch.setattr(linear_mae, "EPOCHS", EPOCHS)


def items(n=75, p=6):
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(n, p))).add_prefix("x")
    y = 3 + x.to_numpy() @ rng.normal(size=p) + rng.normal(size=n)
    tested = np.zeros(n, dtype=bool)
    tested[::4] = True
    weights = rng.uniform(0.5, 2, (~tested).sum())
    return x, y, tested, weights


def generators(repeats):
    return [np.random.default_rng([7, repeat]) for repeat in range(repeats)]


def by_torch(x, y, tested, weights, rng):
    """Train one model by torch's own Adam and autograd, in the same order of batches."""
    torch = pytest.importorskip("torch")
    inputs = torch.tensor(x.to_numpy()[~tested], dtype=torch.float32)
    target = torch.tensor(y[~tested], dtype=torch.float32)
    weight = torch.tensor(weights, dtype=torch.float32)
    n, p = inputs.shape
    limit = np.sqrt(6 / (p + 1))
    layer = torch.nn.Linear(p, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(rng.uniform(-limit, limit, (p, 1)).T, dtype=torch.float32))
        layer.bias.zero_()
    adam = torch.optim.Adam(layer.parameters(), lr=1e-3, eps=1e-7)
    for _ in range(EPOCHS):
        order = rng.permutation(n)
        for start in range(0, n, 32):
            batch = torch.tensor(order[start : start + 32])
            adam.zero_grad()
            error = (layer(inputs[batch])[:, 0] - target[batch]).abs()
            (weight[batch] * error).sum().div(len(batch)).backward()
            adam.step()
    held_out = torch.tensor(x.to_numpy()[tested], dtype=torch.float32)
    return layer(held_out).detach().numpy()[:, 0]


def fit(x, y, tested, weights, rngs):
    model = LinearMAE(x, dict.fromkeys(x, "numeric"))
    return model.fit_repeats(y, [tested] * len(rngs), [weights] * len(rngs), rngs)


@pytest.mark.slow
@pytest.mark.usefixtures("few_epochs")
def test_training_is_that_of_torch():
    x, y, tested, weights = items()
    mine = fit(x, y, tested, weights, generators(3))
    for prediction, rng in zip(mine, generators(3), strict=True):
        assert_allclose(prediction, by_torch(x, y, tested, weights, rng), rtol=2e-5, atol=2e-5)


@pytest.mark.usefixtures("few_epochs")
def test_together_and_alone_give_the_same_numbers():
    x, y, tested, weights = items()
    together = fit(x, y, tested, weights, generators(4))
    for repeat, prediction in enumerate(together):
        alone = fit(x, y, tested, weights, [np.random.default_rng([7, repeat])])[0]
        assert_array_equal(prediction, alone)
    assert not np.array_equal(together[0], together[1])


def test_a_feature_that_is_not_numeric_is_refused():
    with pytest.raises(InputError, match=r"numeric features only, and `c` is categorical"):
        LinearMAE(pd.DataFrame({"c": ["a"]}), {"c": "categorical"})
