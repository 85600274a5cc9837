import pytest

from fairpairs.base.errors import InputError

WEIGHTS = {"name": "net.tflite", "bytes": 1, "sha256": "0" * 64, "urls": ["https://example.org"]}
ENCODERS = {
    "mobilenet": {"kind": "mobilenet", "files": [WEIGHTS]},
    "minilm": {"hub": "a/b", "revision": "1", "sha256": "0" * 64},
}
BEAUTY = {
    "datasets": ["scut_fbp5500"],
    "treatments": ["none"],
    "model": "ridge",
    "encoder": "mobilenet",
    "tests": ["accuracy"],
}
POINTS = {**BEAUTY, "datasets": ["jira"], "encoder": "minilm"}


@pytest.fixture
def data(plan_of):
    return plan_of(experiments={"beauty": BEAUTY, "points": POINTS}, encoders=ENCODERS).data


@pytest.mark.slow
def test_only_the_cards_that_the_config_asks_for_are_read(data):
    assert data.requested == ["jira", "scut_fbp5500"]
    assert {"compas", "german"} <= set(data.card_files)


def test_raw_files_are_tables_images_and_weights(data):
    archive = data.card("scut_fbp5500")["archives"]["images"]["file"]
    assert data.raw_files(["scut_fbp5500"]) == [
        *data.raw_tables("scut_fbp5500"),
        f"data/raw/scut_fbp5500/{archive}",
        "data/raw/mobilenet/net.tflite",
    ]
    assert f"data/raw/scut_fbp5500/{archive}" not in data.raw_tables("scut_fbp5500")
    assert data.raw_files(["jira"]) == data.raw_tables("jira")


def test_of_files_alone_no_items_are_prepared(data):
    name = "rm_dialect_biases"
    assert data.raw_only == []  # of those that the config asks for
    assert data.prepared_from("jira") == data.raw_tables("jira")
    assert len(data.raw_files([name])) == 68
    with pytest.raises(InputError, match=f"{name} is `raw_only`.*no table of items"):
        data.prepared_from(name)


def test_texts_and_images_are_embedded_and_numbers_are_not(data):
    assert data.embedded("jira", "minilm") == ["data/embedded/jira.minilm.parquet"]
    assert data.embedded("compas", None) == []


def test_a_raw_file_has_its_entry_on_the_card_or_in_the_encoder(data):
    assert data.raw_entry("mobilenet", "net.tflite")["bytes"] == 1
    name = data.raw_tables("jira")[0].rpartition("/")[2]
    assert data.raw_entry("jira", name)["name"] == name
    with pytest.raises(InputError, match=r"no raw file x\.csv of jira"):
        data.raw_entry("jira", "x.csv")


def test_an_encoder_has_no_terms(data):
    assert data.notice("mobilenet") == ""
    assert "research" in data.notice("scut_fbp5500")
