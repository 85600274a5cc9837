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
#: A run of one treatment and one chunk, without simulations: what is enough for most tests.
SMALL = {
    "seed": 7,
    "alpha": 0.05,
    "repeats": 4,
    "chunk_size": 4,
    "mirrors": ["mirror"],
    "experiments": {
        "loans": {
            "title": "Synthetic loans",
            "datasets": ["loans"],
            "treatments": ["none"],
            "model": "logistic_regression",
            "tests": ["separation", "comparative_separation"],
        }
    },
}
#: Three chunks, a treatment and the simulations: what `done` has.
FULL = {
    **SMALL,
    "repeats": 12,
    "experiments": {"loans": {**SMALL["experiments"]["loans"], "treatments": ["fairbalance"]}},
    "comparative_separation": {
        "simulation": {**SHIPPED["comparative_separation"]["simulation"], "repeats": 200}
    },
}
#: A ranking by boosting in two chunks, with its tests, curves and folds.
RANKING = {
    **SMALL,
    "repeats": 3,
    "chunk_size": 2,
    "experiments": {
        "loans": {
            **SMALL["experiments"]["loans"],
            "model": {"call": "rankboost", "with": {"rounds": 10}},
            "tests": ["xauc", "ranking", "xauc_adjustment"],
            "test_fraction": 0.3,
            "curves": True,
            "folds": 3,
        }
    },
}
#: A study of two designs, one of which needs the classifiers of the simulation.
STUDY_OF_DESIGNS = {
    "repeats": 50,
    "permutation_repeats": 3,
    "permutations": 19,
    "designs": {
        "f0": {
            "title": "f0 of Table I",
            "kind": "classifier",
            "classifier": "f0",
            "items": [100, 200],
            "pairs_per_item": [1, 4],
        },
        "points": {
            "kind": "regression",
            "noise": [1, 1],
            "score_shift": 0.4,
            "items": [60],
            "pairs_per_item": [2],
            "permuted_items": [60],
        },
    },
}
CALIBRATION = {
    **SMALL,
    "calibration": STUDY_OF_DESIGNS,
    "comparative_separation": FULL["comparative_separation"],
}
#: A study of bridges with the name of the experiment, other repeats and other chunks.
DECISIONS = {
    **SMALL,
    "experiments": {
        "loans": {
            **SMALL["experiments"]["loans"],
            "tests": ["separation", "differential_parity", "differential_parity_effect_size"],
        }
    },
    "differential_parity": {
        "bridges": {
            "loans": {
                "title": "Made judges",
                "dataset": "loans",
                "decisions": ["P1", "P2", "Average"],
                "model": "ridge",
                "test_fraction": 0.2,
                "held_out": 0.25,
                "repeats": 5,
                "cross_fitted": 2,
                "chunk_size": 3,
            }
        },
        "raters": ["loans"],
    },
}

#: People who rate on portraits, compared as they are, by vectors, and on the pictures.
OF_PORTRAITS = {
    "dataset": "portraits",
    "decisions": ["P1", "P2"],
    "test_fraction": 0.3,
    "held_out": 0.25,
    "repeats": 2,
}
PORTRAITS = {
    **SMALL,
    "repeats": 2,
    "experiments": {
        "beauty": {
            "datasets": ["portraits"],
            "treatments": ["none"],
            "model": "ridge",
            "encoder": "points",
            "tests": ["differential_parity", "differential_parity_effect_size"],
        }
    },
    "differential_parity": {
        "bridges": {
            "by_points": {**OF_PORTRAITS, "encoder": "points", "model": "ridge", "cross_fitted": 1},
            "on_pictures": {**OF_PORTRAITS, "encoder": "network", "model": "fine_tuned"},
        },
        "raters": ["portraits"],
    },
}


#: Synthetic data sets in two chunks, and a few regressors of incomes.
RATIOS = {
    **SMALL,
    "density_ratio": {
        "repeats": 3,
        "items": 60,
        "means": [0.0, 1.0, 1.5, 1.9, 3.0, 3.5, 3.9],
        "caps": [0.9, 0.99],
        "chunk_size": 2,
        "matching_repeats": 1,
        "permutations": 19,
        "known_separation": {
            "repeats": 3,
            "designs": [{"gap": 0, "noise": 1}, {"gap": 1, "noise": 1.1}],
        },
        "datasets": ["loans"],
        "regressors": {
            name: SHIPPED["density_ratio"]["regressors"][name]
            for name in ("linear", "ridge", "nearest_neighbors", "decision_tree")
        },
        "test_fraction": 0.25,
    },
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
