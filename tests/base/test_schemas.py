import re
from pathlib import Path

import pytest
import yaml

from fairpairs import InputError
from fairpairs.base.schemas import check, read_checked_yaml, read_yaml

MADE = yaml.safe_load(Path(__file__).with_name("schema.yaml").read_text("utf-8"))
SCHEMA = MADE["schema"]
GOOD = {"seed": 1, "kind": "numeric"}


@pytest.fixture
def schema(tmp_path):
    path = tmp_path / "schema.yaml"
    path.write_text(yaml.safe_dump(SCHEMA), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "content",
    [GOOD, {**GOOD, "names": ["a"], "inner": {"depth": 1.5}, "free": {"any": 1, "thing": 2}}],
)
def test_what_is_right_passes(schema, tmp_path, content):
    check(content, schema, name="config.yaml")
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    assert read_checked_yaml(path, schema) == content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**GOOD, "sead": 1}, "unknown key `sead`; did you mean `seed`?"),
        ({"sead": 1, "kind": "numeric"}, "`se"),
        ({**GOOD, "xyzzy": 1},
         "unknown key `xyzzy`; the keys here are `free`, `inner`, `kind`, `names`, `seed`."),
        ({**GOOD, "inner": {"depth": 1, "widht": 2}},
         "unknown key `inner.widht`; did you mean `width`?"),
        ({"kind": "numeric"}, "`seed` is missing (a whole number)"),
        ({"seed": 1}, "`kind` is missing (what it is)"),
        ({**GOOD, "inner": {}}, "key `inner`: `depth` is missing."),
        ({**GOOD, "seed": "one"}, "key `seed`: 'one' is not of type 'integer'; expected: a whole "),
        ({**GOOD, "seed": 1.5}, "key `seed`: 1.5 is not of type 'integer'"),
        ({**GOOD, "seed": -1}, "key `seed`: -1 is less than the minimum of 0"),
        ({**GOOD, "kind": "number"},
         "key `kind`: 'number' is not one of `numeric`, `categorical` (did you mean `numeric`?)."),
        ({**GOOD, "names": ["a", 5]}, "key `names.1`: 5 is not of type 'string'."),
        ({**GOOD, "free": {"any": "x"}}, "key `free.any`: 'x' is not of type 'integer'."),
        (None, "None is not of type 'object'"),
        ([GOOD], "is not of type 'object'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_sentence_with_the_file_and_the_key(schema, content, message):
    with pytest.raises(InputError) as caught:
        check(content, schema, name="my/config.yaml")
    assert str(caught.value).startswith("my/config.yaml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_is_named_by_its_path(schema, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("seed: 1\nkind: number\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: key `kind`: "):
        read_checked_yaml(path, schema)


def test_a_missing_file_is_named(tmp_path, schema):
    for read in (read_yaml, lambda path: read_checked_yaml(path, schema)):
        with pytest.raises(InputError, match=r"nowhere\.yaml: there is no such file"):
            read(tmp_path / "nowhere.yaml")


def test_the_shipped_config_is_valid(root):
    schemas = root / "workflow" / "schemas"
    config = read_checked_yaml(root / "config" / "config.yaml", schemas / "config.schema.yaml")
    assert config["alpha"] == 0.05


def test_the_shipped_published_tables_are_valid(root):
    tables = sorted((root / "config" / "published").glob("*/*.yaml"))
    assert len(tables) >= 6
    for path in tables:
        table = read_checked_yaml(path, root / "workflow" / "schemas" / "published.schema.yaml")
        for row in table["rows"]:
            assert len(row["values"]) == len(table["columns"]), path


FILE = {"name": "w.pth", "bytes": 1, "sha256": "0" * 64, "urls": []}


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        ({"kind": "mobilenet", "files": [FILE]}, None),
        ({"kind": "vgg16", "files": [FILE]}, None),
        ({"kind": "landmarks"}, None),
        ({"hub": "a/b", "revision": "c", "sha256": "0" * 64}, None),
        ({"kind": "mobilenet"}, "`encoders.e`: `files` is missing (the file of its weights"),
        ({"kind": "vgg16"}, "`encoders.e`: `files` is missing (the file of its weights"),
        ({"kind": "vgg16", "files": []}, "`encoders.e.files`"),
        ({"kind": "vgg16", "files": [FILE, FILE]}, "`encoders.e.files`"),
        ({"kind": "vgg16", "files": [{"name": "w.pth"}]}, "`encoders.e.files.0`: `bytes` is"),
        ({"kind": "landmarks", "files": [FILE]}, "'files' is not one of `kind`"),
        ({"kind": "resnet"}, "'resnet' is not one of `mobilenet`, `vgg16`, `landmarks`"),
        ({"kind": "landmarks", "hub": "a/b"}, "hub"),
        ({"hub": "a/b"}, "`encoders.e`: `revision` is missing (the commit on the hub)"),
    ],
)
def test_an_encoder_of_the_config_has_what_its_kind_needs(root, encoder, message):
    schema = root / "workflow/schemas/config.schema.yaml"
    config = read_checked_yaml(root / "config/config.yaml", schema)
    config["encoders"] = {"e": encoder}
    if message is None:
        check(config, schema, name="config")
    else:
        with pytest.raises(InputError, match=rf"^config: .*{re.escape(message)}"):
            check(config, schema, name="config")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: the key `a` is a duplicate: drop one."),
        ("a: {b: {c: 1, c: 2}}", "line 1: the key `c` is a duplicate"),
        ("a: 2024-13-45", "not valid YAML: month must be in 1..12"),
        ("? [a]\n: 1", "not valid YAML: while constructing a mapping"),
        ("seed: [1,\nkind: numeric", "not valid YAML: while parsing a flow sequence"),
    ],
)
def test_what_is_not_yaml_is_refused_in_one_line(tmp_path, text, words):
    path = tmp_path / "card.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({**GOOD, "free": {True: 1}}, "the key `True` of `free` is not text to YAML: put it in"),
        ({**GOOD, "word": "A" * 999}, f"key `word`: '{'A' * 78}… is wrong; expected: small"),
        ({**GOOD, "names": "x" * 999}, f"key `names`: '{'x' * 78}… is not of type 'array'."),
    ],
)
def test_texts_are_shortened_in_messages(tmp_path, content, words):
    word = {"description": "small letters", "type": "string", "pattern": "^[a-z]+$"}
    schema = tmp_path / "schema.yaml"
    properties = {**SCHEMA["properties"], "word": word}
    schema.write_text(yaml.safe_dump({**SCHEMA, "properties": properties}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        check(content, schema, name="card.yaml")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_else_of_the_project_reads_yaml(root):
    files = [*(root / "src").rglob("*.py"), *(root / "workflow").rglob("*.py")]
    files += (root / "workflow").rglob("*.smk")
    loads = re.compile(r"yaml\.(?:\w+_)?load")
    readers = [
        str(path.relative_to(root)) for path in files if loads.search(path.read_text("utf-8"))
    ]
    assert readers == ["src/fairpairs/base/schemas.py"]
