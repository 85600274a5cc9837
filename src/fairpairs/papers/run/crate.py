"""A finished run as a Workflow Run RO-Crate, an archive that tools for research data can read.

The profile is Provenance Run Crate 0.5, https://w3id.org/ro/wfrun/provenance/0.5, of RO-Crate 1.1.
"""

import datetime as dt
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256, written_whole
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.schemas import read_yaml
from fairpairs.base.sealed import SIDECAR
from fairpairs.papers.datasets.card import find_card, find_cards, read_card
from fairpairs.papers.run.checksums import read_checksums
from fairpairs.papers.run.crate_steps import PROFILE, WITH_STEPS, add_steps
from fairpairs.papers.run.provenance import read_provenance
from fairpairs.papers.run.times import Job, finished_jobs, run_times

#: The archive, in the folder of a run.
CRATE = "results/fairpairs-run.crate.zip"
CHECKSUMS = "results/checksums.txt"
REPORT = "results/report.html"
#: The sidecar that `make crate` reads: the last one that a run writes.
ORIGIN = f"results/predictions{SIDECAR}"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    PROFILE: "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
#: Context of terms that RO-Crate does not define, such as sha256.
CONTEXT = "https://w3id.org/ro/terms/workflow-run/context"
#: The code of a run: folders and files of the checkout, with what they hold.
FOLDERS = {
    "workflow": "The rules of the workflow, their scripts, and the schemas of the config",
    "profiles": "The profiles of Snakemake",
    "src": "The Python package that the scripts call",
}
FILES = {
    "Makefile": "The commands, such as `make reproduce`",
    "README.md": "What FairPairs is",
    "docs/pypi.md": "The description of the Python package",
    "pyproject.toml": "The Python package: its version and the libraries that it needs",
    "requirements.lock": "The versions of all libraries, for pip",
    "environment.yml": "The environment of the rules, for conda",
    "CITATION.cff": "How to cite FairPairs",
    "LICENSE": "The licence of FairPairs",
}
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".jsonld": "application/ld+json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
#: Type of a config value → its type in schema.org.
TYPES = {bool: "Boolean", int: "Integer", float: "Float", str: "Text"}
#: Programs that are not on PyPI: name in a sidecar → identifier.
NOT_ON_PYPI = {"python": "https://www.python.org/", "blas": "#blas", "fairpairs": "#fairpairs"}
NOT_PACKED = ("__pycache__", "*.egg-info", ".*")


@dataclass(frozen=True)
class FinishedRun:
    """The contents of the files of a finished run."""

    #: The folder of the run.
    folder: Path
    #: The checkout of FairPairs.
    base: Path
    #: The sha256 of each table.
    tables: Mapping[str, str]
    #: The sidecar of the predictions (see `fairpairs.papers.run.provenance`).
    origin: Content
    #: When the first job began.
    start: str
    #: When the last job ended.
    end: str
    #: The jobs, if the folder of Snakemake is there.
    jobs: Sequence[Job] = ()


def read_run(folder: str | Path, base: str | Path) -> FinishedRun:
    """Read a run; InputError if it is not finished, or a table is not the one of its checksums."""
    folder = Path(folder)
    for name in (CHECKSUMS, ORIGIN, REPORT):
        if not (folder / name).exists():
            raise InputError(
                f"{folder / name} is missing, so the run is not finished: run `make reproduce`, "
                "then `make crate` again."
            )
    tables = read_checksums(folder / CHECKSUMS)
    for name, digest in tables.items():
        if not (folder / name).exists() or file_sha256(folder / name) != digest:
            raise InputError(
                f"{folder / name} is missing or was changed after the run, whose {CHECKSUMS} has "
                "another SHA-256: delete it, run `make reproduce`, then `make crate` again."
            )
    (origin,) = read_provenance([folder / ORIGIN])
    times = run_times(folder / ".snakemake/metadata")
    if times:
        dates = (dt.datetime.fromtimestamp(time, dt.UTC) for time in times)
        start, end = (date.isoformat(timespec="seconds") for date in dates)
    else:  # the run was copied without the folder of Snakemake
        written = [sidecar["made"] for sidecar in read_provenance(_sidecars(folder))]
        start, end = min(written), max(written)
    jobs = finished_jobs(folder / ".snakemake/metadata")
    return FinishedRun(folder, Path(base), tables, origin, start, end, jobs)


