"""The study of how often tests reject on simulated data, and of what they promise."""

from collections.abc import Mapping

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, Study
from fairpairs.papers.studies.calibration.designs.design import design

NAME = "calibration"


def classifiers(run: Run) -> Content:
    """Return the known classifiers that designs may name, those of the simulations."""
    simulation = run.settings("comparative_separation").get("simulation", {})
    named: Content = simulation.get("classifiers", {})
    return named


def size(run: Run) -> Mapping[str, int]:
    """Return how much is simulated."""
    settings = run.settings(NAME)
    amounts: Mapping[str, int] = settings["sizes"][settings["size"]] if settings else {}
    return amounts


def outputs(run: Run) -> Outputs:
    """Name the tables and figures of the designs, and those of the levels."""
    settings = run.settings(NAME)
    levels = ("levels",) if settings.get("levels") else ()
    if not settings.get("designs"):
        return Outputs(tables=levels, figures=levels)
    return Outputs(
        tables=("items", "pairs", *levels),
        csv=("rejections",),
        figures=("rejections", "power", "label_mix", *levels),
    )


def check(run: Run) -> None:
    """Raise for an unknown size, and for designs and tests that cannot be simulated."""
    settings = run.settings(NAME)
    for name, plan in settings.get("designs", {}).items():
        design(name, plan, classifiers(run))
    if "levels" in settings:
        # slow: all tests of the package, of which a plan without the study has no need
        from fairpairs.papers.studies.calibration.levels.suite import check_levels  # noqa: PLC0415

        check_levels(settings["levels"])
    if settings and settings["size"] not in settings["sizes"]:
        raise InputError(
            f"config: {NAME}.size must be one of {', '.join(settings['sizes'])}; it is "
            f"{settings['size']}."
        )


STUDY = Study(
    title="Calibration of the tests",
    position=4,
    outputs=outputs,
    check=check,
)
