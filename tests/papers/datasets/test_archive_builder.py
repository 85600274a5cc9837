import hashlib
import io
import sys
import zipfile
from contextlib import ExitStack
from urllib.parse import unquote

import pandas as pd
import pytest

from fairpairs import InputError
from fairpairs.papers.datasets.fetch import build_archive, fetch
from tests.papers.datasets.raw_files import respond, served

#: Names whose order differs by bytes, by letters without case and by numbers; one needs quoting.
FILES = {
    name: f"content of {name}".encode() * 9
    for name in ("b.jpg", "B.jpg", "a10.jpg", "a9.jpg", "ä b.jpg", "a9 #1%.jpg")
}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("urllib3.util.retry.time.sleep", lambda seconds: None)
    for name in ("NO_PROXY", "no_proxy"):  # the server of this test is no business of a proxy
        monkeypatch.setenv(name, "127.0.0.1")


@pytest.fixture
def serve():
    """A function that serves files on this machine: their address, and what was asked for."""
    with ExitStack() as running:

        def start(content, busy=(), cut=()):
            asked = []

            def answer(handler):
                name = unquote(handler.path.removeprefix("/"))
                asked.append(name)
                if name in busy and asked.count(name) < 3:
                    handler.send_error(503)
                elif name not in content:
                    handler.send_error(404)
                else:
                    whole = name not in cut or asked.count(name) > cut[name]
                    body = content[name] if whole else content[name][:-1]
                    respond(handler, body, len(content[name]))

            return running.enter_context(served(answer)), asked

        yield start


@pytest.fixture
def listed(tmp_path):
    """A function that writes the list of names."""

    def write(names, column="file"):
        path = tmp_path / "list.csv"
        pd.DataFrame({column: list(names), "more": 1}).to_csv(path, index=False)
        return path

    return write


def members(address, entry="in/{name}", url="{name}", column="file"):
    return {"listed": "list.csv", "column": column, "entry": entry, "url": f"{address}/{url}"}


def plainly(entries):
    """The bytes of an archive by the rules, from the standard library alone."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(entries, key=lambda name: name.encode("utf-8")):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            packed.writestr(info, entries[name])
    return buffer.getvalue()


@pytest.mark.parametrize("step", [1, -1])
def test_an_archive_has_the_same_bytes_in_whatever_order_its_files_are_listed(
    tmp_path, serve, listed, step
):
    address, asked = serve(FILES)
    build_archive(members(address, entry="{stem}/{name}"), listed(list(FILES)[::step]),
                  tmp_path / "a.zip")  # fmt: skip
    expected = plainly({f"{name[:-4]}/{name}": content for name, content in FILES.items()})
    assert (tmp_path / "a.zip").read_bytes() == expected
    assert sorted(asked) == sorted(FILES)


def test_an_answer_that_is_cut_short_is_asked_for_again_but_not_for_ever(
    tmp_path, serve, listed, capsys
):
    expected = plainly({f"in/{name}": content for name, content in FILES.items()})
    address, asked = serve(FILES, cut={"b.jpg": 2}, busy=["a9.jpg"])
    build_archive(members(address), listed(FILES), tmp_path / "a.zip")
    assert (tmp_path / "a.zip").read_bytes() == expected
    assert asked.count("b.jpg") == asked.count("a9.jpg") == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"{len(FILES)}/{len(FILES)}" in shown.err
    address, asked = serve(FILES, cut={"b.jpg": 9})
    given = {"name": "a.zip", "bytes": 9999, "sha256": "0", "urls": [], "members": members(address)}
    with pytest.raises(InputError, match=r"\{name\}: ChunkedEncodingError: .*connect to the inter"):
        fetch(given, tmp_path / "raw/a.zip", dataset="f", mirrors=[], listed=listed(FILES))
    assert asked.count("b.jpg") == 3
    assert not (tmp_path / "raw").exists()


def test_a_list_without_the_column_of_names_is_explained(tmp_path, listed):
    with pytest.raises(InputError, match=r"list\.csv: there is no column `file`; it has n"):
        build_archive(members("http://127.0.0.1:1"), listed(FILES, "name"), tmp_path / "a.zip")


def test_a_name_stays_below_the_folder_of_its_address(tmp_path, serve, listed):
    names = ["../etc/x", "@evil.example", "a/b.jpg", "c?d", "e#f", "%2e%2e", "{stem}", "\\g"]
    address, asked = serve({f"deep/{name}": name.encode() for name in names})
    build_archive(members(f"{address}/deep"), listed(names), tmp_path / "a.zip")
    assert (tmp_path / "a.zip").read_bytes() == plainly(
        {f"in/{name}": name.encode() for name in names}
    )
    assert sorted(asked) == sorted(f"deep/{name}" for name in names)


# An archive as a raw file of a data set


@pytest.fixture
def entry():
    content = plainly({f"in/{name}": content for name, content in FILES.items()})
    return {
        "name": "a.zip",
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "urls": [],
    }


def test_a_mirror_comes_before_the_single_files(tmp_path, serve, listed, entry):
    address, asked = serve(FILES)
    content = plainly({f"in/{name}": content for name, content in FILES.items()})
    (tmp_path / "mirror/faces").mkdir(parents=True)
    (tmp_path / "mirror/faces/a.zip").write_bytes(content)
    given = {**entry, "members": members(address)}
    target, mirrors = tmp_path / "raw/a.zip", [tmp_path / "mirror"]
    source = fetch(given, target, dataset="faces", mirrors=mirrors, listed=listed(FILES))
    assert source == str(tmp_path / "mirror/faces/a.zip")
    assert asked == []
    (tmp_path / "mirror/faces/a.zip").write_bytes(content[:-1])  # now the single files are needed
    source = fetch(given, target, dataset="faces", mirrors=mirrors, listed=listed(FILES))
    assert source == f"{address}/{{name}}"
    assert sorted(asked) == sorted(FILES)
    assert target.read_bytes() == content
    assert list(target.parent.iterdir()) == [target]


def test_one_file_that_is_not_there_is_named_and_nothing_is_left(
    tmp_path, serve, listed, entry, capsys
):
    # as deep as the addresses of the shipped card
    deep = "o/r/" + "0" * 40 + "/" + "d" * 60
    content = {f"{deep}/{name}": body for name, body in FILES.items() if name != "a9.jpg"}
    address, _ = serve(content)
    given = {**entry, "members": members(f"{address}/{deep}")}
    with pytest.raises(InputError) as caught:
        fetch(
            given,
            tmp_path / "raw/a.zip",
            dataset="faces",
            mirrors=[],
            listed=listed(FILES),
            notice="Do not pass them on.",
        )
    message = str(caught.value)
    assert "The file a.zip of the data set `faces` could not be downloaded" in message
    assert f"404 Client Error: Not Found for url: {address}/{deep}/a9.jpg" in message
    assert "put the file at faces/a.zip in a mirror folder" in message
    assert "\n" not in message
    assert not (tmp_path / "raw").exists()
    assert "Do not pass them on." not in capsys.readouterr().err


def test_the_notice_is_printed_once_the_file_is_there(tmp_path, serve, listed, entry, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", terminal)
    given = {**entry, "members": members(serve(FILES)[0])}
    where = {"dataset": "faces", "mirrors": [], "listed": listed(FILES)}
    fetch(given, tmp_path / "raw/a.zip", **where, notice="Do not pass them on.")
    fetch(given, tmp_path / "raw/a.zip", **where)
    assert terminal.getvalue() == "fairpairs: faces: Do not pass them on.\n"