def write_crate(archive: str | Path, folder: str | Path, base: str | Path) -> None:
    """Write the finished run of a folder as a zipped RO-Crate; `base` is the checkout of FairPairs.

    It has the code, the config, the report, and all tables and figures of the run. Raw data are
    named by address, SHA-256 and terms; predictions by their SHA-256 in `results/predictions.csv`.
    The same files of a run give the same bytes: all dates are those of the run.
    """
    try:
        from rocrate.rocrate import ROCrate  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "The Python package rocrate is not installed: run `make environment`, or `pip install "
            "rocrate`."
        ) from error
    run = read_run(folder, base)
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(CONTEXT)
    packed = _add_code(crate, run)
    action = _add_action(crate, run)
    scripts = Path(base, "workflow/scripts")
    steps = add_steps(crate, _thing, run.jobs, action, scripts)
    _describe(crate, run, [action, steps] if steps else [action])
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "crate")
        crate.write(root)
        for source, name in packed:
            ignored = shutil.ignore_patterns(*NOT_PACKED)
            shutil.copytree(source, root / name, ignore=ignored, dirs_exist_ok=True)
        with written_whole(archive) as path:
            _zip(root, path)


def _describe(crate: Any, run: FinishedRun, actions: Sequence[Any]) -> None:
    """Add title, authors, licence and profiles of the crate."""
    citation = read_yaml(run.base / "CITATION.cff")
    licence = _thing(
        crate,
        f"https://spdx.org/licenses/{citation['license']}",
        "CreativeWork",
        name=citation["license"],
    )
    authors = [_author(crate, author) for author in citation["authors"]]
    profiles = [
        _thing(crate, address, "CreativeWork", name=name, version=address.rsplit("/", 1)[1])
        for address, name in PROFILES.items()
    ]
    root = crate.root_dataset
    root["name"] = f"A run of {citation['title']} {citation['version']}"
    root["description"] = (
        f"{citation['abstract'].strip()} The code, the config, the tables, the figures and the "
        "report of one run; the raw data by address and SHA-256."
    )
    root["datePublished"] = run.end
    root["license"] = licence
    root["author"] = authors
    root["keywords"] = ", ".join(citation["keywords"])
    root["conformsTo"] = profiles
    root["mentions"] = [*actions]
    crate.mainEntity["author"] = authors
    crate.mainEntity["license"] = licence


def _author(crate: Any, author: Mapping[str, str]) -> Any:
    name = author.get("name") or f"{author['given-names']} {author['family-names']}"
    identifier = author.get("orcid") or "#" + name.replace(" ", "-")
    return _thing(crate, identifier, "Organization" if "name" in author else "Person", name=name)


def _add_code(crate: Any, run: FinishedRun) -> list[tuple[Path, str]]:
    """Describe the code and the config; return the folders to pack, and their names there."""
    versions = run.origin["versions"]
    software = []
    for name, version in versions.items():
        if version not in ("not installed", "none loaded"):
            identifier = NOT_ON_PYPI.get(name, f"https://pypi.org/project/{name}/")
            properties = {"name": name, "softwareVersion": version}
            if not identifier.startswith("#"):
                properties["url"] = identifier
            software.append(_thing(crate, identifier, "SoftwareApplication", **properties))
    crate.get("#fairpairs")["description"] = f"Git commit: {run.origin['git_commit']}"
    crate.add_workflow(
        run.base / "Snakefile",
        "Snakefile",
        main=True,
        lang="snakemake",
        lang_version=versions["snakemake"],
        properties={
            "name": "FairPairs",
            "version": versions["fairpairs"],
            "encodingFormat": "text/plain",
            "softwareRequirements": software,
            **({"@type": WITH_STEPS} if run.jobs else {}),
        },
    )
    for name, text in FILES.items():
        _file(crate, run.base / name, name, text)
    crate.get("README.md")["about"] = crate.root_dataset
    folders = {**FOLDERS, "config": "The config, the cards of data sets, and published numbers"}
    for name in run.origin["config"].get("extensions", []):
        if not Path(name).is_absolute() and ".." not in Path(name).parts:
            folders[Path(name).as_posix()] = "Extensions of the project"
    for name, text in folders.items():
        crate.add_dataset(dest_path=f"{name}/", properties={"name": text})
    shipped = [*FOLDERS, "config/datasets", "config/published"]
    # a card of a project's own replaces the shipped one
    return [(run.base / name, name) for name in shipped] + [
        (run.folder / name, name) for name in folders if name not in FOLDERS
    ]


