"""The tests that run on kept predictions, for all repeats at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr

from fairpairs.datasets.prepare import PreparedDataset
from fairpairs.errors import InputError
from fairpairs.experiments.ranking_tests import ranking, xauc, xauc_adjustment
from fairpairs.experiments.repeated_predictions import (
    Integers,
    RepeatedPredictions,
    Settings,
    estimate_rows,
    hypothesis_rows,
    positions,
)
from fairpairs.experiments.seeds import stream
from fairpairs.fairness import comparative, separation
from fairpairs.fairness.balance import balancing_weights, label_strata
from fairpairs.fairness.differential_parity import WelchTest, welch_test
from fairpairs.fairness.information import information_separation
from fairpairs.fairness.pair_rates import all_pairs, all_pairs_from_counts, given_pairs, judged
from fairpairs.fairness.pairs import (
    PairCounts,
    count_pairs,
    draw_pair_counts,
    draw_pair_counts_from_cells,
)
from fairpairs.fairness.permutation import permute_within, separation_permutation_test
from fairpairs.fairness.proportions import ProportionDifference


def _separation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    if not predictions.is_binary:
        raise InputError(
            "The test separation needs a label of 0 and 1: for a real label, take "
            "comparative_separation or information_separation."
        )
    result = separation.separation_from_counts(predictions.counts[:, None], alpha=settings.alpha)
    return hypothesis_rows(separation.HYPOTHESES, predictions, result, settings)


def _comparative_separation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    if not predictions.is_binary:
        return _on_drawn_pairs(predictions, settings, "pairs", lambda rng, labels, group: group)
    n = predictions.counts.sum(axis=(1, 2, 3))
    pairs = draw_pair_counts(
        predictions.counts / n[:, None, None, None],
        np.rint(settings.pairs_per_item * n).astype(np.int64),
        [stream(settings.seed, "pairs", *predictions.key, r) for r in predictions.repeats],
        size=settings.draws,
    )
    return _pair_rows(pairs, predictions, settings)


def _permuted(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Shuffle the groups among items of one label in each draw, so that separation holds."""

    def shuffled(rng: np.random.Generator, labels: NDArray[Any], group: Integers) -> Integers:
        return permute_within(group, labels, settings.draws, rng)

    return _on_drawn_pairs(predictions, settings, "permuted", shuffled)


