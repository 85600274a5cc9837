"""What to check in the input stands below the answer of every command, in text, page and JSON."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.cli import app

pytestmark = pytest.mark.slow

ROWS = {"y_true": "y", "y_pred": "p", "sensitive_features": ["sex"]}
OPTIONS = ["--label", "y", "--prediction", "p", "--sensitive", "sex"]


def people(n=600, right=0.85, seed=0, each=1):
    """Rows whose decision is right in a share; `each` of them are of one patient, and alike."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n // each).repeat(each)
    wrong = (rng.random(n // each) > right).repeat(each)
    return pd.DataFrame(
        {
            "item": [f"row {i}" for i in range(n)],
            "patient_id": np.arange(n // each).repeat(each),
            "sex": rng.choice(["f", "m"], n // each).repeat(each),
            "y": y,
            "p": np.where(wrong, 1 - y, y),
            "s": np.clip(y * (2 * right - 1) + rng.random(n) / 2, 0, 1),
        }
    )


def checks(result):
    """Return what an answer has to be checked, which is in all its forms."""
    text, page = " ".join(str(result).split()), result.to_html()
    for check in result.answer.checks:
        assert f"Check: {check}"[:200] in text
        assert check.split("`")[0] in page
    assert list(result.answer.checks) == result.to_dict()["answer"]["checks"]
    return " | ".join(result.answer.checks)


def by_all(frame, folder):
    """Return the checks of each audit that compares decisions with labels."""
    new = frame.assign(p=frame["y"])
    frame.to_csv(folder / "old.csv", index=False)
    new.to_csv(folder / "new.csv", index=False)
    command = ["compare", "old.csv", "new.csv", "--item", "item", *OPTIONS, "--out", "out"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    plain = json.loads((folder / "out/compare.json").read_text())
    columns = {name: frame[name] for name in ("y", "p", "sex")}
    return {
        "audit": checks(fp.audit(**ROWS, data=frame)),
        "audit of arrays": checks(
            fp.audit(columns["y"], columns["p"], sensitive_features=frame[["sex"]])
        ),
        "audit of a file": checks(fp.audit(**ROWS, data=folder / "old.csv")),
        "groups": checks(fp.audit_groups(**ROWS, data=frame)),
        "groups of arrays": checks(
            fp.audit_groups(columns["y"], columns["p"], sensitive_features=frame[["sex"]])
        ),
        "compare": checks(
            fp.compare(
                columns["y"], columns["p"], new["p"], sensitive_features=frame[["sex"]]
            )
        ),
        "compare of files": " | ".join(plain["answer"]["checks"]),
        "monitor": checks(fp.monitor(folder / "state", frame, **ROWS)),
    }  # fmt: skip


def test_decisions_that_mostly_differ_from_the_label_are_told_by_all(folder):
    found = by_all(people(right=0.17).drop(columns="patient_id"), folder)
    for name, text in found.items():
        assert "and in most rows of each group of `sex`" in text, name
        assert "In 8" in text or "in 8" in text, name
    assert found["compare"].startswith("Old model: In 8")
    assert "New model" not in found["compare"]
    assert "column `p` differs from column `y`" in found["audit of a file"]


def test_other_decisions_are_not(folder):
    frame = people(right=0.5, seed=3).drop(columns="patient_id")
    for name, text in by_all(frame, folder).items():
        assert text == "", name


def test_many_false_alarms_are_not_turned_round():
    """Decisions that are mostly wrong, and yet more often positive where the label is."""
    rng = np.random.default_rng(0)
    y = (rng.random(900) < 0.1).astype(int)
    frame = pd.DataFrame({"y": y, "p": rng.random(900) < np.where(y, 0.95, 0.7), "sex": "f"})
    frame.loc[::2, "sex"] = "m"
    assert (frame["y"] == frame["p"]).mean() < 0.45
    assert not checks(fp.audit(**ROWS, data=frame))


def test_a_score_that_is_turned_round_is_told_by_all(folder):
    frame = people()
    for turned in (True, False):
        scored = frame.assign(s=1 - frame["s"] if turned else frame["s"])
        state = folder / f"scores {turned}"
        results = [
            fp.audit(**ROWS, y_score="s", data=scored),
            fp.audit("y", "s", sensitive_features="sex", data=scored),
            fp.compare(
                scored["y"], scored["s"], frame["s"], sensitive_features=frame[["sex"]]
            ),
            fp.monitor(
                state, scored, y_true="y", y_score="s", threshold=0.5, sensitive_features=["sex"],
                criterion=["xauc", "separation"],
            ),
        ]  # fmt: skip
        for result in results:
            assert ("each group of `sex`" in checks(result)) is turned
    mixed = frame["s"].where(frame["sex"] == "f", 1 - frame["s"])
    one = fp.audit("y", "s", sensitive_features="sex", data=frame.assign(s=mixed))
    assert "each group" not in checks(one)  # one group is ranked right
    few = pd.concat([frame.assign(s=1 - frame["s"]), frame.head(3).assign(sex="x", y=[0, 1, 1])])
    few["s"] = few["s"].where(few["sex"] != "x", 1 - few["y"])
    assert "AUC below 0.5" in checks(fp.audit("y", "s", sensitive_features="sex", data=few))


@pytest.mark.parametrize(
    ("slope", "in_m", "told"),
    [(-1, -1, True), (1, 1, False), (-1, 0.5, False), (-0.2, -0.2, False)],
)
def test_predicted_numbers_that_are_turned_round_are_told(slope, in_m, told):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.normal(size=600), "sex": ["f", "f", "m"] * 200})
    frame["p"] = frame["y"] * np.where(frame["sex"] == "f", slope, in_m) + rng.normal(size=600)
    results = [
        fp.audit(**ROWS, data=frame),
        fp.compare(frame["y"], frame["p"], frame["y"], sensitive_features=frame[["sex"]]),
    ]
    for result in results:
        assert ("each group of `sex`" in checks(result)) is told


def test_ids_that_repeat_are_told_by_all_that_take_rows_for_independent(folder):
    frame = people().assign(patient_id=np.arange(600) // 5)
    frame.to_csv("rows.csv", index=False)
    frame.to_parquet("rows.parquet")
    indexed = frame.set_index("patient_id")
    found = {
        **by_all(frame, folder),
        "groups of a file": checks(fp.audit_groups(**ROWS, data="rows.parquet")),
        "index of groups": checks(
            fp.audit_groups(indexed["y"], indexed["p"], sensitive_features=indexed[["sex"]])
        ),
        "index of compare": checks(
            fp.compare(
                indexed["y"], indexed["p"], indexed["y"], sensitive_features=indexed[["sex"]]
            )
        ),
        "table": fp.table(
            "p", form="four-fifths", sensitive_features="sex", data=frame
        ).to_text(),
        "table of arrays": fp.table(
            indexed["p"], form="four-fifths", sensitive_features=indexed[["sex"]]
        ).to_text(),
        "power": CliRunner().invoke(app, ["power", "rows.csv", *OPTIONS]).output,
    }  # fmt: skip
    for name in ("audit of arrays", "groups of arrays", "compare"):  # nothing says whose a row is
        assert found.pop(name) == ""
    for name, text in found.items():
        assert "repeats, 5.0 rows" in " ".join(text.split()), name
    assert "--cluster patient_id" in found["compare of files"]
    assert "--cluster patient_id" in found["groups"]


def commands(frame):
    """Return what each command says of rows that it takes for independent, and of each index."""
    frame.to_csv("rows.csv", index=False)
    frame.assign(p=frame["y"]).drop(columns="patient_id").to_csv("new.csv", index=False)
    table = ["table", "rows.csv", "--form", "four-fifths", "--sensitive", "sex"]
    given = [
        ["audit", "rows.csv", *OPTIONS],
        ["audit", "rows.csv", "--label", "y", "--prediction", "s", "--sensitive", "sex"],
        ["compare", "rows.csv", "new.csv", "--item", "item", *OPTIONS],
        ["compare", "new.csv", "rows.csv", "--item", "item", *OPTIONS],
        ["audit-groups", "rows.csv", *OPTIONS],
        ["audit-groups", "rows.csv", "--prediction", "p", "--sensitive", "sex"],
        [*table, "--prediction", "p"],
        [*table, "--score", "s"],
        ["monitor", "state", "rows.csv", *OPTIONS],
        ["power", "rows.csv", *OPTIONS],
    ]
    found = {" ".join(command): CliRunner().invoke(app, command) for command in given}
    return {name: (ran.exit_code, " ".join(ran.output.split())) for name, ran in found.items()}


def test_rows_of_an_id_that_agree_beyond_doubt_are_refused_by_all(folder):
    frame = people(each=5)
    frame["s"] = frame["s"].groupby(frame["patient_id"]).transform("mean")
    for name, (code, text) in commands(frame).items():
        assert code == 2, name
        assert "rows.csv: column `patient_id` repeats, 5.0 rows to a value" in text, name
        assert "keep one row of each" in text or "--cluster patient_id" in text, name
    assert not (folder / "state").exists()
    indexed = frame.set_index("patient_id")
    arrays = indexed["y"], indexed["p"]
    given = {"sensitive_features": indexed[["sex"]]}
    for run in (
        lambda: fp.audit(*arrays, **given),
        lambda: fp.compare(*arrays, indexed["y"], **given),
        lambda: fp.audit_groups(*arrays, **given),
        lambda: fp.table(arrays[1], form="four-fifths", **given),
    ):
        with pytest.raises(fp.InputError, match=r"^The index of y_(true|pred) repeats, 5\.0 rows"):
            run()
    with pytest.raises(fp.InputError, match="give clusters patient_id, or drop the column"):
        fp.audit(**ROWS, data=frame)
    assert not checks(fp.audit(*arrays, **given, clusters=indexed.index))


def test_a_bridge_and_a_pilot_tell_too(folder):
    rng = np.random.default_rng(0)
    for name in ("first.csv", "second.csv"):
        frame = people(each=4).assign(grade=rng.normal(size=600), score=rng.normal(size=600))
        frame["same"] = frame["score"].groupby(frame["patient_id"]).transform("mean")
        frame[["patient_id", "sex", "grade", "score", "same"]].to_csv(name, index=False)
    command = ["bridge", "first.csv", "second.csv", "--sensitive", "sex", "--features", "grade"]
    refused = CliRunner().invoke(app, [*command, "--decision", "same"])
    assert refused.exit_code == 2
    assert "first.csv: column `patient_id` repeats" in refused.output
    ran = CliRunner().invoke(app, [*command, "--decision", "score"])
    assert ran.exit_code == 0, ran.output
    assert "Column `patient_id` repeats, 4.0 rows" in " ".join(ran.output.split())
    people(right=0.2).to_csv("pilot.csv", index=False)
    pilot = CliRunner().invoke(app, ["power", "pilot.csv", *OPTIONS])
    assert "column `p` differs from column `y`" in " ".join(pilot.output.split())


LABELS = ["yes", "no", "unknown", "no"]


@pytest.mark.parametrize(
    ("groups", "labels", "told"),
    [
        ("abff", LABELS[:2], []),
        ("Fbff", LABELS[:2], ["Column `g` has values that look alike and count as different: "
                              "'F', 'f'."]),
        (["a", "b", "b", "None"], LABELS[:2],
         ["Column `g` has values that may mean a missing one and count as any other: None. If "]),
        ("abff", LABELS, [" has 3 values: no, unknown count as not yes."]),
    ],
)  # fmt: skip
def test_groups_and_labels_that_are_unclear_are_told_of_arrays_and_files(
    folder, groups, labels, told
):
    rng = np.random.default_rng(0)
    n = 400
    table = pd.DataFrame(
        {"y": rng.choice(labels, n), "p": rng.choice(LABELS[:2], n), "g": rng.choice([*groups], n)}
    )
    table.to_csv("t.csv", index=False)
    y, p, sensitive = table["y"], table["p"], table[["g"]]
    given = {"positive": "yes", "sensitive_features": "g"}
    results = [
        fp.audit("y", "p", **given, data="t.csv"),
        fp.audit_groups("y", "p", **given, data="t.csv"),
        fp.audit("y", "p", **given, data=table),
        fp.audit(y, p, sensitive_features=sensitive, positive="yes"),
        fp.audit_groups(y, p, sensitive_features=sensitive, positive="yes"),
        fp.compare(y, p, p[::-1].to_list(), sensitive_features=sensitive, positive="yes"),
    ]
    for result in results:
        found = list(result.answer.checks)
        assert len(found) == len(told)
        for text, check in zip(told, found, strict=True):
            assert text in check
