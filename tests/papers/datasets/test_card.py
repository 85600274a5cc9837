import re

import pytest
import yaml

from fairpairs import InputError
from fairpairs.papers.datasets.card import READS, is_raw_only, raw_file, read_card
from fairpairs.papers.models.faces import ENCODERS


@pytest.fixture
def read(tmp_path, dataset_schema):
    """A function that writes a card and reads it."""

    def write_and_read(card):
        path = tmp_path / "people.yaml"
        path.write_text(yaml.safe_dump(card), encoding="utf-8")
        return read_card(path, dataset_schema)

    return write_and_read


def test_a_card_with_what_it_must_have_is_read_as_it_is(read, card):
    assert read(card) == card


def test_a_card_with_everything_is_read_as_it_is(read, card):
    card["homepage"] = "https://example.org"
    card["read"] = {
        "separator": ";",
        "column_names": ["age", "city", "gender", "outcome", "year"],
        "missing_values": ["?"],
    }
    card["keep_rows"] = [{"column": "year", "values": [2020, 2021], "because": "Others differ."}]
    card["missing"] = {"city": "level", "age": "drop"}
    card["sensitive"]["age"] = {
        "column": "age",
        "above": 25,
        "names": {"one": "Old", "zero": "Young"},
    }
    card["label"]["zero"] = "others"
    card["dropped"] = "Nothing."
    card["counts"] = {"rows": 3, "label": 1, "sensitive": {"sex": 2}}
    card["files"][0]["mirror"] = "elsewhere/people.csv"
    assert read(card) == card


@pytest.mark.parametrize(
    ("wrong", "close"), [("sensitve", "sensitive"), ("lable", "label"), ("features_", "features")]
)
def test_a_misspelt_key_is_named_with_the_close_one(read, card, wrong, close):
    card[wrong] = card[close]
    message = rf"people.yaml: unknown key `{wrong}`; did you mean `{close}`\?"
    with pytest.raises(InputError, match=message):
        read(card)


def test_a_misspelt_key_within_a_part_is_named_with_its_place(read, card):
    card["sensitive"]["sex"]["colum"] = "gender"
    message = r"unknown key `sensitive.sex.colum`; did you mean `column`\?"
    with pytest.raises(InputError, match=message):
        read(card)


def test_a_key_unlike_any_other_gets_the_list(read, card):
    card["label"]["xyzzy"] = 1
    with pytest.raises(InputError, match=r"`label.xyzzy`; the keys here are `column`, `names`, "):
        read(card)


@pytest.mark.parametrize(
    "key", ["title", "citation", "licence", "files", "features", "label", "sensitive"]
)
def test_a_missing_key_is_named_with_its_meaning(read, card, dataset_schema, key):
    meaning = yaml.safe_load(dataset_schema.read_text(encoding="utf-8"))["properties"][key][
        "description"
    ]
    del card[key]
    with pytest.raises(InputError, match=re.escape(f"`{key}` is missing ({meaning})")):
        read(card)


def test_files_alone_need_no_columns(read, card):
    files = {key: card[key] for key in ("title", "citation", "licence", "files")}
    assert is_raw_only(read({**files, "raw_only": True}))
    with pytest.raises(InputError, match="`features` is missing"):
        read(files)
    with pytest.raises(InputError, match="'features' is not one of `raw_only`, `title`"):
        read({**files, "raw_only": True, "features": {"age": "numeric"}})
    with pytest.raises(InputError, match="key `raw_only`: True was expected"):
        read({**files, "raw_only": False})
    with pytest.raises(InputError, match="two `files` have the same name"):
        read({**files, "raw_only": True, "files": files["files"] * 2})


