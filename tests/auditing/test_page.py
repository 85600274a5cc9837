"""The page of an audit (tests/cli/test_audit.py reads it whole)."""

import pandas as pd

from fairpairs.auditing.page import _by_criterion


def test_what_cannot_be_found_outranks_what_is_not_shown():
    table = pd.DataFrame(
        {
            "criterion": ["a", "a", "b", "b", "c", "c", "d"],
            "verdict": ["not shown", "cannot be estimated", "violated", "cannot be estimated",
                        "cannot be tested", "not shown", "not shown"],
        }
    )  # fmt: skip
    assert _by_criterion(table) == {
        "a": "cannot be estimated", "b": "violated", "c": "cannot be tested", "d": "not shown"
    }  # fmt: skip
