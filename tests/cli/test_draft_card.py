"""Cards that are drafted from a file, in Python and by the command."""

import numpy as np
import pandas as pd
import pytest
import yaml

from fairpairs import InputError
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.draft import draft_card
from fairpairs.papers.datasets.prepare import prepare

#: What a person says of the loans.
SAID = {
    **{"label": "repaid", "positive": "yes", "sensitive": ["sex", "age"]},
    "bounds": {"above": {"age": 40}},
}


@pytest.fixture
def loans(tmp_path):
    """A file with all that a draft must tell apart."""
    rng = np.random.default_rng(1)
    n = 150
    frame = pd.DataFrame(
        {
            "id": np.arange(n), "income": rng.integers(10, 90, n),
            "sex": rng.choice(["f", "m", "m"], n),
            "purpose": rng.choice(["car", "house", "?"], n), "age": rng.integers(18, 80, n),
            "letter": [f"Dear bank, number {i}" for i in range(n)], "bank": "ours",
            "item": rng.choice(["a", "b"], n),
            "race": rng.choice(["a", "b", "c"], n), "grade": rng.integers(0, 5, n),
            "repaid": rng.choice(["yes", "no"], n),
        }
    )  # fmt: skip
    frame.loc[3, "income"] = np.nan
    path = tmp_path / "loans.csv"
    frame.to_csv(path, index=False, sep=";")
    return path


def drafted(path, **changes):
    return yaml.safe_load(draft_card(path, **{**SAID, **changes}))


def test_a_draft_is_a_card_that_prepares_the_file(loans, root, tmp_path):
    text = draft_card(loans, **SAID)
    (tmp_path / "card.yaml").write_text(text, "utf-8")
    card = read_card(tmp_path / "card.yaml", root / "workflow/schemas/dataset.schema.yaml")
    assert card["read"] == {"separator": ";", "missing_values": ["?"]}
    assert card["features"] == {
        **{"income": "numeric", "sex": "sensitive", "purpose": "categorical", "age": "sensitive"},
        **{"column_item": "categorical", "race": "categorical", "grade": "numeric"},
    }
    assert card["label"] == {
        **{"column": "repaid", "one": ["yes"], "zero": ["no"]},
        "names": {"one": "yes", "zero": "no"},
    }
    assert card["sensitive"]["sex"]["one"] == ["m"]  # the larger group
    frame, about = prepare(loans, card, name="loans")
    raw = pd.read_csv(loans, sep=";").replace("?", np.nan).dropna(subset=["income", "purpose"])
    assert len(frame) == len(raw) and list(frame["column_item"]) == list(raw["item"])
    assert about["counts"]["label"] == (raw["repaid"] == "yes").sum()
    assert about["counts"]["sensitive.age"] == (raw["age"] > 40).sum()
    for words in (
        "`id` is left out: it numbers the rows", "`letter` is left out: it has 150 different texts",
        "`bank` is left out: it has one value",
        f"{150 - len(raw)} of 150 rows lack a value: dropped",
    ):  # fmt: skip
        assert f"# {words}" in text
    assert "\n  one: ['yes']\n  zero: ['no']\n" in text


def test_labels_and_groups_are_what_is_said(loans):
    of_numbers = {"label": "grade", "positive": None}
    assert drafted(loans, **of_numbers, numeric=True)["label"] == {
        "column": "grade",
        "numeric": True,
    }
    above = drafted(loans, **of_numbers, bounds={"above": {"grade": 2, "age": 40}})["label"]
    assert above == {
        "column": "grade",
        "above": 2,
        "names": {"one": "grade > 2", "zero": "grade ≤ 2"},
    }
    one = drafted(loans, label="grade", positive="0")["label"]
    assert (one["one"], one["zero"], one["names"]["zero"]) == (["0"], "others", "Other")
    race = drafted(loans, sensitive=["race"], bounds={}, reference={"race": "b"})["sensitive"][
        "race"
    ]
    assert race == {"column": "race", "groups": {k: [k] for k in "abc"}, "reference": "b"}


