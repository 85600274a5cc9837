# What the rules share: the checked config, the names of things, and the files a rule depends on.
import ast
import math
import os
from functools import cache
from pathlib import Path

import grimp

from fairpairs import registry, schemas
from fairpairs.auditing.result import FILES as AUDIT_FILES
from fairpairs.datasets.card import READS, find_card, find_cards, raw_file, read_card
from fairpairs.studies.calibration.calibrate import design
from fairpairs.experiments.checks import (
    check_bridge_study,
    check_experiment,
    check_regressors,
    parts,
)
from fairpairs.studies.calibration.levels.measure import check_levels
from fairpairs.experiments.known_classifiers import distribution
from fairpairs.output.failures import failure_text, why_unavailable
from fairpairs.published.table import read_published
from fairpairs.studies.xauc.figures import KINDS
from fairpairs.output.summary import summary_text

SCHEMAS = BASE / "workflow/schemas"
IMPORTS = grimp.build_graph("fairpairs", cache_dir=None)


def beside(path):
    """A path in the checkout, as seen from the working directory."""
    return os.path.relpath(BASE / path)


checked(schemas.check, config, SCHEMAS / "config.schema.yaml", name="config")
for name, cells in config.get("simulation", {}).get("classifiers", {}).items():
    checked(distribution, cells, name=f"config: simulation.classifiers.{name}")
for name, settings in config.get("calibration", {}).get("designs", {}).items():
    classifiers = config.get("simulation", {}).get("classifiers", {})
    checked(design, name, settings, classifiers)
checked(check_levels, config.get("calibration", {}).get("levels", []))
CONFIG = {
    "mirrors": [],
    "missing_data": "stop",
    "bridges": {},
    "raters": [],
    "encoders": {},
    "audits": {},
    "extensions": [],
    **config,
}
MIRRORS = [
    *filter(None, os.environ.get("FAIRPAIRS_MIRROR", "").split(os.pathsep)),
    *CONFIG["mirrors"],
]
# the rule that fetches reads it
os.environ.update(FAIRPAIRS_MIRROR=os.pathsep.join(dict.fromkeys(MIRRORS)))
# what asks for data sets, and an encoder where these have texts or images
ASKING = [
    *CONFIG["experiments"].values(),
    *(
        {**study, "datasets": [study["dataset"]]}
        for study in CONFIG["bridges"].values()
    ),
    {"datasets": CONFIG["raters"]},
    {"datasets": CONFIG.get("density_ratio", {}).get("datasets", [])},
]
ALL_DATASETS = sorted({name for asks in ASKING for name in asks["datasets"]})
# what a user's own project adds; a name that is taken ends the run
EXTENSIONS = CONFIG["extensions"]
for kind in registry.KINDS:
    checked(registry.known, kind, EXTENSIONS)
CARD_FILES = checked(
    find_cards, "config/datasets", EXTENSIONS, shipped=BASE / "config/datasets"
)


def card_file(dataset):
    """The file of the card of a data set."""
    return str(checked(find_card, dataset, CARD_FILES))


@cache
def card_of(dataset):
    """The card of a data set, whether an experiment names it or not."""
    return checked(read_card, card_file(dataset), SCHEMAS / "dataset.schema.yaml")


def extension_files(*parts):
    """The files of a user's own project that have parts of an experiment."""
    return [
        str(checked(registry.find, kind, name, EXTENSIONS, where="config"))
        for kind, name in parts
        if name not in registry.known(kind)
    ]


def trained_by(wildcards):
    """The treatment and the model of predictions."""
    model = EXPERIMENTS[wildcards.experiment]["model"]
    return ("treatments", wildcards.treatment), ("models", model)


CARDS = {name: card_of(name) for name in ALL_DATASETS}
for name, experiment in CONFIG["experiments"].items():
    checked(check_experiment, name, experiment, CARDS, CONFIG["encoders"], EXTENSIONS)
    # a user's file that cannot be imported ends the run before anything is done
    for part in parts(experiment):
        if extension_files(part) and workflow.is_main_process:
            checked(registry.load, *part, extension_files(part))
for name, study in CONFIG["bridges"].items():
    checked(
        check_bridge_study, name, study, CARDS[study["dataset"]], CONFIG["encoders"]
    )
for name in CONFIG.get("density_ratio", {}).get("datasets", []):
    checked(check_regressors, name, CARDS[name])
for name in sorted(set(CARDS) & set(CONFIG["encoders"])):
    raise WorkflowError(
        f"config: `{name}` is a data set and an encoder, whose files lie in one folder: rename one."
    )
for name in CONFIG["raters"]:
    if "decisions" not in CARDS[name]:
        raise WorkflowError(
            f"config: raters: the data set {name} has no decisions: name another, or give its "
            "card `decisions`."
        )


