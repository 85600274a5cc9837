import hashlib

import pytest

from fairpairs import InputError
from fairpairs.papers.datasets.integrity import check_sha256

CONTENT = b"age,outcome\n30,good\n40,bad\n"


@pytest.fixture
def entry():
    return {
        "name": "people.csv",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }


def test_a_raw_file_that_is_gone_or_a_folder_is_told(entry, tmp_path):
    path = tmp_path / "people.csv"
    with pytest.raises(InputError, match=r"people\.csv: it is missing: delete the file, and it is"):
        check_sha256([path], {"files": [entry]})
    path.mkdir()
    with pytest.raises(InputError, match=r"people\.csv: it is not a regular file: delete the file"):
        check_sha256([path], {"files": [entry]})
    path.rmdir()
    path.write_bytes(CONTENT)
    check_sha256([path], {"files": [entry]})


def test_a_raw_file_that_changed_since_it_was_fetched_is_refused(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENT)
    entry = {"name": "people.csv", "bytes": len(CONTENT), "sha256": "0" * 64}
    with pytest.raises(InputError, match=r"was altered.* delete the file, and it is fetched again"):
        check_sha256([path], {"files": [entry]})
