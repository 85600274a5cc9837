"""The sentence of a comparison of two groups by a measure, and its short form."""

import math
from collections.abc import Mapping, Sequence

from fairpairs.audits.criteria.rows import Measure
from fairpairs.audits.lines.words import against, amount, amounts, called, difference, percents
from fairpairs.base.plain_values import TableRow


def compared_in_words(
    measure: Measure,
    names: Mapping[str, str],
    gap: tuple[float, float, float],
    values: Sequence[float],
) -> str:
    """Return how a measure of two groups differs, without a full stop.

    `names` are those of columns and groups, `values` those of both groups if they are known, and
    `gap` is their difference with its interval.
    """
    groups = names["group"], names["reference"]
    words = measure.rate.words if measure.rate else measure.words
    known = "{values}" in words
    if not words or (known and not all(map(math.isfinite, values))):
        return against(measure.name, groups, gap, share=measure.share)
    ways = ("more", "less") if measure.share else ("higher", "lower")
    text = difference(*gap, share=measure.share, words=ways)
    if known:
        texts = percents(*values) if measure.share else amounts(*values, share=False)
        form = ("{}", "-{}") if measure.signs is None else [f"{{}} {way}" for way in measure.signs]
        both = zip(values, texts, groups, strict=True)
        named = " and ".join(f"{form[x < 0].format(text)} ({group})" for x, text, group in both)
        return f"{measure.plain}: {words.format(values=named, **names)}: {text}"
    size, bracket, ends = text.partition(" (")
    return f"{measure.plain}: {words.format(gap=size, **names)}{bracket}{ends}"


def brief(words: Mapping[str, str], measure: Measure, row: TableRow) -> str:
    """Return by how much two groups differ in a measure, in short; "" without an estimate."""
    estimate, attribute = row["estimate"], row["attribute"]
    if not math.isfinite(estimate):
        return ""
    group, reference = (called(attribute, row[side]) for side in ("group", "reference"))
    names = {**words, "group": group, "reference": reference, "attribute": attribute}
    of_class = f", class {row['label_class']}" if row.get("label_class") else ""
    template = measure.brief if "label" in words else Measure.brief  # judgments have no label
    return template.format(
        **names,
        measure=f"{measure.name}{of_class}",
        size=amount(estimate, share=measure.share),
        way="higher" if estimate > 0 else "lower",
    )