def encoder_files(encoder):
    """The weights of an encoder of images, fetched as the raw files of a data set are."""
    files = CONFIG["encoders"].get(encoder, {}).get("files", [])
    return [f"data/raw/{encoder}/{entry['name']}" for entry in files]


def picture_archive(dataset, encoder):
    """The archive of a card that an encoder of images reads; nothing for texts."""
    kind = CONFIG["encoders"][encoder].get("kind")
    if kind is None:
        return {}
    return card_of(dataset).get("archives", {}).get(READS[kind], {})


def picture_files(dataset, encoder):
    """The archive that an encoder of images reads, as a list."""
    archive = picture_archive(dataset, encoder)
    return [f"data/raw/{dataset}/{archive['file']}"] if archive else []


def tables_of(dataset):
    """The raw files of a data set but for archives of pictures."""
    archives = card_of(dataset).get("archives", {}).values()
    return [
        f"data/raw/{dataset}/{entry['name']}"
        for entry in card_of(dataset)["files"]
        if entry["name"] not in {archive["file"] for archive in archives}
    ]


def raw_files(datasets):
    """The raw files of data sets: tables, and the pictures and weights that an encoder reads."""
    return [
        *(file for name in datasets for file in tables_of(name)),
        *dict.fromkeys(
            file
            for name in datasets
            for asks in ASKING
            if name in asks["datasets"] and asks.get("encoder") in CONFIG["encoders"]
            for file in picture_files(name, asks["encoder"])
        ),
        *dict.fromkeys(
            file
            for asks in ASKING
            if set(asks["datasets"]) & set(datasets)
            for file in encoder_files(asks.get("encoder"))
        ),
    ]


def prepared_files(datasets):
    """The tables of prepared data sets."""
    return [f"data/prepared/{name}.parquet" for name in datasets]


# data sets that could not be fetched or prepared, and why
MISSING = {
    name: reason
    for name in (ALL_DATASETS if CONFIG["missing_data"] == "skip" else [])
    if (
        reason := why_unavailable(
            raw_files([name]), *prepared_files([name]), card_file(name)
        )
    )
}
EXPERIMENTS = {
    name: {
        "title": name,
        "test_fraction": 0.5,
        "pairs_per_item": 2,
        "draws": 1,
        "repeats": CONFIG["repeats"],
        "curves": False,
        **experiment,
        "datasets": [
            dataset for dataset in experiment["datasets"] if dataset not in MISSING
        ],
    }
    for name, experiment in CONFIG["experiments"].items()
    if not set(experiment["datasets"]) <= set(MISSING)
}
PREPARED = sorted(set(ALL_DATASETS) - set(MISSING))
BRIDGES = {
    name: {"title": name, "cross_fitted": 0, **study}
    for name, study in CONFIG["bridges"].items()
    if study["dataset"] in PREPARED
}
# data sets whose regressors are measured by density ratios
MEASURED = [
    name
    for name in CONFIG.get("density_ratio", {}).get("datasets", [])
    if name in PREPARED
]
RATED = [name for name in CONFIG["raters"] if name in PREPARED]


def experiments_of(source):
    """The experiments that a published table is reproduced from."""
    return source.get(
        "experiments", [source["experiment"]] if "experiment" in source else []
    )


def has_no_data(source):
    """Whether what reproduces a published table is drawn, without any data set."""
    return "simulation" in source or source.get("density_ratio") == "synthetic"


def datasets_of(source):
    """The data sets that a published table is reproduced from."""
    names = {*source.get("datasets", []), source.get("items")} - {None}
    for experiment in set(experiments_of(source)) & set(CONFIG["experiments"]):
        names |= set(CONFIG["experiments"][experiment]["datasets"])
    if source.get("density_ratio") in ("regressors", "caps"):
        names |= set(CONFIG.get("density_ratio", {}).get("datasets", []))
    if source.get("bridges") in CONFIG["bridges"]:
        names.add(CONFIG["bridges"][source["bridges"]]["dataset"])
    return names


def is_asked_for(source):
    """Whether the config asks for what reproduces a published table."""
    if has_no_data(source):
        return ("simulation" if "simulation" in source else "density_ratio") in CONFIG
    return bool(datasets_of(source) & set(ALL_DATASETS))


PUBLISHED = {
    path.stem: checked(read_published, path, SCHEMAS / "published.schema.yaml")
    for path in sorted((BASE / "config/published").glob("*.yaml"))
}
TABLES = [
    name for name, table in PUBLISHED.items() if is_asked_for(table.about["from"])
]
SIMULATION_TABLES = [
    name for name in TABLES if "simulation" in PUBLISHED[name].about["from"]
]
NOT_RUN = set(CONFIG["experiments"]) - set(
    EXPERIMENTS
)  # all their data sets are missing
# tables whose simulated cells are drawn against the published ones; a study of bridges has its own
DRAWN = [
    name
    for name in TABLES
    if {"runs", "table"} <= set(PUBLISHED[name].about)
    and not {"bridges", "density_ratio"} & set(PUBLISHED[name].about["from"])
    and not set(experiments_of(PUBLISHED[name].about["from"])) & NOT_RUN
]


