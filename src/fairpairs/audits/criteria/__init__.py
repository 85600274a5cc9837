"""The criteria of an audit, and the list of them.

To add a criterion of rates of decisions, add an entry to `OF_RATES` of `rates.py`; for another one,
write a file like `parity.py` and add the criterion to `CRITERIA`, in the order of the tables.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from fairpairs.audits.criteria.all_classes import ALL_CLASSES, AllClasses
from fairpairs.audits.criteria.calibration import CALIBRATION, CALIBRATION_SLOPE, RANKING
from fairpairs.audits.criteria.comparative_separation import COMPARATIVE_SEPARATION
from fairpairs.audits.criteria.criterion import Criterion, lacking
from fairpairs.audits.criteria.measured import DENSITY_RATIO, INFORMATION
from fairpairs.audits.criteria.parity import (
    DEMOGRAPHIC_PARITY,
    DIFFERENTIAL_PARITY,
    MEAN_ABSOLUTE_ERROR,
    MEAN_SQUARED_ERROR,
)
from fairpairs.audits.criteria.rates import AVERAGE_ODDS, OF_RATES, SEPARATION
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import PART_OF, Settings, check_parts, plain_names
from fairpairs.audits.items.strata import NOT_CONTROLLED
from fairpairs.base.errors import InputError, shown

CRITERIA: dict[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        SEPARATION,
        AVERAGE_ODDS,
        COMPARATIVE_SEPARATION,
        RANKING,
        DEMOGRAPHIC_PARITY,
        DIFFERENTIAL_PARITY,
        MEAN_ABSOLUTE_ERROR,
        MEAN_SQUARED_ERROR,
        *OF_RATES[1:],
        CALIBRATION,
        CALIBRATION_SLOPE,
        INFORMATION,
        DENSITY_RATIO,
    )
}
MEASURES = {m.name: m for criterion in CRITERIA.values() for m in criterion.all_measures} | {
    criterion.measure.name: criterion.measure for criterion in ALL_CLASSES.values()
}
#: What counts within strata where neither decisions nor scores do.
DEFAULT_CONTROLLED = DIFFERENTIAL_PARITY.name
#: Why a criterion is left out if there is no label.
NO_LABEL = "there is no label"
#: Also those of a label of several classes.
ALL_CRITERIA: dict[str, Criterion | AllClasses] = {**ALL_CLASSES, **CRITERIA}


def not_applicable(roles: Roles, *, controlled: bool = False) -> dict[str, str]:
    """Return the criteria that do not apply to labels and predictions of this kind: name → why.

    `controlled` is whether groups are compared within strata.
    """
    lacks = lacking(roles)
    reasons = {name: lacks[criterion.needs] for name, criterion in CRITERIA.items()}
    if not roles.with_label:
        reasons = dict.fromkeys(CRITERIA, NO_LABEL) | {DEMOGRAPHIC_PARITY.name: ""}
    if controlled:
        reasons |= {
            name: reasons[name] or NOT_CONTROLLED
            for name, criterion in CRITERIA.items()
            if not criterion.controlled
        }
    return {name: reason for name, reason in reasons.items() if reason}


def criteria_tested(
    settings: Settings, left_out: Iterable[str], names: Iterable[str] = CRITERIA
) -> tuple[str, ...]:
    """Return the criteria that are tested; those that are a part of another only where named."""
    margins = settings.margin if isinstance(settings.margin, Mapping) else ()
    named = {name for name in (*plain_names(settings.criterion), *margins) if isinstance(name, str)}
    return tuple(c for c in names if c not in left_out and (c not in PART_OF or c in named))


def criteria_that_count(
    roles: Roles, settings: Settings, wording: Wording, left_out: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the criteria that count for the verdict of the whole audit.

    `left_out` has those that do not apply, and why. By default those that count test separation
    once for each role: decisions by their rates, scores by their ranking, and numbers by
    comparisons. A named criterion that is unknown, does not apply or has no test raises InputError.
    """
    if settings.criterion is None:
        decided = SEPARATION if roles.label == "binary" else COMPARATIVE_SEPARATION
        names = tuple(c.name for c in (decided, RANKING) if c.name not in left_out)
        return names or (DEFAULT_CONTROLLED if roles.with_label else DEMOGRAPHIC_PARITY.name,)
    applicable = [name for name in CRITERIA if name not in left_out]
    counted = named_criteria(settings.criterion, applicable, left_out, wording)
    for name in counted:
        if CRITERIA[name].measured and roles.prediction == "real" and not settings.permutations:
            raise InputError(
                f"{wording.option('criterion')} {name} has no test of real predictions without "
                f"shuffles: give {wording.option('permutations')} too, such as 999."
            )
    return counted


def criteria_told(roles: Roles, counted: Collection[str]) -> list[str]:
    """Return the criteria that an answer tells of: those that count, of numbers mean errors too."""
    told = {*counted, *([DIFFERENTIAL_PARITY.name] if roles.label == "real" else [])}
    return [name for name in CRITERIA if name in told]


def named_criteria(
    criterion: str | Sequence[str],
    applicable: Sequence[str],
    left_out: Mapping[str, str],
    wording: Wording,
) -> tuple[str, ...]:
    """Return the criteria that an option names, in the order of those that apply."""
    names = plain_names(criterion)
    known = (*applicable, *left_out)
    if not names:
        raise InputError(
            f"{wording.option('criterion')} is empty: name at least one of {', '.join(applicable)}."
        )
    for name in names:
        parts = [part.strip() for part in name.split(",")] if isinstance(name, str) else []
        if len(parts) > 1 and set(parts) <= set(known):
            raise InputError(
                f"{wording.option('criterion')}: {shown(name)} holds several criteria: give "
                f"{wording.several(parts)}."
            )
        if not isinstance(name, str) or name not in known:
            ordered = [name for name in ALL_CRITERIA if name in known]
            raise InputError(
                f"{wording.option('criterion')}: {shown(name)} is not a criterion: name one of "
                f"{', '.join(ordered)}."
            )
        if name in left_out:
            raise InputError(
                f"{wording.option('criterion')} {name} does not apply ({left_out[name]}): name "
                f"one of {', '.join(applicable)}."
            )
    check_parts(names, wording.option("criterion"))
    return tuple(name for name in applicable if name in names)
