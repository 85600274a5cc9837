"""What the first batch of rows settles."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairpairs.audits.items.coding import reached
from fairpairs.audits.items.columns import check_decided
from fairpairs.audits.items.groups import references
from fairpairs.audits.items.messages import file_wording, short
from fairpairs.audits.items.roles import good_outcome
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.coding import (
    ZERO_ONE,
    Coding,
    Seen,
    learn_codings,
    seen,
    written_option,
)
from fairpairs.audits.monitor.plan import Groups, Plan
from fairpairs.audits.monitor.settings import (
    ALPHA,
    BY_DEFAULT,
    CRITERIA,
    GAP,
    JUDGED,
    MonitorSettings,
)
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import MISSING_GROUP
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed, meant
from fairpairs.base.words import named, word, words

#: Roles of columns that hold one value a row, and those that only some states have.
ROLES, OF_SOME = ("label", "prediction", "score"), ("cluster", "id")
#: What is one more remedy for rows without a group.
OR_MISSING = ", or make them a group of their own, --missing-group"
OR_BEGIN_WITH_MISSING = ", or begin a new state with --missing-group"
#: The largest margin of a rate, which is below 1.
LARGEST_MARGIN = 1 - 1e-9
#: Criteria whose lines are differences of rates, so that one margin is for all.
RATES = ("separation", "equal_opportunity", "accuracy", "xauc", JUDGED)


def _learned(
    batch: Batch, columns: Content, *, missing_group: bool
) -> tuple[dict[str, Seen], dict[str, Counter[str]]]:
    """Return the values of the first batch by role, and the sizes of groups by attribute."""
    values_by_role: dict[str, Seen] = {}
    sizes: dict[str, Counter[str]] = {name: Counter() for name in columns["sensitive"]}
    for table in batch.blocks([n for n in names_of_columns(columns) if n in batch.columns]):
        for role in ROLES:
            name = columns[role]
            if name is None or name not in table.columns:
                continue
            if role == "label" and columns.get("id"):
                if table.missing(name).all():
                    continue
                values = table.coded_in_part(name, number=True).known
            else:
                values = table.coded(name, number=True)
            here = seen(values, f"{table.called}: column `{name}`")
            values_by_role[role] = values_by_role.get(role, Seen()) | here
        for name, of in sizes.items():
            names, code = groups_of(table, name, OR_MISSING, missing_group=missing_group)
            here_of = np.bincount(code, minlength=len(names)).tolist()
            of.update({group: n for group, n in zip(names, here_of, strict=True) if n})
    return values_by_role, sizes


def groups_of(
    table: Table, name: str, remedy: str, *, missing_group: bool
) -> tuple[list[str], Integers]:
    """Return the names of the groups of an attribute, and the index of each item's group."""
    values = table.coded_with_missing(name) if missing_group else table.coded(name, remedy)
    code, kinds = values.coded()
    return words(kinds, f"{table.called}: column `{name}`"), code


def read_columns(batch: Batch, settings: MonitorSettings) -> Record:
    """Return the columns that the settings name, each by one option."""
    decided = settings.prediction is not None or settings.threshold is not None
    if not decided or not settings.sensitive:
        raise InputError(
            f"{batch.called}: the columns are not named: give --prediction (or --score and "
            "--threshold), --sensitive and --label (without --label, only selection rates are "
            "monitored)."
        )
    check_decided(settings.prediction, settings.score, settings.threshold)
    for name in ("outcome", "chosen", "rejected"):
        if getattr(settings, name) is not None:
            raise InputError(f"--{name} is of judgments: give --judgments too, or leave it out.")
    if settings.score is not None and settings.label is None:
        raise InputError("--score needs a label: give --label, or leave --score out.")
    if settings.id is not None and settings.label is None:
        raise InputError("--id is for labels that come later: give --label too, or leave it out.")
    sensitive = batch.named(settings.sensitive, "--sensitive")
    named = {role: getattr(settings, role) for role in ROLES}
    named |= {role: name for role in OF_SOME if (name := getattr(settings, role)) is not None}
    later = {"label"} if settings.id and settings.label not in batch.columns else set()
    batch.check_roles({role: name for role, name in named.items() if role not in later}, sensitive)
    return {**named, "sensitive": sensitive}


