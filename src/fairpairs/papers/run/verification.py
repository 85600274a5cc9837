"""Whether a run agrees with the committed one: to the byte, or by numbers."""

import csv
import io
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from fairpairs.base.errors import InputError, failures, shortened
from fairpairs.base.files import file_sha256, write_text, written_whole
from fairpairs.base.plain_values import Content, Record, TableRow
from fairpairs.base.sealed import SIDECAR, checked_digest
from fairpairs.papers.run.checksums import describe_predictions, read_checksums

#: Numbers agree up to this share of the committed one, which has six digits.
TOLERANCE = 1e-4
#: Or up to this, about the last digit of single precision: a difference to zero is no share of it.
NEGLIGIBLE = 1e-6

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")


class Difference(NamedTuple):
    """A difference, and its multiple of what is allowed (inf for words)."""

    path: str
    what: str
    excess: float = math.inf

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def differing_cells(
    path: str, ours: str, committed: str, *, tolerance: float = TOLERANCE
) -> list[Difference]:
    """Compare two tables, as CSV, cell by cell, numbers inside of words too.

    A number may be off by the `tolerance` as a share of the committed one; a column `sha256` is
    left out. There is one Difference for each cell, or one for the shape.
    """
    try:
        rows, kept = (list(csv.reader(io.StringIO(text))) for text in (ours, committed))
    except csv.Error as error:
        return [Difference(path, f"it is no CSV table ({error})")]
    if rows[:1] != kept[:1] or list(map(len, rows)) != list(map(len, kept)):
        what = f"{len(rows)} lines where {len(kept)} are committed, or other columns: the cells "
        return [Difference(path, f"{what}are not compared")]
    differences = []
    for line, (row, theirs) in enumerate(zip(rows[1:], kept[1:], strict=True), 2):
        committed_row = dict(zip(kept[0], theirs, strict=True))
        for column, cell in zip(kept[0], row, strict=True):
            excess = 0.0 if column == "sha256" else _excess(cell, committed_row[column], tolerance)
            if excess > 1:
                what = _cell(line, column, cell, committed_row)
                differences.append(Difference(path, what, excess))
    return differences


def _cell(line: int, column: str, ours: str, committed: TableRow) -> str:
    """Say that a cell differs."""
    named = [committed[name] for name in ("row", "column") if name in committed]
    cell = f" ({'; '.join(named)})" * bool(named)
    theirs = committed[column] or "nothing"
    return f"line {line}{cell}, `{column}`: {ours or 'nothing'} where {theirs} is committed"


def _excess(ours: str, theirs: str, tolerance: float) -> float:
    """Return the largest difference as a multiple of the tolerance; inf if words differ."""
    if ours == theirs:
        return 0.0
    pieces, kept = _NUMBER.split(ours), _NUMBER.split(theirs)
    if pieces[::2] != kept[::2]:
        return math.inf
    numbers = zip(map(float, pieces[1::2]), map(float, kept[1::2]), strict=True)
    return max(abs(a - b) / max(NEGLIGIBLE, tolerance * abs(b)) for a, b in numbers)


#: Files of a run, and the committed ones.
CHECKSUMS, PREDICTIONS = "results/checksums.txt", "results/predictions.csv"
RUN = f"results/predictions{SIDECAR}"
COMMITTED, NUMBERS, ORIGIN = "checksums.txt", "tables.zip", "provenance.json"
#: Keys of a config that do not change results.
WITHOUT_EFFECT = {"chunk_size", "mirrors", "missing_data"}
#: Remark on numbers that changed although the origins of both runs are the same.
UNEXPLAINED = (
    "config, versions and kernels are those of the committed run: the code changed, or a library "
    "depends on the processor"
)
#: Number of differences that are shown one by one.
SHOWN = 20

_REAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")
_ANEW = "delete it and make it anew by `make reproduce`, or restore it"


class Answer(Enum):
    """Whether a run is reproduced, and how closely."""

    BYTES = "REPRODUCED to the byte, by SHA-256"
    NUMBERS = "REPRODUCED by numbers, not to the byte"
    DIFFERS = "DIFFERS: NOT REPRODUCED, see above"


