"""What was audited, for about of an audit, and notes on how it was sampled."""

from collections.abc import Sequence

import numpy as np

import fairpairs
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.settings import Settings
from fairpairs.audits.items.strata import Strata
from fairpairs.base.arrays import Integers
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed
from fairpairs.base.words import names_to_check
from fairpairs.mathematics.arguments.design import SamplingDesign

#: Share of the rows that weights leave, below which a note says so.
FEW_EFFECTIVE = 0.5
#: What counts once.
CLUSTERS = "Each cluster counts once, whatever its number of rows."
ROWS = (
    "Each row counts once, so a large cluster weighs more than a small one; with the weight kind "
    "`cluster`, each cluster counts once."
)


def about_items(
    kinds: Record,
    attributes: Sequence[Attribute],
    settings: Settings,
    design: SamplingDesign,
    strata: Strata | None = None,
) -> Record:
    """Return what was audited; `kinds` are those of label, prediction and score."""
    return {
        "version": fairpairs.__version__,
        "items": int(attributes[0].sizes.sum()),
        **kinds,
        "attributes": {
            attribute.name: {
                "groups": dict(zip(attribute.names, attribute.sizes.tolist(), strict=True)),
                "reference": attribute.names[attribute.reference],
                "each_two": bool(attribute.compared),
            }
            for attribute in attributes
        },
        "smallest": int(settings.smallest),
        "favourable": None,
        "alpha": float(settings.alpha),
        "correction": settings.correction,
        "threshold": None if settings.threshold is None else float(settings.threshold),
        "n_permutations": int(settings.permutations),
        "clusters": None if design.cluster is None else design.n_clusters,
        "weights": None if design.independent or design.weight is None else design.kind,
        **({} if strata is None else {"control": strata.about(list(attributes))}),
    }


def checks_on_values(
    checks: Sequence[str], attributes: Sequence[Attribute], roles: Roles | None, label: str = ""
) -> list[str]:
    """Return checks with those of the names of groups, and of a label of more than two values."""
    texts = [*checks, *(names_to_check(one.name, one.names) for one in attributes)]
    if roles is not None and roles.rest:
        number, others = len(roles.rest) + 1, listed(roles.rest)
        texts.append(f"{label} has {number} values: {others} count as not {roles.positive}.")
    return [text for text in dict.fromkeys(texts) if text]


def notes_on_design(design: SamplingDesign, attributes: Sequence[Attribute]) -> list[str]:
    """Return the notes on clusters with rows of several groups, and on unequal weights."""
    texts: list[str] = []
    if design.independent:
        return texts
    several = {one.name: clusters_of_several(one.group, design) for one in attributes}
    if counts := [f"{count:,} of {name}" for name, count in several.items() if count]:
        texts.append(
            f"Clusters with rows of several groups: {', '.join(counts)}. The covariance that they "
            f"bring is kept. {CLUSTERS if design.kind == 'cluster' else ROWS}"
        )
    if design.weight is not None:  # rows of equal weight that they are worth (Kish)
        effective = float(design.weight.sum() ** 2 / (design.weight @ design.weight))
        if effective < FEW_EFFECTIVE * design.n_items:
            texts.append(
                f"The weights leave {effective:,.0f} effective rows of {design.n_items:,}."
            )
    return texts


def clusters_of_several(group: Integers, design: SamplingDesign) -> int:
    """Return how many clusters have items of several groups, with weights above 0."""
    if design.cluster is None:
        return 0
    cluster = design.cluster
    if design.weight is not None:
        counted = design.weight > 0
        cluster, group = cluster[counted], group[counted]
    cluster_group = np.zeros(design.n_clusters, dtype=group.dtype)
    cluster_group[cluster] = group  # that of any of its items
    other = cluster[group != cluster_group[cluster]]
    return int(np.count_nonzero(np.bincount(other)))