def names_of_columns(columns: Content) -> list[str]:
    """Return the names of all columns."""
    roles = (columns.get(role) for role in (*ROLES, *OF_SOME))
    return [*(name for name in roles if name is not None), *columns["sensitive"]]


def plan_of_rows(batch: Batch, settings: MonitorSettings) -> Plan:
    """Settle what is monitored, from the first batch."""
    columns = read_columns(batch, settings)
    missing_group = bool(settings.missing_group)
    found, sizes = _learned(batch, columns, missing_group=missing_group)
    if columns.get("id") and "label" not in found:  # no label has come
        decided = settings.label_kind == "binary" or settings.threshold is not None
        found["label"] = Seen(ZERO_ONE) if decided else found["prediction"]
    role = {name: f"{batch.called}: column `{columns[name]}`" for name in ROLES}
    wording = replace(
        file_wording(batch.called, **{name: columns[name] or "" for name in ROLES}), rows=False
    )
    label, prediction = learn_codings(
        found.get("label"), found.get("prediction"), settings, wording
    )
    if settings.threshold is not None:
        ends = np.array(_ends(found["score"], role["score"]))
        reached(ends, settings.threshold, "--threshold", f"column `{columns['score']}`")
    possible = _possible(label, prediction, scored=columns["score"] is not None)
    counted = _counted(settings, possible, label)
    monitored = tuple(c for c in CRITERIA if c in counted or c == "demographic_parity")
    score_range = settings.score_range
    if "xauc" in monitored:
        ranks = "score" if columns["score"] is not None else "prediction"
        score_range = _score_range(_ends(found[ranks], role[ranks]), settings, role[ranks])
    elif score_range is not None:
        raise InputError(
            "--score-range is of scores that are ranked, and none are monitored: give --score, or "
            "--criterion xauc, or leave it out."
        )
    outcome = label or prediction
    return Plan(
        columns=columns,
        judgments=False,
        label=label,
        prediction=prediction,
        groups=groups_of_plan(sizes, settings, batch.called),
        counted=counted,
        criteria=monitored,
        margins=margins(settings, monitored, rates=prediction.binary),
        gap=GAP if settings.gap is None else float(settings.gap),
        alpha=ALPHA if settings.alpha is None else float(settings.alpha),
        run_length=settings.run_length or BY_DEFAULT,
        score_range=score_range,
        missing_group=missing_group,
        new_groups=settings.new_groups == "add",
        window=settings.window,
        threshold=None if settings.threshold is None else float(settings.threshold),
        favourable=good_outcome(
            None if settings.favourable is None else written_option(settings.favourable),
            [*outcome.ones, *outcome.zeros],
            "--favourable",
            short(role["label" if label else "prediction"]),
        ),
    )


def _possible(label: Coding | None, prediction: Coding, *, scored: bool) -> list[str]:
    if label is None:
        return ["demographic_parity"]
    binary = label.binary and prediction.binary
    ranked = label.binary and (scored or not prediction.binary)
    return [
        *(["separation", "equal_opportunity", "accuracy"] if binary else []),
        *(["xauc"] if ranked else []),
        "differential_parity",
        *([] if label.binary else ["mean_absolute_error"]),
        "demographic_parity",
    ]


def _counted(
    settings: MonitorSettings, possible: Sequence[str], label: Coding | None
) -> tuple[str, ...]:
    if settings.criterion is None:
        if label is None:
            return ("demographic_parity",)
        default = tuple(c for c in ("separation", "xauc") if c in possible)
        return default or ("differential_parity",)
    for name in settings.criterion:
        if name not in possible:
            raise InputError(
                f"--criterion: {name} does not apply to these columns: name one of "
                f"{', '.join(possible)}."
            )
    if not settings.criterion:
        raise InputError(f"--criterion names none: name one of {', '.join(possible)}.")
    return tuple(c for c in CRITERIA if c in settings.criterion)


