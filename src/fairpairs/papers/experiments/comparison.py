"""What a treatment does to each measure, against a baseline, over repeats and over data sets."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.texts import listed, meant, named_twice
from fairpairs.mathematics.inference.resampled_t import ResampledMean, resampled_mean
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.experiments.measures import HIGHER, LOWER, NEARER_0, direction

#: Columns that name a line of a comparison, as far as the frame has them.
KEYS = ("dataset", "attribute", "groups", "model", "measure")
#: A test part is not larger than this many training parts.
MOST = 1e6
BETTER, WORSE, NO_WORSE, OPEN = "better", "worse", "no worse", "open"


def compare_treatments(
    frame: pd.DataFrame,
    against: str = "none",
    *,
    margin: Mapping[str, float] | None = None,
    better: Mapping[str, str] | None = None,
    test_train_ratio: float | None = None,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Compare each treatment with a baseline by the corrected resampled t, with Holm.

    The mean of a measure over splits is compared within each data set, attribute and model. A gap
    is better if it is nearer 0, whatever its sign: for means old and new this is shown if old − new
    and old + new are both shown to differ from 0, with the same sign (an intersection–union test).

    Parameters
    ----------
    frame
        One row for each value: columns `treatment`, `repeat`, `measure` and `value`, and what names
        the comparison, of `dataset`, `attribute`, `groups` and `model`; `n_train` and `n_test`.
    against
        The treatment that the others are compared with.
    margin
        By measure, how much worse does not matter.
    better
        By measure "higher", "lower" or "nearer 0", where its name does not tell.
    test_train_ratio
        n_test / n_train, if the frame lacks these columns.
    alpha
        Level of the tests of one measure, over all treatments.

    Returns
    -------
    DataFrame
        One row for each treatment but the baseline: the columns that name it, `against`, the means
        `old` and `new`, `difference` (of a gap, of its size), `low` and `high` (of the line alone),
        `p`, `p_adjusted` (Holm over treatments), `verdict` ("better", "worse", "no worse" than the
        margin, by Holm, too, or "open"), `preferred` ("higher", "lower" or "nearer 0"), `repeats`,
        `n_train` and `n_test`. Its `attrs` have the `margin`.

    Raises
    ------
    InputError
        When a column or the baseline is missing, a value is infinite, repeats stand twice, one
        repeat is all, or repeats are no splits of one data set.

    Examples
    --------
    >>> values = {"none": [0.70, 0.72, 0.68, 0.71], "other": [0.60, 0.61, 0.59, 0.62]}
    >>> frame = pd.DataFrame(
    ...     [(t, r, "accuracy", v) for t, vs in values.items() for r, v in enumerate(vs)],
    ...     columns=["treatment", "repeat", "measure", "value"],
    ... )
    >>> found = compare_treatments(frame, test_train_ratio=0.25)
    >>> found[["treatment", "difference", "verdict"]].round(3).to_numpy().tolist()
    [['other', -0.098, 'worse']]
    """
    inputs.level(alpha)
    inputs.of_type(frame, "frame", pd.DataFrame, "a data frame of pandas")
    for value, name in ((margin, "margin"), (better, "better")):
        inputs.of_type({} if value is None else value, name, Mapping, "a mapping by measure")
    for measure, most in (margin or {}).items():
        inputs.between(most, f"margin of {measure}", 0, np.inf)
    for wanted in (better or {}).values():
        inputs.one_of(wanted, "better", (HIGHER, LOWER, NEARER_0))
    if test_train_ratio is not None:
        inputs.between(test_train_ratio, "test_train_ratio", 0, MOST)
    frame = _checked(frame, against, test_train_ratio)
    keys = [key for key in KEYS if key in frame]
    known = set(frame["measure"])
    for name in map(str, {**(margin or {}), **(better or {})}):
        if name not in known:
            raise InputError(
                f"there is no measure `{shortened(name)}`{meant(name, known)}: name one of "
                f"{listed(sorted(known))}."
            )
    rows = []
    for names, part in frame.groupby(keys, sort=False, dropna=False):
        found = dict(zip(keys, names, strict=True))
        measure = str(found["measure"])
        wanted = (better or {}).get(measure) or direction(measure)
        if wanted == NEARER_0 and found.get("groups") == "intersections":
            wanted = LOWER  # the largest less the smallest, never below 0
        lines = list(_lines(part, against, wanted, (margin or {}).get(measure), alpha))
        of_both = ("p", "p_within")
        holm = [adjusted(np.array([line[p] for line in lines]), "holm") for p in of_both]
        for line, p, p_within in zip(lines, *holm, strict=True):
            verdict = line["shown"] if p < alpha else OPEN
            if verdict != BETTER and p_within < alpha:
                verdict = NO_WORSE
            rows.append({**found, **line, "p_adjusted": p, "verdict": verdict, "preferred": wanted})
    columns = [
        *keys, "treatment", "against", "old", "new", "difference", "low", "high", "p",
        "p_adjusted", "verdict", "preferred", "repeats", "n_train", "n_test",
    ]  # fmt: skip
    compared = pd.DataFrame(rows, columns=columns)
    compared.attrs["margin"] = dict(margin or {})  # what "no worse" speaks of
    return compared


