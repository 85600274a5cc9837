import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from tests.papers.datasets.raw_files import FACES, PEOPLE, with_value


@pytest.mark.parametrize(
    ("rule", "coded"),
    [
        ({"column": "city", "one": ["Ash"], "zero": ["Birk", "Cole"]}, [1, 0, 1, 0]),
        ({"column": "city", "one": ["Ash"], "zero": "others"}, [1, 0, 1, 0]),
        ({"column": "city", "one": ["Cole", "Birk"], "zero": "others"}, [0, 1, 0, 1]),
        ({"column": "year", "one": [2021], "zero": [2020, 2022]}, [0, 1, 1, 0]),
        ({"column": "year", "one": ["2021"], "zero": "others"}, [0, 1, 1, 0]),
        ({"column": "age", "above": 25}, [1, 1, 0, 1]),
        ({"column": "age", "above": 24.9}, None),
        ({"column": "age", "above": 40.5}, [0, 0, 0, 1]),
    ],
)
def test_attributes_are_coded_by_values_others_or_above(prepare_people, rule, coded):
    sensitive = {"sex": {**rule, "names": {"one": "1", "zero": "0"}}}
    if coded is None:
        with pytest.raises(
            InputError, match=r"column `age` \(sensitive.sex\) has only one group, 1"
        ):
            prepare_people(sensitive=sensitive)
    else:
        frame, about = prepare_people(sensitive=sensitive)
        assert_array_equal(frame["sensitive_sex"], coded)
        assert about["counts"]["sensitive.sex"] == sum(coded)


def test_a_label_may_be_above_a_number(prepare_people):
    rule = {"column": "age", "above": 25, "names": {"one": "Old", "zero": "Young"}}
    features = {"year": "numeric", "city": "categorical"}
    frame, about = prepare_people(label=rule, features=features)
    assert_array_equal(frame["label"], [1, 1, 0, 1])
    assert about["counts"]["label"] == 3
    with pytest.raises(InputError, match=r"column `age` \(label\) has only one label, 0"):
        prepare_people(label={**rule, "above": 50}, features=features)


def test_numbers_as_categories_are_levels(prepare_people):
    frame, _ = prepare_people(features={"year": "categorical"})
    assert list(frame["year"]) == ["2020", "2021", "2021", "2022"]


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (with_value(2, "outcome", "meh"), {},
         "column `outcome` holds 'meh' in row 2 below the header, which `label` of the card "
         "lists neither as `one` nor as `zero`"),
        (with_value(3, "gender", "x"), {},
         "column `gender` holds 'x' in row 3 below the header, which `sensitive.sex` of the card"),
        (with_value(2, "age", "old"), {},
         "column `age` is numeric on the card but holds 'old' in row 2 below .* `categorical`"),
        (with_value(2, "age", "inf"), {}, "column `age` is numeric on the card but holds .*inf"),
        (PEOPLE.replace("bad", "good"), {},
         r"column `outcome` \(label\) has only one label, 1: a test compares two"),
        (PEOPLE.replace(",m,", ",f,"), {},
         r"column `gender` \(sensitive.sex\) has only one group, 0: a test compares two"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_coded_is_explained(prepare_people, text, changes, message):
    with pytest.raises(InputError, match=f"people.csv: .*{message}"):
        prepare_people(text, **changes)


def within(at_most):
    label = {"column": "event", "one": [1], "zero": [0], "names": {}}
    return {"label": {**label, "within": {"column": "days", "at_most": at_most}}}


def test_an_event_counts_within_its_time_only(prepare_events):
    frame, about = prepare_events(**within(3652))
    assert_array_equal(frame["label"], [1, 0, 0, 1, 0])
    assert about["counts"]["label"] == 2
    with pytest.raises(InputError, match="only one label, 0"):
        prepare_events(**within(1))


def test_a_missing_time_to_the_event_drops_its_row_or_is_complained_of(prepare_events, events):
    text = events.replace(",20,", ",,")
    frame, _ = prepare_events(text, **within(3652), missing={"days": "drop"})
    assert_array_equal(frame["label"], [1, 0, 0, 1])
    with pytest.raises(InputError, match=r"column `days` has 1 missing value.* in row 5"):
        prepare_events(text, **within(3652))
    with pytest.raises(InputError, match="there is no column `weeks`"):
        prepare_events(label={**within(9)["label"], "within": {"column": "weeks", "at_most": 9}})


def test_another_letter_gives_another_group(prepare_faces, faces):
    rule = {**faces["sensitive"]["sex"], "character": 1, "one": ["A"], "zero": ["C"]}
    frame, _ = prepare_faces(sensitive={"race": rule, "sex": faces["sensitive"]["sex"]})
    assert_array_equal(frame["sensitive_race"], [1, 1, 0, 0])
    assert_array_equal(frame["sensitive_sex"], [0, 1, 0, 1])
    assert list(frame["Filename"]) == ["AF1.jpg", "AM2.jpg", "CF3.jpg", "CM10.jpg"]


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (FACES.replace("CF3.jpg", "C"), {},
         "column `Filename` holds 'C' in row 3 below the header, which has no character 2: "
         "correct the file or `character` of the card"),
        (FACES.replace("CF3.jpg", "CX3.jpg"), {}, "column `Filename` holds 'X' in row 3"),
        (FACES.replace("CF3.jpg", ""), {}, "column `Filename` has 1 missing value.* in row 3"),
        (FACES.replace("CF3.jpg", '"  "'), {}, "column `Filename` has an empty image in row 3"),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,6,"), {},
         "column `P1` holds '6' in row 2 below the header, and `decisions` of the card go from 1 "
         "to 5: correct the file, leave the cell empty, or correct the card"),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,0.999,"), {}, "column `P1` holds '0.999' in row 2"),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,much,"), {}, "column `P1` holds 'much' in row 2"),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,inf,"), {}, "column `P1` holds 'inf' in row 2"),
        (FACES.replace("1,2,", "1,,").replace("3,3,", "3,,").replace("4.5,4.5,4.5", ",4.5,4.5"), {},
         "column `P2` has no decisions: remove it from `decisions`"),
        (FACES, {"decisions": {"columns": ["P1", "P9"], "from": 1, "to": 5}},
         "there is no column `P9`; it has Filename, P1, P2, Mean, Score"),
    ],
)  # fmt: skip
def test_bad_decisions_and_images_are_explained(prepare_faces, text, changes, message):
    with pytest.raises(InputError, match=rf"faces\.csv: .*{message}"):
        prepare_faces(text, **changes)
