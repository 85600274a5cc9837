"""The tables of the paper (research questions 1 to 3), from the results of a run."""

from fairpairs.base.plain_values import TableRow
from fairpairs.papers.published.cells import Cell, Cells, Filled, looked_up, reproduced
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import MARK, Key

#: A p-value below it, after Holm over the models, has an asterisk.
LEVEL = 0.05
#: What identifies an effect.
KEYS = ("model", "quantity")


def effects_table(data: SourceData) -> Filled:
    """Reproduce a table from what `measures.measure_effects` returned."""

    def cell(row: TableRow, key: Key) -> Cell:
        return reproduced(row["estimate"], mark=MARK * (row["pvalue_holm"] < LEVEL))

    return looked_up(data.results, KEYS, cell)


CELLS: Cells = {f"table_{number}": effects_table for number in (1, 2, 3)}