def _checked(frame: pd.DataFrame, against: str, ratio: float | None) -> pd.DataFrame:
    """Return the columns that are compared, in which all is there and a number where it must be."""
    needed, sizes = ("treatment", "repeat", "measure", "value"), ["n_train", "n_test"]
    for name in needed:
        if name not in frame:
            raise InputError(f"the frame has no column `{name}`{meant(name, map(str, frame))}.")
    if not set(sizes) <= set(frame):
        if ratio is None:
            raise InputError(
                "the frame has no columns `n_train` and `n_test`: give `test_train_ratio`, which "
                "is 0.43 for splits 70/30."
            )
        frame = frame.drop(columns=sizes, errors="ignore").assign(n_train=1.0, n_test=ratio)
    keys = [key for key in KEYS if key in frame]
    frame = frame[list(dict.fromkeys([*keys, *needed, *sizes]))].reset_index(drop=True)
    if twice := named_twice(frame):
        raise InputError(f"the frame has two columns `{twice}`: drop one of them.")
    if not len(frame):
        raise InputError("the frame has no rows: give some.")
    _check_names(frame)
    if frame["value"].dtype.kind not in "iufb" and any(isinstance(v, str) for v in frame["value"]):
        raise InputError("the column `value` holds text: give numbers, NaN where there is none.")
    frame["value"] = inputs.numbers(frame["value"], "value")
    for name in sizes:
        frame[name] = inputs.numeric(frame[name], name)
    treatments = list(dict.fromkeys(frame["treatment"]))
    inputs.of_type(against, "against", str, "the name of a treatment")
    if against not in treatments:
        raise InputError(
            f"there is no treatment `{shortened(against)}`{meant(against, treatments)} to compare "
            f"with: name one of {listed(treatments)} in `against`."
        )
    if len(treatments) < 2:
        raise InputError(f"{shortened(against)} is the only treatment: give others to compare.")
    _check_values(frame, keys)
    of_baseline = frame["treatment"] == against
    compared = of_baseline.groupby([frame[key] for key in keys], dropna=False).transform("any")
    if not compared.all():
        row = frame[~compared].iloc[0]
        where = ", ".join(str(row[key]) for key in keys if pd.notna(row[key]) and row[key] != "")
        raise InputError(
            f"there is no treatment {shortened(against)} for {shortened(where)}: add its rows, or "
            "leave out those of the others."
        )
    if not (frame[sizes] > 0).all(axis=None):
        raise InputError("n_train and n_test must be above 0 in all rows.")
    _check_splits(frame.assign(rows=frame[sizes].sum(axis=1))[of_baseline])
    return frame


def _check_names(frame: pd.DataFrame) -> None:
    """Raise InputError unless all treatments and measures have names, and repeats are told."""
    for name in ("treatment", "measure"):
        for value in frame[name]:
            if not isinstance(value, str):
                raise InputError(
                    f"the column `{name}` holds {shown(value)}: give names as text (`read_csv` "
                    "takes the name None for a missing value, unless keep_default_na=False)."
                )
    for name in frame.columns.drop("value"):
        for value in frame[name] if frame[name].dtype.kind == "O" else ():
            if not isinstance(value, Hashable):
                raise InputError(f"the column `{name}` holds {shown(value)}: give text or numbers.")
    if frame["repeat"].isna().any():
        raise InputError("the column `repeat` has missing values: number the repeats.")


