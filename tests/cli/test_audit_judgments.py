import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

import fairpairs
from fairpairs.audits.judgments import fields
from fairpairs.cli import app
from tests.cli.frames import at

pytestmark = pytest.mark.usefixtures("no_pages")

JUDGMENTS, PREDICTIONS = "judgments.csv", "predictions.csv"
COLUMNS = ("--left", "i", "--right", "j", "--item", "id", "--score", "s")
OPTIONS = (*COLUMNS, "--outcome", "winner", "--sensitive", "sex")
COMMAND = ("audit-judgments", JUDGMENTS, PREDICTIONS)


def made(unfair=1.0, n=150, m=900):
    """Judgments of a need, and scores of it that favour men by `unfair`."""
    rng = np.random.default_rng(0)
    sex, area = rng.choice(["female", "male"], n), rng.choice(["north", "south", "west"], n)
    need = rng.normal(size=n)
    score = need + unfair * (sex == "male") + 0.7 * rng.normal(size=n)
    ids = np.array([f"p{i:03}" for i in range(n)])
    items = pd.DataFrame({"id": ids, "s": score, "sex": sex, "area": area})
    i, j = rng.integers(n - 10, size=(2, m))  # ten items are in no judgment
    i, j = i[i != j], j[i != j]
    left = need[i] + 0.3 * rng.normal(size=len(i)) > need[j]
    judged = pd.DataFrame({"i": ids[i], "j": ids[j], "winner": np.where(left, ids[i], ids[j])})
    return judged.assign(side=np.where(left, 1, -1)), items


@pytest.fixture
def files(folder):
    """A function that writes both files to the working folder, changed or not."""

    def write(judgments=lambda frame: frame, items=lambda frame: frame, **how):
        judged, scored = made(**how)
        judged.pipe(judgments).to_csv(JUDGMENTS, index=False)
        scored.pipe(items).to_csv(PREDICTIONS, index=False)
        return folder

    return write


def expected(attribute="sex", **more):
    judged, items = (pd.read_csv(name) for name in (JUDGMENTS, PREDICTIONS))
    place = dict(zip(items["id"], range(len(items)), strict=True))
    return fairpairs.comparative_separation_from_judgments(
        judged["i"].map(place), judged["j"].map(place), judged["side"], items["s"],
        sensitive_features=items[attribute], **more,
    )  # fmt: skip


def by_hand(judged, items, ties=0.0):
    """Right and usable judgments of each cell, judgment by judgment."""
    group, score = (dict(zip(items["id"], items[name], strict=True)) for name in ("sex", "s"))
    right, usable = {}, {}
    for row in judged.itertuples():
        loser = row.j if row.winner == row.i else row.i
        cell = group[row.winner], group[loser]
        usable[cell] = usable.get(cell, 0) + 1
        more = score[row.winner] - score[loser]
        right[cell] = right.get(cell, 0) + (1 if more > 0 else ties if more == 0 else 0)
    return right, usable