def _add_action(crate: Any, run: FinishedRun) -> Any:
    """Describe the run: what it read, what it made, and when."""
    parameters = list(_parameters(crate, run.origin["config"]))
    crate.mainEntity["input"] = [parameter["exampleOfWork"] for parameter in parameters]
    results = list(_results(crate, run))
    kernels = [
        _thing(crate, f"#environment-{name}", "PropertyValue", name=name, value=value)
        for name, value in sorted((run.origin.get("kernels") or {}).items())
    ]
    properties: Record = {
        "name": "The run of the workflow",
        "description": f"Snakemake made all results, on {run.origin['platform']}.",
        "startTime": run.start,
        "endTime": run.end,
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    if kernels:
        properties["environment"] = kernels
    inputs = [crate.get("config/"), *parameters, *_raw_data(crate, run)]
    return crate.add_action(
        crate.mainEntity, identifier="#run", object=inputs, result=results, properties=properties
    )


def _parameters(crate: Any, config: Content) -> Iterator[Any]:
    """Describe the config of the run, with what the command line changed, key by key."""
    for key, value in config.items():
        kind = TYPES.get(type(value), "PropertyValue")
        slot = _thing(crate, f"#parameter-{key}", "FormalParameter", name=key, additionalType=kind)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        parameter = _thing(crate, f"#config-{key}", "PropertyValue", name=key, value=text)
        parameter["exampleOfWork"] = slot
        slot["workExample"] = parameter
        yield parameter


def _raw_data(crate: Any, run: FinishedRun) -> Iterator[Any]:
    """Describe the raw files that the results rest on, which the crate does not hold."""
    config = run.origin["config"]
    extensions = [run.folder / name for name in config.get("extensions", [])]
    shipped = run.base / "config/datasets"
    cards = find_cards(run.folder / "config/datasets", extensions, shipped=shipped)
    schema = run.base / "workflow/schemas/dataset.schema.yaml"
    seen = set()
    for dataset in sorted(run.origin["data"]):
        card = read_card(find_card(dataset, cards), schema)
        terms = _thing(
            crate,
            f"#terms-{dataset}",
            "CreativeWork",
            name=f"Terms of {card['title']}",
            description=card["licence"].strip(),
        )
        for entry in card["files"]:
            raw = _raw_file(crate, f"{dataset}/{entry['name']}", entry)
            raw["license"] = terms
            raw["citation"] = card["citation"].strip()
            if raw.id not in seen:  # data sets can share a file
                seen.add(raw.id)
                yield raw


def _raw_file(crate: Any, name: str, entry: Content) -> Any:
    properties = {"name": name, "sha256": entry["sha256"], "contentSize": str(entry["bytes"])}
    if entry["urls"]:
        return crate.add_file(entry["urls"][0], properties=properties)
    return _thing(crate, f"#raw/{name}", "CreativeWork", **properties)


def _results(crate: Any, run: FinishedRun) -> Iterator[Any]:
    """Add the results: report, tables with their origins, figures, and audits."""
    yield _file(crate, run.folder / REPORT, REPORT, "The report: everything on one page")
    yield _file(crate, run.folder / CHECKSUMS, CHECKSUMS, "The SHA-256 of every table")
    for name in run.tables:
        yield _file(crate, run.folder / name, name, _title(name))
        sidecar = Path(name).with_suffix(SIDECAR).as_posix()
        if name.endswith(".csv") and (run.folder / sidecar).exists():
            origin = _file(crate, run.folder / sidecar, sidecar, f"Origin of {name}")
            origin["about"] = crate.get(name)
    for subfolder in ("figures", "audits", "judgments"):
        for path in sorted((run.folder / "results" / subfolder).rglob("*")):
            if path.is_file():
                name = path.relative_to(run.folder).as_posix()
                yield _file(crate, path, name, _title(name))


def _title(name: str) -> str:
    """Return a name for people: `results/tables/xauc/table_1.csv` is `Table: xauc, table 1`."""
    kind, *parts = Path(name).with_suffix("").parts[1:]
    kinds = {"tables": "Table", "figures": "Figure"}
    words = ", ".join(part.replace("_", " ") for part in parts)
    return f"{kinds.get(kind, 'Audit')}: {words}" if parts else f"Table: {kind.replace('_', ' ')}"


def _file(crate: Any, source: Path, name: str, title: str) -> Any:
    properties = {
        "name": title,
        "sha256": file_sha256(source),
        "contentSize": str(source.stat().st_size),
        "encodingFormat": MEDIA_TYPES.get(source.suffix, "text/plain"),
    }
    return crate.add_file(source, name, properties=properties)


def _thing(crate: Any, identifier: str, kind: str, **properties: Any) -> Any:
    """Add something that is no file: an organisation, a program, a parameter."""
    from rocrate.model.contextentity import ContextEntity  # noqa: PLC0415

    entity = ContextEntity(crate, identifier, properties={"@type": kind, **properties})
    return crate.add(entity)


def _sidecars(folder: Path) -> list[Path]:
    return sorted((folder / "results").rglob(f"*{SIDECAR}"))


def _zip(folder: Path, archive: Path) -> None:
    """Pack a folder, in the order of names and without the dates of its files."""
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                member = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                member.compress_type = zipfile.ZIP_DEFLATED
                member.external_attr = 0o644 << 16
                packed.writestr(member, path.read_bytes())
