"""Groups without a row of a label: what is said, what helps, and how a release passes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.base.errors import InputError
from fairpairs.cli import app

ROWS = {"y_true": "defaulted", "y_pred": "flag", "sensitive_features": "edu"}
OPTIONS = ["--label", "defaulted", "--prediction", "flag", "--sensitive", "edu"]
#: Advice that cannot help where no row of a group has the label.
WRONG = ("too few rows", "more rows")


def loans(n=12_000, few=15, label=0, seed=0):
    """Loans of three large groups, and of a few people who all have one label."""
    rng = np.random.default_rng(seed)
    edu = rng.choice(["school", "university", "graduate"], n).astype(object)
    y = (rng.random(n) < 0.4).astype(int)
    edu[:few], y[:few] = "other", label
    wrong = rng.random(n) < 0.2
    return pd.DataFrame({"edu": edu, "defaulted": y, "flag": np.where(wrong, 1 - y, y)})


def text_of(result):
    Draft202012Validator(result.SCHEMA).validate(result.to_dict())
    return " ".join(str(result).split())


@pytest.mark.slow
@pytest.mark.parametrize(("label", "which"), [(0, "no row"), (1, "every row")])
def test_a_group_without_a_label_blocks_a_margin_with_a_word(label, which):
    data = loans(label=label)
    new = np.where(np.arange(len(data)) % 20 == 0, data["defaulted"], data["flag"])
    said = f"{which} of other has defaulted 1"
    found = {
        "audit": fp.audit(**ROWS, margin=0.1, data=data),
        "groups": fp.audit_groups(**ROWS, margin=0.1, data=data),
        "compare": fp.compare(
            data["defaulted"], data["flag"], new, sensitive_features=data[["edu"]], margin=0.1
        ),
    }  # fmt: skip
    for name, result in found.items():
        assert result.answer.verdict == "UNDECIDED", name
        text = text_of(result)
        wanted = said.replace("other", "edu=other") if name == "groups" else said
        assert f"Cannot be tested: {wanted}." in text, name
        assert "leave them out (--smallest 16)" in text, name
        assert "more rows" not in text, name


@pytest.mark.slow
def test_a_release_passes_without_groups_that_are_too_small(folder):
    data = loans()
    data.to_csv("old.csv", index_label="id")
    data.assign(flag=data["defaulted"]).to_csv("new.csv", index_label="id")
    gate = [*OPTIONS, "--margin", "0.1", "--fail-unless-shown", "--junit", "j.xml"]
    for command in (["audit", "old.csv"], ["compare", "old.csv", "new.csv", "--item", "id"]):
        for smallest, code in ((15, 1), (16, 0)):
            options = [*gate, "--smallest", str(smallest)]
            ran = CliRunner().invoke(app, [*command, *options])
            assert ran.exit_code == code, ran.output
            left_out = "Too small to count, by --smallest 16: other (15 rows)."
            assert (left_out in " ".join(ran.output.split())) is (code == 0)
            assert ("other" in (folder / "j.xml").read_text()) is (code == 1)


@pytest.mark.slow
@pytest.mark.parametrize("few", [3, 40])
def test_what_does_not_count_stands_in_the_tables_and_changes_no_other_line(few):
    data = loans(few=few)
    counted = fp.audit(**ROWS, data=data, smallest=few + 1)
    assert counted.about["small"] == {"edu": ["other"]}
    alone = fp.audit(**ROWS, data=data[data["edu"] != "other"].reset_index(drop=True))
    lines, expected = (
        one.to_frame().query("criterion == 'separation' and group != 'other'").reset_index()
        for one in (counted, alone)
    )
    names = ["group", "measure", "estimate", "pvalue", "pvalue_gate"]
    pd.testing.assert_frame_equal(lines[names], expected[names])
    assert "other" in set(counted.to_frame()["group"])
    assert "other" in counted.to_text()
    gate = dict(counted.about["gate"])
    assert gate == alone.about["gate"]
    assert all(one.group != "other" for one in counted.answer.findings)


@pytest.mark.slow
def test_classes_and_intersections_have_a_smallest_group_too():
    data = loans(few=25)
    data["sex"] = np.where(np.arange(len(data)) % 100 == 0, "f", "m")
    result = fp.audit(
        "defaulted", "flag", sensitive_features=["edu", "sex"], intersections=True, smallest=26,
        data=data,
    )  # fmt: skip
    assert result.about["small"]["edu"] == ["other"]
    assert "other & m" in result.about["small"]["edu & sex"]
    named = "Too small to count, by --smallest 26: other (25 rows), other & f ("
    assert named in " ".join(str(result).split()) and str(result).count("Too small") == 1
    rng = np.random.default_rng(5)
    grade = rng.choice(["a", "b", "c"], len(data))
    flag = np.where(rng.random(len(data)) < 0.8, grade, rng.permuted(grade))
    data = data.assign(defaulted=grade, flag=flag)
    found = fp.audit(**ROWS, margin=0.1, data=data, smallest=26)
    assert found.shown
    assert not fp.audit(**ROWS, margin=0.1, data=data).shown
    data["defaulted"] = data["defaulted"].where(data["edu"] != "other", "a")
    lacking = fp.audit(**ROWS, margin=0.1, data=data)
    assert "no row of other has defaulted b" in lacking.answer.open
    assert "every row of other has defaulted a" in lacking.answer.open
    assert not any(wrong in str(lacking) for wrong in WRONG)


@pytest.mark.parametrize("names", [("school", "university"), ("1", "0")])
def test_an_attribute_that_determines_the_label_is_called_so(names):
    """No number of rows helps."""
    rng = np.random.default_rng(1)
    edu = rng.choice(names, 600)
    y = (edu == names[0]).astype(int)
    flag = np.where(rng.random(600) < 0.7, y, 1 - y)
    data = pd.DataFrame({"edu": edu, "defaulted": y, "flag": flag})
    for result in (fp.audit(**ROWS, data=data), fp.audit_groups(**ROWS, data=data)):
        text = text_of(result)
        assert result.answer.verdict == "UNDECIDED"
        assert "no row of" in result.answer.sentence
        assert "every row of" in result.answer.sentence
        assert "no number of rows helps" in text
        assert "--smallest" not in text
        assert not any(wrong in text for wrong in WRONG)
    parity = fp.audit(**ROWS, data=data, criterion="demographic_parity")
    assert parity.answer.verdict == "DIFFERENCE FOUND"


def test_groups_of_one_label_are_compared_by_the_others():
    rng = np.random.default_rng(1)
    edu = rng.choice(["school", "university", "graduate"], 600)
    y = (edu == "school").astype(int)
    data = pd.DataFrame({"edu": edu, "defaulted": y, "flag": rng.permuted(y)})
    result = fp.audit(**ROWS, data=data)
    assert result.answer.verdict == "NO DIFFERENCE FOUND"
    said = "no row of graduate has defaulted 1", "every row of school has defaulted 1"
    assert all(one in result.answer.open for one in said)


def test_the_gate_says_why_it_cannot_test(folder):
    y = [0, 1] * 50
    edu = np.where(y, "school", "other")
    pd.DataFrame({"edu": edu, "defaulted": y, "flag": y[1:] + y[:1]}).to_csv("a.csv", index=False)
    ran = CliRunner().invoke(app, ["audit", "a.csv", *OPTIONS, "--fail-on-violation"])
    assert ran.exit_code == 2
    assert "separation cannot be tested: " in ran.output
    assert "edu determines defaulted" in " ".join(ran.output.split())


@pytest.mark.parametrize(
    ("smallest", "reference", "message"),
    [
        (5_000, None, "of `edu`, 0 group(s) have as many rows, and a test compares two"),
        (16, {"edu": "other"}, "the reference 'other' of `edu` has 15 rows: name another one"),
        (0, None, "smallest"),
        ("x", None, "smallest"),
    ],
)
def test_a_smallest_group_that_cannot_be_is_refused(smallest, reference, message):
    with pytest.raises(InputError) as refused:
        fp.audit(**ROWS, data=loans(), smallest=smallest, reference=reference)
    assert message in str(refused.value)


def test_a_group_of_one_cluster_is_named_instead_of_too_few_rows():
    rng = np.random.default_rng(0)
    group, y = np.repeat(["a", "b"], [300, 100]), rng.integers(0, 2, 400)
    clusters = np.where(group == "b", 0, np.arange(400))
    told = str(fp.audit(y, y, sensitive_features={"g": group}, clusters=clusters).answer)
    assert "UNDECIDED: g has a group with fewer than two clusters." in told
    assert "more rows" not in told


@pytest.mark.parametrize("single", ["b", "a"])
def test_a_comparison_names_a_group_of_one_cluster(single, tmp_path):
    rng = np.random.default_rng(0)
    group, y = np.repeat(["a", "b"], [300, 300]), rng.integers(0, 2, 600)
    frame = pd.DataFrame({"item": range(600), "g": group, "y": y, "p": rng.permutation(y)})
    frame["office"] = np.where(group == single, 0, np.arange(600))
    given = {"sensitive_features": {"g": group}, "clusters": frame["office"], "margin": 0.3}
    result = fp.compare(y, frame["p"], y, **given)
    assert "UNDECIDED" in str(result.answer)
    assert "g has a group with fewer than two clusters" in str(result.answer)
    assert result.tests["pvalue"].isna().all()
    with_third = {"g": np.where(np.arange(600) % 3, group, "c")}
    third = fp.compare(y, frame["p"], y, **given | {"sensitive_features": with_third})
    assert not third.shown and "fewer than two clusters" in str(third.answer)
    frame.to_csv(tmp_path / "old.csv", index=False)
    frame.assign(p=y).to_csv(tmp_path / "new.csv", index=False)
    command = ["compare", str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), "--item", "item"]
    command += ["--label", "y", "--prediction", "p", "--sensitive", "g", "--cluster", "office"]
    ran = CliRunner().invoke(app, command)
    assert "g has a group with fewer than two clusters" in " ".join(ran.output.split())


def test_without_a_label_predictions_are_compared_as_with_any_label(tmp_path):
    rng = np.random.default_rng(0)
    rows = loans(n=2000, few=0).assign(score=lambda rows: rng.random(2000) + 0.1 * rows["flag"])
    rows["prompt"], rows["invented"] = rng.integers(0, 300, 2000), rng.integers(0, 2, 2000)
    rows["number"] = rng.normal(size=2000)
    for prediction, label in (("flag", "invented"), ("score", "number")):
        given = {"sensitive_features": rows["edu"], "clusters": rows["prompt"]}
        alone = fp.audit(None, rows[prediction], **given)
        beside = fp.audit(rows[label], rows[prediction], **given, criterion="demographic_parity")
        wanted = beside.to_frame().query("criterion == 'demographic_parity'")
        numbers = ["group", "reference", "measure", "estimate", "ci_low", "ci_high", "pvalue_gate"]
        pd.testing.assert_frame_equal(
            alone.to_frame()[numbers], wanted[numbers].reset_index(drop=True)
        )
        assert alone.about["gate"]["criteria"] == ["demographic_parity"]
        assert {*alone.by_group.columns} <= {"selection rate", "mean prediction"}
        assert text_of(alone) and "label" not in str(alone.answer.sentence)
        rows.to_csv(tmp_path / "rows.csv", index=False)
        options = ["--prediction", prediction, "--sensitive", "edu", "--cluster", "prompt"]
        ran = CliRunner().invoke(app, ["audit", str(tmp_path / "rows.csv"), *options])
        assert ran.exit_code == 0 and alone.answer.sentence in " ".join(ran.stdout.split())
    for wrong in ({"y_score": rows["score"]}, {"y_score": rows["score"], "threshold": 0.5}):
        with pytest.raises(InputError, match="without a label, predictions alone are compared"):
            fp.audit(None, None if "threshold" in wrong else rows["flag"], **given, **wrong)
    perfect = fp.audit(rows["flag"], rows["flag"], sensitive_features=rows["edu"])
    assert perfect.about["gate"]["criteria"] == ["separation"]  # the same array is a label
    with pytest.raises(InputError, match="there is no label"):
        fp.audit(None, rows["flag"], sensitive_features=rows["edu"], criterion="separation")
