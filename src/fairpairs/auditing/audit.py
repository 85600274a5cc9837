"""The audit of the predictions of one model: which tests apply, what they find, what they cannot.

Every group is compared with a reference group, the largest one unless another is named. p-values
are adjusted over a family: all hypotheses of one attribute and one criterion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

import fairpairs
from fairpairs.auditing.adjustment import criteria_that_count, judge_all, judged
from fairpairs.auditing.criteria import (
    CRITERIA,
    Row,
    compared,
    not_applicable,
    ranking,
    ranking_rows,
)
from fairpairs.auditing.rates import group_rates
from fairpairs.auditing.roles import Attribute, LabelKind, Roles, Wording, attributes, roles
from fairpairs.auditing.text import text
from fairpairs.auditing.verdicts import VERDICTS
from fairpairs.errors import InputError, shortened, shown
from fairpairs.fairness import inputs
from fairpairs.fairness.ranking import RankingResult
from fairpairs.fairness.results import Correction, verdict
from fairpairs.files import json_text, write_together

#: Columns of the table of tests.
COLUMNS = (
    "attribute", "group", "reference", "criterion", "measure", "hypothesis", "estimate", "ci_low",
    "ci_high", "effect_size", "effect_kind", "magnitude", "statistic", "pvalue", "pvalue_adjusted",
    "pvalue_gate", "n", "smallest_cell", "verdict", "note",
)  # fmt: skip
#: Version of the JSON.
FORMAT = 1
#: Seconds of a shuffle for each comparison, and for each item of it; roughly, on one core.
SECONDS = (5e-3, 1e-5)
#: Seconds that all shuffles may take, a day.
LONGEST = 86_400
FILES = ("audit.html", "audit.json", "audit.csv", "rates.csv")


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Attributes
    ----------
    tests
        One row a hypothesis or measure, as `to_frame` returns it.
    rates
        One row a group and rate: `attribute`, `group`, `items` of the group, `measure`, `estimate`,
        `ci_low`, `ci_high`, `count` and `n` (a rate is count / n), `note`.
    about
        What was audited and how: see audit.schema.json.
    """

    tests: pd.DataFrame
    rates: pd.DataFrame
    about: dict[str, Any]

    @property
    def pvalue(self) -> float:
        """The smallest p-value of the criteria that count; NaN when none could be tested.

        It is adjusted by Holm over all their hypotheses, of all attributes and intersections.
        """
        return float(self.tests["pvalue_gate"].min())

    @property
    def violated(self) -> bool | None:
        """Whether `pvalue` is below the level: a fair model is violated in at most that share.

        Only the criteria count that `criterion` names. None when none could be tested.
        """
        return verdict(self.pvalue, self.about["alpha"])

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each verdict."""
        found = self.tests["verdict"].value_counts()
        return {verdict: int(found.get(verdict, 0)) for verdict in VERDICTS}

    def to_frame(self) -> pd.DataFrame:
        """Return one row a hypothesis or measure, of a group less the reference group.

        Columns: `attribute`, `group`, `reference`, `criterion`, `measure`, `hypothesis`,
        `estimate`, `ci_low`, `ci_high`, `effect_size`, `effect_kind` (h, Cohen's; d, in standard
        deviations), `magnitude` (in words), `statistic`, `pvalue`, `pvalue_adjusted` (over one
        attribute and criterion), `pvalue_gate` (over all that counts for `violated`; NaN for other
        criteria), `n`, `smallest_cell`, `verdict`, `note`.
        """
        return self.tests.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as in audit.json; what is missing is None."""
        return {
            "format": FORMAT,
            "about": self.about,
            "violated": self.violated,
            "verdicts": self.counts,
            "tests": _records(self.tests),
            "rates": _records(self.rates),
        }

    def to_text(self, width: int = 100) -> str:
        """Return the tables for a terminal of so many columns, at least 100."""
        return text(self.tests, self.rates, self.about, self.counts, width=width)

    def __str__(self) -> str:
        return self.to_text()

    def to_html(self) -> str:
        """Return a page that stands alone: tables, and figures as SVG."""
        return self._page(whole=True)

    def _repr_html_(self) -> str:
        return self._page(whole=False)

    def _page(self, *, whole: bool) -> str:
        from fairpairs.auditing.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self.tests, self.rates, self.about, self.counts, whole=whole)

    def write(self, folder: str | Path) -> None:
        """Write audit.html, audit.json, audit.csv and rates.csv into a folder: all, or none."""
        tests, rates = (
            table.to_csv(index=False, lineterminator="\n") for table in (self.tests, self.rates)
        )
        contents = (self.to_html(), json_text(self.to_dict()), tests, rates)
        write_together(
            {Path(folder) / name: text for name, text in zip(FILES, contents, strict=True)}
        )