@dataclass(frozen=True)
class Verification:
    """How the files of a run compare with the committed ones."""

    #: How far a number may be from the committed one, as a share of it.
    tolerance: float
    #: Files that are the same to the byte.
    same: list[str] = field(default_factory=list)
    #: Tables whose numbers agree within the tolerance.
    close: list[str] = field(default_factory=list)
    #: Tables with numbers beyond it.
    moved: list[str] = field(default_factory=list)
    #: The Markdown and LaTeX forms of both, which are not compared.
    rendered: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    #: Worst first.
    differences: list[Difference] = field(default_factory=list)
    #: What may explain a difference.
    remarks: list[str] = field(default_factory=list)

    @property
    def answer(self) -> Answer:
        """How closely the run is reproduced."""
        if self.missing or self.differences:
            return Answer.DIFFERS
        return Answer.NUMBERS if self.close else Answer.BYTES

    @property
    def verified(self) -> bool:
        """Whether the run is reproduced."""
        return self.answer is not Answer.DIFFERS

    @property
    def different(self) -> dict[str, str]:
        """The worst difference of each file that differs."""
        return {d.path: d.what for d in reversed(self.differences)}

    def text(self) -> str:
        """Return the report: counts, what is missing or differs, worst first, and the answer."""
        compared = (self.same, self.close, self.moved, self.rendered, self.missing)
        others = {d.path for d in self.differences}.difference(*compared)
        lines = [
            "FairPairs: this run and the committed one",
            f"  the same to the byte: {len(self.same)} of "
            f"{sum(map(len, compared)) + len(others)} files",
        ]
        if self.close:
            lines.append(
                f"  the same by their numbers, within {self.tolerance:g} of each: "
                f"{len(self.close)} tables"
            )
        if self.moved:
            lines.append(f"  other numbers: {len(self.moved)} tables")
        if self.rendered:
            lines.append(f"  not compared: {len(self.rendered)} other forms of these (.md, .tex)")
        # a table that is missing is named once, not in all its forms
        named = [
            path
            for path in self.missing
            if path.endswith(".csv")
            or Path(path).with_suffix(".csv").as_posix() not in self.missing
        ]
        lines += [f"  MISSING: {path}" for path in named]
        if forms_only := len(self.missing) - len(named):
            lines.append(f"  MISSING: {forms_only} other forms of these (.md, .tex)")
        if self.missing:
            lines.append("  note: `make reproduce` makes what is missing")
        lines += [f"  DIFFERS: {difference}" for difference in self.differences[:SHOWN]]
        more = Counter(difference.path for difference in self.differences[SHOWN:])
        lines += [f"  DIFFERS: {path}: {number} more cells" for path, number in more.items()]
        if self.answer is not Answer.BYTES:
            lines += [f"  note: {remark}" for remark in self.remarks]
        return "\n".join([*lines, f"  {self.answer.value}"])