def chunks(settings):
    """The repeats of an experiment or a study in chunks, each named by its first and last one."""
    repeats = settings["repeats"]
    size = settings.get("chunk_size", CONFIG["chunk_size"])
    return [
        f"{first:07d}-{min(first + size, repeats) - 1:07d}"
        for first in range(0, repeats, size)
    ]


def chunk_repeats(chunk):
    first, last = map(int, chunk.split("-"))
    return list(range(first, last + 1))


# on a cluster, what gathers all repeats of an experiment runs beside the main process unless they are many
FEW_REPEATS = (
    max([CONFIG["repeats"], *(e["repeats"] for e in EXPERIMENTS.values())]) <= 10_000
)


def growing(amount, each=0):
    """A resource that doubles with every attempt; `each` is added for every repeat that a job reads or makes.

    The amounts of the rules are measured (docs/cluster.md), and rounded up with room for larger data.
    """

    def resource(wildcards, attempt):
        repeats = 0
        if "chunk" in wildcards.keys():
            repeats = len(chunk_repeats(wildcards.chunk))
        elif "experiment" in wildcards.keys():
            repeats = EXPERIMENTS[wildcards.experiment]["repeats"]
        return math.ceil(amount + each * repeats) * 2 ** (attempt - 1)

    return resource


def embedded(dataset, encoder):
    """The vectors of a data set with texts or images, by the encoder of what asks for them."""
    if not {"text", "image"} & set(card_of(dataset)["features"].values()):
        return []
    return [f"data/embedded/{dataset}.{encoder}.parquet"]


def study_results(study):
    return [
        f"results/bridges/{study}/{chunk}.parquet" for chunk in chunks(BRIDGES[study])
    ]


def summary_files(experiments):
    return expand(
        "results/summaries/{experiment}{part}.parquet",
        experiment=experiments,
        part=["", ".estimates"],
    )


def roles_files(datasets):
    """The descriptions of those data sets that there are."""
    return [f"data/prepared/{name}.json" for name in PREPARED if name in datasets]


def sidecars(*stems):
    """What says where tables come from, a file beside each."""
    return [f"{stem}.provenance.json" for stem in stems]


def table_files(names):
    return [
        f"results/tables/{name}.{ending}"
        for name in names
        for ending in ("csv", "md", "tex")
    ]


def figure_files(names):
    drawn = [name for name in names if name in DRAWN or name in EXPERIMENTS]
    if any(name in SIMULATION_TABLES for name in names):
        drawn.append("comparative_separation_figure_1")
    return [
        f"results/figures/{name}.{ending}"
        for name in drawn
        for ending in ("svg", "png")
    ]


# experiments whose ranking is shown, and those whose curves are drawn
RANKED = [
    name
    for name, experiment in EXPERIMENTS.items()
    if {"ranking", "xauc"} <= set(experiment["tests"])
]
# experiments whose predictions are compared with the labels as two sets of decisions
PARITY_TESTED = [
    name
    for name, experiment in EXPERIMENTS.items()
    if {"differential_parity", "differential_parity_effect_size"}
    <= set(experiment["tests"])
]
CURVED = [name for name, experiment in EXPERIMENTS.items() if experiment["curves"]]
RANKING_FILES = [
    *table_files(f"ranking/{name}" for name in RANKED),
    *(
        f"results/figures/{kind}/{name}.{ending}"
        for kind, names in {"ranking": RANKED, **dict.fromkeys(KINDS, CURVED)}.items()
        for name in names
        for ending in ("svg", "png")
    ),
]


# the study of density-ratio measures: on synthetic data, and of regressors where their data are there
DENSITY_RATIO_FILES = [
    *(
        [
            "results/tables/density_ratio_correlations.csv",
            *table_files(["density_ratio_estimators", "known_separation"]),
            "results/figures/density_ratio_synthetic.svg",
            "results/figures/density_ratio_synthetic.png",
        ]
        if "density_ratio" in CONFIG
        else []
    ),
    *(
        [
            "results/tables/density_ratio_regressor_correlations.csv",
            *table_files(
                f"density_ratio_{name}"
                for name in ("conclusions", "regressors", "caps", "regressor_asterisks")
            ),
            "results/figures/density_ratio_regressors.svg",
            "results/figures/density_ratio_regressors.png",
        ]
        if MEASURED
        else []
    ),
]