def audit(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    y_score: ArrayLike | None = None,
    positive: object = None,
    label_kind: LabelKind = "auto",
    intersections: bool = False,
    reference: Mapping[str, object] | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: str | Sequence[str] | None = None,
    n_permutations: int = 0,
    random_state: int = 0,
) -> AuditResult:
    """Run every test of fairness that applies to the predictions of a model.

    Binary labels and predictions: separation (EOD, the difference of the FPR), average odds (AOD),
    comparative separation, demographic and differential parity, I_sep and the density ratio of
    separation from the counts. Real predictions: the same but for separation and average odds, with
    I_sep and the density ratio by logistic regressions. Binary labels with a score: also xAUC.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, shape (n,): two values of any kind, or numbers.
    sensitive_features
        Group of each item, shape (n,); or several attributes, each of which is audited: a DataFrame
        or an array of shape (n, attributes), or a mapping from names.
    y_score
        Score, for a binary label, shape (n,). Where the prediction of a binary label is real, it is
        the score unless another is given.
    positive
        Value of the label (and of a binary prediction) that is positive; None for 1 or true.
    label_kind
        "binary" or "number"; "auto" takes two values for binary, and other numbers for numbers. Of
        three to ten whole numbers, which may be classes, it asks.
    intersections
        Whether the combinations of all attributes are audited too.
    reference
        Group that the others are compared with, by attribute; the largest one by default.
    alpha
        Level; intervals cover 1 − alpha and are not adjusted.
    correction
        "holm", "sidak" or "none", over all hypotheses of one attribute and criterion.
    criterion
        What counts for `violated`: one or more of "separation", "average_odds",
        "comparative_separation", "xauc", "demographic_parity", "differential_parity",
        "information_separation", "density_ratio_separation". By default separation where the
        predictions are binary and xAUC where there is a score; comparative separation for a real
        label. All criteria are shown, whatever counts.
    n_permutations
        Shuffles of the groups within labels for p-values of I_sep and of the density ratio of real
        predictions; 0 for none. On many items they take long.
    random_state
        Seed, a whole number from 0 on.

    Returns
    -------
    AuditResult
        What cannot be estimated is a row with the reason.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths or with another index, one group or one
        value only, a third value of a label that is binary, a positive value that is not named, a
        label of a few whole numbers whose kind is not named, a criterion that is unknown or does
        not apply, too few permutations for any p that counts to be below the level.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 20
    >>> y_pred = [1, 1, 1, 0, 0, 0, 1, 0] * 20
    >>> sex = ["m", "f", "m", "f", "m", "f", "f", "m"] * 20
    >>> result = audit(y_true, y_pred, sensitive_features={"sex": sex})
    >>> columns = ["group", "measure", "estimate", "verdict"]
    >>> result.to_frame().loc[:2, columns].round(2)
      group         measure  estimate    verdict
    0     m             EOD       0.5   violated
    1     m  FPR difference      -0.5   violated
    2     m             AOD       0.0  not shown
    """
    return audit_columns(
        y_true, y_pred, y_score, _named(sensitive_features), wording=Wording(),
        positive=positive, label_kind=label_kind, intersections=intersections,
        reference={} if reference is None else reference, alpha=alpha,
        correction=correction, criterion=criterion, n_permutations=n_permutations,
        random_state=random_state,
    )  # fmt: skip


def audit_columns(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_score: ArrayLike | None,
    sensitive_features: Mapping[str, ArrayLike],
    *,
    wording: Wording,
    positive: object,
    label_kind: LabelKind = "auto",
    intersections: bool,
    reference: Mapping[str, object],
    alpha: float,
    correction: Correction,
    criterion: str | Sequence[str] | None = None,
    n_permutations: int,
    random_state: int,
    source: Mapping[str, Any] | None = None,
) -> AuditResult:
    """Audit named columns (see `audit`); `wording` says what messages call them.

    Parameters
    ----------
    source
        Where they come from, for `about`.
    """
    inputs.level(alpha, wording.alpha)
    inputs.whole(n_permutations, "n_permutations", 0, inputs.MOST_PERMUTATIONS)
    inputs.whole(random_state, "random_state", 0)
    inputs.flag(intersections, "intersections")
    inputs.one_of(correction, "correction", get_args(Correction))
    if not isinstance(reference, Mapping):
        raise InputError(
            "reference must name a group by attribute, such as {'sex': 'female'}; it is "
            f"{shown(reference)}."
        )
    found = roles(
        y_true, y_pred, y_score, positive=positive, label_kind=label_kind, wording=wording
    )
    items = {wording.label: y_true, wording.prediction: y_pred}
    if y_score is not None:
        items[wording.score] = y_score
    groups = attributes(
        sensitive_features, items=items, reference=reference, intersections=intersections,
        wording=wording,
    )  # fmt: skip
    _check_time(found, groups, n_permutations, wording)
    left_out = not_applicable(found)
    counted = criteria_that_count(found, criterion, n_permutations, wording)
    score = found.y_pred if found.y_score is None else found.y_score
    tests, rates = [], []
    for attribute in groups:
        rows: dict[str, list[Row]] = {name: [] for name in CRITERIA if name not in left_out}
        for own in compared(
            found, attribute, alpha=alpha, n_permutations=n_permutations, random_state=random_state
        ):
            for name in rows:
                if CRITERIA[name].rows is not None:
                    rows[name] += CRITERIA[name].of(name, own)
        ranked: RankingResult | None = None
        if "xauc" in rows:
            ranked = ranking(found.y_true, score, attribute, alpha)
            rows["xauc"] = list(ranking_rows(ranked, attribute))
        rates.append(group_rates(found, attribute, ranked, alpha=alpha))
        tests.append(judged(rows, attribute, alpha, correction))
    table = pd.concat(tests, ignore_index=True)
    gate = judge_all(table, counted, alpha)
    if gate["too_few"]:
        raise InputError(
            f"{wording.permutations}: with {n_permutations:,} shuffles no p of "
            f"{', '.join(counted)} can be below the level {alpha:g}: give {gate['shuffles']:,} or "
            "more."
        )
    return AuditResult(
        tests=table[list(COLUMNS)],
        rates=pd.concat(rates, ignore_index=True),
        about=_about(
            found, groups, left_out, label_kind, alpha, correction, gate, n_permutations,
            source or {},
        ),
    )  # fmt: skip


