import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.papers.models import encoders

ROOT = Path(__file__).parents[3]
NAME = "all_minilm_l6_v2"
ENTRY = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))["encoders"][NAME]


@pytest.fixture
def carrier(tmp_path, monkeypatch):
    """Make a package that carries a model and fails when it is imported."""
    folder = tmp_path / "carrier"
    (folder / "model").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "model" / encoders.WEIGHTS).write_bytes(b"weights")
    monkeypatch.syspath_prepend(str(tmp_path))
    digest = hashlib.sha256(b"weights").hexdigest()
    return {
        "hub": "a/b",
        "revision": "c",
        "sha256": digest,
        "package": "carrier",
        "folder": "model",
    }


def test_a_package_is_found_without_importing_it(carrier, tmp_path):
    assert encoders.locate("made", carrier) == tmp_path / "carrier" / "model"
    assert "carrier" not in sys.modules


def test_other_weights_are_refused(carrier):
    with pytest.raises(InputError, match=r"model.safetensors: its sha256 is .* delete the file"):
        encoders.locate("made", {**carrier, "sha256": "0" * 64})


@pytest.mark.slow
def test_no_model_to_be_had_names_both_remedies(monkeypatch):
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.snapshot_download", no_connection)
    entry = {"hub": "a/b", "revision": "c", "sha256": "0" * 64, "package": "not_there"}
    with pytest.raises(
        InputError, match=r"connect to the internet.* or install the package not-there"
    ):
        encoders.locate("made", entry)


def no_connection(*_, **__):
    raise ConnectionError("no route")


def test_without_the_library_the_message_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InputError, match=r"pip install 'fairpairs\[text\]'"):
        encoders.encode(["a"], tmp_path)


needs_the_encoder = pytest.mark.skipif(
    importlib.util.find_spec(ENTRY["package"]) is None
    or importlib.util.find_spec("sentence_transformers") is None,
    reason="the extras `text` and `offline` are not installed",
)


@pytest.fixture(scope="module")
def folder():
    return encoders.locate(NAME, ENTRY)


@pytest.mark.slow
@needs_the_encoder
@pytest.mark.filterwarnings("ignore")
def test_the_encoder_of_the_config_puts_like_texts_near_each_other(folder):
    vectors = encoders.encode(["a cat sleeps", "a kitten naps", "interest rates rise"], folder)
    assert vectors.shape == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


TEXTS = ["a cat sleeps", "As a user, I want to log in. " * 20, ""]


def encoded(folder, threads):
    """What torch computes with, and digests of the texts encoded together, and the first alone."""
    import torch

    torch.set_num_threads(threads)
    rows = [*encoders.encode(TEXTS, folder), *encoders.encode(TEXTS[:1], folder)]
    digests = [hashlib.sha256(row.tobytes()).hexdigest() for row in rows]
    assert digests[0] == digests.pop()
    return [torch.backends.cpu.get_cpu_capability(), digests]


@pytest.mark.slow
@needs_the_encoder
@pytest.mark.filterwarnings("ignore")
def test_vectors_do_not_depend_on_the_processor_the_threads_or_the_batch(folder):
    """This processor with one thread, and one with no more than all processors have with two."""
    code = (
        "import json; from tests.papers.models.test_encoders import encoded; "
        f"print(json.dumps(encoded({str(folder)!r}, 2)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [encoded(folder, 1), json.loads(done.stdout.splitlines()[-1])]
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1]
