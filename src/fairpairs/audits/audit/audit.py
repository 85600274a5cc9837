"""The audit of the predictions of one model: every criterion that applies, on every group.

Every group is compared with a reference group, the largest one unless another is named. p-values
are adjusted over a family: all hypotheses of one attribute and one criterion.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.audits.audit.adjustment import judge, judge_all
from fairpairs.audits.audit.classes import ClassItems, audit_classes
from fairpairs.audits.audit.fields import OF_CLASSES, OF_CONTROL, OF_FEW_LABELS, TESTS
from fairpairs.audits.audit.judge_errors import about_few_labels, of_few_labels
from fairpairs.audits.audit.rates import group_rates, swept
from fairpairs.audits.audit.result import AuditResult
from fairpairs.audits.criteria import (
    CRITERIA,
    criteria_tested,
    criteria_that_count,
    criteria_told,
    not_applicable,
)
from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.margins import read_margins, without_margin
from fairpairs.audits.criteria.missing_rows import missing_rows
from fairpairs.audits.criteria.ratios import four_fifths
from fairpairs.audits.criteria.rows import Row
from fairpairs.audits.criteria.turned_round import turned_round
from fairpairs.audits.items.about import about_items, checks_on_values, notes_on_design
from fairpairs.audits.items.attribute_items import MOST_ITEMS, AttributeItems
from fairpairs.audits.items.few_labels import DRAWN, read_few_labels
from fairpairs.audits.items.files import read_files
from fairpairs.audits.items.groups import Attribute, small_groups
from fairpairs.audits.items.messages import (
    BALANCED,
    FAMILY,
    HIGHER_IS_POSITIVE,
    Wording,
    short,
)
from fairpairs.audits.items.read import (
    check_threshold,
    counted_items,
    read_class_items,
    read_items,
    strata_of,
    without_label,
)
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import PART_OF, AuditColumns, Settings
from fairpairs.audits.items.strata import note_on_strata
from fairpairs.audits.lines.verdicts import are_small
from fairpairs.audits.lines.words import direction_of
from fairpairs.base import inputs
from fairpairs.base.errors import InputError
from fairpairs.base.long_work import long_work
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed

NO_SWEEP = (
    "With clusters, weights or cheap labels, no figure shows the gaps at all thresholds: its band "
    "is that of independent rows of equal weight."
)
NO_PERMUTATIONS = (
    "Without permutations, I_sep and the density ratio have no test: by logistic regressions, "
    "linear in label and prediction, they may be above 0 and 1 though separation holds."
)

#: Seconds of a shuffle for each comparison, and for each item of it; roughly, on one core.
SECONDS = (5e-3, 1e-5)
#: Seconds that all shuffles may take, a day.
LONGEST = 86_400


def audit_columns(
    columns: AuditColumns,
    settings: Settings,
    wording: Wording,
    source: Content | None = None,
    checks: Sequence[str] = (),
    *,
    answer_only: bool = False,
) -> AuditResult:
    """Audit named columns (see `audit`); `wording` has their names in messages.

    `source` is where they come from, for `about`. The tables are whole unless `answer_only`: then
    they hold what the answer rests on.
    """
    settings.check(wording)
    if columns.y_true is None:
        columns, settings, wording = without_label(columns, settings, wording)
    wording = check_threshold(columns, settings, wording)
    read = _items(columns, settings, wording)
    if isinstance(read[0], ClassItems):
        return audit_classes(
            read, settings, wording, source=source, checks=checks, answer_only=answer_only
        )
    items = read
    roles = items[0].roles
    everybody = [one.everybody or one for one in items]
    design = everybody[0].design
    attributes = [one.attribute for one in everybody]
    singles = attributes[: len(columns.sensitive_features)]
    strata = items[0].strata
    left_out = not_applicable(roles, controlled=strata is not None)
    margins = read_margins(settings, roles, left_out, wording)
    favourable = roles.favourable(settings.favourable, wording)
    direction = direction_of(favourable, roles.positive)
    counted = criteria_that_count(roles, settings, wording, left_out)
    if settings.permutations and roles.prediction == "real":
        _check_time(attributes, counted, settings.permutations, wording)
    names = criteria_told(roles, counted) if answer_only else CRITERIA
    tested = criteria_tested(settings, left_out, names)
    tests: list[Row] = []
    rates, rule, sweeps = [], [], []
    steps = sum(
        len(tested) * len(one.pairs) + len({*tested} & {*counted}) * len(one.further_pairs)
        for one in attributes
    )
    with long_work(steps, "Testing", shown=wording.shell) as step:
        for attribute_items in items:
            rows = rows_of(attribute_items, tested, counted, step, ratios=not answer_only)
            if strata is None and not answer_only:
                all_items = attribute_items.everybody or attribute_items
                rule += four_fifths(all_items, rows, direction)
            tests += rows
            sweeps.append(pd.DataFrame() if answer_only else swept(attribute_items))
            rates += group_rates(attribute_items)
        table = judge(tests, settings.alpha, settings.correction, margins)
    small = small_groups(attributes, settings.smallest, wording)
    table["small"] = are_small(table, small)
    gate, needed, none_below = judge_all(table, counted, settings.alpha)
    if none_below:
        raise InputError(
            f"{wording.option('permutations')}: with {settings.permutations:,} shuffles no p of "
            f"{', '.join(counted)} can be below the level {settings.alpha:g}: give "
            f"{needed:,} or more."
        )
    kinds = {
        "label": roles.label,
        "positive": roles.positive,
        "rest": list(roles.rest),
        "prediction": roles.prediction,
        "score": roles.y_score is not None,
    }
    about = about_items(kinds, attributes, settings, design, strata) | {
        "favourable": favourable,
        "small": small,
        "missing_rows": missing_rows(items),
        "margin": margins or None,
        **({} if items[0].everybody is None else {"few_labels": about_few_labels(items)}),
        "family": FAMILY,
        "four_fifths": rule,
        "gate": gate,
        "not_applicable": {name: why for name, why in left_out.items() if name not in PART_OF},
        "checks": [
            *checks_on_values(checks, singles, roles, short(wording.label)),
            *turned_round(items, wording),
            *([] if strata is None else strata.checks(attributes)),
        ],
        "notes": [
            *([] if items[0].everybody is None else [DRAWN]),
            *_notes(roles, settings, needed, margins, tested, wording),
            *([] if strata is None else [note_on_strata(strata.values)]),
            *notes_on_design(design, attributes),
            *([] if items[0].design.independent or roles.score is None else [NO_SWEEP]),
        ],
        "source": dict(source or {}),
    }
    sweep = pd.concat([some for some in sweeps if len(some)] or sweeps[:1], ignore_index=True)
    dropped = {*OF_CLASSES, *(OF_CONTROL if strata is None else ())}
    dropped |= set() if items[0].everybody is not None else {*OF_FEW_LABELS}
    kept = [name for name in TESTS if name not in dropped]
    return AuditResult(table[kept], pd.DataFrame(rates), about, sweep)


def audit_file(paths: Path | Sequence[Path], **options: Any) -> AuditResult:
    """Audit columns of files by the options of `fairpairs audit` (see `read_files`)."""
    return audit_columns(*read_files([paths] if isinstance(paths, Path) else paths, options))


def _items(
    columns: AuditColumns, settings: Settings, wording: Wording
) -> list[AttributeItems] | list[ClassItems]:
    """Return the items with the groups of each attribute, in the form that they have."""
    if columns.cheap_label is not None:
        if columns.control:
            raise InputError(
                f"{wording.option('control')}: with {wording.option('cheap_label')} an audit has "
                "no form within strata: leave one of the two out."
            )
        return read_few_labels(columns, settings, wording)
    for name in ("chance", "drawn_within"):
        if getattr(columns, name) is not None:
            raise InputError(
                f"{wording.option(name)} says how labels were drawn of rows that have a cheap one: "
                f"name that one too, {wording.option('cheap_label', 'judge')}."
            )
    classes = read_class_items(columns, settings, wording)
    if classes is not None:
        if columns.control:
            raise InputError(
                f"{wording.option('control')}: a label of several classes has no form within "
                "strata: leave it out, or name the positive class too."
            )
        if settings.favourable is not None:
            raise InputError(
                f"{wording.option('favourable')}: several classes are audited, of which none is "
                "good or bad: leave it out, or name the positive class too."
            )
        class_roles, attributes, design = classes
        if design.independent:
            (class_roles,), attributes, design, _ = counted_items([class_roles], attributes, design)
        return [ClassItems(class_roles, one, settings, design) for one in attributes]
    roles, attributes, design = read_items(columns, settings, wording)
    strata = strata_of(columns, settings, wording)
    if design.independent:
        (roles,), attributes, design, strata = counted_items([roles], attributes, design, strata)
    if strata is not None:
        strata.check(attributes, wording)
    return [AttributeItems(roles, one, settings, design, strata=strata) for one in attributes]


def rows_of(
    items: AttributeItems,
    tested: Sequence[str],
    counted: Collection[str] = (),
    step: Callable[[], object] = lambda: None,
    *,
    ratios: bool = True,
) -> list[Row]:
    """Return the rows of some criteria, of each group and the reference, group by group.

    Of the criteria that are `counted`, there are rows of each two other groups too, where what is
    said of all groups rests on them. `step` is called after each criterion of each group; `ratios`
    are as `Criterion.rows` takes them.
    """
    rows: list[Row] = []
    attribute, also_further = items.attribute, [name for name in tested if name in counted]
    for pairs, names in (attribute.pairs, tested), (attribute.further_pairs, also_further):
        for two in pairs:
            labelled = Comparison(items, *two)
            every = labelled if items.everybody is None else Comparison(items.everybody, *two)
            alone = None if items.alone is None else Comparison(items.alone, *two)
            for name in names:
                criterion = CRITERIA[name]
                here = criterion.rows(labelled if criterion.needs_label else every, ratios=ratios)
                if alone is not None and criterion.needs_label:
                    here = of_few_labels(here, criterion.rows, alone)
                rows += here
                step()
    return rows


def _check_time(
    attributes: list[Attribute], counted: Iterable[str], permutations: int, wording: Wording
) -> None:
    """Raise if the shuffles for I_sep and density ratios of real predictions would take too long.

    Each fits logistic regressions to the two groups of each comparison.
    """
    further = any(CRITERIA[name].measured for name in counted)
    seconds = sum(
        SECONDS[0] + SECONDS[1] * min(attribute.sizes[[*two]].sum(), MOST_ITEMS)
        for attribute in attributes
        for two in attribute.pairs + attribute.further_pairs * further
    )
    if permutations * seconds > LONGEST:
        raise InputError(
            f"{wording.option('permutations')}: {permutations:,} shuffles would take about "
            f"{permutations * seconds / LONGEST:,.0f} days on these rows: take "
            f"{LONGEST // seconds:,.0f} at most."
        )


def _notes(
    roles: Roles,
    settings: Settings,
    needed: int,
    margins: Mapping[str, float],
    tested: Iterable[str],
    wording: Wording,
) -> list[str]:
    """Return the notes on the whole audit."""
    texts = []
    if roles.only_predicted:
        texts.append(
            f"{short(wording.prediction)} has values that {short(wording.label)} does not have "
            f"({listed(roles.only_predicted)}): they count as not {roles.positive}"
        )
    if margins:
        texts += without_margin(margins, roles, tested)
    if needed:
        texts.append(
            f"The {settings.permutations:,} shuffles are too few for some of what counts: a p of "
            f"theirs, adjusted by Holm, is below the level from {needed:,} shuffles on."
        )
    if roles.prediction == "real" or roles.y_score is not None:
        texts.append(HIGHER_IS_POSITIVE)
    if roles.label == "real":
        texts.append(BALANCED)
    if roles.prediction == "real" and not settings.permutations:
        texts.append(NO_PERMUTATIONS)
    few = roles.levels <= inputs.MAX_GROUPS
    if roles.label == "real" and settings.label_kind == "auto" and few:
        texts.append(
            f"The label has {roles.levels} values, which are taken for numbers. If they are "
            "classes, name that kind of label."
        )
    return texts
