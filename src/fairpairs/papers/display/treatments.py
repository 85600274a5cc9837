"""What each treatment of an experiment did: sentences and tables."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record, TableRow
from fairpairs.base.texts import decimals, interval, listed
from fairpairs.mathematics.inference.resampled_t import ROUNDING
from fairpairs.papers.display.labels import label, labels
from fairpairs.papers.display.tables import Display, grid, read_table, write_table
from fairpairs.papers.experiments.comparison import (
    BETTER,
    FEWEST,
    KEYS,
    NO_WORSE,
    OPEN,
    WORSE,
    compare_treatments,
    treatments_over_datasets,
)
from fairpairs.papers.experiments.measures import HIGHER, NEARER_0

#: Marks of verdicts in a table.
MARKS = {BETTER: " ▲", WORSE: " ▼", NO_WORSE: " ≈"}
#: Verdict → what a treatment does to a gap, and to another measure.
VERBS = {BETTER: ("lowers", "improves"), WORSE: ("raises", "worsens"), NO_WORSE: ("keeps", "keeps")}
#: A gap that changes its sign is said to be reversed from this share of its size on.
REVERSED = 0.25
#: Words of the names of measures that are written in capitals.
CAPITALS = ("tpr", "fpr", "tnr", "fnr", "auc", "mae", "rmse", "ppv", "npv")
#: A measure of groups with options: its name, `groups` and `of`.
BY_GROUP = r"(\w+_(?:gap|ratio))(?=_)(_intersections|_attributes)?(_scores|_decisions)?"
#: Columns of a comparison that sentences are made of.
NEEDED = ("treatment", "measure", "old", "new", "low", "high", "verdict", "preferred", "repeats")
BOLD = "; the best of each model in bold"
NOTE = (
    f"Mean ± standard deviation of {{repeats}} random splits{BOLD}. ▲ better "
    "and ▼ worse than {against}, ≈ not worse by more than the margin: shown by the corrected "
    "resampled t (Nadeau and Bengio 2003), Holm over treatments, at {alpha:g}. It speaks of "
    "training on data like these. A gap of two groups is that of the reference less that of the "
    "other, and better if it is nearer 0."
)
HALVES = " The test part is as large as the training part, so more repeats hardly help: 70/30 does."


def write_treatments(
    stem: str | Path,
    measures: pd.DataFrame,
    *,
    compare: Content,
    title: str,
    titles: Mapping[str, str],
    searches: Mapping[str, str],
) -> None:
    """Compare, and write a table for each data set, and one over all, as .csv (tidy), .md and .tex.

    `titles` are those of data sets; for `searches` see `settings`.
    """
    comparison, alpha = compare_treatments(measures, **compare), compare["alpha"]
    displays = treatments_tables(
        measures, comparison, title=title, titles=titles, searches=searches, alpha=alpha
    )
    write_table(stem, comparison, *displays)
    over = treatments_over_datasets(comparison, alpha=alpha)
    display = over_datasets_table(over, title=title, alpha=alpha)
    write_table(Path(stem).with_suffix(".over_datasets.csv"), over, display)


def titled(dataset: object, titles: Mapping[str, str]) -> str:
    """Return the title of a data set, or its name in words."""
    return titles.get(str(dataset), label(str(dataset)))


def read_treatments(path: str | Path) -> pd.DataFrame:
    """Read the comparison that `write_treatments` wrote as CSV."""
    names = ("dataset", "attribute", "groups", "model", "measure", "treatment", "against")
    return read_table(path, text=(*names, "verdict", "preferred"))


def measure_words(measure: str, attribute: str = "") -> str:
    """Return a measure in words.

    >>> measure_words("tpr_gap", "age"), measure_words("balanced_accuracy")
    ('TPR gap by age', 'balanced accuracy')
    >>> measure_words("tpr_gap_intersections_scores", "sex × race")
    'TPR gap of scores by sex × race'
    >>> measure_words("tpr_gap_intersections", "age")
    'largest TPR gap by age'
    """
    if found := re.fullmatch(BY_GROUP, measure):
        measure, intersections, of = found.groups("")
        words = measure_words(measure) + f" of {of[1:]}" * bool(of)
        words = f"largest {words}" if intersections and " × " not in attribute else words
    else:
        words = " ".join(word.upper() if word in CAPITALS else word for word in measure.split("_"))
    return f"{words} by {attribute}" if attribute else words


def heading(measure: str, attribute: str = "") -> str:
    """Return a measure as the head of a column.

    >>> heading("accuracy"), heading("fpr_gap", "sex")
    ('Accuracy', 'FPR gap by sex')
    """
    words = measure_words(measure, attribute)
    return words[:1].upper() + words[1:]


def arm_words(frame: pd.DataFrame) -> list[str]:
    """Return the treatment of each row, with its model where there are several."""
    names = frame["treatment"].map(labels(frame["treatment"]))
    if len(set(frame["model"])) > 1:
        names += ", " + frame["model"].map(labels(frame["model"]))
    return list(names)


def told(
    comparison: pd.DataFrame, titles: Mapping[str, str], margin: Mapping[str, float]
) -> dict[str, list[str]]:
    """Return by the title of each data set a sentence on what each treatment did there."""
    found: dict[str, list[str]] = {}
    named = comparison.assign(arm=arm_words(comparison))
    measures = list(dict.fromkeys(comparison["measure"]))
    # the numbers that are given also where nothing is shown: the first gap, the first performance
    first = {next((m for m in measures if is_gap(m) == of_gaps), "") for of_gaps in (True, False)}
    for (dataset, arm), part in named.groupby(["dataset", "arm"], sort=False):
        rows = part[part["repeats"] > 0].to_dict("records")
        changes = [words for verdict in VERBS for words in _changes(rows, verdict, margin)]
        rest = _measures(
            rows, OPEN, lambda row: _open(row, margin) if row["measure"] in first else ""
        )
        opened = ", ".join(rest)
        if changes:
            words = f" {'; '.join([*changes, *([f'open: {opened}'] if rest else [])])}"
        else:
            words = f": no change is shown{f' in {opened}' if rest else ''}"
        found.setdefault(titled(dataset, titles), []).append(f"{arm}{words}.")
    return found


def describe_treatments(comparison: pd.DataFrame) -> str:
    """Say what each treatment did, a sentence each: what the report begins with.

    Parameters
    ----------
    comparison
        What `compare_treatments` returned, or some of its rows; its margins are in its `attrs`.

    Returns
    -------
    str
        Lines of at most 80 characters, by data set.

    Raises
    ------
    InputError
        When a column of `compare_treatments` is missing.

    Examples
    --------
    >>> values = {"none": [0.70, 0.72, 0.68, 0.71], "other": [0.60, 0.61, 0.59, 0.62]}
    >>> frame = pd.DataFrame(
    ...     [(t, r, "accuracy", v) for t, vs in values.items() for r, v in enumerate(vs)],
    ...     columns=["treatment", "repeat", "measure", "value"],
    ... )
    >>> print(describe_treatments(compare_treatments(frame, test_train_ratio=0.25)))
    - Other worsens accuracy (0.703 → 0.605).
    """
    inputs.of_type(comparison, "comparison", pd.DataFrame, "what compare_treatments returns")
    for name in NEEDED:
        if name not in comparison:
            raise InputError(
                f"comparison has no column `{name}`: give what compare_treatments returns."
            )
    named = comparison.assign(**{key: "" for key in KEYS if key not in comparison})
    found = told(named, {}, comparison.attrs.get("margin", {}))
    return "\n".join(
        line
        for dataset, sentences in found.items()
        for line in [*([dataset] if len(found) > 1 else []), *map(bullet, sentences)]
    )


def bullet(sentence: str) -> str:
    """Return a sentence in lines of a terminal."""
    return textwrap.fill(sentence, 80, initial_indent="- ", subsequent_indent="  ")


def about(roles: Record) -> str:
    """Say what a label and the gaps of a data set are.

    >>> sensitive = {"sex": {"one": "Male", "zero": "Female"}}
    >>> about({"label": {"one": "Repaid", "zero": "Default"}, "sensitive": sensitive})
    'TPR: of those with the label “Repaid”. Gaps: Male less Female.'
    >>> levels = {"race": {"names": ["White", "Black", "Other"], "reference": 0}}
    >>> about({"label": {"one": "1"}, "sensitive": {}, "levels": levels})
    'TPR: of those with the label “1”. Gaps: the largest less the smallest of White, Black, Other.'
    """
    several = {k: v["names"] for k, v in roles.get("levels", {}).items() if len(v["names"]) > 2}
    pairs = [
        f"{names['one']} less {names['zero']}"
        for name, names in roles["sensitive"].items()
        if {"one", "zero"} <= set(names) and name.partition(": ")[0] not in several
    ]
    pairs += [f"the largest less the smallest of {listed(v)}" for v in several.values()]
    label_words = f"TPR: of those with the label “{roles['label']['one']}”. "
    label_words *= "one" in roles["label"]
    return label_words + (f"Gaps: {', '.join(pairs)}." if pairs else "")


def _changes(rows: Iterable[TableRow], verdict: str, margin: Mapping[str, float]) -> Iterator[str]:
    """Yield what a treatment does to the gaps of a verdict, and to its other measures."""
    gaps: list[TableRow] = []
    others: list[TableRow] = []
    for row in rows:
        (gaps if is_gap(row["measure"]) else others).append(row)

    def kept(row: TableRow) -> str:
        within = f" within {margin[row['measure']]:g}" if row["measure"] in margin else ""
        return _change(row) + within

    for verb, some in zip(VERBS[verdict], (gaps, others), strict=True):
        if texts := _measures(some, verdict, kept if verdict == NO_WORSE else _change):
            yield f"{verb} {', '.join(texts)}"


def is_gap(measure: str) -> bool:
    """Whether a measure is a difference between groups, by its name."""
    return "_gap" in measure or measure.endswith("difference")


def _measures(
    rows: Iterable[TableRow], verdict: str, words: Callable[[TableRow], str]
) -> list[str]:
    """Return the measures of a verdict, each once with its attributes, and words on each."""
    found: dict[str, list[TableRow]] = {}
    for row in rows:
        if row["verdict"] == verdict:
            found.setdefault(row["measure"], []).append(row)
    texts = []
    for measure, of in found.items():
        parts = [f"{row['attribute']}{words(row)}" for row in of if row["attribute"]]
        by = f" by {' and '.join(parts)}" if parts else words(of[0])
        texts.append(f"{'the ' * is_gap(measure)}{measure_words(measure)}{by}")
    return texts


def _change(row: TableRow, more: str = "") -> str:
    """Return the means before and after.

    >>> _change({"old": 0.024, "new": -0.141, "preferred": "nearer 0"})
    ' (0.024 → -0.141, reversed)'
    """
    old, new = row["old"], row["new"]
    turned = row["preferred"] == NEARER_0 and old * new < 0 and abs(new) > REVERSED * abs(old)
    return f" ({decimals(old, 3)} → {decimals(new, 3)}{', reversed' * turned}{more})"


def _open(row: TableRow, margin: Mapping[str, float]) -> str:
    """Return the means, and the interval of the change, which is of one treatment alone.

    >>> means = {"old": 0.5, "new": 0.52, "low": 0.01, "high": 0.03}
    >>> _open({**means, "preferred": "higher", "measure": "auc"}, {})
    ' (0.500 → 0.520; change +0.010 to +0.030, but not after Holm)'
    >>> _open({**means, "low": -0.01, "preferred": "higher", "measure": "auc"}, {"auc": 0.02})
    ' (0.500 → 0.520; change -0.010 to +0.030, within 0.02 but not after Holm)'
    """
    ends = (decimals(row[end], 3, sign=True) for end in ("low", "high"))
    worst = row["low"] if row["preferred"] == HIGHER else -row["high"]
    alone = ""
    if row["low"] * row["high"] > 0:
        alone = ", but not after Holm"
    elif worst > -margin.get(row["measure"], 0):
        alone = f", within {margin[row['measure']]:g} but not after Holm"
    return _change(row, f"; change {' to '.join(ends)}{alone}")


def told_over_datasets(over: pd.DataFrame) -> list[str]:
    """Say of each treatment in how many comparisons each measure changed, and its mean change."""
    sentences = []
    for arm, part in over.assign(arm=arm_words(over)).groupby("arm", sort=False):
        counts: dict[str, list[str]] = {BETTER: [], WORSE: []}
        for row in part.to_dict("records"):
            n = row[BETTER] + row[OPEN] + row[WORSE]
            for verdict, texts in counts.items():
                if row[verdict]:
                    of_all = f"{row[verdict]} of {n} ({decimals(row['difference'], 3, sign=True)})"
                    texts.append(f"{measure_words(row['measure'])} in {of_all}")
        shown = [f"{verdict}: {', '.join(texts)}" for verdict, texts in counts.items() if texts]
        sentences.append(f"{arm}: {'; '.join(shown) or 'no change is shown'}.")
    return sentences


def over_datasets_table(over: pd.DataFrame, *, title: str, alpha: float) -> Display:
    """Return verdicts over data sets, mean changes and ranks, treatments down, measures across."""
    cells = []
    for row in over.assign(arm=arm_words(over)).to_dict("records"):
        mark = "*" if row["p_adjusted"] < alpha else ""
        text = f"{row[BETTER]} / {row[OPEN]} / {row[WORSE]}; {row['rank']:.2f}{mark}"
        if not np.isnan(row["low"]):
            text += f"; {_changed(row)}"
        cells.append((row["arm"], heading(row["measure"]), text))
    datasets = int(over["datasets"].max())
    note = (
        f"Better / open / worse over {datasets} data set{'s' * (datasets > 1)} (of gaps one for "
        "each attribute); the mean rank among the treatments and the baseline, 1 is best"
        f"{'; the mean change, with its interval over data sets' * (datasets > 1)}. "
        "* differs from the baseline by Wilcoxon's signed ranks over data sets, Holm; tested from "
        f"{FEWEST} data sets on."
    )
    return Display(grid(cells).rename_axis("Treatment"), f"{title}: over data sets", note)


def _changed(row: TableRow) -> str:
    return f"{decimals(row['difference'], 3, sign=True)} ({interval(row['low'], row['high'])})"


def treatments_tables(
    measures: pd.DataFrame,
    comparison: pd.DataFrame,
    *,
    title: str,
    titles: Mapping[str, str],
    searches: Mapping[str, str],
    alpha: float,
) -> list[Display]:
    """Return the means of all measures, a table for each data set, treatments down."""
    against = comparison["against"].iloc[0]
    note = NOTE.format(repeats=measures["repeat"].nunique(), against=label(against), alpha=alpha)
    if (comparison["n_test"] >= comparison["n_train"]).any():
        note += HALVES
    return [
        Display(
            _table(part, comparison[comparison["dataset"] == name]),
            f"{title}: {titled(name, titles)}",
            " ".join([note, *fewer_repeats(part), *settings(part, searches)]),
        )
        for name, part in measures.groupby("dataset", sort=False)
    ]


def _table(measures: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    keys, columns = ["model", "treatment"], ["measure", "attribute"]
    groups = measures.groupby([*keys, *columns], sort=False)["value"]
    spread = groups.agg(["mean", "std"]).reset_index()
    spread["arm"] = arm_words(spread)
    verdicts = comparison.set_index([*keys, *columns])["verdict"]
    preferred = dict(zip(comparison["measure"], comparison["preferred"], strict=True))
    cells = []
    for (_, measure, _attribute), part in spread.groupby(["model", *columns], sort=False):
        best = _best(part["mean"].to_numpy(), preferred[str(measure)])
        for (_, row), is_best in zip(part.iterrows(), best, strict=True):
            text = f"{decimals(row['mean'], 3)} ± {decimals(row['std'], 3)}"
            text = "–" if np.isnan(row["mean"]) else f"**{text}**" if is_best else text
            text += MARKS.get(verdicts.get(tuple(row[[*keys, *columns]]), ""), "")
            cells.append((row["arm"], heading(str(measure), row["attribute"]), text))
    return grid(cells).rename_axis("Treatment")


def changes_table(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the change of each measure of a data set with its interval, treatments down."""
    cells = []
    for row in comparison.assign(arm=arm_words(comparison)).to_dict("records"):
        text = "–" if np.isnan(row["difference"]) else _changed(row) + MARKS.get(row["verdict"], "")
        cells.append((row["arm"], heading(row["measure"], row["attribute"]), text))
    return grid(cells).rename_axis("Treatment")


