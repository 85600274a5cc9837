import hashlib
import re

import pytest

from fairpairs import InputError
from fairpairs.papers.datasets.fetch import fetch
from tests.papers.datasets.raw_files import respond, served

CONTENT = b"age,outcome\n30,good\n40,bad\n" * 50
CLOSED = "http://127.0.0.1:1/people.csv"  # a port that nobody listens on
#: Answers that no library can use.
HEADERS = {
    "/odd.csv": ("Content-Length", "abc"),
    "/away.csv": ("Location", f"http://{'a' * 64}.example/"),
    "/packed.csv": ("Content-Encoding", "gzip"),
}


@pytest.fixture
def entry():
    return {
        "name": "people.csv",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "urls": [],
    }


@pytest.fixture
def target(tmp_path):
    return tmp_path / "data" / "raw" / "people" / "people.csv"


@pytest.fixture
def folder_with(tmp_path):
    """A function that makes a mirror folder with a file in it."""

    def make(name, content, inside="people/people.csv"):
        path = tmp_path / name / inside
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return tmp_path / name

    return make


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    waits = []
    monkeypatch.setattr("pooch.core.time.sleep", waits.append)
    for name in ("NO_PROXY", "no_proxy"):  # the server of this test is no business of a proxy
        monkeypatch.setenv(name, "127.0.0.1,.example")
    return waits


@pytest.fixture
def server():
    """A web server on this machine: its address, and what it was asked for."""
    asked = []

    def answer(handler):
        asked.append(path := handler.path)
        if path == "/missing.csv" or (path == "/late.csv" and len(asked) < 3):
            handler.send_error(404 if path == "/missing.csv" else 503)
        elif path in HEADERS:
            handler.send_response(302 if path == "/away.csv" else 200)
            handler.send_header(*HEADERS[path])
            handler.end_headers()
        elif path == "/short.csv":  # a whole answer, of half a file
            respond(handler, CONTENT[: len(CONTENT) // 2])
        else:
            respond(handler, CONTENT[:700] if path == "/broken.csv" else CONTENT, len(CONTENT))

    with served(answer) as address:
        yield address, asked


def assert_nothing_at(target):
    assert not target.exists()
    if target.parent.exists():
        assert list(target.parent.iterdir()) == []


def test_the_card_may_say_where_in_a_mirror_the_file_is(entry, target, folder_with):
    mirror = folder_with("mirror", CONTENT, inside="deep/er/p.csv")
    fetch({**entry, "mirror": "deep/er/p.csv"}, target, dataset="people", mirrors=[mirror])
    assert target.read_bytes() == CONTENT
    assert list(target.parent.iterdir()) == [target]


def test_a_mirror_is_asked_before_the_network(entry, target, folder_with, server):
    address, asked = server
    mirror = folder_with("mirror", CONTENT)
    fetch({**entry, "urls": [f"{address}/people.csv"]}, target, dataset="people", mirrors=[mirror])
    assert asked == []


def test_an_altered_file_is_refused_and_nothing_is_left(entry, target, folder_with):
    altered = CONTENT.replace(b"good", b"gooo", 1)
    mirror = folder_with("mirror", altered)
    with pytest.raises(InputError, match=r"people\.csv") as caught:
        fetch(entry, target, dataset="people", mirrors=[mirror])
    message = str(caught.value)
    assert str(mirror / "people" / "people.csv") in message
    assert "refused, it was altered" in message
    assert hashlib.sha256(altered).hexdigest() in message
    assert entry["sha256"] in message
    # no address is named, so the internet would not help
    assert "connect to the internet" not in message
    assert message.endswith(
        "if the one in the mirror folder is right, correct `bytes` and `sha256` of the card."
    )
    assert_nothing_at(target)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (CONTENT[:-1],
         f"truncated: it has {len(CONTENT) - 1} bytes, and the card lists {len(CONTENT)}"),
        (CONTENT + b"\n",
         f"too long: it has {len(CONTENT) + 1} bytes, and the card lists {len(CONTENT)}"),
    ],
)  # fmt: skip
def test_a_file_of_another_size_is_refused_and_nothing_is_left(
    entry, target, folder_with, content, what
):
    mirror = folder_with("mirror", content)
    with pytest.raises(InputError, match=what):
        fetch(entry, target, dataset="people", mirrors=[mirror])
    assert_nothing_at(target)


