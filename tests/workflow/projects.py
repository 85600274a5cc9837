"""Small projects: what their configs ask for, and how they are written into a folder."""

from pathlib import Path
from typing import Any

import yaml

from tests.synthetic_loans import write_synthetic_dataset
from tests.workflow.runs import ROOT, Project, write_yaml
from tests.workflow.synthetic_data import rate, write_portraits

SHIPPED = {
    key: value
    for file in [ROOT / "config/config.yaml", *(ROOT / "config/studies").glob("*.yaml")]
    for key, value in yaml.safe_load(file.read_text("utf-8")).items()
}
MADE = yaml.safe_load(Path(__file__).with_name("projects.yaml").read_text("utf-8"))
SMALL, RANKING, DECISIONS, PORTRAITS = (
    MADE[name] for name in ("small", "ranking", "decisions", "portraits")
)
SIMULATED = {"simulation": {**SHIPPED["comparative_separation"]["simulation"], "repeats": 200}}
#: What `done` has, and a study of designs.
FULL, CALIBRATION = (
    MADE[name] | {"comparative_separation": SIMULATED} for name in ("full", "calibration")
)
STUDY_OF_DESIGNS, RATIOS = CALIBRATION["calibration"], MADE["ratios"]
RATIOS["density_ratio"]["regressors"] = {
    name: SHIPPED["density_ratio"]["regressors"][name]
    for name in RATIOS["density_ratio"]["regressors"]
}


def write_project(folder: Path, config: dict[str, Any], checkout: Path = ROOT) -> Project:
    """Write the synthetic loans and a config."""
    write_synthetic_dataset(folder)
    write_yaml(folder / "config/config.yaml", config)
    return Project(folder, checkout)


def write_portrait_project(folder: Path) -> Project:
    """Write the synthetic portraits, and a config with two studies of the people who saw them."""
    card, encoders = write_portraits(folder / "mirror/portraits")
    write_yaml(folder / "config/config.yaml", {**PORTRAITS, "encoders": encoders})
    write_yaml(folder / "config/datasets/portraits.yaml", card)
    return Project(folder)


def write_decisions(project: Project) -> Project:
    """Let people rate the loans."""
    people = ["P1", "P2", "P3", "P4", "Average"]
    rule = {"columns": people, "consensus": ["Average"], "from": 1, "to": 5}
    project.change_raw(rate)
    project.change_card(lambda card: card.update(decisions=rule))
    return project


def write_incomes(project: Project) -> Project:
    """Make incomes the label of the loans; nobody asks whether they were repaid."""

    def change(card: dict[str, Any]) -> None:
        card["features"] = {"debt": "numeric", "purpose": "categorical", "sex": "sensitive"}
        card["label"] = {"column": "income", "numeric": True}

    project.change_card(change)
    project.configure(
        lambda config: config["experiments"]["loans"].update(model="ridge", tests=["accuracy"])
    )
    return project
