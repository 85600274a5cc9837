"""The audit of many groups: each one compared with everyone else."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.audits.criteria.rows import CellRate
from fairpairs.audits.groups.fields import OF_CONTROL, TESTS
from fairpairs.audits.groups.read import CountedGroups
from fairpairs.audits.groups.result import GroupAuditResult
from fairpairs.audits.groups.settings import CRITERIA, DEPTH, EVERYONE, MOST_GROUPS, GroupSettings
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.lines.verdicts import ladder
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.estimates import cohens_h, magnitude
from fairpairs.mathematics.estimates.subgroups import Subgroups, shrunken, subgroups
from fairpairs.mathematics.inference.contrasts.binomial import agreeing_limits, binomial_differences
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.many_tables import (
    exact_pvalues,
    simultaneous_limits,
    stratified_rates,
)
from fairpairs.mathematics.inference.sampling.estimates import why_no_test
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean

#: Decimal columns by which lines are ordered: the last digits differ between machines.
PLACES = 9
#: Label and prediction of a row.
KINDS = 4
#: Up to so many lines have the exact tests and intervals of `audit`, which take 0.05 s each.
FEW_LINES = 100
#: Lines times rows in clusters that are read, which takes about a minute.
MOST_READ = 2 * 10**8
#: Successes and trials that the rates of a group, and of everyone else, are worth.
TRIALS = ("worth_k", "worth", "worth_k_others", "worth_others")


def audit_counted(items: CountedGroups, settings: GroupSettings) -> GroupAuditResult:
    """Compare each group of counted items with everyone else (see `fairpairs.audit_groups`)."""
    roles, attributes, strata = items.roles, items.attributes, items.strata
    depth = min(DEPTH, len(attributes)) if settings.depth is None else settings.depth
    kind = (2 * roles.y_true + roles.y_pred).astype(np.int64)
    groups = subgroups(
        [attribute.group for attribute in attributes],
        kind,
        items.count,
        strata=None if strata is None else strata.code,
        kinds=KINDS,
        depth=depth,
        smallest=settings.smallest,
        most=MOST_GROUPS,
    )
    if groups is None:
        smaller = f"a depth below {depth}, or " if depth > 1 else ""
        raise InputError(
            f"There are more than {MOST_GROUPS:,} groups of {settings.smallest} or more rows: "
            f"give {smaller}a larger --smallest, or name fewer attributes."
        )
    if not len(groups):
        raise InputError(
            f"No group has {settings.smallest} rows, the smallest group that is compared: lower "
            "--smallest, join the values of an attribute with many (such as ages) into ranges, or "
            "add rows."
        )
    code, k = (np.zeros_like(kind), 1) if strata is None else (strata.code, strata.count)
    total = np.zeros((k, KINDS), dtype=np.int64)
    np.add.at(total, (code, kind), items.count)
    criteria = settings.criteria(items.with_label)
    table, tau = _lines(items, groups, total, criteria, settings)
    names = _names(groups, attributes)
    for column, column_names in names.items():
        table[column] = column_names * (len(table) // len(groups))
    about = {
        "version": fairpairs.__version__,
        **({} if strata is None else {"control": strata.about(list(attributes))}),
        "items": int(items.count.sum()),
        "clusters": None if items.design is None else items.design.n_clusters,
        "label": items.with_label,
        "positive": roles.positive,
        "favourable": items.favourable,
        "rest": list(roles.rest),
        "attributes": {attribute.name: len(attribute.names) for attribute in attributes},
        "depth": depth,
        "smallest": int(settings.smallest),
        "groups": len(groups) + groups.n_others,
        "left_out": {"small": groups.n_small, "same": groups.n_same},
        "criterion": list(criteria),
        "alpha": float(settings.alpha),
        "margin": None if settings.margin is None else float(settings.margin),
        "lines": len(table),
        "tested": int(table["pvalue"].notna().sum()),
        "tau": tau,
        "checks": [*items.checks, *([] if strata is None else strata.checks(attributes))],
        "source": dict(items.source),
    }
    kept = [name for name in TESTS if strata is not None or name not in OF_CONTROL]
    return GroupAuditResult(_ranked(table)[kept], about)


def _names(subgroups: Subgroups, attributes: Sequence[Attribute]) -> dict[str, list[str]]:
    """Return the name of each group, of what it is compared with, and of its attributes."""
    parts = [[f"{one.name}={name}" for name in one.names] for one in attributes]
    groups, others = (
        [
            " & ".join(parts[a][v] for a, v in zip(columns, codes, strict=True))
            if codes
            else EVERYONE
            for columns, codes in zip(subgroups.attributes, values, strict=True)
        ]
        for values in (subgroups.codes, subgroups.others)
    )
    joined = [" & ".join(attributes[a].name for a in columns) for columns in subgroups.attributes]
    return {"group": groups, "others": others, "attributes": joined}


def _lines(
    items: CountedGroups,
    subgroups: Subgroups,
    total: Integers,
    criteria: Sequence[str],
    settings: GroupSettings,
) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return a row for each measure and group, measure by measure, and tau by measure.

    `total` are all items by stratum and kind.
    """
    groups, others = (
        x.reshape(-1, 2, 2) for x in (subgroups.counts, total.sum(axis=0) - subgroups.counts)
    )
    parts = []
    tau = {}
    contrasts: list[ScoreContrast | None] = []
    measures = sum(len(CRITERIA[criterion]) for criterion in criteria)
    lines, rows = measures * len(subgroups), len(items.count)
    if items.design is not None and lines * rows > MOST_READ:
        raise InputError(
            f"--cluster: {lines:,} comparisons of {rows:,} rows would take too long: give a larger "
            "--smallest, a lower --depth, or fewer attributes."
        )
    for criterion in criteria:
        for measure, rate in CRITERIA[criterion].items():
            k, n = rate.counts(groups)
            k_others, n_others = rate.counts(others)
            part = _compared(k, n, k_others, n_others)
            if subgroups.by_stratum is not None:
                part |= _within(part, rate, subgroups.by_stratum, total)
            if items.design is not None:
                tests = list(_clustered(items, items.design, subgroups, rate))
                part |= {
                    "variance": np.array([x.variance if x else np.nan for x in tests]),
                    "pvalue": np.array([x.pvalue() if x else np.nan for x in tests]),
                }
                contrasts += tests
            part["shrunken"], tau[measure] = shrunken(part["estimate"], part.pop("variance"))
            parts.append(pd.DataFrame({"criterion": criterion, "measure": measure, **part}))
    table = pd.concat(parts, ignore_index=True)
    _decide(table, settings.alpha, contrasts, exactly=subgroups.by_stratum is None)
    table["margin"] = margin = np.nan if settings.margin is None else settings.margin
    table["verdict"] = ladder(
        table["estimate"].notna(),
        tested=table["ci_low"].notna() if contrasts else True,
        found=table["pvalue_adjusted"] < settings.alpha,
        beyond=(table["ci_low"] > margin) | (table["ci_high"] < -margin),
        within=(table["ci_low"] > -margin) & (table["ci_high"] < margin),
    )
    table["depth"] = np.tile([len(columns) for columns in subgroups.attributes], len(parts))
    table["items"] = np.tile(subgroups.counts.sum(axis=1), len(parts))
    return table, tau


