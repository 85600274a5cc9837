"""Run a tool of the register in its environment: `_run.py TOOL.py QUESTION=DATA.npz …`.

Prints a line of JSON for each data set: the answer of the tool, and the seconds it took.
"""

import contextlib
import importlib.util
import json
import sys
import time
import warnings

import numpy as np


def answer(measure, data):
    """Return what a tool says of a data set; what it refuses has no numbers."""
    start = time.perf_counter()
    try:
        said = {name: float(value) for name, value in measure(data).items() if value is not None}
    except Exception as error:  # a tool may refuse data in any way; its words are kept
        said = {"refused": f"{type(error).__name__}: {error}"[:200]}
    return {**said, "seconds": time.perf_counter() - start}


def main(tool, *asked):
    """Answer all questions, with what tools print out of the way."""
    warnings.simplefilter("ignore")
    lines, sys.stdout = sys.stdout, sys.stderr
    # a tool may have the name of the library that it calls
    spec = importlib.util.spec_from_file_location("tool_of_the_register", tool)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for question, path in (one.split("=", 1) for one in asked):
        with np.load(path) as stored:
            columns = {name: stored[name] for name in stored.files if name != "sizes"}
            ends = np.cumsum(stored["sizes"])
        for number, end in enumerate(ends):
            rows = slice(ends[number - 1] if number else 0, end)
            data = {name: values[rows].copy() for name, values in columns.items()}
            np.random.seed(number)  # noqa: NPY002 (of tools without a seed)
            with contextlib.redirect_stdout(sys.stderr):
                said = answer(getattr(module, question), data)
            print(json.dumps({"data": path, **said}), file=lines, flush=True)


main(*sys.argv[1:])