def test_a_missing_key_within_a_part_is_named_with_its_place(read, card):
    del card["label"]["names"]
    with pytest.raises(InputError, match="key `label`: `names` is missing"):
        read(card)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda card: card.update(title=5), "title"),
        (lambda card: card.update(files=[]), "files"),
        (lambda card: card["files"][0].update(bytes=0), r"files\.0\.bytes"),
        (lambda card: card["files"][0].update(sha256="abc"), r"files\.0\.sha256"),
        (lambda card: card["files"][0].update(name="a/b.csv"), r"files\.0\.name"),
        (lambda card: card["files"][0].update(urls=["people.csv"]), r"files\.0\.urls\.0"),
        (lambda card: card.update(features={}), "features"),
        (lambda card: card["features"].update(age="number"), r"features\.age"),
        (lambda card: card.update(missing={"age": "mean"}), r"missing\.age"),
        (lambda card: card["label"].update(one="good"), r"label\.one"),
        (lambda card: card["label"].update(one=[]), r"label\.one"),
        (lambda card: card.update(sensitive={}), "sensitive"),
        (lambda card: card.update(counts={"rows": "many"}), r"counts\.rows"),
    ],
)
def test_a_wrong_value_is_located(read, card, change, place):
    change(card)
    with pytest.raises(InputError, match=f"people.yaml: key `{place}`: "):
        read(card)


@pytest.mark.parametrize(
    "rule",
    [
        {"column": "age", "above": 25, "one": ["m"]},
        {"column": "age", "above": 25, "zero": ["m"]},
        {"column": "age", "above": 25, "one": ["m"], "zero": ["f"]},
        {"column": "age", "one": ["m"]},
        {"column": "age"},
    ],
)
def test_an_attribute_is_coded_by_values_or_by_above(read, card, rule):
    card["sensitive"]["sex"] = {**rule, "names": {"one": "1", "zero": "0"}}
    with pytest.raises(InputError, match=r"sensitive\.sex"):
        read(card)


def test_a_sensitive_feature_must_be_an_attribute(read, card):
    card["features"]["race"] = "sensitive"
    message = (
        "features.race is `sensitive`, but `sensitive` has no attribute `race`: name one of sex"
    )
    with pytest.raises(InputError, match=message):
        read(card)


@pytest.mark.parametrize("name", ["item", "label", "sensitive_sex", "sensitive_"])
def test_a_feature_may_not_take_a_name_of_ours(read, card, name):
    card["features"][name] = "numeric"
    with pytest.raises(InputError, match=f"a feature may not be called `{name}`"):
        read(card)


def test_an_unknown_data_set_lists_the_known_ones(read, card, tmp_path, dataset_schema):
    read(card)
    (tmp_path / "animals.yaml").write_text("{}", encoding="utf-8")
    message = (
        r"There is no data set `peeple`: write its card .*peeple.yaml, or use one of "
        "animals, people"
    )
    with pytest.raises(InputError, match=message):
        read_card(tmp_path / "peeple.yaml", dataset_schema)


def test_the_entry_of_a_raw_file_is_found_by_name(card):
    card["files"].append({**card["files"][0], "name": "more.csv"})
    assert raw_file(card, "more.csv") is card["files"][1]
    assert raw_file(card, "people.csv") is card["files"][0]


@pytest.mark.parametrize(
    "mirror", ["../x.csv", "/etc/passwd", "a/../../x.csv", "a/..", "..", "", "a\nb.csv", "a\tb"]
)
def test_a_path_that_leaves_the_mirror_folder_is_refused(read, card, mirror):
    card["files"][0]["mirror"] = mirror
    with pytest.raises(
        InputError,
        match=r"people\.yaml: key `files\.0\.mirror`: .* is wrong; expected: its path inside a "
        r"mirror folder, by default <dataset>/<name>; relative, without `\.\.`",
    ):
        read(card)


