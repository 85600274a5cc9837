"""The result of a monitor, and its answer: whether groups differ, and since when."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.criteria.missing_rows import KINDS, lacks
from fairpairs.audits.criteria.rows import AMONG
from fairpairs.audits.criteria.sentences import brief
from fairpairs.audits.lines.about import lower, references_alone, what_is_open
from fairpairs.audits.lines.answer import Answer, Told, based_on, next_of, of_groups
from fairpairs.audits.lines.findings import FOUND, MOST_REASONS, Finding, margins_in_words, reasons
from fairpairs.audits.lines.junit import Line, by_verdict
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.tables import counted, denied
from fairpairs.audits.lines.verdicts import ALL_WITHIN, VIOLATED, WORDS, all_within
from fairpairs.audits.lines.words import against, called, outcome, to_cost
from fairpairs.audits.monitor.fields import DIFFERS, ENDED, IN_BLOCKS, SCHEMA, VERDICTS
from fairpairs.audits.monitor.tables import details, drawn, since_in_words, subject, title
from fairpairs.base.document import Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import interval, listed, number, p_equals
from fairpairs.mathematics.inference.results import verdict

#: Lines that differ now and are named.
MOST_NOW = 2
#: What is said of a gap that an earlier call showed.
REPORTED = " (reported before)"
#: Attributes whose missing labels are told.
MOST_MISSING = 3

APPEND = "Next: append the next batch."


@dataclass(frozen=True, repr=False)
class MonitorResult(Outcome):
    """What the batches so far show.

    Attributes
    ----------
    lines
        One row per line: see `to_frame`.
    history
        Estimates and intervals after earlier batches, at most about 200 looks of each line, and
        now: `batch`, `batch_name`, `rows`, the line, `estimate`, `ci_low`, `ci_high`.
    about
        What is monitored and how: see `SCHEMA`.
    """

    COMMAND, SCHEMA = "monitor", SCHEMA
    VERDICTS = tuple(VERDICTS)
    UNTESTED = (
        "nothing that counts can be tested yet (--details says why): append more rows, or begin "
        "with another --criterion."
    )
    TABLES = (("lines", "lines"),)
    CSV = ("lines", "history")
    BY_GROUP = ("lines", "estimate")
    OVERALL = ("violated", "shown", "differs_now", "new_gap", "pvalue")

    lines: pd.DataFrame
    history: pd.DataFrame
    about: Record

    @property
    def pvalue(self) -> float:
        """The smallest p-value of what counts, by Holm; NaN when no line could be tested."""
        return float(self.counted["pvalue_adjusted"].min())

    @property
    def violated(self) -> bool | None:
        """Whether what counts was violated at any look; with a margin, beyond it.

        A fair model is so at any look, ever, with a chance of at most `alpha`. None while no line
        that counts can be tested.
        """
        lines, alpha = self.counted, self.about["alpha"]
        if not lines["pvalue"].notna().any():
            return None
        with_margin = lines["margin"].notna()
        decides = lines["pvalue_beyond"].where(with_margin, lines["pvalue_adjusted"])
        return bool(verdict(float(decides.min()), alpha)) if decides.notna().any() else None

    @property
    def differs_now(self) -> bool | None:
        """Whether something that counts differs now; None where changes are not looked for.

        Where nothing differs, it becomes true after `about["run_length"]` at the earliest, on
        average.
        """
        now = self.counted["now"]
        return bool((now == DIFFERS).any()) if (now != "").any() else None

    @property
    def new_gap(self) -> bool | None:
        """Whether the call that gave this result showed a gap in what counts for the first time.

        The gap may have begun in earlier batches, and may be over. None where changes are not
        looked for.
        """
        return None if self.differs_now is None else bool(self.counted["new_gap"].any())

    @property
    def shown(self) -> bool | None:
        """Whether all that counts is shown to lie within the margin so far; None without one."""
        lines = self.counted
        if lines["margin"].isna().all():
            return None
        return all_within(lines["verdict"].isin(ALL_WITHIN))

    @property
    def counted(self) -> pd.DataFrame:
        """The lines that count."""
        return self.lines[self.lines["counts"]]

    @cached_property
    def answer(self) -> Answer:
        """Whether groups differ, and since when; it prints as the terminal does."""
        about = self.about
        findings = list(_findings(self))
        margin = margins_in_words(
            (one.margin for one in findings if np.isfinite(one.margin)), findings
        )
        number = about["batches"] - about["begun"]
        batches = f"{number:,} batch{'es' if number > 1 else ''}"
        told = of_groups(
            findings, margin, violated=self.violated, shown=self.shown,
            of="judgments" if about["judgments"] else "rows", since=_since(self),
            found=_in_short(self),
            after=f" after {batches}", references=references_alone(self.counted, about),
        )  # fmt: skip
        if self.differs_now and not told.verdict.startswith(("FAIL", "GAP", "PASS")):
            exceeds = f"whether the gap exceeds {margin}" if margin else "whether there is one"
            gap = _in_short(self) or "there is a gap"
            sentence = f"{gap}{_since(self)}; all rows together leave open {exceeds}"
            told = Told(told.question, "UNDECIDED", "UNDECIDED so far", sentence)
        intervals = " that hold after every batch"
        if not IN_BLOCKS.isdisjoint(self.counted["measure"]):
            intervals += "; AUC, xAUC and means are compared within blocks of time"
        told_of = reasons(findings, FOUND) or reasons(findings, ("open", "within"))[:1]
        return Answer(
            *told, subject(about), findings,
            [*_now(self), *told_of][:MOST_REASONS],
            f"{what_is_open(findings, told, '')} {_missing(about)}".strip(),
            next_of(told, good=APPEND, bad=lower(findings), unsure=APPEND),
            based_on(
                len(findings), [one.measure for one in findings], about["alpha"],
                looks=" after every batch", intervals=intervals,
            ),
            checks=about["notes"],
        )  # fmt: skip

    def _first(self) -> Iterator[Part]:
        counted = self.counted.sort_values("pvalue_adjusted", kind="stable")
        newest = _newest(self)
        if newest is not None:
            keys = ["attribute", "group", "measure"]
            same = (counted[keys] == pd.Series({key: newest[key] for key in keys})).all(axis=1)
            counted = counted[same]
        yield from drawn(self.about, counted.head(1), self.history, prefix="first")

    def _details(self) -> Iterator[Part]:
        head = counted(self.counts, self.pvalue)
        return details(self.about, self.lines, self.history, head)

    @property
    def named(self) -> str:
        """The state."""
        return str(self.about["state"])

    def _settings(self) -> dict[str, str]:
        return {name: str(self.about[name]) for name in ("batches", "rows")}

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        return by_verdict(row, title(row), title(row), [*_numbers(row), row["note"]])


def _numbers(row: TableRow) -> Iterator[str]:
    """Yield the numbers of a line in words."""
    if np.isfinite(row["estimate"]):
        yield f"estimate {number(row['estimate'], sign=True)}"
        yield f"interval {interval(row['ci_low'], row['ci_high'], sign=True)}"
    if np.isfinite(row["margin"]):
        yield f"margin {row['margin']:g}"
    if np.isfinite(row["pvalue_adjusted"]):
        yield p_equals(row["pvalue_adjusted"])
    if row["since"]:
        yield f"{VIOLATED} since {since_in_words(row)}"


def _missing(about: Content) -> str:
    """Return of whom labels have not come, by the group with most and the one with fewest."""
    parts = []
    for name, missing in (about["missing_labels"] or {}).items():
        sizes = about["attributes"][name]["groups"]
        shares = {group: n / sizes[group] for group, n in missing.items() if sizes[group]}
        if any(shares.values()):
            ends = {pick(shares, key=shares.__getitem__): "" for pick in (max, min)}
            if len({*shares.values()}) == 1:
                ends = {next(iter(ends)): f" and of all groups of {name}"}
            parts.append(
                " and ".join(f"{100 * shares[group]:.0f} % of {group}" for group in ends)
                + "".join(ends.values())
            )
    if not parts:
        return ""
    total = sum(next(iter(about["missing_labels"].values())).values())
    shown = f"{'; '.join(parts[:MOST_MISSING])}{'; …' if len(parts) > MOST_MISSING else ''}"
    return f"Open: the labels of {total:,} of {about['rows']:,} rows have not come ({shown})."


def _named(about: Content, batch: float) -> str:
    """Return the name of a batch, or its number."""
    return about["batch_names"][int(batch) - 1] or f"batch {batch:,.0f}"


def _since(result: MonitorResult) -> str:
    """Return since when there is a gap, or when there was one, as far as that is known."""
    about, counted = result.about, result.counted
    found = np.isin([WORDS[verdict].state for verdict in counted["verdict"]], FOUND)
    violated = counted[found & (counted["since"] > 0)]
    batch = int(violated["since"].min()) if len(violated) else about["batches"]
    if newest := _newest(result):
        batch = newest["now_since"]
    elif result.differs_now is False and (ended := _ended(result)):
        return f" {ended}"
    of = f"batch {batch:,} of {about['batches']:,}"
    name = about["batch_names"][batch - 1]
    return f" since {f'{name} ({of})' if name else of}"


def _newest(result: MonitorResult) -> TableRow | None:
    """Return the line whose gap goes on: a new one, else the last that began, or the largest."""
    lines = rows_of(result.counted[result.counted["now"] == DIFFERS])
    sizes = {id(row): np.nan_to_num(abs(row["now_estimate"])) for row in lines}
    return max(
        lines, key=lambda row: (row["new_gap"], row["now_since"], sizes[id(row)]), default=None
    )


def _ended(result: MonitorResult) -> str:
    """Return when something that counts differed, but for what goes on; "" for never."""
    texts = [text for texts in result.counted["periods"] if texts for text in texts.split(", ")]
    about = result.about
    return listed(
        f"from {_named(about, first)} to {_named(about, last)}"
        if last > first
        else f"in {_named(about, first)}"
        for first, last in _joined(texts)
        if last < math.inf
    )


def _in_short(result: MonitorResult) -> str:
    """Return by how much groups differ since the last change; "" if that is not known."""
    about, newest = result.about, _newest(result)
    words = {"prediction": "the decision", **about["columns"]}
    if newest is None:
        lines = result.counted[result.counted["now"] == ENDED]
        if lines.empty or result.differs_now:
            return ""
        last = rows_of(lines.sort_values("now_since"))[-1]
        sides = [called(last["attribute"], last[side]) for side in ("group", "reference")]
        since = _named(about, last["now_since"])
        return f"{' and '.join(sides)} differed in {last['measure']}; no gap since {since}"
    if math.isnan(newest["now_estimate"]):
        return ""
    return brief(words, MEASURES[newest["measure"]], {**newest, "estimate": newest["now_estimate"]})


def _now(result: MonitorResult) -> Iterator[str]:
    """Yield the sentence in the present tense, if a change was shown."""
    about, ended, newest = result.about, _ended(result), _newest(result)
    if newest is None:
        if ended:
            since = result.counted["now_since"].max()
            new = ", which is new in this call" if result.new_gap else ""
            yield f"No gap now, since {_named(about, since)}; there was one {ended}{new}."
        return
    measure = MEASURES[newest["measure"]]
    sides = [called(newest["attribute"], newest[side]) for side in ("group", "reference")]
    gap = newest["now_estimate"], np.nan, np.nan
    cost = to_cost(measure.favours, about, gap[0], shown=True)
    text = f"a gap in {measure.name} between {sides[0]} and {sides[1]}"
    if np.isfinite(gap[0]):
        text = against(measure.name, (sides[0], sides[1]), gap, share=measure.share)
        text = f"{text[0].lower()}{text[1:]}"
    others = result.counted[result.counted["now"] == DIFFERS]
    now = [
        f"{row['measure']} of {row['group']} since {_named(about, row['now_since'])}"
        + REPORTED * (newest["new_gap"] and not row["new_gap"])
        for row in rows_of(others)
        if any(row[key] != newest[key] for key in ("now_since", "new_gap"))
    ]
    more = f" Other gaps: {', '.join(now[:MOST_NOW])}." if now else ""
    before = f" There was one {ended}, too." if ended else ""
    since = _named(about, newest["now_since"])
    since = f"New since {since}" if newest["new_gap"] else f"Since {since}{REPORTED}"
    yield f"{since}: {text}.{outcome(cost, sides[0])}{more}{before}"


def _joined(texts: Iterable[str]) -> list[tuple[float, float]]:
    """Return the times in which some period goes on; one that does until now has no end.

    >>> _joined(["12-30", "20-31", "40-", "41-50"])
    [(12, 31), (40, inf)]
    """
    joined: list[tuple[float, float]] = []
    for first, last in sorted(
        (int(first), float(last or math.inf)) for first, last in (text.split("-") for text in texts)
    ):
        end = int(last) if last < math.inf else last
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((first, end))
    return joined


def _findings(result: MonitorResult) -> Iterator[Finding]:
    attributes = result.about["attributes"]
    for row in rows_of(result.counted):
        state = WORDS[row["verdict"]].state
        gap = row["estimate"], row["ci_low"], row["ci_high"]
        measure = MEASURES[row["measure"]]
        cost = to_cost(measure.favours, result.about, gap[0], shown=state in FOUND)
        sizes, reference = attributes[row["attribute"]]["groups"], row["reference"]
        yield Finding(
            f"{row['attribute']}, against {reference} ({sizes[reference]:,} rows)", row["group"],
            row["measure"], state, *gap, row["margin"], _sentence(row, cost),
            sizes[row["group"]], cost=cost, lacks=_lacks(row, result.about), share=measure.share,
            attribute=row["attribute"],
            brief=brief({"prediction": "the decision"} | result.about["columns"], measure, row),
        )  # fmt: skip


def _lacks(row: TableRow, about: Content) -> list[str]:
    """Return of which groups no row so far has the label that the rate of a line rests on."""
    measure = MEASURES[row["measure"]]
    if measure.rate is None or measure.rate.of not in AMONG:
        return []
    kind = [KINDS[AMONG[measure.rate.of]]]
    numbers = {row["group"]: row["items"], row["reference"]: row["items_reference"]}
    missing = {group: kind for group, n in numbers.items() if not n}
    return lacks(measure, row, missing, about["columns"] | {"positive": about["positive"]})


def _sentence(row: TableRow, cost: bool | None) -> str:
    if np.isnan(row["estimate"]):
        return ""
    groups = called(row["attribute"], row["group"]), called(row["attribute"], row["reference"])
    gap = (row["estimate"], row["ci_low"], row["ci_high"])
    since = f"; shown since {since_in_words(row)}" if row["since"] else ""
    if since and denied(row):
        since += " by the rows until then"
    text = against(row["measure"], groups, gap, share=MEASURES[row["measure"]].share)
    return f"Over all batches: {text[0].lower()}{text[1:]}{since}.{outcome(cost, groups[0])}"