def _fresh(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Draw independent pairs that are ranked right with one probability in every cell."""
    parts = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, "fresh", *predictions.key, repeat)
        left, right = np.indices((len(labels), len(labels))).reshape(2, -1)
        every = count_pairs(labels, scores, group, left, right)
        rate = float(every.right.sum() / every.usable.sum())
        number = round(settings.pairs_per_item * len(labels))
        parts.append(
            draw_pair_counts_from_cells(every.usable / len(left), rate, number, rng, settings.draws)
        )
    return _pair_rows(_stacked(parts), predictions, settings)


def _all_pairs(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test on all pairs, with labels balanced where they are real; Holm."""
    return _on_all_pairs(predictions, settings, balanced=True)


def _all_pairs_raw(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test on all pairs as they are, whatever the groups' labels; Holm."""
    return _on_all_pairs(predictions, settings, balanced=False)


def _on_all_pairs(
    predictions: RepeatedPredictions, settings: Settings, *, balanced: bool
) -> pd.DataFrame:
    if predictions.is_binary:
        tables = [all_pairs_from_counts(predictions.counts.astype(float))]
    else:
        tables = []
        for _, labels, scores, group in predictions.each():
            y, strata = labels.astype(np.float64), label_strata(labels.astype(np.float64))
            weighing: dict[str, Any] = {}
            if balanced:
                weighing = {"weights": balancing_weights(group, strata, 2), "strata": strata}
            tables.append(all_pairs(y, scores, group, 2, **weighing))
    results = [
        comparative.comparative_separation_from_rates(rates, alpha=settings.alpha)[0]
        for rates in tables
    ]
    return hypothesis_rows(
        comparative.HYPOTHESES,
        predictions,
        _joined(results, predictions),
        settings,
        correction="holm",
    )


def _dyadic(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test on drawn pairs, with the variance that shared items bring; Holm."""
    results = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, "dyadic", *predictions.key, repeat)
        number = round(settings.pairs_per_item * len(labels))
        left, right = rng.integers(len(labels), size=(2, settings.draws, number))
        outcome = labels[left].astype(np.float64) - labels[right]
        winner, loser, hit = judged(outcome, scores, left, right)
        rates = given_pairs(winner, loser, hit, group, 2)
        results.append(
            comparative.comparative_separation_from_rates(rates, alpha=settings.alpha)[0]
        )
    return hypothesis_rows(
        comparative.HYPOTHESES,
        predictions,
        _joined(results, predictions),
        settings,
        correction="holm",
    )


def _joined(
    results: list[ProportionDifference], predictions: RepeatedPredictions
) -> ProportionDifference:
    """Put the results of the repeats together, shape (repeats, draws, hypotheses)."""
    shape = (len(predictions.repeats), -1, len(comparative.HYPOTHESES))
    return ProportionDifference(
        **{
            name: np.stack([getattr(result, name) for result in results]).reshape(shape)
            for name in vars(results[0])
        }
    )


def _separation_permutation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    return _permutation(predictions, settings, "comparative_separation")


def _information_permutation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    return _permutation(predictions, settings, "information_separation")


def _permutation(
    predictions: RepeatedPredictions,
    settings: Settings,
    statistic: Literal["comparative_separation", "information_separation"],
) -> pd.DataFrame:
    """Test separation by shuffling the groups within labels.

    `estimate` is the number of the statistic that lies farthest out, `statistic` how many standard
    deviations of the permutations that is.
    """
    rows = []
    for repeat, labels, scores, group in predictions.each():
        result = separation_permutation_test(
            labels,
            scores,
            sensitive_features=group,
            statistic=statistic,
            random_state=stream(settings.seed, statistic, *predictions.key, repeat),
        )
        spreads = result.deviations
        largest = int(np.argmax(np.abs(spreads)))
        rows.append(
            {
                "repeat": repeat,
                "draw": 0,
                "hypothesis": "separation",
                "estimate": result.statistic[largest],
                "standard_error": np.nan,
                "statistic": spreads[largest],
                "p_value": result.pvalue,
                "rejected": result.pvalue < settings.alpha,
                "n": len(labels),
                "smallest_cell": int(np.bincount(group).min()),
                "note": "",
            }
        )
    return pd.DataFrame(rows)


def _information_separation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    values = [
        [
            information_separation(labels, scores, sensitive_features=group, normalize=normalize)
            for normalize in (True, False)
        ]
        for _, labels, scores, group in predictions.each()
    ]
    return estimate_rows(("I_sep", "I_sep, not normalised"), predictions, values)


def _differential_parity(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test whether prediction less label has the same mean in both groups (Welch, two-sided)."""
    test = _prediction_less_label(predictions)
    result = ProportionDifference(
        estimate=test.estimate,
        ci_low=np.full_like(test.estimate, np.nan),
        ci_high=np.full_like(test.estimate, np.nan),
        statistic=test.dpt,
        pvalue=test.pvalue,
        n=test.n.sum(axis=-1).astype(np.int64),
        smallest_cell=test.n.min(axis=-1).astype(np.int64),
        reason=np.select(
            [np.isnan(test.error), test.constant],
            ["a group with fewer than two items", "constant differences"],
            default="",
        ),
        effect_size=test.dpd,
    )
    shaped = ProportionDifference(
        **{name: np.asarray(field)[:, None, None] for name, field in vars(result).items()}
    )
    return hypothesis_rows(("Δ(A=1) = Δ(A=0)",), predictions, shaped, settings)


def _differential_parity_effect_size(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Measure by how much predictions prefer group 1, beyond the labels: DPD."""
    dpd = _prediction_less_label(predictions).dpd  # infinite where differences are constant
    return estimate_rows(("DPD",), predictions, np.where(np.isfinite(dpd), dpd, np.nan))


def _prediction_less_label(predictions: RepeatedPredictions) -> WelchTest:
    """Compare the groups' means of prediction less label in each repeat."""
    difference = predictions.prediction.astype(np.float64) - predictions.label
    repeats = len(predictions.repeats)
    cell = 2 * predictions.block + predictions.group
    n = np.bincount(cell, minlength=2 * repeats).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, difference, 2 * repeats) / n
        squares = np.bincount(cell, (difference - mean[cell]) ** 2, 2 * repeats)
        variance = squares / (n - 1)
    return welch_test(
        *(part.reshape(repeats, 2) for part in (mean, variance, n)),
        scale=float(np.abs(predictions.label).max()) or 1.0,
    )


def _accuracy(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    values = [
        [np.abs(labels - scores).mean(), pearsonr(labels, scores)[0], spearmanr(labels, scores)[0]]
        for _, labels, scores, _ in predictions.each()
    ]
    return estimate_rows(("MAE", "Pearson", "Spearman"), predictions, values)


#: Name of a test in the config → its function.
TESTS: dict[str, Callable[[RepeatedPredictions, Settings], pd.DataFrame]] = {
    "separation": _separation,
    "comparative_separation": _comparative_separation,
    "comparative_separation_permuted": _permuted,
    "comparative_separation_fresh": _fresh,
    "comparative_separation_dyadic": _dyadic,
    "comparative_separation_all_pairs": _all_pairs,
    "comparative_separation_all_pairs_raw": _all_pairs_raw,
    "separation_permutation": _separation_permutation,
    "information_separation_permutation": _information_permutation,
    "information_separation": _information_separation,
    "accuracy": _accuracy,
    "xauc": xauc,
    "ranking": ranking,
    "xauc_adjustment": xauc_adjustment,
    "differential_parity": _differential_parity,
    "differential_parity_effect_size": _differential_parity_effect_size,
}


def run_test(
    test: str,
    predictions: pd.DataFrame,
    dataset: PreparedDataset,
    *,
    treatment: str,
    settings: Settings,
) -> pd.DataFrame:
    """Run one test on every repeat and every sensitive attribute.

    Parameters
    ----------
    test
        Name in `TESTS`.
    predictions
        What `train_repeats` returned.
    dataset
        The data set of the predictions.
    treatment
        Name of the treatment, part of the key of the random numbers.
    settings
        Seed, level, and how many pairs are drawn.

    Returns
    -------
    DataFrame
        A row for each repeat, draw, attribute and hypothesis: `estimate`, its
        `standard_error` where one is estimated and no hypothesis tested, `statistic`, `p_value` (of
        that hypothesis alone), `rejected` (by Holm where the test takes shared items into
        account, else alone, as in the paper), `n`, `smallest_cell` and `note`. What is estimated
        and not tested has no p-value.
    """
    item = positions(predictions, dataset)
    place = predictions["repeat"].to_numpy(np.int64) * len(dataset.frame) + item
    if (np.diff(place) < 0).any():  # what train wrote is in order
        order = np.argsort(place)
        item, predictions = item[order], predictions.iloc[order]
    block, repeats = pd.factorize(predictions["repeat"].to_numpy())
    label = dataset.label[item]
    prediction, score = (predictions[name].to_numpy() for name in ("prediction", "score"))
    frames = []
    for column, attribute in enumerate(dataset.attributes):
        key = (dataset.name, treatment, attribute)
        group = dataset.sensitive[item, column]
        own = RepeatedPredictions(label, prediction, score, group, block, repeats, key)
        frame = TESTS[test](own, settings)
        frame.insert(0, "dataset", dataset.name)
        frame.insert(1, "treatment", treatment)
        frame.insert(2, "test", test)
        frame.insert(5, "attribute", attribute)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _on_drawn_pairs(
    predictions: RepeatedPredictions,
    settings: Settings,
    purpose: str,
    regroup: Callable[[np.random.Generator, NDArray[Any], Integers], Integers],
) -> pd.DataFrame:
    parts = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, purpose, *predictions.key, repeat)
        groups = regroup(rng, labels, group)
        number = round(settings.pairs_per_item * len(labels))
        left, right = rng.integers(len(labels), size=(2, settings.draws, number))
        parts.append(count_pairs(labels, scores, groups, left, right))
    return _pair_rows(_stacked(parts), predictions, settings)


def _stacked(parts: list[PairCounts]) -> PairCounts:
    right, usable = ([getattr(part, of) for part in parts] for of in ("right", "usable"))
    return PairCounts(np.stack(right), np.stack(usable))


def _pair_rows(
    pairs: PairCounts, predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    result = comparative.comparative_separation_from_counts(pairs, alpha=settings.alpha)
    return hypothesis_rows(comparative.HYPOTHESES, predictions, result, settings)