@pytest.mark.parametrize("mirror", ["a/b c/..x.csv", "x..y.csv", "~/x.csv", "...", "ä/x.csv"])
def test_a_path_inside_the_mirror_folder_is_accepted(read, card, mirror):
    card["files"][0]["mirror"] = mirror
    assert read(card) == card


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda card: card["files"][0].update(name="people.csv\n"),
            r"files\.0\.name`: 'people\.csv",
        ),
        (lambda card: card["files"][0].update(sha256="0" * 64 + "\n"), r"files\.0\.sha256"),
        (lambda card: card["files"][0].update(urls=["https://a.b/\nc"]), r"files\.0\.urls\.0"),
        (lambda card: card["files"][0].update(mirror="a\0b"), r"'a\\x00b' has a control character"),
        (lambda card: card.update(title="Peo\nple"), "title`: .*; expected: a text of one line"),
        (lambda card: card["label"]["names"].update(one="a\nb"), r"label\.names\.one"),
        (lambda card: card["label"].update(column="a\u2028b"), r"label\.column"),
        (lambda card: card["features"].update({"a\nb": "numeric"}), r"'a\\nb' of `features` has a"),
        (lambda card: card.update(read={"column_names": []}), r"read\.column_names`: \[\] "),
    ],
)
def test_names_have_one_line(read, card, change, words):
    change(card)
    with pytest.raises(InputError, match=rf"people\.yaml: .*{words}") as caught:
        read(card)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a\nb", "{x}", "a{b", "a\x7f"])
def test_a_card_has_a_name_that_can_be_one(tmp_path, dataset_schema, name):
    with pytest.raises(InputError, match=r"\.yaml': the name of a data set has no braces, line"):
        read_card(tmp_path / f"{name}.yaml", dataset_schema)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"url": "https://{name}.example/x"}, r"members\.url`: .*below its host"),
        ({"url": "https://a.example{name}"}, r"members\.url"),
        ({"entry": "{name.__class__}{stem}"}, "must have {name} or {stem} and no other braces"),
        ({"entry": "{name}{stem:>99999999999}"}, "must have {name} or {stem} and no other braces"),
        ({"entry": "{name}{0}"}, "must have {name} or {stem} and no other braces"),
    ],
)
def test_templates_of_members_are_filled_below_one_host(read, card, change, words):
    members = {"listed": "people.csv", "column": "n", "entry": "{name}", "url": "http://a/{name}"}
    card["files"].append({**card["files"][0], "name": "a.zip", "members": members})
    assert read(card) == card
    members.update(change)
    with pytest.raises(InputError, match=words):
        read(card)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"interactions": {"both": ["sex", "rac"]}}, "multiplies `rac`, .* name one of sex"),
        ({"interactions": {"age": ["sex", "sex2"]}}, "a feature `age`, which already exists"),
        ({"interactions": {"both": ["sex"]}}, "interactions.both"),
        ({"keep_rows": [{"column": "age", "because": ""}]}, "keep_rows"),
        ({"keep_rows": [{"column": "age", "from": 1, "because": ""}]}, "keep_rows"),
        ({"keep_rows": [{"column": "age", "values": [1], "to": 2, "because": ""}]}, "keep_rows"),
        (
            {"keep_rows": [{"column": "age", "from": 2, "to": 1, "because": ""}]},
            "keeps no value of `age`, from 2 to 1: swap the two",
        ),
        ({"keep_rows": [{"column": "age", "from": "1", "to": 2, "because": ""}]}, "not of type"),
        ({"missing": {"score": "drop"}}, "`missing` names the column `score`"),
        ({"interactions": {}}, "`interactions`: .* non-empty"),
        ({"interactions": {"both": ["sex", "sex"]}}, "interactions.both.* non-unique"),
        ({"interactions": {"label": ["sex", "sex2"]}}, "a feature `label`, which already"),
        ({"interactions": {"sensitive_x": ["sex", "sex2"]}}, "a feature `sensitive_x`, which"),
        (
            {
                "label": {
                    "column": "outcome",
                    "one": ["good"],
                    "zero": ["bad"],
                    "within": {"column": "age", "at_most": 3},
                    "names": {"one": "Good", "zero": "Bad"},
                }
            },
            "makes the label of `age`, which is a feature too",
        ),
        ({"keep": ["sensitive_sex"]}, "`keep` names `sensitive_sex`, which .* has already"),
        ({"keep": ["decision_x"]}, "`keep` names `decision_x`, which .* has already"),
        ({"keep": ["label"]}, "`keep` names `label`, which the prepared data set has already"),
        ({"warning": 5}, "key `warning`: 5 is not of type 'string'"),
        ({"counts": {"features": "7"}}, r"key `counts\.features`"),
        (
            {"features": {"essay": "text"}, "counts": {"features": 7}},
            "`counts.features` goes with no `text` feature",
        ),
    ],
)
def test_a_card_that_contradicts_itself_is_refused(read, card, changes, words):
    with pytest.raises(InputError, match=words):
        read({**card, **changes})


