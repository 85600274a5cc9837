"""One instruction set for all numerical libraries: the same bits on every x86-64-v3 processor.

Libraries choose their kernels by the processor, and kernels of another width sum in another order.
The workflow fixes the choice before any of these libraries is loaded.
"""

import platform
from collections.abc import Mapping, MutableMapping

#: Environment variables that fix the kernels of a library: AVX2 and FMA, which every x86-64-v3
#: processor has (Intel since Haswell, AMD since Excavator).
KERNELS = {
    "OPENBLAS_CORETYPE": "Haswell",  # linear algebra of numpy and of scipy
    "NPY_ENABLE_CPU_FEATURES": "X86_V3",  # numpy's own loops: nothing above
    "ARROW_USER_SIMD_LEVEL": "AVX2",  # pyarrow
    "ATEN_CPU_CAPABILITY": "avx2",  # torch: element by element
    "ONEDNN_MAX_CPU_ISA": "AVX2",  # torch: convolutions
    "MKL_CBWR": "AVX2",  # torch: products of matrices; on Intel processors only
}
#: numpy refuses both at once.
OPPOSITES = {"NPY_ENABLE_CPU_FEATURES": "NPY_DISABLE_CPU_FEATURES"}
ARCHITECTURES = ("x86_64", "AMD64")


def fix_kernels(environment: MutableMapping[str, str]) -> None:
    """Fix the kernels for the processes that get an environment, before numpy is imported.

    A variable that is set already stays. On another architecture nothing is fixed.

    >>> environment = {"OPENBLAS_CORETYPE": "Zen"}
    >>> fix_kernels(environment)
    >>> environment["OPENBLAS_CORETYPE"]
    'Zen'
    """
    if platform.machine() in ARCHITECTURES:
        for name, value in KERNELS.items():
            if OPPOSITES.get(name, name) not in environment:
                environment.setdefault(name, value)


def kernels(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that choose kernels, with their values."""
    names = sorted({*KERNELS, *OPPOSITES.values()})
    return {name: environment[name] for name in names if name in environment}
