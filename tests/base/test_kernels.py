"""One instruction set for all numerical libraries."""

import importlib.util
import json
import os
import platform
import subprocess
import sys

import pytest

from fairpairs.base.kernels import ARCHITECTURES, KERNELS, OPPOSITES, fix_kernels, kernels

OTHERS = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
needs_v3 = pytest.mark.skipif(
    platform.machine() not in ARCHITECTURES, reason="the kernels of another architecture"
)


@pytest.fixture
def x86(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


@pytest.mark.usefixtures("x86")
def test_the_environment_of_the_process_may_be_fixed(monkeypatch):
    for name in (*KERNELS, *OPPOSITES.values()):
        monkeypatch.delenv(name, raising=False)
    fix_kernels(os.environ)
    assert kernels(os.environ) == KERNELS
    for name in KERNELS:
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("x86")
def test_every_library_gets_the_kernels_of_one_instruction_set():
    environment = {"HOME": "/home"}
    fix_kernels(environment)
    assert environment == {"HOME": "/home", **KERNELS}
    assert kernels(environment) == KERNELS


@pytest.mark.usefixtures("x86")
@pytest.mark.parametrize("name", KERNELS)
def test_what_the_user_has_set_stays(name):
    environment = {name: "chosen"}
    fix_kernels(environment)
    assert kernels(environment) == {**KERNELS, name: "chosen"}


@pytest.mark.usefixtures("x86")
@pytest.mark.parametrize(("name", "opposite"), OPPOSITES.items())
def test_what_the_user_has_disabled_stays_disabled(name, opposite):
    environment = {opposite: "chosen"}
    fix_kernels(environment)
    assert environment[opposite] == "chosen"
    assert name not in environment


def test_nothing_is_fixed_on_another_architecture(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    environment = {}
    fix_kernels(environment)
    assert environment == {}


def printed(code, environment):
    """What Python prints of code, as JSON, in an environment."""
    command = [sys.executable, "-W", "error::ImportWarning", "-c", f"import json\n{code}"]
    done = subprocess.run(
        command, env=OTHERS | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


LOADED = {
    "pyarrow": """
import numpy.linalg, pyarrow, scipy.linalg, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
blas = [i["architecture"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"]
numpy = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
print(json.dumps([len(blas), sorted(set(blas)), numpy, pyarrow.runtime_info().simd_level]))
""",
    "torch": "import torch; print(json.dumps(torch.backends.cpu.get_cpu_capability()))",
}
WANTED = {"pyarrow": [2, ["Haswell"], ["X86_V3"], "avx2"], "torch": "AVX2"}


@pytest.mark.slow
@needs_v3
@pytest.mark.parametrize("library", LOADED)
def test_a_library_takes_the_kernels_without_a_warning(library):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    environment = {}
    fix_kernels(environment)
    assert printed(LOADED[library], environment) == WANTED[library]


@needs_v3
def test_large_matrices_are_multiplied_with_the_kernels():
    """OpenBLAS 0.3.34 crashes here on AMD Zen 4 and 5 (pyproject.toml excludes such a numpy)."""
    code = (
        "import numpy as np, scipy.linalg.blas as blas\n"
        "ones = np.ones((500, 500))\n"
        "print(json.dumps([(ones @ ones).sum(), blas.dgemm(1, ones, ones).sum()]))"
    )
    environment = {}
    fix_kernels(environment)
    assert printed(code, environment) == [500**3, 500**3]


def test_nothing_numerical_is_loaded_before_the_kernels_are_fixed():
    code = "import sys, fairpairs.base.kernels; print(json.dumps(sorted(sys.modules)))"
    assert not {"numpy", "scipy", "pyarrow", "torch", "sklearn"} & set(printed(code, {}))