def test_numbers_from_one_on(loans, root, tmp_path):
    of_grade = {"label": "grade", "positive": None, "sensitive": ["age"]}
    text = draft_card(loans, **of_grade, bounds={"at_least": {"grade": 2, "age": 40}})
    (tmp_path / "card.yaml").write_text(text, "utf-8")
    card = read_card(tmp_path / "card.yaml", root / "workflow/schemas/dataset.schema.yaml")
    assert card["label"]["names"] == {"one": "grade ≥ 2", "zero": "grade < 2"}
    frame, _ = prepare(loans, card, name="loans")
    raw = pd.read_csv(loans, sep=";").loc[frame["item"]]
    assert list(frame["label"]) == list(raw["grade"].ge(2))
    assert list(frame["sensitive_age"]) == list(raw["age"].ge(40))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": None}, r"which column is the outcome\? Name it by --label; of two values are"),
        ({"label": "repayed"}, "there is no column `repayed`.* did you mean `repaid`"),
        ({"sensitive": []}, "which columns have the groups.* few values have sex, purpose"),
        ({"sensitive": ["sex", "repaid"]}, "`repaid` is the label, and no attribute: name another"),
        ({"positive": None}, "which value of `repaid` is 1, .* give --positive one of "),
        ({"positive": "Yes"}, "it has no value Yes; give --positive one of"),
        ({"label": "grade", "positive": None}, "or --numeric for the number itself"),
        ({"label": "income", "positive": None},
         "`income` holds .* numbers: give the favourable ones by --at-least income=NUMBER"),
        ({"label": "bank"}, "the label `bank` has one value"),
        ({"label": "grade", "numeric": True, "bounds": {"at_least": {"grade": 2}}},
         "`grade` is kept as a number by --numeric, and made 0 and 1 by --at-least: choose"),
        ({"bounds": {}},
         "`age` has .* values: say above which number group 1 is, as --above age=25"),
        ({"reference": {"sex": "x"}}, "`sex` has no group x: name one of m, f by --reference"),
        ({"bounds": {"above": {"age": 40, "incme": 1}}},
         "`incme` is neither the label nor an attribute"),
        ({"bounds": {"above": {"age": 40, "sex": 1}}}, "`sex` has texts, and --above, --at-least"),
        ({"bounds": {"above": {"age": 40}, "at_least": {"age": 40}}},
         "`age` is named by --above and by --at-least: choose one"),
        ({"features": ["incme"]}, "there is no column `incme`.* did you mean `income`"),
    ],
)  # fmt: skip
def test_what_is_unclear_is_asked_in_one_sentence(loans, changes, words):
    with pytest.raises(InputError, match=words) as error:
        drafted(loans, **changes)
    assert "\n" not in str(error.value)


def test_the_command_writes_a_card_once_and_checks_it(ran, refused, loans, tmp_path):
    card = tmp_path / "config/datasets/my_loans.yaml"
    said = ("--label", "repaid", "--positive", "yes", "--sensitive", "sex,age", "--above", "age=40")
    text = ran("card", loans, *said, "--out", card)
    copy = card.with_suffix("") / "loans.csv"
    assert text.startswith(f"{card}: written, with its file {copy}.\nmy_loans: ")
    assert "sex: m " in text and copy.read_bytes() == loans.read_bytes()
    assert ran("card", loans, "--check", card) in text
    other = card.with_name("other.yaml")
    said_again = ("--label", "income", "--sensitive", "sex", "--features", "grade,purpose")
    by_number = ("--at-least", "income=40", "--reference", "sex=f")
    ran("card", loans, *said_again, *by_number, "--out", other)
    found = yaml.safe_load(other.read_text("utf-8"))
    assert found["label"]["at_least"] == 40 and len(found["features"]) == 3
    assert found["sensitive"]["sex"]["names"] == {"one": "f", "zero": "m"}
    assert "Name one source" in refused("card", *said)
    assert "Name one source" in refused("card", loans, *said, "--openml", "31")
    assert "which file is it of?" in refused("card", "--check", card)
    assert "is there already: remove it" in refused("card", loans, *said, "--out", card)
    assert "write a column and a value" in refused("card", loans, *said, "--above", "age")
    assert "there is no column `repaid`" in refused("card", loans, *said, "--separator", ",")
    assert "x is no number" in refused("card", loans, *said, "--above", "income=x")
    loans.write_text(loans.read_text("utf-8").replace("yes", "Yes", 1), "utf-8")
    altered = refused("card", loans, "--check", card)
    assert "it was altered: its sha256 is" in altered and "or draft the card again" in altered


def test_a_card_that_cannot_be_prepared_is_not_left(ran, refused, tmp_path):
    """All rows of one group lack the value of a feature."""
    path, card = tmp_path / "few.csv", tmp_path / "few.yaml"
    path.write_text("x,sex,y\n1,a,0\n2,a,1\n,b,0\n", "utf-8")
    words = refused(
        "card", path, "--label", "y", "--positive", "1", "--sensitive", "sex", "--out", card
    )
    assert "sex" in words and not card.exists()
