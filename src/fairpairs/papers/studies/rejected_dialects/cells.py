"""The tables of the paper (research questions 1 to 3), from the results of a run."""

from collections.abc import Callable

from fairpairs.papers.published.cells import Cell, Cells, by, reproduced, values_of
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import MARK, Key

#: A p-value below it, after Holm over the models, has an asterisk.
LEVEL = 0.05
#: What identifies an effect.
KEYS = ("model", "quantity")


def effects_table(data: SourceData) -> Callable[[Key], Cell | None]:
    """Reproduce a table from what `effects.measure_effects` returned."""
    rows = by(data.results, *KEYS) if data.results is not None else {}

    def cell(key: Key) -> Cell | None:
        row = rows.get(values_of(key, KEYS))
        if row is None:
            return None
        return reproduced(row["estimate"], mark=MARK * (row["pvalue_holm"] < LEVEL))

    return cell


CELLS: Cells = {f"table_{number}": effects_table for number in (1, 2, 3)}