# what compares decisions: each two people of a study on split data, and all people of a data set
DECISION_FILES = [
    *table_files(f"bridges/{name}" for name in BRIDGES),
    *table_files(f"bridges/{name}_conclusions" for name in BRIDGES),
    *table_files(f"raters/{name}" for name in RATED),
    *(f"results/tables/raters/{name}.pairs.csv" for name in RATED),
    *table_files(f"differential_parity/{name}" for name in PARITY_TESTED),
    *(
        f"results/figures/{kind}/{name}.{ending}"
        for kind, names in {
            "bridges": BRIDGES,
            "raters": RATED,
            "differential_parity": PARITY_TESTED,
        }.items()
        for name in names
        for ending in ("svg", "png")
    ),
]


def roles_of(wildcards):
    """The descriptions of the prepared data sets of an experiment."""
    return expand(
        "data/prepared/{dataset}.json",
        dataset=EXPERIMENTS[wildcards.experiment]["datasets"],
    )


# the study of levels and power; without it in the config there is none
CALIBRATION = {
    **{"size": None, "sizes": {}, "designs": {}, "levels": []},
    **CONFIG.get("calibration", {}),
}
if CALIBRATION["size"] not in [None, *CALIBRATION["sizes"]]:
    raise WorkflowError(
        f"config: calibration.size must be one of {', '.join(CALIBRATION['sizes'])}; it is "
        f"{CALIBRATION['size']}."
    )
CALIBRATION_FILES = (
    [
        "results/calibration.csv",
        *table_files(["calibration_items", "calibration_pairs"]),
        *(
            f"results/figures/{name}.{ending}"
            for name in ("calibration", "power", "label_mix")
            for ending in ("svg", "png")
        ),
    ]
    if CALIBRATION["designs"]
    else []
)
if CALIBRATION["levels"]:
    CALIBRATION_FILES += [
        *table_files(["levels"]),
        "results/figures/levels.svg",
        "results/figures/levels.png",
    ]


# every table, the sidecar of each, and all predictions: what must be the same to the byte wherever it is made
ALL_TABLES = [
    file
    for file in [
        *table_files([*TABLES, *EXPERIMENTS]),
        *RANKING_FILES,
        *DECISION_FILES,
        *DENSITY_RATIO_FILES,
        *CALIBRATION_FILES,
        *(
            f"results/{name}.{ending}"
            for name in ("comparison", "comparison_of_text")
            for ending in ("csv", "md", "tex")
        ),
    ]
    if not file.startswith("results/figures/")
]
ALL_SIDECARS = sidecars(
    *(file.removesuffix(".csv") for file in ALL_TABLES if file.endswith(".csv"))
)
ALL_PREDICTIONS = [
    *(
        f"results/predictions/{name}/{dataset}/{treatment}/{chunk}.parquet"
        for name, experiment in EXPERIMENTS.items()
        for dataset in experiment["datasets"]
        for treatment in experiment["treatments"]
        for chunk in chunks(experiment)
    ),
    *(f"results/density_ratio/predictions/{name}.parquet" for name in MEASURED),
]


def imported_modules(file):
    """The modules of the package that a Python file imports by name."""
    names = set()
    for node in ast.walk(ast.parse(Path(file).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {
                node.module,
                *(f"{node.module}.{alias.name}" for alias in node.names),
            }
    return names & IMPORTS.modules


@cache
def package(script, *parts):
    """The files of the package that a script and parts of an experiment rest on, by their imports.

    Snakemake runs a rule again when its script changes, but not when what the script imports does.
    A script loads its treatment, model or test by name, so that it rests on no other.
    """
    names = imported_modules(BASE / f"workflow/scripts/{script}.py")
    for part in parts:
        if extension_files(part):
            names |= imported_modules(*extension_files(part))
        else:
            names.add(f"{registry.KINDS[part[0]].package}.{part[1]}")
    names |= {
        upstream for name in names for upstream in IMPORTS.find_upstream_modules(name)
    }
    files = [
        BASE / "src" / Path(*name.split(".")) for name in sorted(names - {"fairpairs"})
    ]
    return [
        os.path.relpath(
            file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        )
        for file in files
    ]


wildcard_constraints:
    audit="|".join(CONFIG["audits"]) or "no audit",
    dataset="[A-Za-z0-9_]+",
    experiment="|".join(CONFIG["experiments"]) or "no experiment",
    study="|".join(CONFIG["bridges"]) or "no study",
    encoder="|".join(CONFIG["encoders"]) or "no encoder",
    treatment="[a-z0-9_]+",
    test="[a-z0-9_]+",
    chunk="[0-9]+-[0-9]+",
    table="|".join(PUBLISHED),
    design="[a-z0-9_]+",
    file="[^/]+",
