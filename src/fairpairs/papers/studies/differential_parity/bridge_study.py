"""The study of sections 3 and 4 (Table 3): splits, models of people, and both bridges."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.fairness.bridges import bridge_from_errors
from fairpairs.papers.datasets import archive
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.rater_pairs import differential_parity_of_raters
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.models.faces import DECISION_MODELS, DecisionModel, fine_tuned
from fairpairs.papers.models.features import numbers_of
from fairpairs.papers.models.pictures import picture

FOLDS = 5
#: The columns of a comparison.
FIELDS = ("estimate", "dpt", "dof", "pvalue", "pvalue_one_sided", "dpd")
#: Each part of a split has at least as many items.
MIN_ITEMS = 5
#: Where E_0 of the biased bridge comes from → the row of the results.
BRIDGES = {
    "held-out": "Biased Bridge",
    "fitting": "Biased Bridge, E0 from the fitting data",
    "cross-fitted": "Biased Bridge, cross-fitted",
}
ROWS = ("Label Train", "Label Test", "Model Train", "Model Test", *BRIDGES.values())


def bridge_study(
    dataset: PreparedDataset,
    inputs: Array,
    model: DecisionModel,
    *,
    settings: Content,
    repeats: Sequence[int],
    seed: int,
) -> pd.DataFrame:
    """Compare every two people on a random training and test part, and by bridges between them.

    A part of the training part X_0 is held out of the fit: E_0 of the biased bridge comes from
    there, which the published numbers fit. "Model Train" is on all of X_0, as printed. A split
    depends on the seed, the data set, the test fraction and the repeat only.
    """
    names = list(settings["decisions"])
    decisions = _complete(dataset, names)
    frames = []
    with threadpool_limits(limits=1):  # the number of threads may change the last bits
        for repeat in repeats:
            share = settings["test_fraction"]
            rng = stream(seed, "bridge", dataset.name, f"{share:g}", repeat)
            order = rng.permutation(len(decisions))
            n_test = round(share * len(order))
            n_held = round(settings["held_out"] * (len(order) - n_test))
            parts = np.split(order, [n_test, n_test + n_held])
            if min(map(len, parts)) < MIN_ITEMS:
                sizes = ", ".join(str(len(part)) for part in parts)
                raise InputError(
                    f"The {len(order)} items of the data set {dataset.name} are split into {sizes} "
                    f"to test, hold out and fit, and each part needs {MIN_ITEMS}: correct "
                    "`test_fraction` or `held_out` of the study."
                )
            test, held, fitting = (np.isin(np.arange(len(order)), part) for part in parts)
            predicted = model(inputs, decisions, fitting, rng)
            of = {"held-out": held, "fitting": fitting}
            errors = {source: (items, predicted, predicted) for source, items in of.items()}
            if repeat < settings["cross_fitted"]:
                left_out, averaged = _cross_fitted(inputs, decisions, ~test, model, rng)
                errors["cross-fitted"] = (~test, left_out, averaged)
            for column, attribute in enumerate(dataset.attributes):
                group = dataset.sensitive[:, column]
                bridges = pd.DataFrame(_bridge_rows(names, decisions, group, test, errors))
                rows = _label_and_model_rows(names, decisions, predicted, group, test)
                frame = pd.concat([*rows, bridges], ignore_index=True)
                all_items = differential_parity_of_raters(decisions, sensitive_features=group)
                pair = [frame[who].map(names.index) for who in ("decisions", "reference")]
                frame["of_all_labels"] = all_items.test.estimate[pair[0], pair[1]]
                frame.insert(0, "repeat", np.int32(repeat))
                frame.insert(1, "attribute", attribute)
                frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def inputs_and_model(
    dataset: PreparedDataset,
    model: str,
    *,
    pictures: str | Path | None = None,
    entry: str = "",
    weights: str | Path | None = None,
) -> tuple[Array, DecisionModel]:
    """Return the inputs, shape (n, ...), and the model: one of `DECISION_MODELS`, or "fine_tuned".

    Fine-tuning needs the archive of pictures, the template `entry` of a path in it, and the weights
    that training starts from.
    """
    if model == "fine_tuned":
        assert pictures is not None
        assert weights is not None
        from fairpairs.papers.models.vgg16 import load  # noqa: PLC0415  (torch is slow and optional)

        side = load(Path(weights)).side
        files = archive.read(pictures, entry, dataset.images)
        pixels = np.stack([picture(path, content, side) for path, content in files])
        return pixels, fine_tuned(Path(weights))
    return numbers_of(dataset.frame, dataset.kinds), DECISION_MODELS[model]


def _complete(dataset: PreparedDataset, names: Sequence[str]) -> Floats:
    """Return the decisions of some people, shape (n, people)."""
    table = dataset.decisions
    for name in names:
        if (missing := int(table[name].isna().sum())) > 0:
            raise InputError(
                f"{name} has not decided on {missing} items of the data set {dataset.name}: a "
                "study of bridges needs all decisions, so leave the person or the items out."
            )
    return table[names].to_numpy(dtype=np.float64)


def _cross_fitted(
    inputs: Array, decisions: Floats, training: Mask, model: DecisionModel, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return what models of the other folds predict for each item, and the mean of all models."""
    from sklearn.model_selection import KFold  # noqa: PLC0415  (slow)

    items = np.flatnonzero(training)
    predictions, total = np.zeros_like(decisions), np.zeros_like(decisions)
    folds = KFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    for fitted, rest in folds.split(items):
        mask = np.isin(np.arange(len(training)), items[fitted])
        predicted = model(inputs, decisions, mask, rng)
        predictions[items[rest]] = predicted[items[rest]]
        total += predicted
    return predictions, total / FOLDS


