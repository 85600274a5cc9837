"""The report by stratum and by judge, and on the judgments themselves."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.tables import (
    FIRST_PLACE,
    LEAN,
    TIES,
    JudgmentsTables,
)
from fairpairs.audits.lines.tables import kinds, limits, notes_of, verdict_cell
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED, WORDS
from fairpairs.base.document import Grid, Heading, Part
from fairpairs.base.plain_values import Record, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, number, p_equals, pvalue

#: Lines that a table of one model shows, by stratum or judge; judges whose lean is shown; strata
#: or judges that a table of several models shows.
MOST_LINES, MOST_JUDGES, MOST_COLUMNS = 50, 25, 8
#: What is asked of the judgments themselves: title, and what a share is of.
QUESTIONS = {
    TIES: ("Ties", "ties"),
    FIRST_PLACE: ("First place", "first preferred"),
    LEAN: ("Lean of the judges", "preferred"),
}
WHERE = "hypotheses.csv has the gaps of each"


def parts_of(result: JudgmentsTables, attribute: str) -> Iterator[Part]:
    """Yield the gaps on an attribute by stratum and by judge."""
    tests = result.tests[result.tests["attribute"] == attribute]
    main = result.main[result.main["attribute"] == attribute]
    several = len(result.about["models"]) > 1
    if result.about["strata"] is not None and not several:
        yield from _same_in_all(main)
    for part in ("stratum", "judge"):
        rows = tests[tests["part"] == part]
        if len(rows):
            yield from (
                _lines_of_models(rows, main, part) if several else _lines_of_model(rows, part)
            )


def judgment_parts(result: JudgmentsTables) -> Iterator[Part]:
    """Yield the findings on ties, the item shown first, and the judges."""
    about, tests = result.about, result.tests
    asked = [name for name in QUESTIONS if (tests["criterion"] == name).any()]
    if not asked and about["agreement"] is None:
        return
    yield Heading("The judgments themselves")
    if about["agreement"] is not None:
        yield _agreement(about["agreement"])
    for criterion in asked:
        title, what = QUESTIONS[criterion]
        shares = result.shares[result.shares["criterion"] == criterion]
        yield _shares(shares, title, what, about["alpha"])
        yield _lines(tests[tests["criterion"] == criterion])
        if criterion == LEAN:
            yield from _judges(result)


def _same_in_all(main: pd.DataFrame) -> Iterator[Part]:
    texts = [
        f"{row.hypothesis}: {p_equals(row.pvalue_strata)}"
        for row in _rows(main[main["pvalue_strata"].notna()])
    ]
    if texts:
        yield f"Whether a difference is the same in all strata: {'; '.join(texts)}."


def _lines_of_model(tests: pd.DataFrame, part: str) -> Iterator[Part]:
    if len(tests) > MOST_LINES:
        yield f"By {part}: {WHERE} of the {tests['value'].nunique()} of them."
        return
    lines = rows_of(tests)
    rows = [
        (row["value"], row["hypothesis"], verdict_cell(row["verdict"]), *_numbers(row))
        for row in lines
    ]
    header = [part, "hypothesis", "verdict", "difference", "interval", "p", "n"]
    yield Grid(
        header, rows, left=(part, "hypothesis", "verdict"), caption=f"By {part}:",
        kinds=kinds(lines),
    )  # fmt: skip


def _lines_of_models(tests: pd.DataFrame, main: pd.DataFrame, part: str) -> Iterator[Part]:
    values = list(dict.fromkeys(tests["value"]))
    if len(values) > MOST_COLUMNS:
        yield f"By {part}: {WHERE} of the {len(values)} of them."
        return
    for hypothesis, lines in tests.groupby("hypothesis", sort=False):
        if (lines["verdict"] == NOT_ESTIMATED).all():
            continue
        cells = {(row.model, row.value): row for row in _rows(lines)}
        alike = {
            row.model: pvalue(row.pvalue_strata)
            for row in _rows(main[main["hypothesis"] == hypothesis])
        }
        same = part == "stratum"
        rows = [
            (
                model,
                *(_cell(cells.get((model, value))) for value in values),
                *([alike[model]] if same else []),
            )
            for model in dict.fromkeys(lines["model"])
        ]
        header = ["model", *values, *(["p (all alike)"] if same else [])]
        yield Grid(header, rows, left=("model",), caption=f"{hypothesis}, by {part}:")


def _cell(row: Any) -> str:
    if row is None:
        return WORDS[NOT_ESTIMATED].sign
    return f"{number(row.estimate, sign=True)} {WORDS[row.verdict].sign}"


def _agreement(agreement: Record) -> str:
    kappa, low, high = (
        np.nan if agreement[name] is None else agreement[name]
        for name in ("kappa", "ci_low", "ci_high")
    )
    return (
        f"Agreement: two judges of one pair of items agree in {100 * agreement['agreement']:.1f} % "
        f"(kappa {number(kappa)}, {interval(low, high)}; {agreement['pairs']:,} pairs of items, "
        f"{agreement['judgments']:,} judgments)."
    )


def _shares(shares: pd.DataFrame, title: str, what: str, alpha: float) -> Grid:
    several = shares["model"].ne("").any()
    covered = f"{coverage(alpha)} interval"
    first = ["attribute", *(["model"] if several else []), "judgments"]
    rows = [
        (row.attribute, *([row.model or "–"] if several else []), row.judgments, number(row.share),
         interval(row.ci_low, row.ci_high), f"{row.n:,}")
        for row in _rows(shares)
    ]  # fmt: skip
    models = " (– is that of the judgments)" if several else ""
    return Grid([*first, what, covered, "n"], rows, left=first, caption=f"{title}{models}:")


def _lines(tests: pd.DataFrame) -> Grid:
    several = tests["model"].ne("").any()
    first = [*(["model"] if several else []), "hypothesis", "verdict"]
    lines = rows_of(tests)
    rows = [
        (*([row["model"] or "–"] if several else []), row["hypothesis"],
         verdict_cell(row["verdict"]), *_numbers(row))
        for row in lines
    ]  # fmt: skip
    header = [*first, "difference", "interval", "p", "n"]
    return Grid(header, rows, left=first, kinds=kinds(lines), notes=notes_of(lines))


def _numbers(row: TableRow) -> tuple[str, ...]:
    return (
        number(row["estimate"], sign=True),
        limits(row),
        pvalue(row["pvalue_adjusted"]),
        f"{row['n']:,}",
    )


def _judges(result: JudgmentsTables) -> Iterator[Part]:
    for row in _rows(result.differ):
        if np.isfinite(row.pvalue):
            yield (
                f"{row.attribute}: whether all judges prefer {row.groups} equally often: "
                f"{p_equals(row.pvalue)} (chi-square {row.statistic:.1f}, df {row.df})."
            )
    judges = result.judges
    if len(judges) > MOST_JUDGES:
        yield f"judgments.json has the lean of each of the {judges['judge'].nunique():,} judges."
        return
    rows = [
        (str(row.judge), row.attribute, row.groups, number(row.share),
         interval(row.ci_low, row.ci_high), f"{row.n:,}")
        for row in _rows(judges)
    ]  # fmt: skip
    header = ["judge", "attribute", "prefers", "share", "interval", "n"]
    yield Grid(header, rows, left=("judge", "attribute", "prefers"))


def _rows(frame: pd.DataFrame) -> Sequence[Any]:
    return list(frame.itertuples())