def fewer_repeats(measures: pd.DataFrame) -> list[str]:
    """Say which means are of fewer repeats than others, as a measure is empty in some."""
    keys, n = ["measure", "attribute", "model", "treatment"], measures["repeat"].nunique()
    counts = measures.groupby(keys, sort=False)["value"].count()
    fewer = counts[(counts > 0) & (counts < n)].groupby(level=[0, 1], sort=False)
    texts = [
        f"{measure_words(str(measure), attribute)} {' to '.join(map(str, sorted({*ends})))}"
        for (measure, attribute), *ends in fewer.agg(["min", "max"]).itertuples()
    ]
    return [f"Repeats of {n} with a value: {', '.join(texts)}."] if texts else []


def settings(measures: pd.DataFrame, searches: Mapping[str, str]) -> list[str]:
    """Say which settings were chosen in the repeats, and how: `searches` has the latter by arm."""
    if "setting" not in measures:
        return []
    keys = ["model", "treatment", "arm"]
    named = measures.assign(arm=arm_words(measures))
    repeats = named[named["setting"] != ""].drop_duplicates([*keys, "repeat"])
    texts = []
    for (model, treatment, arm), rows in repeats.groupby(keys, sort=False):
        counts = rows["setting"].value_counts()
        chosen = ", ".join(f"{setting} in {n}" for setting, n in counts.items())
        rule = searches[f"{model}, {treatment}"]
        texts.append(f"Settings of {arm}, by {rule}: {chosen} of {len(rows)} repeats.")
    return texts


def _best(means: Floats, better: str) -> Mask:
    """Return which means are best; several if they are equal but for rounding."""
    costs = np.abs(means) if better == NEARER_0 else means * (-1 if better == HIGHER else 1)
    return np.asarray(costs <= np.nanmin(costs, initial=np.inf) + ROUNDING)
