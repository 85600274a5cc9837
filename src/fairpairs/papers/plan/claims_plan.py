"""The inputs and params of the rule claims."""

import os

from fairpairs.base.plain_values import Record
from fairpairs.papers.plan.files import CLAIMS
from fairpairs.papers.plan.plan import Plan


def claims_inputs(plan: Plan) -> list[str]:
    """Name the CSV tables that checks may read: all but the claims."""
    return [file for file in plan.all_tables if file.endswith(".csv") and file != CLAIMS]


def claims_params(plan: Plan) -> Record:
    """Return what the script needs to know: the studies with claims, in the report's order."""
    return {
        "studies": {
            name: os.path.relpath(plan.folders[name])
            for name in plan.studies
            if (plan.folders[name] / "claims.py").exists() and plan.study_files(name)
        },
        "config": dict(plan.config),
    }