def _label_and_model_rows(
    names: Sequence[str], decisions: Floats, predicted: Floats, group: NDArray[np.int64], test: Mask
) -> Iterator[pd.DataFrame]:
    """Yield the rows that compare decisions, or predictions with decisions, on the same items."""
    both, people = np.hstack([decisions, predicted]), np.arange(len(names))
    i, j = np.repeat(people, len(people)), np.tile(people, len(people))
    for part, items in (("Train", ~test), ("Test", test)):
        pooled, overall = (
            differential_parity_of_raters(
                both[items], sensitive_features=group[items], effect_size=scale
            ).test
            for scale in ("pooled", "overall")
        )
        for row, first in ((f"Label {part}", 0), (f"Model {part}", len(people))):
            pairs = {"decisions": np.array(names)[i], "reference": np.array(names)[j], "row": row}
            fields = {name: getattr(pooled, name)[first + i, j] for name in FIELDS}
            yield pd.DataFrame({**pairs, **fields, "dpd_overall": overall.dpd[first + i, j]})


def _bridge_rows(
    names: Sequence[str],
    decisions: Floats,
    group: NDArray[np.int64],
    test: Mask,
    errors: Mapping[str, tuple[Mask, Floats, Floats]],
) -> Iterator[Record]:
    """Yield the biased bridges; `errors` has the items of E_0, and predictions for E_0 and E_1."""
    people = list(enumerate(names))
    for source, (items, predicted_0, predicted_1) in errors.items():
        for (i, decider), (j, reference) in product(people, people):
            result = bridge_from_errors(
                predicted_0[items, i] - decisions[items, i],
                predicted_1[test, i] - decisions[test, j],
                sensitive_features_0=group[items],
                sensitive_features_1=group[test],
            )
            found = result.difference
            fields = (found.estimate, found.statistic, result.dof, found.pvalue)
            values = [*fields, result.pvalue_one_sided, found.effect_size]
            yield {
                **{"decisions": decider, "reference": reference, "row": BRIDGES[source]},
                **{n: float(np.ravel(v)[0]) for n, v in zip(FIELDS, values, strict=True)},
                "dpd_overall": np.nan,
            }
