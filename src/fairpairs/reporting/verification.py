"""Is a run the one whose checksums are committed? To the byte, or else by its numbers."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairpairs import schemas
from fairpairs.errors import InputError
from fairpairs.files import write_text, written_whole
from fairpairs.reporting.checksums import describe_predictions, file_sha256, read_checksums
from fairpairs.reporting.provenance import SIDECAR

#: What a run writes, and what is committed of one.
CHECKSUMS, PREDICTIONS = "results/checksums.txt", "results/predictions.csv"
COMMITTED, NUMBERS, ORIGIN = "checksums.txt", "tables.zip", "provenance.json"
#: Numbers agree up to this share of the committed one, which has six digits.
TOLERANCE = 1e-4
#: Or up to this, about the last digit of single precision: a difference to zero is no share of it.
NEGLIGIBLE = 1e-6
#: What of a config does not change results.
WITHOUT_EFFECT = {"chunk_size", "mirrors", "missing_data"}

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_REAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Verification:
    """How the files of a run compare with the committed ones.

    Attributes
    ----------
    same
        Files that are the same to the byte.
    close
        Tables whose numbers agree within the tolerance.
    rendered
        The Markdown and LaTeX forms of those, which are not compared.
    missing
        Files that the run has not.
    different
        Files that differ, each with what differs.
    tolerance
        The tolerance.
    remarks
        What may explain a difference.
    """

    tolerance: float
    same: list[str] = field(default_factory=list)
    close: list[str] = field(default_factory=list)
    rendered: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    different: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def verified(self) -> bool:
        """Whether no file is missing or differs."""
        return not self.missing and not self.different

    def text(self) -> str:
        """Say it, with every file that is missing or differs."""
        places = (self.same, self.close, self.rendered, self.missing, self.different)
        lines = [
            "FairPairs: this run and the committed one",
            f"  the same to the byte: {len(self.same)} of {sum(map(len, places))} files",
        ]
        if self.close:
            lines.append(
                f"  the same by their numbers, within {self.tolerance:g} of each: "
                f"{len(self.close)} tables; their {len(self.rendered)} other forms (.md, .tex) are "
                "not compared"
            )
        lines += [f"  MISSING: {path}" for path in self.missing]
        lines += [f"  DIFFERS: {path}: {what}" for path, what in self.different.items()]
        if self.close or not self.verified:
            lines += [f"  note: {remark}" for remark in self.remarks]
        if not self.verified:
            lines.append("  NOT REPRODUCED: see above")
        elif self.close:
            lines.append("  REPRODUCED by numbers, not to the byte")
        else:
            lines.append("  REPRODUCED to the byte, by SHA-256")
        return "\n".join(lines)


def verify(
    folder: str | Path, committed: str | Path, *, tolerance: float = TOLERANCE
) -> Verification:
    """Compare a finished run with the committed checksums, else with the committed numbers.

    The SHA-256 of every file is computed anew, and that of the predictions from their Parquet
    files. Where the one of a table differs, its numbers are compared with the committed ones, which
    other versions or another processor may change in the last digits.

    Parameters
    ----------
    folder
        The folder of the run, which has `results/`.
    committed
        The folder with `checksums.txt` and `tables.zip` (see `keep`).
    tolerance
        How far a number may be from the committed one, as a share of it.

    Raises
    ------
    InputError
        When there are no results, or nothing is committed.
    """
    folder, committed = Path(folder), Path(committed)
    for name in (COMMITTED, NUMBERS):
        if not (committed / name).exists():
            raise InputError(
                f"{committed / name}: there is none, so nothing to compare with: restore it from "
                "git, or make it from a run that you trust by `make checksums`."
            )
    expected = read_checksums(committed / COMMITTED)
    if not any((folder / path).exists() for path in expected):
        raise InputError(
            f"{folder / 'results'}: no table of a run is there: make them by `make reproduce`."
        )
    found = Verification(tolerance)
    if PREDICTIONS in expected:
        _check_predictions(folder, found)
    others = []
    for path, digest in expected.items():
        if not (folder / path).exists():
            found.missing.append(path)
        elif file_sha256(folder / path) != digest:
            others.append(path)
        elif path not in found.different:
            found.same.append(path)
    with zipfile.ZipFile(committed / NUMBERS) as kept:
        _compare_numbers(folder, kept, others, found)
        if _sidecar(folder).exists():
            origin = json.loads(kept.read(ORIGIN))
            found.remarks.extend(_remarks(folder, committed, origin))
    return found


def keep(folder: str | Path, committed: str | Path) -> None:
    """Make a run the one that others are compared with.

    Its checksums are copied to `checksums.txt`. The numbers of its CSV tables go to `tables.zip`
    with six significant digits, and with them the sidecar of its predictions, as `provenance.json`.

    Raises
    ------
    InputError
        When the run is not finished, or a file of it has changed since.
    """
    folder, committed = Path(folder), Path(committed)
    for needed in (folder / CHECKSUMS, _sidecar(folder)):
        if not needed.exists():
            raise InputError(f"{needed}: there is none: finish the run by `make reproduce` first.")
    checksums = read_checksums(folder / CHECKSUMS)
    for path, digest in checksums.items():
        if not (folder / path).exists() or file_sha256(folder / path) != digest:
            raise InputError(
                f"{folder / path}: it is not what {CHECKSUMS} says: finish the run by "
                "`make reproduce` first."
            )
    members = {
        path: _six_digits((folder / path).read_text("utf-8"))
        for path in checksums
        if Path(path).suffix == ".csv"
    }
    members[ORIGIN] = _sidecar(folder).read_text("utf-8")
    with written_whole(committed / NUMBERS) as temporary, zipfile.ZipFile(temporary, "w") as kept:
        for path, text in members.items():
            entry = zipfile.ZipInfo(path)  # of 1980, so that the same tables give the same bytes
            kept.writestr(entry, text, zipfile.ZIP_DEFLATED, compresslevel=9)
    write_text(committed / COMMITTED, (folder / CHECKSUMS).read_text("utf-8"))


def differing_cells(ours: str, committed: str, *, tolerance: float = TOLERANCE) -> list[str]:
    """Compare two tables cell by cell, numbers inside of words too.

    Parameters
    ----------
    ours, committed
        The tables as CSV. A column `sha256` is left out.
    tolerance
        How far a number may be from the committed one, as a share of it.

    Returns
    -------
    list of str
        What differs: a sentence a cell, or one on the shape.
    """
    rows, kept = (list(csv.reader(io.StringIO(text))) for text in (ours, committed))
    if rows[:1] != kept[:1] or list(map(len, rows)) != list(map(len, kept)):
        return [
            f"{len(rows)} lines where {len(kept)} are committed, or other columns: the cells are "
            "not compared"
        ]
    return [
        f"line {line}, `{column}`: {cell} where {kept_cell} is committed"
        for line, pair in enumerate(zip(rows, kept, strict=True), 1)
        for column, cell, kept_cell in zip(kept[0], *pair, strict=True)
        if column != "sha256" and not _agree(cell, kept_cell, tolerance)
    ]


def _agree(ours: str, committed: str, tolerance: float) -> bool:
    """Return whether the words of two cells are the same, and their numbers nearly."""
    if ours == committed:
        return True
    pieces, kept = _NUMBER.split(ours), _NUMBER.split(committed)
    return pieces[::2] == kept[::2] and all(
        abs(a - b) <= max(NEGLIGIBLE, tolerance * abs(b))
        for a, b in zip(map(float, pieces[1::2]), map(float, kept[1::2]), strict=True)
    )


def _compare_numbers(
    folder: Path, kept: zipfile.ZipFile, paths: Sequence[str], found: Verification
) -> None:
    """Compare tables of other bytes with the committed numbers, and sort all forms of them in."""
    for path in paths:
        if Path(path).suffix != ".csv" or path in found.different:
            continue
        ours = (folder / path).read_text("utf-8", errors="replace")
        differing = differing_cells(ours, kept.read(path).decode(), tolerance=found.tolerance)
        if differing:
            more = f" (and {len(differing) - 1} other cells)" * (len(differing) > 1)
            found.different[path] = differing[0] + more
        else:
            found.close.append(path)
    for path in paths:
        if Path(path).suffix != ".csv":
            if Path(path).with_suffix(".csv").as_posix() in found.close:
                found.rendered.append(path)
            else:
                found.different[path] = "other bytes"


def _check_predictions(folder: Path, found: Verification) -> None:
    """Check that their CSV describes the predictions, in the files that its sidecar names."""
    sidecar, path = _sidecar(folder), folder / PREDICTIONS
    if not sidecar.exists() or not path.exists():
        found.missing.extend([_name(sidecar, folder)] * (not sidecar.exists()))
        return
    files = [name for name in _read_json(sidecar)["inputs"] if name.endswith(".parquet")]
    gone = [name for name in files if not (folder / name).exists()]
    if gone:
        found.missing.extend(gone)
        return
    try:
        text = describe_predictions(files, folder=folder).to_csv(index=False)
    except (OSError, ValueError) as error:  # what pyarrow raises at a damaged file
        found.different[PREDICTIONS] = f"the predictions cannot be read ({error})"
        return
    if text != path.read_text("utf-8", errors="replace"):
        found.different[PREDICTIONS] = "it does not describe the predictions that are there"


def _sidecar(folder: Path) -> Path:
    return folder / PREDICTIONS.replace(".csv", SIDECAR)


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _read_json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def _remarks(folder: Path, committed: Path, theirs: Mapping[str, Any]) -> list[str]:
    """Say what of this run is not as of the committed one."""
    ours = _read_json(_sidecar(folder))
    config = schemas.read_yaml(committed / "config.yaml")
    keys = sorted({*config, *ours["config"]} - WITHOUT_EFFECT)
    changed = [key for key in keys if config.get(key) != ours["config"].get(key)]
    versions = [
        f"{name} {version} ({theirs['versions'].get(name)})"
        for name, version in ours["versions"].items()
        if version != theirs["versions"].get(name)
    ]
    remarks = {
        "the run had another config": ", ".join(changed),
        "the run had other raw data": ", ".join(
            name
            for name in sorted({*ours["data"], *theirs["data"]})
            if ours["data"].get(name) != theirs["data"].get(name)
        ),
        "the run had other versions (the committed one's in brackets)": ", ".join(versions),
    }
    return [f"{what}: {which}" for what, which in remarks.items() if which]


def _six_digits(text: str) -> str:
    """Return a CSV with its real numbers rounded to six significant digits."""
    rows = csv.reader(io.StringIO(text))
    rounded = io.StringIO()
    csv.writer(rounded, lineterminator="\n").writerows(
        [f"{float(cell):.6g}" if _REAL.fullmatch(cell) else cell for cell in row] for row in rows
    )
    return rounded.getvalue()
