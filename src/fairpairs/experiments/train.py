"""Repeated training: the predictions of many random splits of one data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from fairpairs.datasets.prepare import PreparedDataset
from fairpairs.errors import InputError
from fairpairs.experiments.seeds import stream
from fairpairs.experiments.split import stratified_split
from fairpairs.models import MODELS
from fairpairs.treatments import TREATMENTS
from fairpairs.treatments.groups import joint_groups


def train_repeats(
    dataset: PreparedDataset,
    *,
    model: str,
    treatment: str,
    repeats: Sequence[int],
    seed: int,
    test_fraction: float,
    rounds: int | None = None,
) -> pd.DataFrame:
    """Split, weigh, fit and predict, once a repeat.

    Parameters
    ----------
    dataset
        The data set.
    model, treatment
        Names in `MODELS` and `TREATMENTS`.
    repeats
        Numbers of the repeats. The split of a repeat depends on the seed, the data set and the
        repeat alone, so it is the same for every treatment.
    seed
        Root seed.
    test_fraction
        Share of every joint group (all sensitive attributes × label; of the attributes alone where
        the label is real) that is tested, rounded down. A data set with a split of its own has that
        in every repeat.
    rounds
        Rounds of boosting of the model rankboost; None for its own number.

    Returns
    -------
    DataFrame
        One row a test item of a repeat, in their order: `repeat`, `item`, `score` (P(Y = 1), or the
        predicted number) and `prediction` (0 or 1, or the same number).
    """
    label, sensitive = dataset.label, dataset.sensitive
    joint = np.column_stack([sensitive, label]) if dataset.is_binary else sensitive
    strata = joint_groups(joint)
    tested, weights, rngs = [], [], []
    for repeat in repeats:
        if "test" in dataset.frame:
            test = dataset.frame["test"].to_numpy(dtype=bool)
        else:
            rng = stream(seed, "split", dataset.name, repeat)
            test = stratified_split(strata, test_fraction, rng)
        if not test.any():
            raise InputError(
                f"No item of the data set {dataset.name} falls into the test part: every group is "
                f"smaller than 1 / {test_fraction:g} items; raise `test_fraction` or give more."
            )
        tested.append(test)
        weights.append(TREATMENTS[treatment](label[~test], sensitive[~test]))
        rngs.append(stream(seed, "start", dataset.name, repeat))
    with threadpool_limits(limits=1):  # the number of threads may change the last bits
        options = {} if rounds is None else {"rounds": rounds}
        estimator = MODELS[model](dataset.frame, dataset.kinds, **options)
        scores = estimator.fit_repeats(label, tested, weights, rngs)
    numbers = dataset.frame["item"].to_numpy()
    items = [numbers[test] for test in tested]
    score = np.concatenate(scores)
    return pd.DataFrame(
        {
            "repeat": np.repeat(np.asarray(repeats, dtype=np.int32), [len(i) for i in items]),
            "item": np.concatenate(items),
            "score": score,
            "prediction": (score > 0.5).astype(np.int8) if dataset.is_binary else score,
        }
    )