def rows_of(out, first):
    """The rows of a printed table, below the ruler under the header that starts so."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(first)) + 2
    return [line.split() for line in lines[start : lines.index("", start)]]


def test_the_files_have_the_numbers_of_the_function(files, ran):
    folder = files()
    more = ("--alpha", "0.1", "--correction", "sidak", "--ties", "half", "--sensitive", "area")
    said = ran(*COMMAND, *OPTIONS, *more, "--out", "audit")
    assert sorted(path.name for path in (folder / "audit").iterdir()) == [
        "hypotheses.csv", "judgments.html", "judgments.json", "rates.csv", "report.txt",
    ]  # fmt: skip
    text, _, written = said.rpartition("Written to audit: ")
    assert (folder / "audit/report.txt").read_text("utf-8") == text
    assert written == "judgments.html, judgments.json, hypotheses.csv, rates.csv, report.txt\n"
    hypotheses, rates = (pd.read_csv(f"audit/{name}.csv") for name in ("hypotheses", "rates"))
    for attribute, k in (("sex", 2), ("area", 3)):
        # the items without a judgment make no difference
        result = expected(attribute, alpha=0.1, correction="sidak", ties="half")
        for written, frame in ((hypotheses, result.to_frame()), (rates, result.rates())):
            own = written[written["attribute"] == attribute].reset_index(drop=True)
            assert list(own.columns) == list(
                fields.TESTS if written is hypotheses else fields.RATES
            )
            assert len(own) == len(frame)
            frame = frame.rename(columns={"pvalue": "pvalue_adjusted"})  # noqa: PLW2901
            numbers = list(frame.select_dtypes("number"))
            assert_allclose(own[numbers], frame[numbers], rtol=1e-9)
        assert len(result.groups) == k
    results = [expected(name, alpha=0.1, ties="half") for name in ("sex", "area")]
    pvalues = np.concatenate([result.difference.pvalue for result in results])
    assert_allclose(hypotheses["pvalue_gate"], multipletests(pvalues, method="holm")[1], rtol=1e-9)


def test_a_violation_is_said_in_words(files, ran):
    files()
    out, result = ran(*COMMAND, *OPTIONS), expected()
    across = result.to_frame().iloc[0]
    assert across["pvalue"] < 0.001 and across["estimate"] > 0
    (f_f, f_m), (m_f, m_m) = result.tpr
    assert (
        f"The scores agree with {100 * m_f:.0f} % of the judgments that prefer male over female, "
        f"and with {100 * f_m:.0f} % of those that prefer female: "
    ) in " ".join(out.split())
    row = next(line for line in out.splitlines() if line.startswith("TPR(male,female) ="))
    assert f"{across['estimate']:+.3f}" in row and "<0.001" in row and "● violated" in row
    assert f"{across['n']}" in row.split() and f"{across['smallest_cell']}" in row.split()
    assert "All rates at once (joint test): p < 0.001" in out
    assert abs(f_f - m_m) < 0.1


def test_one_group_ranked_worse_among_itself_is_said(files, ran):
    def noisy(frame):
        noise = 6 * np.random.default_rng(1).normal(size=len(frame))
        return frame.assign(s=frame["s"] + noise * (frame["sex"] == "female"))

    files(items=noisy, unfair=0.0)
    (f_f, _), (_, m_m) = expected().tpr
    assert (
        f"The scores agree with {100 * m_m:.0f} % of the judgments within male and "
        f"{100 * f_f:.0f} % within female"
    ) in " ".join(ran(*COMMAND, *OPTIONS).split())


def test_a_violation_fails_only_if_asked(files, ran):
    files()
    out = ran(*COMMAND, *OPTIONS)
    options = ("--fail-on-violation", "--out", "o", "--junit", "judgments.xml")
    said = ran(*COMMAND, *OPTIONS, *options, status=1)
    assert said.startswith(f"{out}Written to o: judgments.html, ")
    assert said.endswith("\nWritten: judgments.xml\n")
    assert 'type="violated"' in Path("judgments.xml").read_text("utf-8")
    assert len(pd.read_csv("o/hypotheses.csv")) == 2


def test_a_build_does_not_pass_when_nothing_can_be_tested(files):
    """Of the four cells only one has judgments."""
    women = set(made()[1].query("sex == 'female'")["id"])
    files(lambda f: f[f["winner"].isin(women) & (f["i"].isin(women) ^ f["j"].isin(women))])
    result = CliRunner().invoke(app, [*COMMAND, *OPTIONS, "--fail-on-violation", "--out", "o"])
    assert result.exit_code == 2
    assert result.stderr == (
        "fairpairs: --fail-on-violation: nothing can be tested with these judgments "
        "(--details says why): add judgments.\n"
    )
    assert result.stdout.count("UNDECIDED: no judgment prefers male over female") == 1
    assert pd.read_csv("o/hypotheses.csv")["pvalue_gate"].isna().all()


def test_items_called_1_are_found_by_their_name(files, ran):
    def numbered(frame):
        return frame.replace({"p000": "1", "p001": "-1", "p002": "left", "p003": "0"})

    files()
    said = ran(*COMMAND, *OPTIONS)
    files(numbered, numbered)
    assert ran(*COMMAND, *OPTIONS) == said


def test_the_notes_say_how_the_items_are_judged(files, ran):
    judged, _ = made()
    turned = judged.head(3).assign(i=judged["j"], j=judged["i"])  # the same three, once more
    against = judged.head(2).assign(
        winner=lambda f: np.where(f["winner"] == f["i"], f["j"], f["i"])
    )
    files(lambda f: pd.concat([f, turned, against]))
    every = pd.concat([judged, turned, against])
    times = pd.concat([every["i"], every["j"]]).value_counts()
    pairs = {}
    for row in every.itertuples():
        pairs.setdefault(frozenset((row.i, row.j)), []).append(row.winner)
    again = [winners for winners in pairs.values() if len(winners) > 1]
    split = [winners for winners in again if len(set(winners)) > 1]
    assert len(split) >= 2
    out = ran(*COMMAND, *OPTIONS)
    assert f"predictions.csv: 150 items, {len(times)} of them judged, scores in `s`" in out
    assert f"An item is in {times.min()} to {times.max()} judgments, {times.median():g} in" in out
    assert (
        f"- {len(again)} pairs of items are judged more than once, {len(split)} of them with "
        "judgments that contradict each other; all count."
    ) in " ".join(out.split())
    assert "both items have the same score" not in out
    assert "below 30" not in out


def test_ties_of_scores_turned_scores_and_small_cells_are_noted(files, ran):
    files(lambda f: f.head(100), lambda f: f.assign(s=-f["s"].round()), unfair=0.0)
    judged, items = (pd.read_csv(name) for name in (JUDGMENTS, PREDICTIONS))
    score = items.set_index("id")["s"]
    tied = int((judged["i"].map(score).to_numpy() == judged["j"].map(score).to_numpy()).sum())
    out = ran(*COMMAND, *OPTIONS)
    assert tied > 0
    assert f"- In {tied} judgments both items have the same score: counted as wrong." in out
    assert "counted as half right." in ran(*COMMAND, *OPTIONS, "--ties", "half")
    told = "Check: The scores contradict most judgments: if a lower score means"
    assert told in " ".join(out.split())
    _, usable = by_hand(judged, items)
    assert f"- `sex`: the smallest cell has {min(usable.values())} judgments; below 30" in out


def test_few_items_in_most_judgments_and_judges_are_noted(files, ran):
    files()
    said = "`sex`: some rates rest on 10 or fewer items in effect"
    out = ran(*COMMAND, *OPTIONS)
    assert said not in out
    assert "Judgments of one judge are assumed independent." in out
    anchors = [f"p{number:03}" for number in range(4)]
    files(lambda f: f[f["i"].isin(anchors) | f["j"].isin(anchors)], m=30_000)
    assert said in ran(*COMMAND, *OPTIONS)


def test_groups_that_differ_in_capitals_are_noted(files, ran):
    files(items=lambda f: f.assign(sex=f["sex"].mask(f.index % 2 == 0, f["sex"].str.upper())))
    out = ran(*COMMAND, *OPTIONS)
    assert "sex: 4 groups" in out
    assert "- `sex`: the groups 'FEMALE', 'MALE', 'female', 'male' differ in capitals" in out


def test_the_examples_of_the_three_formats_run(folder, ran):
    page = (Path(__file__).parents[2] / "docs/reference/judgments.md").read_text("utf-8")
    section = page[page.index("## Three formats") : page.index("## In the workflow")]
    for name, text in re.findall(r"`([\w.]+)`:\n\n```text\n(.*?)```", section, re.S):
        Path(name).write_text(text, "utf-8")
    commands = re.findall(r"```text\nfairpairs (.*?)\n```", section, re.S)
    outs = [ran(*shlex.split(command.replace("\\\n", " "))) for command in commands]
    assert [re.search(r"^\w+: 2 groups", out, re.M)[0] for out in outs] == [
        "dialect: 2 groups", "dialect: 2 groups", "group: 2 groups",
    ]  # fmt: skip
    one, two = (out[out.index("preferred (a)") : out.index("TPR(a,b):")] for out in outs[1:])
    assert one == two
    assert "\nWME=standard.jsonl, AAL=dialect.jsonl: 8 judgments; 2 clusters" in outs[2]
    assert (
        "There are 2 clusters; with fewer than 20 the intervals and p-values are rough" in outs[2]
    )
    assert ["Judgments of one judge are assumed" in out for out in outs] == [False, False, False]


def test_no_order_is_tested_where_the_left_item_wins_always(files, refused):
    files(lambda f: f.assign(i=f["winner"], j=f["i"].where(f["i"] != f["winner"], f["j"])))
    words = refused(*COMMAND, *OPTIONS, "--order")
    assert "--order: judgments.csv: the left item is preferred in every judgment" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "JUDGMENTS: name the file of the judgments, or the groups' by --group."),
        ((PREDICTIONS,), "predictions.csv: it is in none of the three known forms, which are "),
        ((JUDGMENTS, "--outcome", "winner"), "--sensitive: name the column of the groups."),
        (("--group", "a=x", "--group", "a=y"), "--group: 'a' is named twice: give each group one"),
        (("--group", "x.csv"), "--group: 'x.csv' is no name and file: write it as NAME=FILE"),
        ((*COMMAND[1:], *OPTIONS, "--pair", "i"),
         "--pair: this option is for scores of chosen and rejected answers, and the judgments are "
         "judgments with a second file of the items: leave it out."),
        ((*COMMAND[1:], *OPTIONS, "--item-cluster", "aera"), "did you mean `area`?"),
    ],
)  # fmt: skip
def test_options_that_fit_no_format_are_one_sentence(files, refused, options, words):
    files()
    assert words in refused("audit-judgments", *options)


SIDE = (*COLUMNS, "--sensitive", "sex", "--outcome", "side", "--winner-by", "side")
FIRST = made()[0].loc[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judgments", "items", "options", "words"),
    [
        (at("i", 4, "p999"), None, OPTIONS,
         "judgments.csv: column `i` names 1 time(s) an item that is not in predictions.csv, "
         "first 'p999' in row 5: did you mean "),
        (at("j", 2, made()[0].loc[2, "i"]), None, OPTIONS,
         f"judgments.csv: row 3 judges the item '{made()[0].loc[2, 'i']}' against itself: drop "),
        (at("winner", 0, "p149"), None, OPTIONS,
         f"column `winner` holds 'p149' in row 1, which is neither '{FIRST['i']}' nor "
         f"'{FIRST['j']}', the items of that row, nor a tie: correct it."),
        (at("winner", 0, "left"), None, OPTIONS,
         "column `winner` holds 'left' in row 1, a side, and none of the two ids of that row: "),
        (at("side", 7, "2"), None, SIDE,
         "column `side` holds '2' in row 8, which is neither a side (left, right, 1, -1, model_a, "
         "model_b) nor a tie (tie, 0): correct it."),
        (lambda f: f.assign(side=(f["side"] + 1) // 2), None, SIDE,
         "column `side` holds 0 and 1, and 0 is a tie here: write left, right and tie, or 1, -1 "),
        (None, None, (*OPTIONS, "--winner-by", "side"), "in row 1, which is neither a side (left"),
        (None, None, (*COLUMNS, "--sensitive", "sex", "--outcome", "side", "--winner-by", "id"),
         "none of the two ids of that row: write ids in each row, or use --winner-by side."),
        (None, at("id", 6, "p002"), OPTIONS,
         "predictions.csv: the item 'p002' is in two groups of `sex`, 'male' in row 3 and 'female' "
         "in row 7: keep one row for each item."),
        (None, lambda f: f.assign(id=f["id"].where(f.index != 3, f["id"][0])), OPTIONS,
         "predictions.csv: the item 'p000' "),
        (None, lambda f: f.assign(s=0.5), OPTIONS,
         "predictions.csv: every judged item has the score 0.5 (column `s`): give scores that "),
        (None, lambda f: f.assign(sex=np.where(f.index < 149, "male", "female")), OPTIONS,
         "column `sex` has one group among the judged items, 'male'"),
        (None, lambda f: f.assign(sex=f.index), OPTIONS,
         "`sex` has 140 groups among the judged items, more than 20: join some, such as ages "),
        (None, None, (*COLUMNS, "--outcome", "winner", "--sensitive", "s"),
         "--sensitive: `s` is the column of --score too: name two columns."),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(files, refused, judgments, items, options, words):
    changes = {"judgments": judgments, "items": items}
    folder = files(**{name: change for name, change in changes.items() if change})
    before = sorted(folder.iterdir())
    out = () if "--out" in options else ("--out", "audit")
    assert words in refused(*COMMAND, *options, *out)
    assert sorted(folder.iterdir()) == before


def test_exchanged_files_are_told(files, refused):
    files()
    assert refused("audit-judgments", PREDICTIONS, JUDGMENTS, *OPTIONS) == (
        "fairpairs: predictions.csv and judgments.csv appear to be swapped: give the judgments "
        "first, then the predictions.\n"
    )
