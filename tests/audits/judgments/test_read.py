"""Judgments in the three forms in which people have them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import JudgmentColumns, sides_of
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table


@pytest.fixture
def written(folder):
    """A function that writes a table, as JSON lines or as CSV, and returns its path."""

    def write(name, rows):
        frame = pd.DataFrame(rows)
        if name.endswith("jsonl"):
            lines = (json.dumps(row) for row in frame.to_dict("records"))
            Path(name).write_text("\n".join(lines), "utf-8")
        else:
            frame.to_csv(name, index=False)
        return Path(name)

    return write


def arena(**more):
    return {
        "model_a": ["x", "y", "x", "z"], "model_b": ["y", "z", "z", "x"],
        "winner": ["model_a", "tie (bothbad)", "model_b", "model_a"],
        "score_a": [2.0, 1.0, 0.0, 5.0], "score_b": [1.0, 1.0, 3.0, 6.0],
        "dialect_a": ["w", "a", "w", "a"], "dialect_b": ["a", "a", "a", "w"], **more,
    }  # fmt: skip


SIDES = JudgmentColumns(score=["score"], sensitive=["dialect"])


@pytest.mark.parametrize("name", ["arena.jsonl", "arena.csv"])
def test_both_sides_of_a_row_are_read(written, name):
    judged = read_judgments(SIDES, written(name, arena()))
    assert judged.outcome.tolist() == [1, 0, -1, 1]
    assert judged.models == ["score"]
    assert judged.predicted("score").tolist() == [1, 0, -1, -1]
    assert (judged.left.tolist(), judged.right.tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert judged.items["dialect"].tolist() == ["w", "a", "w", "a", "a", "a", "a", "w"]


@pytest.mark.parametrize(
    "winner", [["model_1", "tie", "model_2", "model_1"], [1, 0, 2, 1], ["1.0", "0.0", "2.0", "1.0"]]
)
def test_sides_may_be_numbered(written, winner):
    judged = read_judgments(SIDES, written("arena.csv", arena(winner=winner)))
    assert judged.outcome.tolist() == [1, 0, -1, 1]


def test_columns_of_sides_may_be_named_both(written):
    path = written("arena.csv", arena())
    both = JudgmentColumns(score=["score_a,score_b"], sensitive=["dialect_a, dialect_b"])
    one, other = read_judgments(SIDES, path), read_judgments(both, path)
    assert one.items.equals(other.items)
    assert one.predicted("score").tolist() == other.predicted("score").tolist()


def test_winners_of_sides_may_be_ids(written):
    path = written("arena.csv", arena(winner=["x", "tie", "z", "z"]))
    assert read_judgments(SIDES, path).outcome.tolist() == [1, 0, -1, 1]


def test_items_with_ids_recur(written):
    columns = JudgmentColumns(
        score=["score"], sensitive=["dialect"], left="model_a", right="model_b"
    )
    groups, scores = {"x": "w", "y": "a", "z": "a"}, {"x": 2.0, "y": 1.0, "z": 1.0}
    rows = arena()
    rows |= {f"dialect_{side}": [groups[x] for x in rows[f"model_{side}"]] for side in "ab"}
    rows |= {f"score_{side}": [scores[x] for x in rows[f"model_{side}"]] for side in "ab"}
    judged = read_judgments(columns, written("arena.csv", rows))
    assert judged.left.tolist() == [0, 1, 0, 2]
    assert judged.right.tolist() == [1, 2, 2, 0]
    assert judged.items["dialect"].tolist() == ["w", "a", "a"]
    assert judged.items["score"].tolist() == [2.0, 1.0, 1.0]
    assert judged.predicted("score").tolist() == [1, 0, 1, -1]


def test_verdicts_of_an_audited_judge_replace_scores(written):
    columns = JudgmentColumns(verdict=["gpt"], sensitive=["dialect"], judge="person")
    rows = arena(gpt=["A", "B", "tie", "model_a"], person=["p", "p", "q", "q"])
    judged = read_judgments(columns, written("arena.csv", rows))
    assert judged.predicted("gpt").tolist() == [1, -1, 0, 1]
    assert judged.judge.tolist() == ["p", "p", "q", "q"]


def scored(**more):
    return {
        "chosen": [[3.0], [1.0], [2.5], [0.5]], "rejected": [[1.0], [2.0], [0.0], [0.0]],
        "dialect": ["w", "w", "a", "a"], "prompt": ["p", "q", "p", "q"], **more,
    }  # fmt: skip


PAIRED = JudgmentColumns(sensitive=["dialect"], pair="prompt")


def by_text(judged, model="score"):
    """The judgments by groups of winner and loser and cluster, with what the model prefers."""
    group = judged.items[judged.attributes[0]].to_numpy()
    return sorted(
        (group[i], group[j], c, int(p))
        for i, j, c, p in zip(
            judged.left, judged.right, judged.cluster, judged.predicted(model), strict=True
        )
    )


#: Groups of winner and loser, the text, and whether the model agrees.
ALL = [
    ("a", "a", "p", 1), ("a", "a", "q", 1), ("a", "w", "p", 1), ("a", "w", "q", -1),
    ("w", "a", "p", 1), ("w", "a", "q", 1), ("w", "w", "p", 1), ("w", "w", "q", -1),
]  # fmt: skip


def test_versions_of_a_text_are_compared_within_and_across(written):
    judged = read_judgments(PAIRED, written("scores.jsonl", scored()))
    assert judged.outcome.tolist() == [1] * 8
    assert by_text(judged) == ALL


def test_files_of_groups_belong_together_row_by_row(written):
    frame = pd.DataFrame(scored())
    groups = {
        name: written(f"{name}.jsonl", rows[["chosen", "rejected"]])
        for name, rows in frame.groupby("dialect")
    }
    judged = read_judgments(JudgmentColumns(), None, None, groups)
    assert judged.attributes == ["group"]
    rows = {"p": "row 1", "q": "row 2"}
    by_row = [(a, b, rows[text], agrees) for a, b, text, agrees in ALL]
    assert by_text(judged) == by_row
    within = read_judgments(JudgmentColumns(within_only=True), None, None, groups)
    assert by_text(within) == [row for row in by_row if row[0] == row[1]]


def test_without_pairs_rows_are_alone(written):
    judged = read_judgments(
        JudgmentColumns(sensitive=["dialect"]), written("scores.jsonl", scored())
    )
    assert len(judged.outcome) == 4
    assert judged.cluster is None


def test_several_models_have_columns_of_their_own(written):
    rows = scored(chosen_2=[1.0, 2.0, 3.0, 4.0], rejected_2=[0.0, 3.0, 0.0, 9.0])
    columns = JudgmentColumns(
        chosen=["chosen", "chosen_2"], rejected=["rejected", "rejected_2"],
        sensitive=["dialect"], pair="prompt",
    )  # fmt: skip
    judged = read_judgments(columns, written("scores.jsonl", rows))
    assert judged.models == ["score", "2"]
    assert by_text(judged) == ALL
    assert judged.predicted("2").tolist()[:4] == [1, -1, 1, -1]


def test_a_tie_between_items_is_a_tie_and_a_table_of_items_is_joined(written):
    judgments = written("j.csv", {
        "i": ["p", "q", "r"], "j": ["q", "r", "p"], "winner": ["p", "tie", "p"],
        "judge": ["u", "v", "u"],
    })  # fmt: skip
    items = written("i.csv", {
        "id": ["r", "q", "p", "none"], "s": [1.0, 2.0, 3.0, 4.0], "t": [0.0, 1.0, 0.5, 0.1],
        "sex": list("fmff"), "person": list("kkll"),
    })  # fmt: skip
    columns = JudgmentColumns(
        left="i", right="j", item="id", score=["s", "t"], sensitive=["sex"], judge="judge",
        item_cluster="person",
    )  # fmt: skip
    judged = read_judgments(columns, judgments, items)
    assert judged.outcome.tolist() == [1, 0, -1]
    assert judged.models == ["s", "t"]
    assert judged.items["sex"].tolist() == ["f", "m", "f"]
    assert judged.item_cluster.tolist() == ["k", "k", "l"]


def test_columns_of_both_sides_are_found_by_their_names(written):
    rows = {name: ["p", "q"] for name in ("left_x", "right_x", "y", "z_1", "z_2")}
    table = Table(written("t.csv", rows))
    assert sides_of(table, "x", "--o") == [("x", "left_x", "right_x")]
    assert sides_of(table, "y", "--o") == [("y", "y", "y")]
    assert sides_of(table, "z,x", "--o") == [("z", "z_1", "z_2"), ("x", "left_x", "right_x")]
    assert sides_of(table, "z_1,z_2", "--o") == [("z", "z_1", "z_2")]


RELATED = JudgmentColumns(score=["score"], sensitive=["dialect"], judge="judge")
NAMED = JudgmentColumns(left="model_a", right="model_b", verdict=["gpt"], sensitive=["dialect"])


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (arena(winner=["model_a", "cheese", "model_b", "model_a"]), SIDES,
         "column `winner` holds 'cheese' in row 2, which is neither a side"),
        (arena(winner=["tie", "both_bad", "TIE", "0"]), SIDES,
         "column `winner` holds ties alone: give judgments that one side wins"),
        (arena(winner=["1", "2", "2", "1"]), SIDES,
         "column `winner` holds 1 and 2, and which of the two is the left item cannot be told: "
         "write left, right and tie, or 1, -1 and 0"),
        (arena(), replace(SIDES, sensitive=["dialect_b,dialect_a"]),
         "--sensitive: `dialect_b,dialect_a` names the right side first: turn the two round"),
        (arena(), replace(SIDES, score=["score_a,score_c"]), "there is no column `score_c`"),
        (arena(), replace(SIDES, score=["dialect"], sensitive=["dialect"]),
         "'dialect' is the name of two scores, verdicts or attributes"),
        (arena(), replace(SIDES, left="model_a", right="model_b"),
         "the item 'x' has two values of `score`, 2.0 in row 1 and 0.0 in row 3"),
        (arena(person_a=list("kklm"), person_b=list("kklm"), gpt=list("abab")),
         replace(NAMED, sensitive=["model_a,model_b"], item_cluster="person"),
         "the item 'x' has two values of `person`, 'k' in row 1 and 'l' in row 3"),
        (arena(person=["k"] * 4), replace(SIDES, item_cluster="person"),
         "column `person` is 'k' for every item .--item-cluster.: a variance needs several"),
        (arena(), replace(SIDES, item_cluster="score,dialect"),
         "--item-cluster: `score,dialect` names several: name one column, or those of both"),
        (arena(), JudgmentColumns(score=["score"]), "--sensitive: name the column of the groups"),
        (arena(), JudgmentColumns(sensitive=["dialect"]), "--score: name the columns of t.csv"),
        (arena(), JudgmentColumns(score=["score_a"], sensitive=["dialect"]),
         "--score: `score_a` is one column: name the scores of both sides"),
        (arena(), JudgmentColumns(score=["score"], sensitive=["sex"]), "there is no column `sex`"),
        (arena(score_b=[2.0, 1.0, 0.0, 5.0]), SIDES, "both sides have the same score in every row"),
        (arena(judge=["x", "", "y", "y"]), RELATED, "`judge` has 1 missing value.*leave --judge"),
        (arena(judge=["x"] * 4), RELATED, "column `judge` is 'x' in every row .--judge.: a varian"),
        (arena(gpt=list("abab"), dialect_a=list("wwwa")), NAMED,
         "the item 'y' is in two groups of `dialect`, 'w' in row 2 and 'a' in row 1: correct it"),
        (arena(model_b=list("xzzx"), gpt=list("abab")), NAMED,
         "row 1 judges the item 'x' against itself"),
        ({"u": [1], "v": [2]}, SIDES,
         "it is in none of the three known forms, which are judgments with a second "
         r"file of the items \(--left.*\), both sides in a row \(model_a, model_b, winner.*\), and "
         r"scores of chosen and rejected answers \(chosen, rejected.*\): it has the columns u, v"),
        (scored(), JudgmentColumns(sensitive=["dialect"], outcome="chosen", chosen=["chosen"]),
         "--outcome: this option is for judgments with a second .*, and the judgments are scores "
         "of chosen and rejected answers: leave it out"),
        (scored(), JudgmentColumns(sensitive=["dialect"], within_only=True),
         "--within-only: without --pair no text has versions: leave it out"),
        (scored(), JudgmentColumns(sensitive=["dialect"], pair="prompts"),
         "there is no column `prompts`; .*: did you mean `prompt`"),
        (scored(m_chosen=range(4), k_rejected=range(4)),
         JudgmentColumns(sensitive=["dialect"], chosen=["m_chosen"], rejected=["k_rejected"]),
         "`m_chosen` and `k_rejected` seem to be of two models: name the columns of the models in"),
        (scored(score_chosen=range(4), score_rejected=range(4)),
         JudgmentColumns(sensitive=["dialect"], chosen=["chosen", "score_chosen"],
          rejected=["rejected", "score_rejected"]),
         "--chosen: two models are called 'score': rename a column"),
        (scored(), JudgmentColumns(sensitive=["dialect"], chosen=["chosen", "prompt"]),
         "--chosen names 2 column.s. and --rejected 1: name one of each"),
    ],
)  # fmt: skip
def test_bad_tables_are_explained(written, rows, columns, words):
    name = "t.jsonl" if "chosen" in rows else "t.csv"
    with pytest.raises(InputError, match=words):
        read_judgments(columns, written(name, rows))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (scored(chosen=[["a"], ["b", "c"], ["d"], ["e"]]), "column `chosen` holds lists"),
        (scored(chosen=["good", "bad", "fair", "dull"]),
         "must hold finite numbers and holds 'good' in row 1: write the score of the answer"),
        (scored(chosen=[1.0] * 4, rejected=[1.0] * 4), "all scores in `chosen` and `rejected`"),
        (scored(prompt=["p", "q", "p", "r"]),
         "the text 'q' has one version only .--pair., as have 1 more: add the version"),
        (scored(dialect=["w", "w", "w", "a"]), "the text 'p' has two versions in one group"),
    ],
)  # fmt: skip
def test_bad_scores_and_pairs_are_explained(written, rows, words):
    with pytest.raises(InputError, match=words):
        read_judgments(PAIRED, written("t.jsonl", rows))


def test_files_of_groups_of_unequal_length_are_refused(written):
    rows = {"chosen": [1.0, 2.0], "rejected": [0.0, 3.0]}
    one, two = written("a.csv", rows), written("b.csv", {k: [*v, 1.0] for k, v in rows.items()})
    with pytest.raises(InputError, match=r"a.csv has 2 rows, b.csv has 3 rows: row by row"):
        read_judgments(JudgmentColumns(), None, None, {"a": one, "b": two})
    with pytest.raises(InputError, match="one group only: name the file of another"):
        read_judgments(JudgmentColumns(), None, None, {"a": one})
    with pytest.raises(InputError, match="leave --sensitive out"):
        read_judgments(JudgmentColumns(sensitive=["x"]), None, None, {"a": one, "b": one})
    with pytest.raises(InputError, match="name no other file"):
        read_judgments(JudgmentColumns(), one, None, {"a": one, "b": one})
    with pytest.raises(InputError, match="JUDGMENTS: name the file"):
        read_judgments(JudgmentColumns(), None)


def test_all_pairs_of_versions_are_those_of_a_loop(written):
    rng = np.random.default_rng(0)
    m = 200
    rows = {
        "chosen": rng.normal(size=2 * m), "rejected": rng.normal(size=2 * m),
        "dialect": np.repeat(["w", "a"], m), "prompt": np.tile(np.arange(m), 2),
    }  # fmt: skip
    judged = read_judgments(PAIRED, written("t.csv", rows))
    frame = pd.DataFrame(rows).set_index(["dialect", "prompt"])
    expected = sorted(
        (g, h, str(p), int(np.sign(frame.loc[(g, p), "chosen"] - frame.loc[(h, p), "rejected"])))
        for g in "wa" for h in "wa" for p in range(m)
    )  # fmt: skip
    assert by_text(judged) == expected
