"""Results of a study of bridges, and the printed tables beside them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_tables import KEYS, PEOPLE

COLUMNS = list(PEOPLE.values())


@pytest.fixture
def printed(shipped):
    return shipped("differential_parity/table_3").cells


@pytest.fixture
def said(shipped):
    return shipped("differential_parity/section_4").cells


@pytest.fixture
def results(made_study):
    return made_study.copy()


@pytest.fixture(scope="session")
def made_study():
    """A made study of 12 splits, two of them with the cross-fitted bridge, near the printed one."""
    rng = np.random.default_rng(7)
    frames = []
    for repeat in range(12):
        for attribute in ("sex", "race"):
            for decisions in COLUMNS:
                for reference in COLUMNS:
                    for row in ROWS if repeat < 2 else ROWS[:-1]:
                        label = row.startswith("Label")
                        dpd = 0.0 if label and decisions == reference else rng.normal(0, 0.2)
                        frames.append((repeat, attribute, decisions, reference, row, dpd))
    frame = pd.DataFrame(frames, columns=["repeat", *KEYS, "dpd"])
    frame["pvalue_one_sided"] = norm.sf(frame["dpd"].abs() / 0.1)
    frame["pvalue"], frame["dpd_overall"] = 2 * frame["pvalue_one_sided"], 0.9 * frame["dpd"]
    frame["estimate"], frame["dpt"], frame["dof"] = frame["dpd"], frame["dpd"] * 10, 99.0
    frame["of_all_labels"] = 0.0
    return frame
