"""Samples of lm-evaluation-harness from 0.4 on (`--log_samples`); a row per document.

Columns: sample (the id of the document), target, the metrics by their names, answer, and what the
document holds. Of several choices the answer is the index of the likeliest, and of two choices
there is also a score, the log likelihood of the second less that of the first. Of several filters,
columns that differ are named with theirs, such as `exact_match (strict-match)`.
"""

from typing import Any

from fairpairs.base.errors import InputError, shown
from fairpairs.base.harnesses._rows import with_metadata
from fairpairs.base.plain_values import Record

#: Keys of a sample that are no metrics.
OTHERS = (
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
)
#: A sample.
KNOWN = (dict.fromkeys(("doc_id", "doc", "arguments"), object),)


def rows(records: list[Record], called: str) -> list[Record]:
    """Return a row per document."""
    first = records[0]
    if "filtered_resps" not in first or "target" not in first:
        raise InputError(
            f"{called}: samples of lm-evaluation-harness without `filtered_resps` and `target`, as "
            "versions before 0.4 write them: run it again with a later version."
        )
    metrics = _metrics(first)
    if not metrics:
        raise InputError(
            f"{called}: the samples have no metric, so no verdict: name one in the task's "
            "`metric_list`, and run it again."
        )
    if len({str(record.get("filter")) for record in records}) < 2:
        return [_row(record, metrics) for record in records]
    documents: dict[str, Record] = {}
    for record in records:
        row, of_filter = _row(record, metrics), f" ({record.get('filter')})"
        for name in (*metrics, "answer", "score"):
            if name in row:
                row[name + of_filter] = row.pop(name)
        whole = documents.setdefault(str(record["doc_id"]), {})
        if f"answer{of_filter}" in whole:
            raise InputError(
                f"{called}: document {shown(record['doc_id'])} has two samples of one filter: keep "
                "the samples of one run and one task."
            )
        whole.update(row)
    return list(documents.values())


def _metrics(record: Record) -> list[str]:
    named = record.get("metrics")
    names = [name for name in record if name not in OTHERS] if named is None else named
    return [name for name in names if isinstance(record.get(name), int | float)]


def _row(record: Record, metrics: list[str]) -> Record:
    row: Record = {"sample": record["doc_id"], "target": record["target"]}
    row |= {name: record.get(name) for name in metrics} | _answer(record["filtered_resps"])
    doc = record["doc"]
    return with_metadata(row, doc if isinstance(doc, dict) else {})


def _answer(responses: Any) -> Record:
    """Return the answer: a text, or the index of the likeliest choice."""
    if not isinstance(responses, list) or not responses:
        return {"answer": None}
    if not all(isinstance(one, list) and len(one) == 2 for one in responses):
        return {"answer": responses[0]}
    likelihoods = [float(one[0]) for one in responses]
    if len(likelihoods) < 2:
        return {"score": likelihoods[0]}
    row: Record = {"answer": str(likelihoods.index(max(likelihoods)))}
    if len(likelihoods) == 2:
        row["score"] = likelihoods[1] - likelihoods[0]
    return row