def _check_values(frame: pd.DataFrame, keys: list[str]) -> None:
    """Raise InputError unless each repeat has one value, and no value is out of range."""
    twice = frame.duplicated([*keys, "treatment", "repeat"])
    if twice.any():
        row = frame[twice].iloc[0]
        raise InputError(
            f"the measure {row['measure']} of {row['treatment']} stands twice in repeat "
            f"{row['repeat']}: give each repeat one value, or tell them apart in a column, of "
            f"{', '.join(KEYS[:-1])}."
        )
    if frame["repeat"].nunique() < 2:
        raise InputError("the frame has one repeat, and a comparison needs two or more.")
    if (infinite := np.isinf(frame["value"])).any():
        row = frame[infinite].iloc[0]
        raise InputError(
            f"the measure {shortened(row['measure'])} of {shortened(row['treatment'])} is infinite "
            f"in repeat {row['repeat']}: give finite numbers, NaN where there is none."
        )
    inputs.moderate(frame["value"], "value", missing=True)


def _check_splits(baseline: pd.DataFrame) -> None:
    """Raise InputError unless the repeats of each data set are splits of the same rows."""
    for name, of in (
        baseline.groupby("dataset", dropna=False) if "dataset" in baseline else [("", baseline)]
    ):
        if of["rows"].max() > 1.01 * of["rows"].min():
            raise InputError(
                f"the repeats{f' of {name}' * bool(name)} have {of['rows'].min():,.0f} to "
                f"{of['rows'].max():,.0f} rows, so they are no splits of one data set: name "
                "several in a column `dataset`."
            )


def _lines(
    part: pd.DataFrame, against: str, better: str, margin: float | None, alpha: float
) -> Iterator[dict[str, Any]]:
    """Yield a line for each treatment, with the verdict where its difference is shown."""
    order = list(dict.fromkeys(part["treatment"]))
    wide = part.pivot(index="repeat", columns="treatment", values="value")[order]
    n_train, n_test = part["n_train"].mean(), part["n_test"].mean()
    old = wide.pop(against).to_numpy()[:, None]
    new = wide.to_numpy()
    kept = ~np.isnan(old + new)
    both = [np.where(kept, values, np.nan) for values in (old, new)]
    change = resampled_mean(both[1] - both[0], n_test / n_train, alpha=alpha)
    difference, low, high, p = change.estimate, change.low, change.high, change.pvalue
    total = None
    if better == NEARER_0:
        total = resampled_mean(both[1] + both[0], n_test / n_train, alpha=alpha)
        ends = [_size(a, b) for a in (change.low, change.high) for b in (total.low, total.high)]
        difference = _size(change.estimate, total.estimate)
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        equal = (change.estimate == 0) & (change.standard_error == 0)
        p = np.where(equal, 1.0, np.maximum(change.pvalue, total.pvalue))
    gain = difference if better == HIGHER else -difference
    within = (
        np.full(len(gain), np.nan) if margin is None else _within(change, total, better, margin)
    )
    for column, treatment in enumerate(wide):
        yield {
            "treatment": treatment,
            "against": against,
            "old": np.nanmean(both[0][:, column]) if kept[:, column].any() else np.nan,
            "new": np.nanmean(both[1][:, column]) if kept[:, column].any() else np.nan,
            "difference": difference[column],
            "low": low[column],
            "high": high[column],
            "p": p[column],
            "p_within": within[column],
            "shown": BETTER if gain[column] > 0 else WORSE,
            "repeats": int(kept[:, column].sum()),
            "n_train": n_train,
            "n_test": n_test,
        }


def _within(
    change: ResampledMean, total: ResampledMean | None, better: str, margin: float
) -> Floats:
    """Return the p that a measure is not worse by the margin; < alpha if its interval says so."""
    if total is None:
        return change.below(margin, -1 if better == HIGHER else 1)
    # |new| − |old| is the largest of two: the smaller of change and total, and of their opposites
    sides = [np.minimum(change.below(margin, sign), total.below(margin, sign)) for sign in (1, -1)]
    return np.maximum(*sides)


def _size(change: Floats, total: Floats) -> Floats:
    """Return |new| − |old| from new − old and new + old."""
    return np.sign(change * total) * np.minimum(np.abs(change), np.abs(total))


#: The data sets from which on ranks are tested.
FEWEST = 6
#: Decimals by which changes are ranked, as shares of the largest value or of 1.
DIGITS = 12


