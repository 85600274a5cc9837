"""The commands of the matrix of readings: what each reads, in which role, and what it returns."""

import itertools
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.bridge.compare import compare as compare_by_bridges
from fairpairs.audits.bridge.read import read_decisions
from fairpairs.audits.choose.choose import choose_in_file
from fairpairs.audits.compare.read import compare_files
from fairpairs.audits.counting import rows as rows_module
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.items import files
from tests.audits.reading_matrix import CHANCE, COUNT, DECISION, ID, NAME, NUMBER, SIDE

N = 240


@cache
def codes() -> dict[str, np.ndarray]:
    """The rows, by column: small whole numbers, which types and styles write in their own way."""
    rng = np.random.default_rng(0)
    y, row = rng.integers(0, 2, N), np.arange(N)
    s, r = (np.clip(24 + 12 * y + 10 * rng.normal(size=N), 0, 59).astype(int) for _ in "sr")
    i, j = np.array([rng.choice(80, 2, replace=False) for _ in row]).T
    group = (rng.permutation(N // 4) % 2)[row // 4]
    return {
        "id": row, "y": y, "p": (s > 30).astype(int), "q": (r > 30).astype(int), "few": y,
        "judge": np.where(rng.random(N) < 0.85, y, 1 - y), "s": s, "r": r,
        "t": s + rng.integers(0, 3, N), "n": rng.integers(1, 4, N), "g": group,
        "h": rng.integers(0, 2, N), "c": rng.integers(0, 3, N), "k": row // 4,
        "z": rng.integers(0, 60, N), "y3": np.digitize(s, [25, 35]), "p3": np.digitize(r, [25, 35]),
        "chance": np.full(N, 5), "i": i, "j": j,
        "best": np.where(rng.random(N) < 0.7, i, j),
        "better": rng.choice([1, 1, -1], N), "some": rng.choice([1, 1, -1], N), "pair": row // 2,
        "version": row % 2, "si": s[i], "sj": s[j], "gi": group[i], "gj": group[j],
    }  # fmt: skip


#: Columns of which every second value is missing.
IN_PART = ("few", "some")


class Role(NamedTuple):
    """What a role holds, and the options that name one of its values, by its code."""

    kind: str
    options: Mapping[str, int] = MappingProxyType({})
    #: Whether a missing value is a value of its own, and whether texts are names.
    missing: bool = False
    names: bool = False


class Command(NamedTuple):
    """What runs, the columns of its table, and its roles, of one column or of several."""

    run: Callable[..., Any]
    columns: str
    roles: dict[str, Role]
    #: Whether it reads files alone.
    files: bool = False
    #: The columns of another file that it reads, by the name there, and whether its rows are moved.
    other: dict[str, str] | None = None
    moved: bool = False
    #: Each role has one of so many classes of values, as it takes long.
    thinned: int = 8


def beside(columns: str, **changed: str) -> dict[str, str]:
    """Return the columns of another file, of which some have other values."""
    return {name: changed.get(name, name) for name in columns.split()}


WITHOUT = ("file", "files", "sha256", "source", "answer", "plan", "state")


def plain(value: Any) -> Any:
    """Return a result without the names of files, their digests, and how numbers were read."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in WITHOUT}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value if not (isinstance(one, str) and "is read as" in one)]
    if isinstance(value, pd.DataFrame):
        return plain(value.to_dict("list"))
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def audit(data: Any, _: Any, *, counted: bool = False, **options: Any) -> Any:
    """Audit in memory, or as if there were more rows than memory holds."""
    if options.get("reference"):
        options["reference"] = {options["sensitive_features"]: options["reference"]}
    with pytest.MonkeyPatch.context() as patch:
        if counted:
            patch.setattr(rows_module, "SMALL_FILE", 0)
            patch.setattr(files, "MOST_ITEMS", 0)
        return fp.audit(data=data, **options).to_dict()


def audit_groups(data: Any, _: Any, *, counted: bool = False, **options: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if counted:
            patch.setattr(rows_module, "SMALL_FILE", 0)
        return fp.audit_groups(data=data, **options).to_dict()


def count(data: Path, _: Any, *, of_counts: dict[str, Any] | None = None, **options: Any) -> Any:
    """Count a file, and audit the counts."""
    of_counts = (of_counts or {}) | {"positive": options.pop("positive", None)}
    counts = data.with_name("rows.counts")
    count_files([data], counts, **options)
    return audit_file(counts, **of_counts).to_dict()


def table(data: Any, _: Any, **options: Any) -> Any:
    if options.get("unknown"):
        options["unknown"] = [options["unknown"]]
    found = fp.table(data=data, form="four-fifths", **options)
    unknown = [part.unknown for part in found.parts]
    return {"table": found.to_frame(), "unknown": unknown, "median": found.median}


def power(data: Any, _: Any, **options: Any) -> Any:
    return fp.power(data=data, **options).to_dict()


def compare(data: Path, other: Path, **options: Any) -> Any:
    return compare_files(data, other, item="id", sensitive=["g"], **options).to_dict()


def audit_judgments(data: Any, other: Any, **options: Any) -> Any:
    return fp.audit_judgments(data, other, **options).to_dict()


STATES = itertools.count()


def monitor(data: Any, other: Path, *, first: bool = False, **options: Any) -> Any:
    """Append two batches to a state, of which one is plain."""
    state = other.with_name(f"{next(STATES)}.state")
    batches = (data, other) if first else (other, data)
    fp.monitor(state, batches[0], **options)
    return fp.monitor(state, batches[1], again=True).to_dict()


def choose(data: Path, _: Any, **options: Any) -> Any:
    choice, rows, _ = choose_in_file(data, 40, options)
    return {"cells": choice.cells, "chosen": choice.chosen, "chance": rows["chance"].tolist()}


def bridge(data: Path, other: Path, *, first: bool = False, **options: Any) -> Any:
    files = (data, other) if first else (other, data)
    decisions = read_decisions(*files, decision_2=None, group="g", drop=[], folds=2, **options)
    found = compare_by_bridges(decisions, errors="fitting", folds=2, seed=0, alpha=0.05)
    kinds = [{name: str(values.dtype) for name, values in x.items()} for x in decisions.features]
    return {"table": found.to_frame(), "kinds": kinds}


DECIDED = {"y_true": "y", "y_pred": "p", "sensitive_features": "g"}
IN_SHELL = {"label": "y", "prediction": "p", "sensitive": ["g"]}
CHEAP = {"y_true": "few", "cheap_label": "judge", "y_pred": "p", "sensitive_features": "g"}
ALSO_CHEAP = {"label": "few", "cheap_label": "judge", "prediction": "p", "sensitive": ["g"]}
OF_DECISIONS = {
    "y": Role(DECISION), "p": Role(DECISION), "y p": Role(DECISION, {"positive": 1}),
    "g": Role(NAME),
}  # fmt: skip
SCORE, MISSING = {"s": Role(NUMBER)}, {"g": Role(NAME, missing=True)}
THRESHOLD = {"s": Role(NUMBER, {"threshold": 31})}
OF_NUMBERS = {"t": Role(NUMBER), "r": Role(NUMBER)}
OF_CLASSES = {"y3 p3": Role(NAME)}
OF_CHEAP = {"few": Role(DECISION), "judge": Role(DECISION), "few judge p": Role(DECISION)}


def of_rows(run: Callable[..., Any], name: str, **counted: Any) -> dict[str, Command]:
    """The commands of rows in memory, or by counts."""
    real = {"y_true": "t", "y_pred": "r", "sensitive_features": "g"}
    return {
        name: Command(partial(run, **DECIDED, **counted), "y p g", OF_DECISIONS),
        f"{name}, a missing group": Command(
            partial(run, **DECIDED, missing_group=True, **counted), "y p g", MISSING
        ),
        f"{name}, a score": Command(
            partial(run, **DECIDED, y_score="s", **counted), "y p g s", SCORE
        ),
        f"{name}, a score as prediction": Command(
            partial(run, **DECIDED | {"y_pred": "s"}, **counted), "y s g", SCORE
        ),
        f"{name}, numbers": Command(partial(run, **real, **counted), "t r g", OF_NUMBERS),
        f"{name}, frequencies": Command(
            partial(run, **DECIDED, sample_weight="n", weight_kind="frequency", **counted),
            "y p g n", {"n": Role(COUNT)},
        ),
    }  # fmt: skip


SIDES = {"y_score": "s,r", "sensitive_features": "g,h"}
IDS = {"left": "i", "right": "j", "outcome": "best"}
COMMANDS = {
    **of_rows(audit, "audit"),
    "audit, a reference": Command(
        partial(audit, **DECIDED), "y p g", {"g": Role(NAME, {"reference": 0})}
    ),
    "audit, a threshold": Command(
        partial(audit, y_true="y", y_score="s", sensitive_features="g"), "y s g", THRESHOLD
    ),
    "audit, classes": Command(
        partial(audit, y_true="y3", y_pred="p3", sensitive_features="g", label_kind="classes"),
        "y3 p3 g", OF_CLASSES,
    ),
    "audit, one class": Command(
        partial(audit, y_true="y3", y_pred="p3", sensitive_features="g"),
        "y3 p3 g", {"y3 p3": Role(NAME, {"positive": 1})},
    ),
    "audit, a control": Command(
        partial(audit, **DECIDED, control="c"), "y p g c", {"c": Role(NAME, missing=True)}
    ),
    "audit, a control in bins": Command(
        partial(audit, **DECIDED, control="z"), "y p g z",
        {"z": Role(NUMBER, missing=True, names=True)},
    ),
    "audit, clusters": Command(partial(audit, **DECIDED, clusters="k"), "y p g k", {"k": Role(ID)}),
    "audit, weights": Command(
        partial(audit, **DECIDED, sample_weight="n"), "y p g n", {"n": Role(COUNT)}
    ),
    "audit, cheap labels": Command(partial(audit, **CHEAP), "few judge p g", OF_CHEAP),
    "audit, chances": Command(
        partial(audit, **CHEAP, chance="chance"), "few judge p g chance", {"chance": Role(CHANCE)}
    ),
    "audit, strata of a draw": Command(
        partial(audit, **CHEAP, drawn_within="c"), "few judge p g c", {"c": Role(NAME)}
    ),
    **of_rows(audit, "audit by counts", counted=True),
    "audit by counts, classes": Command(
        partial(
            audit, y_true="y3", y_pred="p3", sensitive_features="g", label_kind="classes",
            counted=True,
        ),
        "y3 p3 g", OF_CLASSES,
    ),
    "count": Command(partial(count, **IN_SHELL), "y p g", OF_DECISIONS, files=True),
    "count, a missing group": Command(
        partial(count, **IN_SHELL, missing_group=True), "y p g", MISSING, files=True
    ),
    "count, a score": Command(partial(count, **IN_SHELL, score="s"), "y p g s", SCORE, files=True),
    "count, numbers": Command(
        partial(count, label="t", prediction="r", sensitive=["g"]), "t r g", OF_NUMBERS, files=True
    ),
    "count, classes": Command(
        partial(
            count, label="y3", prediction="p3", sensitive=["g"], of_counts={"label_kind": "classes"}
        ),
        "y3 p3 g", OF_CLASSES, files=True,
    ),
    "count, frequencies": Command(
        partial(count, **IN_SHELL, weight="n"), "id y p g n", {"n": Role(COUNT)}, files=True
    ),
    "count, cheap labels": Command(
        partial(count, **ALSO_CHEAP), "few judge p g", OF_CHEAP, files=True
    ),
    "groups": Command(partial(audit_groups, **DECIDED), "y p g", OF_DECISIONS),
    "groups, of two": Command(
        partial(audit_groups, **DECIDED | {"sensitive_features": ["g", "c"]}, missing_group=True),
        "y p g c", {"g": Role(NAME, missing=True), "c": Role(NAME, missing=True)},
    ),
    "groups, a control": Command(
        partial(audit_groups, **DECIDED, control="c"), "y p g c", {"c": Role(NAME, missing=True)}
    ),
    "groups by counts": Command(
        partial(audit_groups, **DECIDED, counted=True), "y p g", OF_DECISIONS
    ),
    "groups by counts, a missing group": Command(
        partial(audit_groups, **DECIDED, counted=True, missing_group=True), "y p g", MISSING
    ),
    "table": Command(
        partial(table, y_pred="p", sensitive_features="c"), "p c",
        {"p": Role(DECISION, {"positive": 1}), "c": Role(NAME, {"unknown": 0}, missing=True)},
    ),
    "table, a score": Command(partial(table, y_score="s", sensitive_features="g"), "s g", SCORE),
    "table, people": Command(
        partial(table, y_pred="p", sensitive_features="g", sample_weight="n", clusters="k"),
        "p g n k", {"n": Role(COUNT), "k": Role(ID)},
    ),
    "power": Command(
        partial(power, **DECIDED, margin=0.1), "y p g",
        {"y": Role(DECISION), "p": Role(DECISION), "g": Role(NAME)},
    ),
    "power, a score": Command(
        partial(power, y_true="y", y_score="s", sensitive_features="g"), "y s g", SCORE
    ),
    "power, a threshold": Command(
        partial(power, y_true="y", y_score="s", sensitive_features="g", margin=0.1), "y s g",
        THRESHOLD,
    ),
    "compare": Command(
        partial(compare, label="y", prediction="p"), "id y p g",
        {**OF_DECISIONS, "id": Role(ID)}, files=True, other=beside("id y p g", p="q"),
    ),
    "compare, a missing group": Command(
        partial(compare, label="y", prediction="p", missing_group=True), "id y p g", MISSING,
        files=True, other=beside("id y p g", p="q"),
    ),
    "compare, a threshold": Command(
        partial(compare, label="y", prediction=None, score="s"), "id y s g", THRESHOLD,
        files=True, other=beside("id y s g", s="r"),
    ),
    "compare, numbers": Command(
        partial(compare, label="t", prediction="r"), "id t r g", OF_NUMBERS, files=True,
        other=beside("id t r g", r="s"),
    ),
    "compare, weights and clusters": Command(
        partial(compare, label="y", prediction="p", weight="n", cluster="k"), "id y p g n k",
        {"n": Role(COUNT), "k": Role(ID)}, files=True, other=beside("id y p g n k", p="q"),
    ),
    "compare, a control": Command(
        partial(compare, label="y", prediction="p", control=["c"]), "id y p g c",
        {"c": Role(NAME, missing=True)}, files=True, other=beside("id y p g c", p="q"),
    ),
    "judgments, chosen": Command(
        partial(audit_judgments, chosen="s", rejected="r", sensitive_features="g"), "s r g",
        {"s": Role(NUMBER), "g": Role(NAME)},
    ),
    "judgments, versions": Command(
        partial(
            audit_judgments, chosen="s", rejected="r", sensitive_features="version", pair="pair"
        ),
        "s r version pair", {"version": Role(NAME), "pair": Role(ID)},
    ),
    "judgments, sides": Command(
        partial(audit_judgments, outcome="better", judges="c", strata="h", **SIDES),
        "better s r g h c", {"s": Role(NUMBER), "g h": Role(NAME), "c": Role(NAME)},
    ),
    "judgments, ids": Command(
        partial(
            audit_judgments, **IDS, y_score="si,sj", sensitive_features="gi,gj", clusters="k"
        ),
        "i j best si sj gi gj k", {"i j best": Role(ID), "k": Role(ID)},
    ),
    "judgments, items": Command(
        partial(audit_judgments, **IDS, item="id", y_score="s", sensitive_features="g"),
        "i j best", {"i j best": Role(ID)}, other=beside("id s g"),
    ),
    "judgments, cheap outcomes": Command(
        partial(audit_judgments, outcome="some", cheap_outcome="better", **SIDES),
        "some better s r g h", {"some": Role(SIDE), "better": Role(SIDE)},
    ),
    **{
        f"monitor{' first' if first else ''}{name}": Command(
            partial(monitor, first=first, **options), columns, roles, other=beside(columns),
            moved=True,
        )
        for first in (False, True)
        for name, options, columns, roles in (
            ("", DECIDED, "y p g", OF_DECISIONS),
            (", a missing group", DECIDED | {"missing_group": True}, "y p g", MISSING),
            (
                ", a score", DECIDED | {"y_score": "s", "score_range": (-1e12, 1e12)},
                "y p g s", SCORE,
            ),
            (
                ", numbers", {"y_true": "t", "y_pred": "r", "sensitive_features": "g"},
                "t r g", OF_NUMBERS,
            ),
            (", persons", DECIDED | {"clusters": "k"}, "y p g k", {"k": Role(ID)}),
        )
    },
    "monitor, a threshold": Command(
        partial(monitor, first=True, y_true="y", y_score="s", sensitive_features="g",
                criterion="separation"),
        "y s g", THRESHOLD, other=beside("y s g"), moved=True,
    ),
    "monitor, late labels": Command(
        partial(monitor, **DECIDED, ids="id"), "id y", {"id": Role(ID), "y": Role(DECISION)},
        other=beside("id p g"),
    ),
    "choose": Command(
        partial(choose, **ALSO_CHEAP), "few judge p g", {**OF_CHEAP, "g": Role(NAME)}, files=True
    ),
    "choose, strata of a draw": Command(
        partial(choose, **ALSO_CHEAP, drawn_within="c"), "few judge p g c", {"c": Role(NAME)},
        files=True,
    ),
    "choose, chances": Command(
        partial(choose, **ALSO_CHEAP, chance="chance"), "few judge p g chance",
        {"chance": Role(CHANCE)}, files=True,
    ),
    "choose, a threshold": Command(
        partial(choose, **ALSO_CHEAP | {"prediction": None, "score": "s"}), "few judge s g",
        THRESHOLD, files=True,
    ),
    **{
        f"bridge{' first' if first else ''}": Command(
            partial(bridge, first=first, decision="s", features=["r", "c"]), "s g r c",
            {"s": Role(NUMBER), "g": Role(NAME), "c": Role(NAME),
             "r": Role(NUMBER, names=True)},
            files=True, other=beside("s g r c"), moved=True,
        )
        for first in (False, True)
    },
}  # fmt: skip
#: Commands that take three times as long as others, by the start of their names.
LONG = ("compare", "power", "bridge", "monitor first", "judgments, sides")
COMMANDS |= {
    name: command._replace(thinned=16)
    for name, command in COMMANDS.items()
    if name.startswith(LONG)
}
