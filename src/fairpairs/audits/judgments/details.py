"""All tables and figures of an audit of judgments, which its answer leaves out."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.fields import VERDICTS
from fairpairs.audits.judgments.tables import (
    ACROSS,
    FIRST_PLACE,
    LEAN,
    TIES,
    WITHIN,
    JudgmentsTables,
)
from fairpairs.audits.lines.tables import (
    counted,
    cut,
    forest,
    kinds,
    limits,
    meanings,
    notes_of,
    verdict_cell,
    with_interval,
)
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED, WORDS
from fairpairs.base.document import Figure, Grid, Heading, Notes, Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, listed, number, p_equals, printable, pvalue

TITLES = {ACROSS: "Across groups", WITHIN: "Within groups"}
#: Criterion → what the sides of 0 mean, of the reference and the group.
SIDES = {ACROSS: "← leans towards {} | {} →", WITHIN: "← {} predicted better | {} →"}
#: Characters of a group's name below the axis.
SHORT = 16
ADJUSTED = {"holm": " (Holm)", "sidak": " (Šidák)", "none": ""}
#: What a rate is.
TPR = "TPR(a,b): of the judgments that prefer an item of a over one of b, the share that"
#: Groups whose rates have a column each, in a table of several models.
MOST_GROUPS = 3
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


def details(result: JudgmentsTables) -> Iterator[Part]:
    """Yield the parts of the report of an audit of judgments."""
    about = result.about
    yield "\n".join([*_head(about), counted(result.counts, result.pvalue)])
    several = len(about["models"]) > 1
    for i, (name, groups) in enumerate(about["attributes"].items()):
        sizes = ", ".join(f"{group} {n:,}" for group, n in groups.items())
        yield Heading(f"{name}: {len(groups)} groups ({sizes})")
        rows = result.main[result.main["attribute"] == name]
        yield from _forests(rows, f"a{i}", several=several)
        yield from _models(name, result) if several else _model(name, result)
        yield from _cheap(name, about)
        yield from parts_of(result, name)
    yield from judgment_parts(result)
    yield Notes(about["notes"])
    yield meanings(VERDICTS, result.counts)


def _forests(rows: pd.DataFrame, prefix: str, *, several: bool) -> Iterator[Figure]:
    """Yield the forest plots: a line for each model, or for each two groups."""
    lines = rows_of(rows)
    pairs = list(dict.fromkeys((row["group"], row["reference"]) for row in lines))
    for i, (group, reference) in enumerate(pairs if several else pairs[:1]):
        for criterion, title in TITLES.items():
            shown = [
                row
                for row in lines
                if row["criterion"] == criterion
                and (not several or (row["group"], row["reference"]) == (group, reference))
            ]
            each = [
                row["model"] if several else f"{row['group']} − {row['reference']}" for row in shown
            ]
            sides = (reference, group) if several or len(pairs) == 1 else ("reference", "group")
            label = SIDES[criterion].format(*(cut(printable(side), SHORT) for side in sides))
            what = f"{title}, {group} − {reference}" if several and len(pairs) > 1 else title
            yield forest(
                shown, each, label, prefix=f"{prefix}{criterion[0]}{i}",
                caption=f"{what}: differences with intervals. Diamonds: a difference is shown; "
                "circles: it is not.",
            )  # fmt: skip


def _head(about: Content) -> Iterator[str]:
    yield f"{names(about)}: {judged(about)}"
    (model, model_about), *others = about["models"].items()
    where = "" if others or model_about["kind"] == "preference" else f", scores in `{model}`"
    for file in about["files"]:
        if file["holds"] == "items":
            n = about["items"]
            yield f"{file['file']}: {file['rows']:,} items, {n:,} of them judged{where}"
    if not others:
        agree = "The scores agree" if model_about["kind"] == "score" else f"`{model}` agrees"
        yield f"{agree} with {agreeing(model_about)}."


def names(about: Content) -> str:
    """Return the names of the files of judgments."""
    return listed(file_name(file) for file in about["files"] if file["holds"] == "judgments")


def file_name(file: Content) -> str:
    """Return the name of a file, after the group that it holds if it holds one."""
    # a table in memory, which has no digest, is called after its group already
    alone = file["group"] is None or not file["sha256"]
    return str(file["file"] if alone else f"{file['group']}={file['file']}")


def judged(about: Content) -> str:
    """Return the number of judgments, and what they share."""
    ties = {"drop": "are left out", "half": "count half for each side"}[about["ties_in_outcome"]]
    parts = [f"{about['judgments']:,} judgments"]
    if "few_labels" in about:
        parts.append(f"{about['few_labels']['human']:,} of them by people")
    if about["without_winner"]:
        parts.append(f"{about['without_winner']:,} of them ties, which {ties}")
    shared = [
        f"{about[kind]:,} {kind}" for kind in ("judges", "clusters") if about[kind] is not None
    ]
    if about["strata"] is not None:
        shared.append(f"{len(about['strata']):,} strata")
    return "; ".join([", ".join(parts), *([", ".join(shared)] if shared else [])])


def agreeing(model: Content) -> str:
    """Return the number of judgments that a model agrees with, in words."""
    agrees, m = model["agrees"], model["judgments"]
    return f"{agrees:,} of the judgments ({100 * agrees / m:.1f} %)"


def _model(name: str, result: JudgmentsTables) -> list[Part]:
    """Return the tables and findings on one attribute, of one model."""
    about, cells = result.about, result.cells
    tests = result.main[result.main["attribute"] == name]
    rates = _rows(cells[cells["attribute"] == name])
    grid = [
        (r.winner, r.loser, number(r.tpr), interval(r.ci_low, r.ci_high), f"{r.pairs:,.0f}")
        for r in rates
    ]
    covered = f"{coverage(about['alpha'])} interval"
    (model, model_about), *_ = about["models"].items()
    agree = "the scores agree" if model_about["kind"] == "score" else f"`{model}` agrees"
    joint = [
        f"All rates at once (joint test): {p_equals(test['pvalue'])}"
        for test in about["joint"]
        if test["attribute"] == name
    ]
    return [
        Grid(
            ["preferred (a)", "over (b)", "TPR(a,b)", covered, "judgments"],
            grid,
            left=("preferred (a)", "over (b)"),
        ),
        f"{TPR} {agree} with.",
        _grid(tests, "hypothesis", about=about),
        "\n".join(joint),
    ]


def _models(name: str, result: JudgmentsTables) -> list[Part]:
    """Return the tables and findings on one attribute, of several models."""
    about = result.about
    tests = result.main[result.main["attribute"] == name]
    parts: list[Part] = [f"{TPR} the model agrees with."]
    for hypothesis, rows in tests.groupby("hypothesis", sort=False):
        if (rows["verdict"] == NOT_ESTIMATED).all():
            parts.append(f"{hypothesis}: {NOT_ESTIMATED} ({rows['note'].iloc[0]}).")
        else:
            parts.append(_grid(rows, "model", about=about, caption=f"{hypothesis}:"))
    return [*parts, _rates(name, result)]


def _rates(name: str, result: JudgmentsTables) -> Grid:
    """Return each model's agreement with the judgments: all, and by pair of groups."""
    about, cells = result.about, result.cells
    cells = cells[cells["attribute"] == name]
    columns = list(dict.fromkeys(zip(cells["winner"], cells["loser"], strict=True)))
    caption = "The share of the judgments that the model agrees with"
    if len(about["attributes"][name]) > MOST_GROUPS:
        columns, caption = [], f"{caption}; rates.csv has those of each two groups"
    table = {(row.model, row.winner, row.loser): row.tpr for row in _rows(cells)}
    rows = [
        (
            model,
            number(counts["agrees"] / counts["judgments"]),
            *(number(table[model, *column]) for column in columns),
        )
        for model, counts in about["models"].items()
    ]
    header = ["model", "agrees", *(f"TPR({winner},{loser})" for winner, loser in columns)]
    return Grid(header, rows, left=("model",), caption=f"{caption}:")