def _decide(
    table: pd.DataFrame,
    alpha: float,
    contrasts: Sequence[ScoreContrast | None],
    *,
    exactly: bool,
) -> None:
    """Add adjusted p-values and the intervals that agree with them to the lines of a table.

    `exactly`: few lines may have the tests of `audit`; in clusters all have `contrasts`. All is
    adjusted by Bonferroni, as Holm's p-values have no intervals that say the same.
    """
    counts = [table.pop(name).to_numpy() for name in TRIALS]
    tested = max(int(table["pvalue"].notna().sum()), 1)
    if contrasts:
        ends = [x.limits(alpha / tested) if x else (np.nan, np.nan) for x in contrasts]
        low, high = np.array(ends).T
    elif exactly and tested <= FEW_LINES:
        differences, _ = binomial_differences(*counts, alpha=alpha / tested)
        # two rates of 0 or 1 have no p-value of a contrast
        table["pvalue"] = table["pvalue"].where(np.isnan(differences.pvalue), differences.pvalue)
        low, high = differences.ci_low, differences.ci_high
    else:
        low, high = simultaneous_limits(*counts, alpha=alpha)
    table["pvalue_adjusted"] = np.minimum(table["pvalue"] * tested, 1)
    table["ci_low"], table["ci_high"] = agreeing_limits(
        table["estimate"].to_numpy(), low, high,
        rejected=(table["pvalue_adjusted"] < alpha).to_numpy(),
    )  # fmt: skip


