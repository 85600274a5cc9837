"""What answers say by what was audited (`about`): names, references, what decides, what is next."""

import math
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fairpairs.audits.lines.answer import GOOD, MORE, Told, based_on, next_of
from fairpairs.audits.lines.findings import (
    Finding,
    cannot_be_compared,
    margins_in_words,
)
from fairpairs.audits.lines.words import called
from fairpairs.base.plain_values import Content, Record, TableRow
from fairpairs.base.texts import listed

ROLES = ("label", "prediction", "score")
#: How many times the rows that a group has are not worth waiting for.
MANY_TIMES = 20
#: The criterion of pairs.
OF_PAIRS = "comparative_separation"
LABELS = ["positive label", "negative label"]


def words_of(about: Content) -> dict[str, str]:
    """Return how sentences call the columns (of arrays, their roles) and the positive value."""
    names = {role: about["source"].get(role, f"the {role}") for role in ROLES}
    if about["threshold"] is not None:
        names["prediction"] = "the decision"
    return {**names, "positive": about["positive"]}


def references_alone(lines: pd.DataFrame, about: Content) -> str:
    """Return the references of what decides, if groups are compared with them alone; "" if not."""
    # a test of all classes compares all groups at once
    tested = set(lines.loc[lines["group"] != "", "attribute"])
    named = [
        f"{name}={attribute['reference']}"
        for name, attribute in about["attributes"].items()
        if name in tested and len(attribute["groups"]) > 2 and not attribute["each_two"]
    ]
    return " and ".join(named)


def told_of_harm(row: TableRow, cost: bool | None, about: Content) -> tuple[TableRow, bool | None]:
    """Return the line, and whether it harms its group, as it is told.

    Of two groups without the reference, that is told which it harms: the signs turn.
    """
    reference = about["attributes"][row["attribute"]]["reference"]
    if cost is not False or row["reference"] == reference:
        return row, cost
    signed = {
        name: -row[name] for name in ("estimate", "uncontrolled", "old", "new") if name in row
    }
    ends: Record = {}
    for prefix in ("ci_", "old_", "new_"):
        if f"{prefix}low" in row:
            ends |= {f"{prefix}low": -row[f"{prefix}high"], f"{prefix}high": -row[f"{prefix}low"]}
    return {**row, "group": row["reference"], "reference": row["group"], **signed, **ends}, True


def what_is_open(findings: Sequence[Finding], told: Told, too_few: str) -> str:
    """Return what is not decided: what cannot be compared, and with a margin where rows are few."""
    lacking = cannot_be_compared(findings)
    if not lacking or lacking in told.sentence:
        return too_few
    return f"Cannot be tested: {lacking}. {too_few}".strip()


def next_step(
    told: Told, findings: Sequence[Finding], about: Content, *, bad: str = "", none: str
) -> str:
    """Return what to do next: more rows do not help if groups have no row of a label."""
    if told.verdict == "UNDECIDED" and any(one.lacks for one in findings):
        return remedy(about, words_of(about))
    if not bad and told.verdict in GOOD:
        bad = lower(findings)
    hopeless = [one for one in findings if one.state == "open" and one.times > MANY_TIMES]
    unsure = MORE
    if hopeless and "smallest" in about:
        most = max(one.items or 0 for one in hopeless)
        unsure = f"{MORE.removesuffix('.')}, or do without small groups: --smallest {most + 1:,}."
    return next_of(told, bad=bad, unsure=unsure, none=none)


def lower(findings: Iterable[Finding]) -> str:
    """Return what makes gaps in the measures that decide smaller."""
    measures = {one.measure for one in findings}
    ways = ["reweight the training data"]
    if measures & {"TPR", "FPR", "FNR", "FDR", "selection rate", "average odds", "precision"}:
        ways.append("change thresholds")
    if "xAUC" in measures:
        ways.append("apply equalize_xauc to the scores")
    return f"Next: {', or '.join(ways)}: docs/how-to/lower-gaps.md."


def margin_of(about: Content, findings: Sequence[Finding]) -> str:
    """Return the margin of what counts, or the margins; "" for none."""
    if not about["margin"]:
        return ""
    named = [about["margin"].get(name) for name in about["gate"]["criteria"]]
    margin = margins_in_words([margin for margin in named if margin is not None], findings)
    return f"{margin} of pairs" if about["gate"]["criteria"] == [OF_PAIRS] else margin


def basis(about: Content, findings: Sequence[Finding]) -> str:
    """Return what an audit, or a comparison, is based on."""
    gate = about["gate"]
    text = based_on(gate["lines"], [one.measure for one in findings], about["alpha"])
    if about["small"]:
        named = listed(
            f"{called(name, one)} ({about['attributes'][name]['groups'][one]:,} rows)"
            for name, groups in about["small"].items()
            for one in groups
        )
        text = f"Too small to count, by --smallest {about['smallest']:,}: {named}. {text}"
    return f"{within(about['control'])} {text}" if "control" in about else text


def within(control: Content) -> str:
    """Return what groups were compared within."""
    left = max(control["left_out"].values())
    out = f" ({left:,} rows left out, without a group to compare with)" if left else ""
    return (
        f"Compared within {control['strata']:,} combinations of "
        f"{' and '.join(control['columns'])}{out}."
    )


def remedy(about: Content, names: Mapping[str, str]) -> str:
    """Return what helps where groups have no row of a label; `names` are those of the columns."""
    largest, room = 0, bool(about["missing_rows"])
    for name, missing in about["missing_rows"].items():
        attribute = about["attributes"][name]
        sizes, small = attribute["groups"], about["small"].get(name, ())
        lacking = [group for group, kinds in missing.items() if set(kinds) & set(LABELS)]
        if len(lacking) == len(sizes):
            return (
                f"Next: no number of rows helps, for {name} determines {names['label']}: name "
                "another --criterion, such as demographic_parity, or leave the attribute out."
            )
        largest = max([largest, *(sizes[group] for group in lacking if group not in small)])
        room &= attribute["reference"] not in lacking
        room &= sum(size > largest for size in sizes.values()) > 1
    left_out = f", leave them out (--smallest {largest + 1})" if room else ""
    return f"Next: join such groups with others{left_out}, or collect what they lack."


def worth_in_words(
    few: Content | None, items: int, worth: Iterable[float], what: str = "labels"
) -> str:
    """Return what human and cheap labels together are worth; "" where nothing is tested.

    `few` is what `about` has of few labels, None without any.

    >>> worth_in_words({"human": 500}, 5000, [1148.0, 812.0])
    '500 human labels and 5,000 cheap ones are worth 810 to 1,100 human labels.'
    """
    known = [float(f"{one:.2g}") for one in worth if math.isfinite(one)]
    if few is None or not known:
        return ""
    low, high, human = min(known), max(known), few["human"]
    number = f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    return f"{human:,} human {what} and {items:,} cheap ones are worth {number} human {what}."


def items(about: Content) -> str:
    """Return the number of items, and how they were sampled."""
    parts = [f"{about['items']:,} rows"]
    if about["clusters"] is not None:
        parts.append(f"in {about['clusters']:,} clusters")
    if about["weights"] == "cluster":
        parts.append("that count once each")
    elif about["weights"] is not None:
        parts.append(f"with {about['weights']} weights")
    return " ".join(parts)
