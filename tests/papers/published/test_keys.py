"""Keys of published cells that name what there is not."""

import pytest

from fairpairs import InputError
from fairpairs.papers.published.table import check_keys

CARDS = {
    "compas": {"sensitive": {"sex": {}, "race": {}}},
    "german": {"sensitive": {"age": {}}},
    "scores": {"raw_only": True},
}
VOCABULARY = {"cap": (0, 0.9), "size": int, "measure": ("AUC", "xAUC")}
ROW = ("r", "computed", 1, [1, 2])


def check(table, datasets=()):
    check_keys(
        table,
        cards=CARDS,
        treatments=["none", "fairbalance"],
        tests=["separation", "comparative_separation"],
        vocabulary=VOCABULARY,
        datasets=datasets,
    )


def columns(first, second):
    return {"name": "a", "key": first}, {"name": "b", "key": second}


def test_keys_of_what_there_is_are_in_order(make_published):
    first = {"dataset": "compas", "attribute": "race", "test": "separation", "cap": 0}
    second = {**first, "cap": 0.9, "treatment": "none", "size": 1000, "experiment": "loans"}
    about = {"from": {"experiments": ["loans"]}}
    check(make_published([ROW], columns(first, second), **about))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({"dataset": "compass"}, ("`dataset`: there is no `compass`", "did you mean `compas`?")),
        (
            {"dataset": "german", "attribute": "sex"},
            ("`attribute` of german: there is no `sex`", "write one of age"),
        ),
        ({"treatment": "fairbalanced"}, ("`treatment`", "did you mean `fairbalance`?")),
        ({"test": "seperation"}, ("`test`: there is no", "did you mean `separation`?")),
        ({"experiment": "loans"}, ("`experiment`: there is no `loans`",)),
        ({"mesure": "AUC"}, ("unknown key `mesure`", "did you mean `measure`?")),
        ({"measure": "ROC"}, ("`measure`: there is no `ROC`", "write one of AUC, xAUC")),
        ({"cap": 0.99}, ("`cap`: there is no `0.99`", "0.9")),
        ({"size": "many"}, ("`size` must be of type int", "the text `many`")),
        ({"cap": "0"}, ("`cap` is the text `0`: write it without quotes.",)),
        ({"measure": 7}, ("`measure`: there is no `7`",)),
    ],
)
def test_a_key_of_what_there_is_not_is_refused(make_published, key, words):
    table = make_published([ROW], columns({}, key))
    with pytest.raises(InputError) as error:
        check(table)
    message = str(error.value)
    assert message.startswith(f"config/published/{table.name}.yaml: the cell (r; b)")
    for word in words:
        assert word in message


def test_two_cells_of_one_key_are_refused(make_published):
    table = make_published([ROW], columns({"dataset": "compas"}, {"dataset": "compas"}))
    with pytest.raises(InputError, match=r"the cell \(r; b\) has the key of \(r; a\): tell"):
        check(table)


def test_the_keys_of_texts_are_checked_too(make_published):
    texts = [{"name": "title", "key": {"measure": "words"}, "values": {"r": "x"}}]
    table = make_published([ROW], columns({"cap": 0}, {"cap": 0.9}), texts=texts)
    with pytest.raises(InputError, match=r"the cell \(r; title\): `measure`"):
        check(table)


def test_an_attribute_without_a_data_set_is_one_of_those_that_the_table_rests_on(make_published):
    table = make_published([ROW], columns({"attribute": "sex"}, {"attribute": "age"}))
    check(table)  # which rests on no data set
    check(table, datasets=["compas", "german", "scores"])  # the last has no attribute
    with pytest.raises(InputError, match="`attribute`: there is no `age`: write one of race, sex"):
        check(table, datasets=["compas"])
