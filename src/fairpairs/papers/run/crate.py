"""A finished run as an RO-Crate: its code, its config and its results; raw data are named."""

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256, json_text, written_whole
from fairpairs.base.sealed import SIDECAR
from fairpairs.papers.run.checksums import read_checksums
from fairpairs.papers.run.provenance import read_provenance

#: The archive, in the folder of a run; what a finished run has; the sidecar that is written last.
CRATE, REPORT = "results/fairpairs-run.crate.zip", "results/report.html"
CHECKSUMS, ORIGIN = "results/checksums.txt", f"results/predictions{SIDECAR}"
PROFILE = "https://w3id.org/ro/wfrun/workflow/0.5"
#: The code of a run, in the checkout, and what of it is not packed.
CODE = (
    "workflow", "profiles", "src", "config/datasets", "config/published", "Makefile", "README.md",
    "docs/pypi.md", "pyproject.toml", "requirements.lock", "environment.yml", "CITATION.cff",
    "LICENSE",
)  # fmt: skip
NOT_PACKED = ("__pycache__", "*.egg-info", ".*")


def write_crate(archive: str | Path, folder: str | Path, base: str | Path) -> None:
    """Write the finished run of a folder as a zipped RO-Crate; `base` is the checkout of FairPairs.

    It has the code, the config, the report, and all tables and figures of the run. Raw data are
    named by their SHA-256, and so are predictions, in `results/predictions.csv`. The same files of
    a run give the same bytes. InputError if the run is not finished, or a table was changed.
    """
    from rocrate.rocrate import ROCrate  # noqa: PLC0415  (slow)

    folder, base = Path(folder), Path(base)
    origin = _finished(folder)
    crate: Any = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append("https://w3id.org/ro/terms/workflow-run/context")
    versions = origin["versions"]
    crate.add_workflow(base / "Snakefile", "Snakefile", main=True, lang="snakemake",
                       lang_version=versions["snakemake"])  # fmt: skip
    results = [
        crate.add_file(folder / name, name, properties={"sha256": file_sha256(folder / name)})
        for name in sorted({*read_checksums(folder / CHECKSUMS), CHECKSUMS, *_further(folder)})
    ]
    crate.add_action(crate.mainEntity, identifier="#run", result=results, properties={
        "name": "The run of the workflow", "endTime": origin["made"],
        "description": json_text({key: origin[key] for key in ("config", "data", "versions",
                                                               "platform", "git_commit")}),
    })  # fmt: skip
    crate.root_dataset["name"] = f"A run of FairPairs {versions['fairpairs']}"
    crate.root_dataset["description"] = "The code, the config and all results of one run."
    crate.root_dataset["datePublished"] = origin["made"]
    crate.root_dataset["license"] = "https://spdx.org/licenses/MIT"
    crate.root_dataset["conformsTo"] = [{"@id": PROFILE}]
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "crate")
        crate.write(root)
        extensions = [name for name in origin["config"].get("extensions", []) if _inside(name)]
        for source, name in [*((base, name) for name in CODE),
                             *((folder, name) for name in ["config", *extensions])]:  # fmt: skip
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (source / name).is_dir():
                ignored = shutil.ignore_patterns(*NOT_PACKED)
                shutil.copytree(source / name, target, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(source / name, target)
        with written_whole(archive) as path, zipfile.ZipFile(path, "w") as packed:
            for file in sorted(root.rglob("*")):
                if file.is_file():  # dated 1980, so that the same files give the same bytes
                    member = zipfile.ZipInfo(file.relative_to(root).as_posix())
                    packed.writestr(member, file.read_bytes(), zipfile.ZIP_DEFLATED)


def _finished(folder: Path) -> Any:
    """Return the origin of a run; InputError if it is not finished, or a table was changed."""
    for name in (CHECKSUMS, ORIGIN, REPORT):
        if not (folder / name).exists():
            raise InputError(
                f"{folder / name} is missing, so the run is not finished: run `make reproduce`, "
                "then `make crate` again."
            )
    for name, digest in read_checksums(folder / CHECKSUMS).items():
        if not (folder / name).exists() or file_sha256(folder / name) != digest:
            raise InputError(
                f"{folder / name} is missing or was changed after the run, whose {CHECKSUMS} has "
                "another SHA-256: delete it, run `make reproduce`, then `make crate` again."
            )
    return read_provenance([folder / ORIGIN])[0]


def _further(folder: Path) -> list[str]:
    """Return the report, the sidecars, the figures and the audits of a run."""
    results = folder / "results"
    parts = (results / name for name in ("figures", "audits", "judgments"))
    found = [*results.rglob(f"*{SIDECAR}"), *(path for part in parts for path in part.rglob("*"))]
    return [REPORT, *(path.relative_to(folder).as_posix() for path in found if path.is_file())]


def _inside(name: str) -> bool:
    return not Path(name).is_absolute() and ".." not in Path(name).parts