def margins(settings: MonitorSettings, criteria: Sequence[str], *, rates: bool) -> dict[str, float]:
    """Return the margin of each criterion that has one; one number is that of all rates."""
    margin = settings.margin
    if margin is None:
        return {}
    known = [c for c in criteria if c in RATES or (c == "demographic_parity" and rates)]
    if not isinstance(margin, Mapping):
        if not known:
            raise InputError(
                f"--margin {margin:g}: one number is for rates, and none is monitored: name a "
                f"criterion, such as --margin {criteria[0]}={margin:g}, in its unit."
            )
        margin = dict.fromkeys(known, float(margin))
    for name, value in margin.items():
        if name not in criteria:
            raise InputError(
                f"--margin: {name} is not monitored: name one of {', '.join(criteria)}, or name "
                "it by --criterion too."
            )
        if name in known and not value <= LARGEST_MARGIN:
            raise InputError(f"--margin {name}={value:g}: a margin of rates is below 1.")
    return {name: float(margin[name]) for name in criteria if name in margin}


def _ends(values: Seen, role: str) -> tuple[float, float]:
    """Return the smallest and the largest number seen; InputError if there were other values."""
    if not values.numbers:
        raise InputError(f"{role} must hold numbers: name a score, or leave --score out.")
    return values.ends


def _score_range(
    ends: tuple[float, float], settings: MonitorSettings, role: str
) -> tuple[float, float]:
    low, high = ends
    if settings.score_range is not None:
        return (float(settings.score_range[0]), float(settings.score_range[1]))
    if low < 0 or high > 1:
        raise InputError(
            f"{role} holds numbers from {low:g} to {high:g}: give the smallest and the largest "
            f"possible score, such as --score-range {low:g},{high:g}."
        )
    return (0.0, 1.0)


def groups_of_plan(
    batch_sizes: Mapping[str, Mapping[str, int]], settings: MonitorSettings, called: str
) -> dict[str, Groups]:
    """Return the groups of each attribute: those of the first batch, and those that are named."""
    reference, more = references(settings.reference, batch_sizes), settings.groups or {}
    for option, attributes in (("--reference", reference), ("--groups", more)):
        for name in attributes:
            if name not in batch_sizes:
                raise InputError(
                    f"{option}: `{name}` is no sensitive attribute{meant(str(name), batch_sizes)}: "
                    f"name one of {listed(batch_sizes)}."
                )
    groups = {}
    for name, sizes in batch_sizes.items():
        names = sorted({*sizes, *(word(group) for group in more.get(name, ()))})
        role = f"{called}: column `{name}`"
        if len(names) < 2:
            raise InputError(
                f"{role} has only one group, {shown(names[0])}: a test compares two, so begin with "
                "a batch that has another, or name it, such as "
                f"--groups {name}={shortened(names[0])},OTHER."
            )
        if len(names) > MAX_GROUPS:
            raise InputError(
                f"{role} has {len(names)} groups, more than {MAX_GROUPS}: join some, such as ages "
                "into ranges."
            )
        wanted = (
            named(word(reference[name]), names)
            if name in reference
            else max(names, key=lambda group: (sizes.get(group, 0), -names.index(group)))
        )
        if wanted not in names:
            raise InputError(
                f"--reference: {shown(wanted)} is no group of `{name}`: name one of "
                f"{listed(names)}, or name it by --groups too."
            )
        groups[name] = Groups(tuple(names), names.index(wanted))
    return groups


def codes(names: Sequence[str], code: Integers, groups: Groups, role: str) -> Integers:
    """Return the index of each item's group; InputError for an unknown group."""
    present = np.unique(code)
    names = [named(name, groups.names) for name in names]
    known = {name: position for position, name in enumerate(groups.names)}
    if other := [names[i] for i in present if names[i] not in known]:
        hint = "--missing-group and " if other[0] == MISSING_GROUP else ""
        raise InputError(
            f"{role} has the group {shown(other[0])}, which is none of the groups of this state "
            f"({listed(groups.names)}): correct it, or begin a new state with {hint}--groups that "
            "names it or --new-groups add, and append all batches."
        )
    position = np.array([known.get(name, -1) for name in names], dtype=np.int64)
    return position[code]