def _clustered(
    items: CountedGroups, design: SamplingDesign, groups: Subgroups, rate: CellRate
) -> Iterator[ScoreContrast | None]:
    """Yield the tests of a rate of each group, as `audit` has them; None where there is none."""
    hits, of = rate.of_items(items.roles.cell)
    for columns, codes in zip(groups.attributes, groups.codes, strict=True):
        member = of.copy()
        for attribute, code in zip(columns, codes, strict=True):
            member &= items.attributes[attribute].group == code
        classes = np.where(of, member, np.int8(-1))
        first, second = (
            mean(hits.astype(float), classes == side, classes, design) for side in (1, 0)
        )
        gap = Gap(first, second)
        tested = np.isfinite(gap.difference.estimate) and not why_no_test(gap, design)
        yield gap.of_rates(design) if tested else None


def _compared(k: Integers, n: Integers, k_others: Integers, n_others: Integers) -> Record:
    """Return the rates of each group and of everyone else, and the variance under equality."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, rate_others = k / n, k_others / n_others
        share = (k + k_others) / (n + n_others)
        variance = share * (1 - share) * (1 / n + 1 / n_others)
    return {
        "n": n,
        "n_others": n_others,
        "rate": rate,
        "rate_others": rate_others,
        "estimate": rate - rate_others,
        "variance": variance,
        "pvalue": exact_pvalues(k, n, k_others, n_others),
        **dict(zip(TRIALS, (k, n, k_others, n_others), strict=True)),
        **_effect(rate, rate_others),
    }


def _effect(rate: Floats, rate_others: Floats) -> Record:
    effect = cohens_h(rate, rate_others)
    return {
        "effect_size": effect,
        "magnitude": np.where(np.isnan(effect), "", magnitude(effect, "h")),
    }


def _within(
    crude: Record,
    rate: CellRate,
    by_stratum: tuple[Integers, Integers, Integers],
    total: Integers,
) -> Record:
    """Return what differs of groups that are compared within strata."""
    group, stratum, counts = by_stratum
    inside, outside = (rate.counts(x.reshape(-1, 2, 2)) for x in (counts, total[stratum] - counts))
    found = stratified_rates(*inside, *outside, group, len(crude["rate"]))
    trials = found.trials_first, found.trials_second
    worth = found.first * trials[0], trials[0], found.second * trials[1], trials[1]
    return {
        "estimate": found.first - found.second,
        "uncontrolled": crude["estimate"],
        "variance": found.variance,
        "pvalue": found.pvalue,
        "pvalue_strata": found.heterogeneity,
        **dict(zip(TRIALS, worth, strict=True)),
        **_effect(found.first, found.second),
    }


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lines in order: first by how far the interval is from 0, then by `shrunken`."""
    low, high = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    keys = np.abs(table["shrunken"].to_numpy()), np.fmax(np.fmax(low, -high), 0)
    # a line without an estimate is last
    order = np.lexsort([-np.round(np.nan_to_num(key, nan=-1), PLACES) for key in keys])
    ranked = table.iloc[order].reset_index(drop=True)
    ranked["rank"] = np.arange(1, len(ranked) + 1)
    return ranked
