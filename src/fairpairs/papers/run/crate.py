"""A finished run as an RO-Crate: its code, its config and its results; raw data are named."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256, json_text, written_whole
from fairpairs.base.sealed import SIDECAR, read_json
from fairpairs.papers.run.checksums import read_checksums

#: The archive, in the folder of a run; what a finished run has; the sidecar that is written last.
CRATE, REPORT = "results/fairpairs-run.crate.zip", "results/report.html"
CHECKSUMS, ORIGIN = "results/checksums.txt", f"results/predictions{SIDECAR}"
#: What of a run is packed beside its tables, and what is told of its origin.
BESIDE = (CHECKSUMS, REPORT, "results/figures", "results/audits", "results/judgments")
TOLD = ("config", "data", "versions", "platform", "git_commit")
PROFILE = "https://w3id.org/ro/wfrun/workflow/0.5"
#: The code of a run, in the checkout, and what of it is not packed.
CODE = (
    "workflow", "profiles", "src", "config/datasets", "config/published", "Makefile", "README.md",
    "docs/pypi.md", "pyproject.toml", "requirements.lock", "environment.yml", "CITATION.cff",
    "LICENSE",
)  # fmt: skip
NOT_PACKED = re.compile(r"(^|/)(\.|__pycache__/|[^/]*\.egg-info/)")


def write_crate(archive: str | Path, folder: str | Path, base: str | Path) -> None:
    """Write the finished run of a folder as a zipped RO-Crate; `base` is the checkout of FairPairs.

    It has the code, the config, the report, and all tables and figures of the run, and the SHA-256
    of raw data and predictions. InputError if the run is not finished, or a table was changed.
    """
    from rocrate.rocrate import ROCrate  # noqa: PLC0415  (slow)

    folder, base = Path(folder), Path(base)
    digests, origin = _finished(folder)
    crate: Any = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append("https://w3id.org/ro/terms/workflow-run/context")
    crate.add_workflow(base / "Snakefile", "Snakefile", main=True, lang="snakemake",
                       lang_version=origin["versions"]["snakemake"])  # fmt: skip
    own = [n for n in origin["config"].get("extensions", []) if n[0] != "/" and ".." not in n]
    for name, path in {**_files(base, CODE), **_files(folder, ["config", *own])}.items():
        crate.add_file(path, name)
    packed = {**_files(folder, [*digests, *BESIDE]), **_files(folder, ["results"], f"*{SIDECAR}")}
    results = [
        crate.add_file(path, name, properties={"sha256": file_sha256(path)})
        for name, path in sorted(packed.items())
    ]
    told = json_text({key: origin[key] for key in TOLD})
    of_run = {"name": "The run of the workflow", "endTime": origin["made"], "description": told}
    crate.add_action(crate.mainEntity, identifier="#run", result=results, properties=of_run)
    crate.name = f"A run of FairPairs {origin['versions']['fairpairs']}"
    crate.description = "The code, the config and all results of one run."
    crate.datePublished = origin["made"]
    crate.license = "https://spdx.org/licenses/MIT"
    crate.root_dataset["conformsTo"] = [{"@id": PROFILE}]
    with written_whole(archive) as path:
        crate.write_zip(path)


def _finished(folder: Path) -> tuple[dict[str, str], Any]:
    """Return checksums and origin of a run; InputError if a file is missing or was changed."""
    digests = read_checksums(folder / CHECKSUMS) if (folder / CHECKSUMS).exists() else {}
    for name in (CHECKSUMS, ORIGIN, REPORT, *digests):
        path = folder / name
        if not path.exists() or digests.get(name) not in {None, file_sha256(path)}:
            raise InputError(
                f"{path} is missing, or was changed after the run: delete it if it is there, run "
                "`make reproduce`, then `make crate` again."
            )
    return digests, read_json(folder / ORIGIN)


def _files(folder: Path, names: Iterable[str], pattern: str = "*") -> dict[str, Path]:
    """Return the files of these names, and those in the folders of these names: name → path."""
    paths = (path for name in names for path in (folder / name, *(folder / name).rglob(pattern)))
    found = {path.relative_to(folder).as_posix(): path for path in paths if path.is_file()}
    return {name: path for name, path in found.items() if not NOT_PACKED.search(name)}
