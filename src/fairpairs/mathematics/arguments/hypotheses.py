"""Names of the hypotheses on each two groups."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from fairpairs.base import inputs


def group_pair_hypotheses(groups: Sequence[Any], templates: Sequence[str]) -> tuple[str, ...]:
    """Name the hypotheses of each two groups a before b, by templates that hold {a} and {b}."""
    names = [inputs.group_name(group) for group in groups]
    return tuple(
        template.format(a=a, b=b) for a, b in combinations(names, 2) for template in templates
    )
