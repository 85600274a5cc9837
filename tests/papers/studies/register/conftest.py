import re
import shutil

import pandas as pd
import pytest

from tests.made_results import ROOT

#: A tool whose answers are known: it always rejects, and its intervals hold 0 alone.
ALWAYS = """\
# dependencies = []
def rates(data):
    \"\"\"Call `always()`. Page: nowhere.\"\"\"
    return {"low": -0.01, "high": 0.01, "p": 0.01, "estimate": None}
def labels(data):
    \"\"\"Call `never()`.\"\"\"
    raise ValueError("too few")
"""


@pytest.fixture
def tools(tmp_path):
    """A folder of tools: `always`, and `mean_gap` of the guide."""
    guide = (ROOT / "docs/how-to/extend.md").read_text("utf-8")
    code = re.search(r"`workflow/tools/mean_gap.py`:\n\n```python\n(.*?)^```", guide, re.M | re.S)[
        1
    ]
    folder = tmp_path / "tools"
    folder.mkdir()
    shutil.copy(ROOT / "workflow/tools/_run.py", folder)
    (folder / "mean_gap.py").write_text(code, "utf-8")
    (folder / "always.py").write_text(ALWAYS, "utf-8")
    return folder


@pytest.fixture
def study():
    """A function that makes what was measured: (tool, world, level, power), of 100 data sets."""

    def make(*rows, sets=100):
        lines = []
        for tool, world, level, power in rows:
            for promise, value in (("level", level), ("power", power)):
                lines.append({
                    "tool": tool, "version": f"{tool} 1", "world": world, "question": "rates",
                    "promise": promise, "promised": 0.05 if promise == "level" else None,
                    "measured": value, "standard_error": (value * (1 - value) / sets) ** 0.5,
                    "low": max(0, value - 0.05), "high": value + 0.05, "sets": sets, "refused": 0,
                    "seconds": 0.002, "call": "call()", "note": "",
                })  # fmt: skip
        return pd.DataFrame(lines)

    return make