def _cheap(name: str, about: Content) -> Iterator[Grid]:
    """Yield a table of how the cheap outcomes err, if there are any."""
    rows = [
        (row["winner"], row["loser"], *with_interval(row, "share"), f"{row['n']:,}")
        for row in about.get("few_labels", {}).get("errors", [])
        if row["attribute"] == name
    ]
    if rows:
        covered = f"{coverage(about['alpha'])} interval"
        header = ["people prefer", "over", "so does the judge", covered, "human judgments"]
        yield Grid(header, rows, left=("people prefer", "over"))


def _grid(
    tests: pd.DataFrame,
    *first: str,
    about: Content | None = None,
    caption: str = "",
    noted: bool = True,
) -> Grid:
    """Return a table of lines; `first` are the columns that say what each is of.

    With `about`, headings say how intervals and p are made, and smallest cells are shown.
    """
    cells, named = about is not None, ("interval", "p")
    if about is not None:
        named = f"{coverage(about['alpha'])} interval", f"p{ADJUSTED[about['correction']]}"
    lines = rows_of(tests)
    rows = [
        (*(row[name] or "–" for name in first), verdict_cell(row["verdict"]),
         *_numbers(row), *([f"{row['smallest_cell']:,}"] * cells))
        for row in lines
    ]  # fmt: skip
    left = (*first, "verdict")
    header = [*left, "difference", *named, "n", *(["smallest cell"] * cells)]
    notes = notes_of(lines) if noted else []
    return Grid(header, rows, left=left, caption=caption, kinds=kinds(lines), notes=notes)


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
        of_question = tests[tests["criterion"] == criterion]
        several = ["model"] if of_question["model"].ne("").any() else []
        yield _grid(of_question, *several, "hypothesis")
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
    parts = tests.rename(columns={"part": "of", "value": part})
    yield _grid(parts, part, "hypothesis", caption=f"By {part}:", noted=False)


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
        header = ["model", *values, *(["p (all equal)"] if same else [])]
        yield Grid(header, rows, left=("model",), caption=f"{hypothesis}, by {part}:")


def _cell(row: Any) -> str:
    if row is None:
        return WORDS[NOT_ESTIMATED].sign
    return f"{number(row.estimate, sign=True)} {WORDS[row.verdict].sign}"


def _agreement(agreement: Record) -> str:
    kappa, between = with_interval(agreement, "kappa")
    return (
        f"Agreement: two judges of one pair of items agree in {100 * agreement['agreement']:.1f} % "
        f"(kappa {kappa}, {between}; {agreement['pairs']:,} pairs of items, "
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