def treatments_over_datasets(comparison: pd.DataFrame, *, alpha: float = 0.05) -> pd.DataFrame:
    """Count verdicts of `compare_treatments` over data sets, and compare mean ranks of treatments.

    Repeats are never pooled: a data set counts once, with the mean of its measure, of a gap with
    the mean of its sizes over attributes. Returned are, for each model, measure and treatment:
    `better`, `worse` and `open` verdicts (of a data set one for each attribute), `datasets`, the
    mean `difference` (of a gap, of its size) with its interval from `low` to `high` by Student's t
    over data sets, the mean `rank` among all treatments and the baseline (1 is best), `friedman_p`,
    that all treatments rank alike, and `p_adjusted`, by Wilcoxon's signed ranks against the
    baseline, Holm over treatments. Both tests from six data sets on (Demšar 2006, *Statistical
    Comparisons of Classifiers over Multiple Data Sets*).
    """
    rows = []
    for (model, measure), part in comparison.groupby(["model", "measure"], sort=False):
        changes = _changes(part, part["preferred"].iloc[0])
        sign = -1 if part["preferred"].iloc[0] == HIGHER else 1
        rank_of_baseline, ranks, friedman, pvalues = _ranked(
            changes, float(np.nanmax(part[["old", "new"]].abs().to_numpy(), initial=0))
        )
        # data sets do not overlap
        over = resampled_mean(sign * changes.to_numpy(), 0, alpha=alpha)
        means = {
            key: pd.Series(getattr(over, part), index=changes.columns)
            for key, part in (("difference", "estimate"), ("low", "low"), ("high", "high"))
        }
        for treatment, found in part.groupby("treatment", sort=False):
            counts = found["verdict"].value_counts()
            rows.append(
                {
                    "model": model,
                    "measure": measure,
                    "treatment": treatment,
                    "datasets": len(changes),
                    BETTER: int(counts.get(BETTER, 0)),
                    OPEN: int(counts.get(OPEN, 0) + counts.get(NO_WORSE, 0)),
                    WORSE: int(counts.get(WORSE, 0)),
                    **{key: of.get(treatment, np.nan) for key, of in means.items()},
                    "rank": ranks.get(treatment, np.nan),
                    "rank_of_baseline": rank_of_baseline,
                    "friedman_p": friedman,
                    "p_adjusted": pvalues.get(treatment, np.nan),
                }
            )
    return pd.DataFrame(rows)


def _changes(part: pd.DataFrame, better: str) -> pd.DataFrame:
    """Return the change of each data set by each treatment, less is better.

    A treatment without the measure on any data set, as without scores, has no column.
    """
    sized = part[["old", "new"]] * (-1 if better == HIGHER else 1)
    sized = sized.abs() if better == NEARER_0 else sized
    # of the same repeats and attributes, in which both have a value
    paired = part.assign(change=sized["new"] - sized["old"]).dropna(subset="change")
    means = paired.groupby(["dataset", "treatment"], sort=False, observed=True)["change"].mean()
    order = [name for name in dict.fromkeys(part["treatment"]) if name in set(paired["treatment"])]
    return means.unstack().reindex(columns=order).dropna()


def _ranked(changes: pd.DataFrame, largest: float) -> tuple[float, pd.Series, float, pd.Series]:
    """Return the mean ranks of the baseline and of the treatments, and what tests say of them.

    The p of Friedman's test, and the adjusted p of each treatment against the baseline.
    """
    from scipy.stats import friedmanchisquare, wilcoxon  # noqa: PLC0415  (slow)

    names = list(changes)
    none = pd.Series(np.nan, index=names)
    if not changes.size:
        return np.nan, none, np.nan, none
    # what differs by rounding alone is tied
    changes = (changes / max(1.0, largest)).round(DIGITS)
    both = pd.DataFrame(np.column_stack([np.zeros(len(changes)), changes]))
    of_baseline, *ranks = both.rank(axis=1).mean()
    found = of_baseline, pd.Series(ranks, index=names)
    if len(changes) < FEWEST:
        return *found, np.nan, none
    friedman = np.nan
    if len(names) > 1:
        differ = changes.any(axis=None)
        friedman = float(friedmanchisquare(*both.to_numpy().T).pvalue) if differ else 1.0
    columns = changes.to_numpy().T
    p = [float(wilcoxon(change).pvalue) if change.any() else 1.0 for change in columns]
    return *found, friedman, pd.Series(adjusted(np.array(p), "holm"), index=names)