def test_a_column_that_is_kept_may_not_hide_an_interaction(read, card):
    sensitive = {**card["sensitive"], "race": {**card["sensitive"]["sex"], "column": "race"}}
    changes = {"sensitive": sensitive, "interactions": {"both": ["sex", "race"]}}
    assert read({**card, **changes})["interactions"] == {"both": ["sex", "race"]}
    with pytest.raises(InputError, match="`keep` names `both`, which the prepared data set has"):
        read({**card, **changes, "keep": ["both"]})


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ({"within": {"column": "days"}}, r"`label\.within`: `at_most` is missing"),
        ({"within": {"at_most": 9}}, r"`label\.within`: `column` is missing"),
        ({"within": {"column": "days", "at_most": "9"}}, r"`label\.within\.at_most`"),
        ({"within": {"column": "days", "at_least": 9}}, r"unknown key `label\.within\.at_least`"),
    ],
)
def test_a_time_to_the_event_has_a_column_and_an_end(read, card, label, words):
    with pytest.raises(InputError, match=words):
        read({**card, "label": {**card["label"], **label}})


def test_a_label_that_is_a_number_has_no_time_to_the_event(read, card):
    label = {"column": "score", "numeric": True, "within": {"column": "days", "at_most": 9}}
    with pytest.raises(InputError, match="key `label`: 'within' is not one of `column`, `numeric`"):
        read({**card, "label": label})


# Cards of images


def test_a_card_of_images_is_read_as_it_is(read, faces):
    assert read(faces) == faces


def test_what_an_encoder_reads_is_known_of_each_kind():
    assert set(READS) == set(ENCODERS)
    assert set(READS.values()) == {"images", "landmarks"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda card: card["features"].update(essay="text"),
            "an item has one image, or texts, not both: drop one of `features`",
        ),
        (
            lambda card: card["features"].update(other="image"),
            "an item has one image, or texts, not both: drop one of `features`",
        ),
        (
            lambda card: card.pop("archives"),
            "a feature of the kind `image` and `archives` go together: give both or neither",
        ),
        (
            lambda card: card.update(features={"Score2": "numeric"}),
            "a feature of the kind `image` and `archives` go together: give both or neither",
        ),
        (
            lambda card: card["archives"]["images"].update(file="face.zip"),
            r"archives\.images names the file face\.zip, which is not among `files`: name one of "
            r"faces\.csv, faces\.zip",
        ),
        (
            lambda card: card["files"][1]["members"].update(listed="list.csv"),
            r"the `members` of faces\.zip names the file list\.csv, which is not among `files`",
        ),
        (
            lambda card: card["archives"]["images"].update(entry="{nam}/{name}"),
            r"archives\.images has the template \{nam\}/\{name\}, .* \{name\} or \{stem\} and no "
            "other braces: correct it",
        ),
        (
            lambda card: card["files"][1]["members"].update(url="https://e.org/{name}/{"),
            r"the `members` of faces\.zip has the template https://e\.org/\{name\}/\{, which",
        ),
        (
            lambda card: card["files"][1]["members"].update(entry="images"),
            r"key `files\.1\.members\.entry`: .*with \{name\}, or \{stem\}",
        ),
        (lambda card: card["archives"]["images"].update(entry="x"), r"`archives\.images\.entry`"),
        (lambda card: card.update(archives={}), "key `archives`"),
        (lambda card: card["archives"].update(pictures={}), r"unknown key `archives\.pictures`"),
        (
            lambda card: card["decisions"].update(consensus=["Average"]),
            r"decisions\.consensus names `Average`, which is none of its `columns`: name one of "
            "P1, P2, Mean",
        ),
        (
            lambda card: card["decisions"].update({"from": 5, "to": 1}),
            "`decisions` go from 5 to 1, which is no range: swap the two",
        ),
        (
            lambda card: card["decisions"].pop("from"),
            "`from` is missing .the lowest possible decision",
        ),
        (lambda card: card["decisions"].update(columns=["P1"]), r"key `decisions\.columns`"),
        (lambda card: card["sensitive"]["sex"].update(character=0), r"sensitive\.sex"),
        (
            lambda card: card["features"].update(decision_P1="numeric"),
            "a feature may not be called `decision_P1`, a name that the prepared data set uses",
        ),
        (
            lambda card: card.update(counts={"features": 3}),
            "`counts.features` goes with no `image` feature",
        ),
    ],
)
def test_a_card_of_images_that_contradicts_itself_is_refused(read, faces, change, words):
    change(faces)
    with pytest.raises(InputError, match=rf"people\.yaml: .*{words}"):
        read(faces)
