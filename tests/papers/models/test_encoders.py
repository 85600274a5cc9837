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
from fairpairs.papers.experiments import embed as encoders

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


LIKE = ["a cat sleeps", "a kitten naps", "interest rates rise"]
TEXTS = ["a cat sleeps", "As a user, I want to log in. " * 4, ""]
#: What this processor computes with one thread, and one with no more than all processors have with
#: two: in forks, for torch asks for its processor once.
PROGRAM = """
import json, os, sys
import sentence_transformers
from tests.papers.models.test_encoders import encoded
plain = {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"}
for threads, environment in ((1, {}), (2, plain)):
    if not os.fork():
        os.environ.update(environment)
        print(json.dumps(encoded(sys.argv[1], threads)), flush=True)
        os._exit(0)
    os.wait()
"""


def encoded(folder, threads):
    """What torch computes with, digests of texts encoded together, and vectors of like texts."""
    import torch

    torch.set_num_threads(threads)
    rows = [*encoders.encode(TEXTS, folder), *encoders.encode([*TEXTS[:1], *LIKE[1:]], folder)]
    digests = [hashlib.sha256(row.tobytes()).hexdigest() for row in rows]
    assert digests[0] == digests[len(TEXTS)]
    like = [row.tolist() for row in rows[len(TEXTS) :]]
    return [torch.backends.cpu.get_cpu_capability(), digests, like]


@pytest.fixture(scope="module")
def found():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, encoders.locate(NAME, ENTRY)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},  # threads wait without work
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@needs_the_encoder
def test_the_encoder_of_the_config_puts_like_texts_near_each_other(found):
    vectors = np.array(found[0][2])
    assert vectors.shape == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


@pytest.mark.slow
@needs_the_encoder
def test_vectors_do_not_depend_on_the_processor_the_threads_or_the_batch(found):
    (one, *ours), (other, *theirs) = found
    assert one != other
    assert ours == theirs
