"""The study of how often tests reject on simulated data."""

import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, Study
from fairpairs.papers.studies.calibration.design import design

NAME = "calibration"


def classifiers(run: Run) -> Content:
    """Return the known classifiers that designs may name, those of the simulations."""
    simulation = run.settings("comparative_separation").get("simulation", {})
    named: Content = simulation.get("classifiers", {})
    return named


def outputs(run: Run) -> Outputs:
    """Name the table of the designs."""
    return Outputs(csv=("rejections",) if run.settings(NAME) else ())


def check(run: Run) -> None:
    """Raise for designs that cannot be simulated."""
    for name, plan in run.settings(NAME).get("designs", {}).items():
        design(name, plan, classifiers(run))


STUDY = Study("Calibration of the tests", position=4, outputs=outputs, check=check)


def rejections(designs: pd.DataFrame) -> pd.DataFrame:
    """Return the rejections of all designs, the table of the study."""
    return designs
