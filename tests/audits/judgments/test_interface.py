"""`fairpairs.audit_judgments`: files and tables of any kind give the same audit."""

import re

import numpy as np
import pandas as pd
import pytest

from fairpairs import InputError, audit_judgments
from fairpairs.audits.options import options_as_arguments
from tests.audits.judgments.synthetic import synthetic

COLUMNS = {"left": "i", "right": "j", "outcome": "winner", "item": "id"}


def tables():
    judged = synthetic(m=600)
    ids = np.array([f"p{i}" for i in range(len(judged.items))])
    items = judged.items.assign(id=ids)
    winner = np.where(judged.outcome > 0, judged.left, judged.right)
    judgments = pd.DataFrame({"i": ids[judged.left], "j": ids[judged.right], "winner": ids[winner]})
    return judgments, items


def test_groups_may_be_tables_of_their_own():
    rng = np.random.default_rng(0)
    plain = pd.DataFrame({"chosen": rng.normal(1, 1, 200), "rejected": rng.normal(0, 1, 200)})
    dialect = plain.assign(chosen=plain["chosen"] - 1)
    result = audit_judgments(group={"plain": plain, "dialect": dialect})
    within = result.to_frame().query("criterion == 'within'").iloc[0]
    assert (within["group"], within["reference"]) == ("plain", "dialect")
    right = [(frame["chosen"] > frame["rejected"]).mean() for frame in (plain, dialect)]
    assert within["estimate"] == pytest.approx(right[0] - right[1])
    assert result.to_text().startswith("group plain, group dialect: 800 judgments; 200 clusters")
    assert [file["group"] for file in result.about["files"]] == ["plain", "dialect"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y_score": "unknown"}, "predictions: there is no column `unknown`; it has "),
        ({"winner_by": "x"}, "winner_by must be one of 'auto', 'id', 'side'; it is 'x'."),
        ({"ties_in_outcome": "x"}, "ties_in_outcome must be one of 'drop', 'half'; it is 'x'."),
        ({"order": "yes"}, "order must be True or False; it is 'yes'."),
        ({"judgments": [1, 2]}, "judgments must be a path or a table, not "),
        ({"judgments": tables()[0].head(0)}, "judgments: the table has no rows: give at least one"),
        ({"judges": "winner", "judgments": tables()[0].assign(winner="p1")}, ""),
    ],
)
def test_bad_input_is_one_sentence_about_the_argument(change, words):
    judgments, items = tables()
    given = {"judgments": judgments, **COLUMNS, "y_score": "fair", "sensitive_features": "area"}
    given |= change
    with pytest.raises(InputError) as error:
        audit_judgments(given.pop("judgments"), items, **given)
    assert str(error.value).startswith(words)
    assert "--" not in str(error.value)


def test_options_are_called_as_arguments():
    named = "item_cluster: a (judge), left too; a--b"
    with pytest.raises(InputError, match=f"^{re.escape(named)}$"), options_as_arguments(str):
        raise InputError("--item-cluster: a (--judge), --left too; a--b")