def verify(
    folder: str | Path,
    committed: str | Path,
    *,
    tolerance: float = TOLERANCE,
    only: str | None = None,
) -> Verification:
    """Compare a finished run with the committed checksums, else with the committed numbers.

    The SHA-256 of every file is computed anew, and that of the predictions from their Parquet
    files. Where the one of a table differs, its numbers are compared with the committed ones, which
    other versions or another processor may change in the last digits.

    `only` names a paper whose tables alone are compared, as the target of this name makes them.
    """
    folder, committed = Path(folder), Path(committed)
    if not 0 <= tolerance < math.inf:
        raise InputError(f"The tolerance must be 0 or a positive number; it is {tolerance}.")
    for name in (COMMITTED, NUMBERS):
        if not (committed / name).is_file():
            raise InputError(
                f"{committed / name}: there is none, so nothing to compare with: restore it from "
                "git, or make it from a run that you trust by `make checksums`."
            )
    expected = read_checksums(committed / COMMITTED)
    kept = _read_numbers(committed / NUMBERS, expected)
    if only is not None:
        papers = {path.split("/")[2] for path in expected if path.count("/") > 2}
        if only not in papers:
            known = ", ".join(sorted(papers))
            raise InputError(f"no table of `{only}` is committed: name one of {known}.")
        place = f"results/tables/{only}/"
        expected = {path: sha256 for path, sha256 in expected.items() if path.startswith(place)}
    if not any((folder / path).exists() for path in expected):
        raise InputError(
            f"{folder / 'results'}: no table of a run is there: make them by `make reproduce`."
        )
    verification = Verification(tolerance)
    if PREDICTIONS in expected:
        _check_predictions(folder, verification)
    others = []
    for path, digest in expected.items():
        if not (folder / path).is_file():
            verification.missing.append(path)
        elif file_sha256(folder / path) != digest:
            others.append(path)
        elif path not in verification.different:
            verification.same.append(path)
    if only is None and (folder / CHECKSUMS).exists():
        added = read_checksums(folder / CHECKSUMS).keys() - expected.keys()
        unexpected = [Difference(path, "none is committed") for path in sorted(added)]
        verification.differences.extend(unexpected)
    origin = _origin(kept[ORIGIN], f"{committed / NUMBERS}, {ORIGIN}")
    ours = _read_origin(folder / RUN) if (folder / RUN).exists() else origin
    _compare_numbers(folder, kept, others, verification)
    _compare_origins(ours, origin, verification)
    return verification


def keep(folder: str | Path, committed: str | Path) -> None:
    """Make a run the one that others are compared with; InputError if it is not finished.

    Its checksums are copied to `checksums.txt`. The numbers of its CSV tables go to `tables.zip`
    with six significant digits, and with them the sidecar of its predictions, as `provenance.json`.
    """
    folder, committed = Path(folder), Path(committed)
    for needed in (folder / CHECKSUMS, folder / RUN):
        if not needed.is_file():
            raise InputError(f"{needed}: there is none: finish the run by `make reproduce` first.")
    checksums = read_checksums(folder / CHECKSUMS)
    for path, digest in checksums.items():
        if not (folder / path).is_file() or file_sha256(folder / path) != digest:
            raise InputError(
                f"{folder / path}: it is not what {CHECKSUMS} says: finish the run by "
                "`make reproduce` first."
            )
    members = {
        path: _six_digits((folder / path).read_text("utf-8"))
        for path in checksums
        if Path(path).suffix == ".csv"
    }
    members[ORIGIN] = (folder / RUN).read_text("utf-8")
    with written_whole(committed / NUMBERS) as temporary, zipfile.ZipFile(temporary, "w") as kept:
        for path, text in members.items():
            # dated 1980, so that the same tables give the same bytes
            entry = zipfile.ZipInfo(path)
            kept.writestr(entry, text, zipfile.ZIP_DEFLATED, compresslevel=9)
        kept.comment = file_sha256(folder / CHECKSUMS).encode()
    write_text(committed / COMMITTED, (folder / CHECKSUMS).read_text("utf-8"))


def _compare_numbers(
    folder: Path, kept: Mapping[str, str], paths: Sequence[str], verification: Verification
) -> None:
    """Compare tables of other bytes with the committed numbers, and sort all forms of them in."""
    others, known = [], verification.different
    for path in paths:
        table = Path(path).with_suffix(".csv").as_posix()
        if path != table and table in paths:
            verification.rendered.append(path)
        elif path != table:
            others.append(Difference(path, "other bytes"))
        elif path not in known:
            ours = (folder / path).read_text("utf-8", errors="replace")
            moved = differing_cells(path, ours, kept[path], tolerance=verification.tolerance)
            (verification.moved if moved else verification.close).append(path)
            verification.differences.extend(moved)
    verification.differences.sort(key=lambda difference: -difference.excess)
    verification.differences.extend(others)


