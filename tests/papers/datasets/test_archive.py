import io
import zipfile

import numpy as np
import pytest

from fairpairs import InputError
from fairpairs.papers.datasets import archive

FILES = {name: f"content of {name}".encode() * 9 for name in ("b.jpg", "B.jpg", "a9.jpg")}


def zipped(entries):
    """The bytes of an archive of stored files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, content in entries.items():
            packed.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def test_a_template_is_filled_with_a_name_and_its_stem():
    assert archive.named("{stem}-{name}", "x.y.jpg") == "x.y-x.y.jpg"
    assert archive.named("h/{name}-{stem}", "a/b c.jpg", quoted=True) == "h/a%2Fb%20c.jpg-b%20c"


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({f"in/{name}": content for name, content in FILES.items()}))
    return path


def test_files_are_read_in_the_order_of_the_names(packed):
    names = ["b.jpg", "a9.jpg", "b.jpg", "B.jpg"]
    read = list(archive.read(packed, "in/{name}", names))
    assert read == [(f"{packed}, in/{name}", FILES[name]) for name in names]


def test_a_file_that_the_archive_has_not_is_named(packed):
    reading = archive.read(packed, "in/{stem}.pts", ["b.jpg"])
    with pytest.raises(
        InputError,
        match=r"a\.zip has no file in/b\.pts for the item b\.jpg: delete the archive, .* "
        "or correct `archives` of the card",
    ):
        next(reading)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_file_is_named_and_those_before_it_are_read(tmp_path, packing):
    path = tmp_path / "a.zip"
    noise = np.random.default_rng(0).integers(0, 4, 4000, dtype=np.uint8).tobytes()
    with zipfile.ZipFile(path, "w", packing) as writing:
        writing.writestr("good.jpg", b"whole")
        writing.writestr("bad.jpg", noise)
    content = bytearray(path.read_bytes())
    start = content.index(b"bad.jpg") + len(b"bad.jpg")
    content[start : start + 40] = bytes(255 - byte for byte in content[start : start + 40])
    path.write_bytes(bytes(content))
    reading = archive.read(path, "{name}", ["good.jpg", "bad.jpg"])
    assert next(reading) == (f"{path}, good.jpg", b"whole")
    with pytest.raises(
        InputError,
        match=r"a\.zip: the file bad\.jpg cannot be read \(.*\): delete the archive, and it",
    ):
        next(reading)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.write_bytes(b"<html>not found</html>"), ".*"),
        (lambda path: path.write_bytes(path.read_bytes()[:-30]), ".*"),
        (lambda path: path.unlink(), "FileNotFoundError: .*No such file or directory.*"),
        (lambda path: (path.unlink(), path.mkdir()), "IsADirectoryError: .*Is a directory.*"),
    ],
)  # fmt: skip
def test_what_is_no_archive_is_refused(packed, damage, words):
    damage(packed)
    with pytest.raises(InputError, match=rf"a\.zip is no ZIP archive \({words}\): delete the arc"):
        list(archive.read(packed, "in/{name}", list(FILES)))