def test_a_bad_mirror_is_passed_over_for_a_good_one(entry, target, folder_with, tmp_path):
    mirrors = [
        tmp_path / "no such folder",
        folder_with("altered", CONTENT.replace(b"good", b"gooo")),
        folder_with("truncated", CONTENT[:5]),
        folder_with("good", CONTENT),
    ]
    source = fetch(entry, target, dataset="people", mirrors=mirrors)
    assert source == str(mirrors[3] / "people" / "people.csv")
    assert target.read_bytes() == CONTENT
    assert list(target.parent.iterdir()) == [target]


def test_without_mirror_and_network_the_remedy_is_given(entry, target, tmp_path, no_waiting):
    urls = [CLOSED, CLOSED.replace("people", "again")]
    with pytest.raises(InputError) as caught:
        fetch({**entry, "urls": urls}, target, dataset="people", mirrors=[tmp_path / "nowhere"])
    message = str(caught.value)
    assert "The file people.csv of the data set `people` could not be downloaded" in message
    for source in (str(tmp_path / "nowhere" / "people" / "people.csv"), *urls):
        assert source in message
    assert "no such file" in message
    assert "connect to the internet" in message
    assert "put the file at people/people.csv in a mirror folder" in message
    assert "FAIRPAIRS_MIRROR" in message
    assert "\n" not in message
    assert len(no_waiting) == 4  # two more attempts at each address
    assert_nothing_at(target)


@pytest.mark.parametrize("page", ["broken", "short", "missing", "odd", "away", "packed"])
def test_a_download_that_is_not_whole_is_refused_and_the_next_address_is_tried(
    entry, target, server, page
):
    address, asked = server
    url = f"{address}/{page}.csv"
    with pytest.raises(InputError, match=f"{url}: "):
        fetch({**entry, "urls": [url]}, target, dataset="people", mirrors=[])
    assert_nothing_at(target)
    urls = [CLOSED, f"{address}/{page}.csv", f"{address}/people.csv"]
    assert fetch({**entry, "urls": urls}, target, dataset="people", mirrors=[]) == urls[2]
    assert target.read_bytes() == CONTENT
    assert asked[-1] == "/people.csv"


def test_a_server_that_is_busy_is_asked_again(entry, target, server, no_waiting):
    address, asked = server
    fetch({**entry, "urls": [f"{address}/late.csv"]}, target, dataset="people", mirrors=[])
    assert target.read_bytes() == CONTENT
    assert asked == ["/late.csv"] * 3
    assert len(no_waiting) == 2


def test_a_failure_leaves_the_file_that_was_there(entry, target, folder_with):
    target.parent.mkdir(parents=True)
    target.write_bytes(CONTENT)
    with pytest.raises(InputError, match="altered"):
        fetch(
            entry,
            target,
            dataset="people",
            mirrors=[folder_with("altered", CONTENT.replace(b"bad", b"baa"))],
        )
    assert target.read_bytes() == CONTENT
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("{address}/odd.csv", r"the address or its answer is not valid \(ValueError: .*'abc'"),
        ("{address}/missing.csv", "HTTPError: 404 Client Error: Not Found for url: "),
        (f"http://{'a' * 64}.example/people.csv",
         r"the address or its answer is not valid \(LocationParseError"),
        ("http:///people.csv", "InvalidURL: Invalid URL"),
    ],
)  # fmt: skip
def test_a_fault_of_a_server_or_an_address_is_told_in_one_sentence(
    entry, target, server, url, words
):
    url = url.format(address=server[0])
    with pytest.raises(InputError) as caught:
        fetch({**entry, "urls": [url]}, target, dataset="people", mirrors=[])
    assert re.search(rf"could not be downloaded \({re.escape(url)}: ({words})", str(caught.value))
    assert "\n" not in str(caught.value)
    assert_nothing_at(target)


def test_the_home_of_nobody_is_no_mirror(entry, target, folder_with):
    with pytest.raises(InputError, match=r"\(~nobody-here/people/people\.csv: no such file\)"):
        fetch(entry, target, dataset="people", mirrors=["~nobody-here"])
    mirrors = ["~nobody-here", folder_with("good", CONTENT)]
    fetch(entry, target, dataset="people", mirrors=mirrors)
    assert target.read_bytes() == CONTENT


def test_a_folder_in_the_place_of_the_target_is_told(entry, target, folder_with):
    target.mkdir(parents=True)
    message = r"people\.csv cannot be written: there is a folder of that name; remove it, and run"
    with pytest.raises(InputError, match=message):
        fetch(entry, target, dataset="people", mirrors=[folder_with("mirror", CONTENT)])
    assert list(target.parent.iterdir()) == [target]
