"""The verdicts on all claims of a run: results/claims.csv."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from fairpairs.base.errors import InputError, failures, shown
from fairpairs.base.plain_values import Content
from fairpairs.base.schemas import read_checked_yaml
from fairpairs.base.shipped import shipped
from fairpairs.papers.plan.claim_numbers import CannotTellError, written
from fairpairs.papers.plan.claims import Finding
from fairpairs.papers.plan.results import Results
from fairpairs.papers.plan.study_files import load_part
from fairpairs.papers.published.verdicts import FAILS, HOLDS, REDONE, UNTOLD

COLUMNS = (
    *("study", "claim", "quote", "statement", "where"),
    *("verdict", "numbers", "note", "evidence"),
)
#: Verdict → the one with choices of our own, which neither confirm nor refute the paper's.
AS_REDONE = {HOLDS: REDONE, FAILS: UNTOLD}


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper, as workflow/schemas/claims.schema.yaml describes it."""

    name: str
    statement: str
    where: str
    check: Callable[[Results], Finding]
    quote: str = ""
    redone: str = ""
    note: str = ""


def study_claims(study: str, folder: str | Path) -> list[Claim]:
    """Return the claims of a study: those of `claims.yaml`, in its order, each with its check.

    The check is the function of `claims.py` that is named as the claim, with _ for -, or as its
    `check`, with the arguments of its `with`.
    """
    file = Path(folder, "claims.yaml")
    texts = read_checked_yaml(file, shipped("workflow/schemas/claims.schema.yaml"))
    checks, claims = load_part(study, "claims", folder), []
    for name, parts in texts.items():
        called, options = parts.pop("check", name.replace("-", "_")), parts.pop("with", {})
        check = getattr(checks, called, None)
        if not callable(check):
            raise InputError(
                f"{file.with_suffix('.py')}: has no function `{called}`, which checks `{name}`: "
                "add it."
            )
        claims.append(Claim(name, check=partial(check, **options), **parts))
    return claims


def judge(claim: Claim, results: Results, file: str | Path) -> Finding:
    """Check a claim on a run; InputError names its `file` when the check fails."""
    results = replace(results, read=[])
    with failures(
        f"{file}: the check of `{claim.name}` fails",
        "correct it; `table` and `row` of fairpairs.papers.plan.claims read what a run may not "
        "have made",
    ):
        try:
            finding = claim.check(results)
        except CannotTellError as error:
            return Finding(UNTOLD, {}, tuple(dict.fromkeys(results.read)), str(error))
    if not isinstance(finding, Finding):
        raise InputError(
            f"{file}: the check of `{claim.name}` returns {shown(finding)}: return a `Finding`."
        )
    verdict, notes = finding.verdict, [claim.note]
    if claim.redone:
        verdict = AS_REDONE.get(verdict, verdict)
        notes.append(f"Redone with choices of our own: {claim.redone}.")
    evidence = tuple(dict.fromkeys(results.read))
    return Finding(verdict, finding.numbers, evidence, " ".join(filter(None, notes)))


def judge_claims(
    studies: Mapping[str, str | Path], *, config: Content, folder: str | Path = "."
) -> pd.DataFrame:
    """Return a row with `COLUMNS` for each claim on a finished run, by study → its folder.

    A claim that reads no table of this run is left out: the run is not about its paper.
    `folder` is where the workflow ran, with `results`; numbers, as "name: value", and paths of
    `evidence` are joined by "; ".
    """
    base = Path(folder)
    rows = [row for study, path in studies.items() for row in _rows(study, path, config, base)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(study: str, folder: str | Path, config: Content, base: Path) -> Iterable[dict[str, str]]:
    results = Results(study, base, config, {}, ())
    for claim in study_claims(study, folder):
        finding = judge(claim, results, Path(folder, "claims.py"))
        made = [(base / "results" / path).exists() for path in finding.evidence]
        if made and not any(made):
            continue
        yield {
            "study": study,
            "claim": claim.name,
            "quote": claim.quote,
            "statement": claim.statement,
            "where": claim.where,
            "verdict": finding.verdict,
            "numbers": "; ".join(f"{name}: {written(n)}" for name, n in finding.numbers.items()),
            "note": finding.note,
            "evidence": "; ".join(finding.evidence),
        }
