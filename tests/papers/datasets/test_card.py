import pytest
import yaml

from fairpairs import InputError
from fairpairs.papers.datasets.card import is_raw_only, read_card


@pytest.fixture
def read(tmp_path, dataset_schema):
    """A function that writes a card and reads it."""

    def write_and_read(card):
        path = tmp_path / "people.yaml"
        path.write_text(yaml.safe_dump(card), encoding="utf-8")
        return read_card(path, dataset_schema)

    return write_and_read


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


@pytest.mark.parametrize("name", ["a\nb", "{x}", "a{b", "a\x7f"])
def test_a_card_has_a_name_that_can_be_one(tmp_path, dataset_schema, name):
    with pytest.raises(InputError, match=r"\.yaml': the name of a data set has no braces, line"):
        read_card(tmp_path / f"{name}.yaml", dataset_schema)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"url": "https://{name}.example/x"}, r"members\.url`: .*below its host"),
        ({"url": "https://a.example{name}"}, r"members\.url"),
    ],
)
def test_templates_of_members_are_filled_below_one_host(read, card, change, words):
    members = {"listed": "people.csv", "column": "n", "entry": "{name}", "url": "http://a/{name}"}
    card["files"].append({**card["files"][0], "name": "a.zip", "members": members})
    assert read(card) == card
    members.update(change)
    with pytest.raises(InputError, match=words):
        read(card)


def group(**rule):
    """An attribute of a card, in the place of the one that it has."""
    return {"sensitive": {"sex": {**rule, "names": {"one": "1", "zero": "0"}}}}


def label(**rule):
    names = {"one": "Good", "zero": "Bad"}
    return {"label": {"column": "outcome", "one": ["good"], "zero": ["bad"], "names": names} | rule}


FILE = {"name": "people.csv", "bytes": 100, "sha256": "0" * 64, "urls": []}
PUBLISHED = {key: value for key, value in FILE.items() if key != "urls"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sensitve": {}}, r"unknown key `sensitve`; did you mean `sensitive`\?"),
        ({"title": "Peo\nple"}, "title`: .*; expected: a text of one line"),
        ({"files": [{**FILE, "name": "a/b.csv"}]}, r"files\.0\.name"),
        ({"features": {"race": "sensitive"}}, "names `race`, which is no sens.*: name one of sex"),
        ({"features": {"item": "numeric"}}, "called `item`.*: write `rename: {item: column_item}`"),
        ({"features": {"label": "numeric"}}, "a feature may not be called `label`"),
        ({"features": {"sensitive_": "numeric"}}, "a feature may not be called `sensitive_`"),
        (label(within={"at_most": 9}), r"`label\.within`: `column` is missing"),
        ({"label": {"column": "score", "numeric": True, "within": {}}},
         "key `label`: 'within' is not one of `column`, `numeric`"),
        ({"files": [{**FILE, "openml": 31}]},
         r"key `files\.0`: 'urls' is not one of `name`, `bytes`, `sha256`, `mirror`, `openml`"),
        ({"files": [{**PUBLISHED, "openml": 31, "name": "a.parquet"}]},
         "expected: the file is a CSV, so its name ends in .csv"),
        ({"files": [PUBLISHED]}, r"files\.0`: `urls` is missing \(public addresses"),
        ({"label": {"column": "age", "above": 9, "at_least": 9, "names": {"one": "", "zero": ""}}},
         "key `label`: .* has too many properties; expected: one of `above`, `at_least`, `below`"),
        (group(column="age", at_least=25, one=["m"]), r"sensitive\.sex"),
        (label(above=9), "key `label`: 'one' is not one of `column`, `above`, `at_least`"),
        (group(column="age", one=["m"]), r"sensitive\.sex"),
        ({"interactions": {"both": ["sex", "rac"]}}, "names `rac`, which is no .* of sex"),
        ({"interactions": {"age": ["sex", "sex2"]}}, "a feature `age`, which already exists"),
        ({"keep_rows": [{"column": "age", "values": [1], "to": 2, "because": ""}]}, "keep_rows"),
        ({"interactions": {"label": ["sex", "sex2"]}}, "a feature `label`, which already"),
        ({"interactions": {"sensitive_x": ["sex", "sex2"]}}, "a feature `sensitive_x`, which"),
        (label(within={"column": "age", "at_most": 3}),
         "makes the label of `age`, which is a feature too"),
    ],
)  # fmt: skip
def test_a_card_that_contradicts_itself_is_refused(read, card, changes, words):
    with pytest.raises(InputError, match=rf"people\.yaml: .*{words}") as caught:
        read({**card, **changes})
    assert "\n" not in str(caught.value)


# Cards of images


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda card: card["features"].update(essay="text"),
         "an item has one image, or texts, not both: drop one of `features`"),
        (lambda card: card["features"].update(other="image"),
         "an item has one image, or texts, not both: drop one of `features`"),
        (lambda card: card.pop("archives"),
         "a feature of the kind `image` and `archives` go together: give both or neither"),
        (lambda card: card.update(features={"Score2": "numeric"}),
         "a feature of the kind `image` and `archives` go together: give both or neither"),
        (lambda card: card["files"][1]["members"].update(entry="images"),
         r"key `files\.1\.members\.entry`: .*with \{name\}, or \{stem\}"),
        (lambda card: card["archives"]["images"].update(entry="x"), r"`archives\.images\.entry`"),
        (lambda card: card["archives"].update(pictures={}), r"unknown key `archives\.pictures`"),
        (
            lambda card: card["decisions"].update(consensus=["Average"]),
            r"`decisions\.consensus` names `Average`, which is no person: name one of P1, P2, Mean",
        ),
        (lambda card: card["decisions"].pop("from"),
         "`from` is missing .the lowest possible decision"),
        (lambda card: card["features"].update(decision_P1="numeric"),
         "a feature may not be called `decision_P1`, a name that the prepared data set uses"),
    ],
)  # fmt: skip
def test_a_card_of_images_that_contradicts_itself_is_refused(read, faces, change, words):
    change(faces)
    with pytest.raises(InputError, match=rf"people\.yaml: .*{words}"):
        read(faces)
