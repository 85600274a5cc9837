"""The margin of an audit: the largest difference that does not matter, by criterion."""

import numbers
from collections.abc import Iterable, Mapping

from fairpairs.audits.criteria import ALL_CRITERIA, CRITERIA, criteria_tested
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import Settings, plain_margins, plain_names
from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import meant

#: Why a criterion has no margin.
NOT_NAMED = "none is named"
IN_UNITS = "not on the scale of rates: name one"
NO_SIGN = "no difference of two groups"


def read_margins(
    settings: Settings, roles: Roles, left_out: Mapping[str, str], wording: Wording
) -> dict[str, float]:
    """Return the margin of each criterion that has one: a single number holds for all rates.

    `left_out` has the criteria that do not apply, and why. Raises InputError for a margin that is
    not above 0 (for rates: and below 1), for a criterion that is unknown, does not apply or has no
    sign, and for a level of 0.5 or more.
    """
    margin = settings.margin
    if margin is None:
        return {}
    if settings.alpha >= 0.5:
        raise InputError(
            f"{wording.option('alpha')} {settings.alpha:g} is too high for a margin: give a level "
            "below 0.5, such as 0.05."
        )
    tested = criteria_tested(settings, left_out)
    known = [name for name in tested if not CRITERIA[name].measured]
    if not isinstance(margin, Mapping):
        rates = [name for name in known if CRITERIA[name].rates(roles)]
        counted = [name for name in known if name in plain_names(settings.criterion)]
        if counted and not {*counted} & {*rates}:
            raise InputError(
                f"{wording.option('margin')}: {shown(margin)} is of rates, and {counted[0]} has a "
                f"unit: give a margin by its name, {counted[0]}=NUMBER."
            )
        return dict.fromkeys(rates, _margin(margin, wording.option("margin"), is_rate=True))
    if not margin:
        raise InputError(
            f"{wording.option('margin')} names no criterion: give a number, such as 0.05, or one "
            f"for each of {', '.join(known)}."
        )
    margin = plain_margins(margin, wording.option("margin"))
    for name in margin:
        if name not in ALL_CRITERIA:
            raise InputError(
                f"{wording.option('margin')}: {shown(name)} is not a "
                f"criterion{meant(str(name), known)}: name one of {', '.join(known)}."
            )
        if ALL_CRITERIA[name].measured:
            raise InputError(
                f"{wording.option('margin')}: {name} is no difference of two groups, so it has no "
                f"margin: name one of {', '.join(known)}."
            )
        if name in left_out:
            raise InputError(
                f"{wording.option('margin')}: {name} does not apply ({left_out[name]}): name one "
                f"of {', '.join(known)}."
            )
    return {
        name: _margin(
            margin[name], f"{wording.option('margin')} {name}", CRITERIA[name].rates(roles)
        )
        for name in known
        if name in margin
    }


def without_margin(margins: Mapping[str, float], roles: Roles, tested: Iterable[str]) -> list[str]:
    """Note which criteria that are tested have no margin, and why."""
    reasons: dict[str, list[str]] = {}
    for criterion in (CRITERIA[name] for name in tested if name not in margins):
        why = NOT_NAMED if criterion.rates(roles) else IN_UNITS
        reasons.setdefault(NO_SIGN if criterion.measured else why, []).append(criterion.name)
    parts = [f"{', '.join(names)} ({why})" for why, names in reasons.items()]
    return [f"Without a margin: {'; '.join(parts)}."] * bool(parts)


def _margin(value: object, role: str, is_rate: bool) -> float:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < (1 if is_rate else inputs.LARGEST):  # type: ignore[operator]
        of, remedy = "", ", in its unit"
        if is_rate:
            of, remedy = " of a difference of rates", " and below 1, such as 0.05"
        raise InputError(f"{role}: {shown(value)} is no margin{of}: give a number above 0{remedy}.")
    return float(value)  # type: ignore[arg-type]  # a real number
