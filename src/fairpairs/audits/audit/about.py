"""What was audited, for `about` of an audit."""

from collections.abc import Sequence

import fairpairs
from fairpairs.audits.audit.control import Strata
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.settings import Settings
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign


def about_items(
    kinds: Record,
    attributes: Sequence[Attribute],
    settings: Settings,
    design: SamplingDesign | None,
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
        "n_permutations": int(settings.n_permutations),
        "clusters": None if design is None or design.cluster is None else design.n_clusters,
        "weights": None if design is None or design.weight is None else design.kind,
        **({} if strata is None else {"control": strata.about(list(attributes))}),
    }