def _compare_origins(ours: Content, theirs: Content, verification: Verification) -> None:
    """Compare the origins of two runs: other data or another config are a difference."""
    configs = ours["config"], theirs["config"]
    changed = sorted(_changed(*configs).keys() - WITHOUT_EFFECT)
    data = ", ".join(_changed(ours["data"], theirs["data"]))
    if data:
        verification.differences.insert(0, Difference(RUN, f"other raw data: {data}"))
    if verification.moved and changed:
        what = f"another config: {', '.join(changed)}"
        verification.differences.insert(0, Difference(RUN, what))
    remarks = {
        "another config": ", ".join(changed),
        "other versions": _in_words(_changed(ours["versions"], theirs["versions"])),
        "other CPU kernels": _in_words(_changed(ours["kernels"], theirs["kernels"])),
    }
    verification.remarks.extend(
        f"the run had {what} (the committed one's in brackets): {which}"
        if "(" in which
        else f"the run had {what}: {which}"
        for what, which in remarks.items()
        if which
    )
    if verification.moved and ours is not theirs and not data and not any(remarks.values()):
        verification.remarks.append(UNEXPLAINED)


def _changed(ours: Content, theirs: Content) -> dict[str, tuple[Any, Any]]:
    """Return both values of each name whose values differ."""
    both = {name: (ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs})}
    return {name: (value, other) for name, (value, other) in both.items() if value != other}


def _in_words(changed: Mapping[str, tuple[Any, Any]]) -> str:
    stated = {n: ["not stated" if v is None else v for v in both] for n, both in changed.items()}
    return ", ".join(f"{name} {own} ({other})" for name, (own, other) in stated.items())


def _check_predictions(folder: Path, verification: Verification) -> None:
    """Check that their CSV describes the predictions, in the files that its sidecar names."""
    sidecar, path = folder / RUN, folder / PREDICTIONS
    if not sidecar.is_file() or not path.is_file():
        verification.missing.extend([RUN] * (not sidecar.is_file()))
        return
    files = [name for name in _read_origin(sidecar)["inputs"] if name.endswith(".parquet")]
    gone = [name for name in files if not (folder / name).is_file()]
    if gone:
        verification.missing.extend(gone)
        return
    try:
        text = describe_predictions(files, folder=folder).to_csv(index=False)
    # pyarrow raises these for a damaged file, and numpy for a column of another kind
    except (OSError, ValueError, TypeError, LookupError, NotImplementedError) as error:
        what = f"the predictions cannot be read ({shortened(error)})"
        verification.differences.append(Difference(PREDICTIONS, what))
        return
    if text != path.read_text("utf-8", errors="replace"):
        what = "it does not describe the predictions that are there"
        verification.differences.append(Difference(PREDICTIONS, what))


def _read_numbers(path: Path, expected: Iterable[str]) -> dict[str, str]:
    """Read all members of the archive of the committed tables."""
    with failures(f"{path}: it is damaged", "restore it from git"), zipfile.ZipFile(path) as kept:
        texts = {name: kept.read(name).decode() for name in kept.namelist()}
        checksums = kept.comment[:64].decode()
    if checksums and checksums != file_sha256(path.with_name(COMMITTED)):
        raise InputError(
            f"{path.with_name(COMMITTED)}: it is damaged, or not of {NUMBERS} beside it: restore "
            "both from git."
        )
    tables = {name for name in expected if Path(name).suffix == ".csv"}
    for name in sorted({ORIGIN, *tables} - texts.keys()):
        raise InputError(
            f"{path}: it has no {name}: restore it and {COMMITTED} from git, or make both from a "
            "run that you trust by `make checksums`."
        )
    return texts


def _read_origin(path: Path) -> Record:
    with failures(f"{path}: it cannot be read", _ANEW):
        checked_digest(path)
        text = path.read_text("utf-8")
    return _origin(text, str(path))


def _origin(text: str, name: str) -> Record:
    """Return the origin of a run; InputError if the sidecar lacks a part of it."""
    with failures(f"{name}: it is not the origin of a run", _ANEW):
        content: Record = json.loads(text)
        return {key: content[key] for key in ("inputs", "config", "data", "versions", "kernels")}


def _six_digits(text: str) -> str:
    """Return a CSV with its real numbers rounded to six significant digits."""
    rows = csv.reader(io.StringIO(text))
    rounded = io.StringIO()
    csv.writer(rounded, lineterminator="\n").writerows(
        [f"{float(cell):.6g}" if _REAL.fullmatch(cell) else cell for cell in row] for row in rows
    )
    return rounded.getvalue()
