"""The study of the paper on differential parity: sets of decisions, compared two by two."""

from collections.abc import Iterable, Mapping

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.experiments.blocks import chunks
from fairpairs.papers.experiments.checks import check_encoder
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, described
from fairpairs.papers.published.source import Result
from fairpairs.papers.studies.differential_parity.predictions_and_labels import TESTS

NAME = "differential_parity"
#: Settings of a study of bridges that do not affect its results.
WITHOUT_EFFECT = ("title", "repeats", "chunk_size")


def bridge_studies(run: Run) -> dict[str, Record]:
    """Return the studies of bridges whose data set is available: their settings, with defaults.

    `held_out` is a share of the training part, `cross_fitted` the repeats in which E_0 is
    cross-fitted too.
    """
    defaults = {"encoder": None, "cross_fitted": 0, "chunk_size": run.config["chunk_size"]}
    return {
        name: {**defaults, "title": name, **settings}
        for name, settings in run.settings(NAME).get("bridges", {}).items()
        if settings["dataset"] not in run.missing
    }


def with_effect(study: Content) -> Record:
    """Return the settings of a study of bridges that affect its results."""
    return {key: value for key, value in study.items() if key not in WITHOUT_EFFECT}


def bridge_files(name: str, study: Content) -> tuple[str, ...]:
    """Name the results of a study of bridges, a file for each chunk of repeats."""
    parts = chunks(study["repeats"], study["chunk_size"])
    return tuple(f"results/{NAME}/bridges/{name}/{chunk}.parquet" for chunk in parts)


def bridge_inputs(run: Run, study: Content) -> dict[str, str | list[str]]:
    """Name what a study of bridges reads: vectors, or images and weights to fine-tune."""
    data, on_images = run.data, study["model"] == "fine_tuned"
    dataset, encoder = study["dataset"], study["encoder"]
    return {
        "table": f"data/prepared/{dataset}.parquet",
        "roles": f"data/prepared/{dataset}.json",
        "embedded": [] if on_images else data.embedded(dataset, encoder),
        "pictures": data.image_files(dataset, str(encoder)) if on_images else [],
        "weights": data.encoder_files(encoder) if on_images else [],
    }


def bridge_raw_files(run: Run, study: Content) -> list[Content]:
    """Return the entries of the raw files behind a study of bridges, with their checksums."""
    weights = run.data.encoders.get(study["encoder"], {}).get("files", [])
    return [*run.data.card(study["dataset"])["files"], *weights]


def bridge_archive_entry(run: Run, study: Content) -> str:
    """Return the folder of the images inside their archive."""
    archives = run.data.card(study["dataset"]).get("archives", {})
    return str(archives.get("images", {}).get("entry", ""))


def requests(settings: Content) -> Iterable[Request]:
    """Name the data sets of the studies of bridges, and those of raters."""
    for study in settings.get("bridges", {}).values():
        yield Request((study["dataset"],), study.get("encoder"))
    yield Request(tuple(settings.get("raters", [])))


def results(run: Run) -> Mapping[str, Result]:
    """Name the results of each study of bridges."""
    available = bridge_studies(run)
    return {
        f"bridges/{name}": Result(
            bridge_files(name, available[name]) if name in available else (),
            (settings["dataset"],),
        )
        for name, settings in run.settings(NAME).get("bridges", {}).items()
    }


def outputs(run: Run) -> Outputs:
    """Name the tables and figures of bridges, of raters and of predictions."""
    rated = [name for name in run.settings(NAME).get("raters", []) if name in run.datasets]
    tested = [name for name, e in run.experiments.items() if set(e.tests) >= set(TESTS)]
    figures = (
        *(f"bridges/{name}" for name in bridge_studies(run)),
        *(f"raters/{name}" for name in rated),
        *(f"predictions/{name}" for name in tested),
    )
    return Outputs(
        tables=(*figures, *(f"bridges/{name}_conclusions" for name in bridge_studies(run))),
        csv=tuple(f"raters/{name}.pairs" for name in rated),
        figures=figures,
    )


def check(run: Run) -> None:
    """Raise for a study of bridges or of raters whose data set or encoder does not fit it."""
    settings = run.settings(NAME)
    for name, study in settings.get("bridges", {}).items():
        check_bridge_study(name, study, run.data.cards[study["dataset"]], run.data.encoders)
    for name in settings.get("raters", []):
        if "decisions" not in run.data.cards[name]:
            raise InputError(
                f"config: {NAME}.raters: the data set {name} has no decisions: name another, or "
                "give its card `decisions`."
            )


def check_bridge_study(
    name: str, study: Content, card: Content, encoders: Mapping[str, Content]
) -> None:
    """Raise `InputError` if a study of bridges needs what its data set or encoder does not have."""
    where = f"{NAME}.bridges.{name}"
    known = card.get("decisions", {}).get("columns", [])
    for rater in study["decisions"]:
        if rater not in known:
            named = f"one of {', '.join(known)}" if known else "another data set, it has none"
            raise InputError(
                f"config: {where}: the data set {study['dataset']} has no decisions of "
                f"`{rater}`: name {named}."
            )
    check_encoder(where, study, study["dataset"], card, encoders)
    kind = encoders.get(study.get("encoder", ""), {}).get("kind")
    if study["model"] == "fine_tuned" and kind != "vgg16":
        raise InputError(
            f"config: {where}: the model fine_tuned starts from the weights of an encoder of the "
            f"kind vgg16, and {study.get('encoder')} is none: name another."
        )


STUDY = described(__file__, requests=requests, results=results, outputs=outputs, check=check)
