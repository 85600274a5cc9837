"""The violation to detect, as observed in a pilot."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.arrays import Floats
from fairpairs.errors import InputError, shown
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.fairness.power.pilots import PilotOfScores, pilot_of_scores
from fairpairs.fairness.separation import separation_test
from fairpairs.input_tables import Table, row_number
from fairpairs.planning.plan import Plan


def plan_from_pilot(
    table: Table,
    label: str | None,
    prediction: str | None,
    score: str | None,
    threshold: float | None,
    sensitive: str | None,
    alpha: float,
) -> Plan:
    """Return the violation observed in a pilot, as the one to detect."""
    columns = {"--label": label, "--prediction": prediction, "--score": score,
               "--sensitive": sensitive}  # fmt: skip
    named = {option: name for option, name in columns.items() if name is not None}
    for option, name in named.items():
        table.check_column(name, option)
    if len(set(named.values())) < len(named):
        raise InputError(
            f"{table.path}: {', '.join(named)} name the same column twice: name different columns."
        )
    labels = _zero_one(table, named["--label"])
    groups, names = table.two_groups(named["--sensitive"])
    for name in names:
        for value in (0, 1):
            if (n := int(((groups == name) & (labels == value)).sum())) < 2:
                raise InputError(
                    f"{table.path}: the group {shown(name)} has {n} item(s) of label {value} "
                    f"(column `{label}`): a pilot needs two at the least."
                )
    predictions: pd.Series[int] | None
    if score is None:
        predictions = _zero_one(table, named["--prediction"])
        scores = predictions.astype(float)
    else:
        scores = table.numbers(score, "correct it")
        predictions = None if threshold is None else (scores >= threshold).astype(np.int64)
    comparative = comparative_separation_test(
        labels, scores, sensitive_features=groups, alpha=alpha
    )
    frames = [comparative.to_frame()]
    cells = None
    if predictions is not None:
        frames[:0] = [
            separation_test(labels, predictions, sensitive_features=groups, alpha=alpha).to_frame()
        ]
        place = ((groups == names[1]) * 4 + labels * 2 + predictions).to_numpy(np.int64)
        cells = np.bincount(place, minlength=8).reshape(2, 2, 2) / len(labels)
    comparisons: Floats | PilotOfScores
    if score is None and cells is not None:
        comparisons = cells
    else:
        comparisons = pilot_of_scores(labels, scores, sensitive_features=groups)
    ones = float(labels.mean())
    sizes = ", ".join(f"{int((groups == name).sum())} {name}" for name in names)
    sentences = [
        f"{table.path}: {len(labels)} items ({sizes}), label 1 has a share of {ones:.2f}.",
        "To be found, as in the pilot:",
        *(f"- {_gap(row, alpha)}" for frame in frames for row in frame.to_dict("records")),
    ]
    notes = [
        "A pilot's differences have the errors of its size, and smaller ones take many times as "
        "much: rather plan for the smallest difference that matters, by --tpr or --pair-accuracy."
    ]
    smallest = int(comparative.difference.smallest_cell.min())
    if smallest < SMALL_CELL:
        notes.append(
            f"The pilot has {smallest} items only of a group and label: below {SMALL_CELL} its "
            "rates are rough."
        )
    totals = pd.crosstab(groups, labels).to_numpy() / len(labels)
    return Plan(sentences, comparisons, cells, 2 * ones * (1 - ones), totals, notes=notes)


def _gap(row: Mapping[Hashable, Any], alpha: float) -> str:
    if np.isnan(row["ci_low"]):
        return f"{row['hypothesis']} off by {row['estimate']:+.3f} ({row['note']})"
    return (
        f"{row['hypothesis']} off by {row['estimate']:+.3f} ({100 * (1 - alpha):g} % interval "
        f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f})"
    )


def _zero_one(table: Table, name: str) -> pd.Series[int]:
    numbers = table.numbers(name, "write 1 and 0")
    wrong = ~numbers.isin([0, 1])
    if wrong.any():
        raise InputError(
            f"{table.path}: column `{name}` must hold 0 and 1 and holds {numbers[wrong].iloc[0]:g} "
            f"in row {row_number(wrong)}: recode it"
            + (", or name it by --score." if numbers.nunique() > 2 else ".")
        )
    return numbers.astype(np.int64)