def _check_time(
    found: Roles, groups: list[Attribute], n_permutations: int, wording: Wording
) -> None:
    """Raise when the shuffles, which I_sep and density ratios of real predictions take, are many.

    Each fits logistic regressions to the two groups of each comparison.
    """
    if found.prediction == "binary":
        return
    seconds = sum(
        SECONDS[0] + SECONDS[1] * float(attribute.sizes[[place, attribute.reference]].sum())
        for attribute in groups
        for place in range(len(attribute.names))
        if place != attribute.reference
    )
    if n_permutations * seconds > LONGEST:
        raise InputError(
            f"{wording.permutations}: {n_permutations:,} shuffles would take about "
            f"{n_permutations * seconds / LONGEST:,.0f} days on these items: take "
            f"{LONGEST // seconds:,.0f} at most."
        )


def schema() -> Path:
    """Return the path of the JSON schema of audit.json."""
    return Path(str(files("fairpairs.auditing") / "audit.schema.json"))


def _named(sensitive_features: ArrayLike | Mapping[str, ArrayLike]) -> Mapping[str, ArrayLike]:
    """Return the attributes by name."""
    table = inputs.table(sensitive_features, "sensitive_features")
    if isinstance(sensitive_features, Mapping):
        given = [(str(name), values) for name, values in sensitive_features.items()]
    elif table is not None:
        numbered = not isinstance(sensitive_features, pd.DataFrame) and isinstance(
            table.columns, pd.RangeIndex
        )
        given = [
            (f"attribute {i + 1}" if numbered else str(name), table.iloc[:, i])
            for i, name in enumerate(table.columns)
        ]
    else:  # a Series of pandas or Polars may have a name
        name = getattr(sensitive_features, "name", None)
        given = [("group" if name is None or name == "" else str(name), sensitive_features)]
    found = dict(given)
    if len(found) < len(given):
        names = [name for name, _ in given]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"sensitive_features has two columns `{shortened(twice)}`: rename one.")
    if not found:
        raise InputError("sensitive_features is empty: give at least one attribute.")
    return found


def _about(
    found: Roles,
    groups: list[Attribute],
    left_out: Mapping[str, str],
    label_kind: str,
    alpha: float,
    correction: str,
    gate: dict[str, Any],
    n_permutations: int,
    source: Mapping[str, Any],
) -> dict[str, Any]:
    notes = []
    needed = gate.pop("shuffles")
    del gate["too_few"]
    if needed:
        notes.append(
            f"The {n_permutations:,} shuffles are too few for some of what counts: a p of theirs, "
            f"adjusted by Holm, is below the level from {needed:,} shuffles on."
        )
    if found.prediction == "real" or found.y_score is not None:
        notes.append("A higher prediction or score is taken for a more positive one.")
    if found.prediction == "real" and not n_permutations:
        notes.append(
            "Without permutations, I_sep and the density ratio have no test: by logistic "
            "regressions, linear in label and prediction, they may be above 0 and 1 though "
            "separation holds."
        )
    levels = len(np.unique(found.y_true))
    if found.label == "real" and label_kind == "auto" and levels <= inputs.MOST_GROUPS:
        notes.append(
            f"The label has {levels} values, which are taken for numbers. If they are classes "
            "without an order, audit two of them at a time."
        )
    return {
        "version": fairpairs.__version__,
        "items": len(found.y_true),
        "label": found.label,
        "positive": found.positive,
        "prediction": found.prediction,
        "score": found.y_score is not None,
        "attributes": {
            attribute.name: {
                "groups": dict(zip(attribute.names, attribute.sizes.tolist(), strict=True)),
                "reference": attribute.names[attribute.reference],
            }
            for attribute in groups
        },
        "alpha": float(alpha),
        "correction": correction,
        "family": "all hypotheses of one attribute and one criterion",
        "gate": gate,
        "n_permutations": int(n_permutations),
        "not_applicable": dict(left_out),
        "notes": notes,
        "source": dict(source),
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as plain values; NaN and infinity are None."""
    return [
        {
            str(name): None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]
