"""The block of a model card: what it says, and where it is put."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.lines.card import BEGIN, END, MEASURES, placed
from fairpairs.base.errors import InputError


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(8)
    n = 600
    sex = rng.choice(["f", "m|*"], n)
    y = rng.integers(0, 2, n)
    approved = (rng.random(n) < 0.2 + 0.6 * y - 0.15 * (sex == "f")).astype(int)
    return pd.DataFrame({"id": range(n), "sex": sex, "y": y, "approved": approved})


@pytest.fixture(scope="module")
def result(loans):
    return fp.audit("y", "approved", sensitive_features="sex", data=loans)


def test_a_card_has_the_answer_its_numbers_and_their_meaning(result):
    text = result.to_card()
    assert text.startswith(f"{BEGIN}\n") and text.endswith(f"\n{END}\n")
    sentence = result.answer.sentence.replace("m|*", "m\\|\\*")
    assert f"**DIFFERENCE FOUND: {sentence}.**" in text
    for finding in result.answer.findings:
        (line,) = [one for one in text.splitlines() if f"| {finding.measure} |" in one]
        assert f"| {finding.estimate:+.3f} | {finding.low:+.3f} to {finding.high:+.3f} |" in line
        assert line.endswith(f"| {finding.state} |")
        assert f"- *{finding.measure}*: {MEASURES[finding.measure]}." in text
    assert "m\\|\\*" in text  # what Markdown would take for its own
    assert "Made by fairpairs audit" in text


def test_every_measure_of_an_audit_has_a_meaning(loans):
    rng = np.random.default_rng(2)
    score = rng.random(len(loans))
    number = rng.normal(size=len(loans))
    names = set()
    for y, pred in ((loans["y"], loans["approved"]), (number, number + score)):
        found = fp.audit(
            y, pred, y_score=score if y is not number else None, sensitive_features=loans["sex"]
        )
        names |= set(found.tests["measure"])
    plain = {
        name.split(", ")[-1] if name.startswith(("comparative", "balanced")) else name
        for name in names
    }
    assert plain <= set(MEASURES)


def test_a_card_of_other_audits_says_what_its_difference_is(loans):
    other = loans.assign(approved=1 - loans["approved"])
    compared = fp.compare(
        loans["y"], loans["approved"], other["approved"], sensitive_features=loans["sex"]
    )
    assert "larger under the new model" in compared.to_card()
    groups = fp.audit_groups("y", "approved", sensitive_features="sex", data=loans)
    assert "against everyone else" in groups.to_card()


def test_a_block_replaces_an_older_one_and_leaves_the_rest(result, tmp_path):
    path, block = tmp_path / "README.md", result.to_card()
    assert placed(block, path) == block
    path.write_text("# My model\n\nWords.\n", "utf-8")
    path.write_text(placed(block, path), "utf-8")
    assert path.read_text("utf-8") == f"# My model\n\nWords.\n\n{block}"
    path.write_text(path.read_text("utf-8") + "\n## More\n", "utf-8")
    new = block.replace("## Fairness", "## New")
    again = placed(new, path)
    assert again == f"# My model\n\nWords.\n\n{new}\n## More\n"


@pytest.mark.parametrize("text", [BEGIN, f"{BEGIN}{BEGIN}{END}{END}", f"{END} {BEGIN}", b"\xff"])
def test_a_file_that_is_no_card_is_refused(tmp_path, text):
    path = tmp_path / "README.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match="README"):
        placed("x", path)
