"""The papers' conclusions and what a run says of them, for machines: results/claims.jsonld.

Each conclusion is an unsigned nanopublication (http://nanopub.net) in JSON-LD. Its assertion has
the quote, the claim, the study that checks it and the outcome, in the terms of FORRT's replication
templates (https://w3id.org/sciencelive/o/terms/), its provenance the run and the tables (PROV-O);
CiTO says whether the outcome confirms, qualifies or disputes the paper.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote_plus

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.article.numbers import FIGURES, ORIGIN
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.plan.claims import Claim
from fairpairs.papers.plan.files import CLAIMS
from fairpairs.papers.plan.judged_claims import COLUMNS, study_claims
from fairpairs.papers.plan.studies import find_studies
from fairpairs.papers.plan.study import Study
from fairpairs.papers.plan.study_files import study_folders
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, REDONE, UNTOLD
from fairpairs.papers.run.provenance import read_provenance

RECORD = "results/claims.jsonld"
#: Where nanopublications are until they are signed.
UNSIGNED = "http://purl.org/nanopub/temp"
#: Verdict → the status of FORRT's templates, and what the outcome does to the paper by CiTO.
STATUS = {
    HOLDS: ("sl:Validated", "cito:confirms"),
    REDONE: ("sl:Validated", "cito:confirms"),
    IN_PART: ("sl:PartiallySupported", "cito:qualifies"),
    FAILS: ("sl:Contradicted", "cito:disputes"),
    UNTOLD: ("sl:Inconclusive", "cito:discusses"),
}
CONTEXT = {
    "np": "http://www.nanopub.org/nschema#",
    "sl": "https://w3id.org/sciencelive/o/terms/",
    "cito": "http://purl.org/spar/cito/",
    "prov": "http://www.w3.org/ns/prov#",
    "oa": "http://www.w3.org/ns/oa#",
    "dct": "http://purl.org/dc/terms/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def claims_record(folder: str | Path) -> Record:
    """Return the conclusions of a finished run as nanopublications, in JSON-LD.

    Parameters
    ----------
    folder
        The folder of the run; its `results/claims.csv` has the conclusions.

    Raises
    ------
    InputError
        If the run is not finished.

    Notes
    -----
    The confidence that FORRT's template asks for is left to who signs: a run states numbers with
    their errors.
    """
    base = Path(folder)
    for name in (CLAIMS, ORIGIN):
        if not (base / name).is_file():
            raise InputError(f"{base / name}: there is no such file: finish the run first.")
    (origin,) = read_provenance([base / ORIGIN])
    studies, folders = find_studies(), study_folders()
    checks = {(name, claim.name): claim for name in studies for claim in _claims_of(name, folders)}
    graphs = [_run(origin)]
    for row in read_table(base / CLAIMS, text=COLUMNS).to_dict("records"):
        key = (row["study"], row["claim"])
        if key not in checks:
            raise InputError(
                f"{base / CLAIMS}: the claim `{row['claim']}` is of another version: run again."
            )
        cells = {str(name): value for name, value in row.items()}
        graphs += _nanopublication(cells, checks[key], studies[row["study"]], base, origin)
    return {"@context": CONTEXT, "@graph": graphs}


def _claims_of(study: str, folders: Mapping[str, Path]) -> list[Claim]:
    """Return the claims of a study; none without a file of claims."""
    folder = folders[study]
    return study_claims(study, folder) if (folder / "claims.py").exists() else []


def _run(origin: Content) -> Record:
    """Return the run as an activity of PROV-O."""
    return {
        "@id": f"{UNSIGNED}/run",
        "@type": "prov:Activity",
        "rdfs:label": f"A run of FairPairs {origin['versions']['fairpairs']}",
        "prov:endedAtTime": {"@type": "xsd:dateTime", "@value": origin["made"]},
        "schema:version": origin["git_commit"],
        "schema:identifier": f"seed {origin['seed']}",
    }


def _nanopublication(
    row: Content, claim: Claim, study: Study, base: Path, origin: Content
) -> list[Record]:
    """Return the four graphs of a conclusion: head, assertion, provenance, publication."""
    this = f"{UNSIGNED}/{row['study']}/{row['claim']}"
    paper = _paper(row["study"], study.citation)
    study_file = f"src/fairpairs/papers/studies/{row['study']}/claims.py"
    status, cites = STATUS[row["verdict"]]
    evidence = [path for path in row["evidence"].split("; ") if path]
    files = [_file(base / "results" / path, f"results/{path}") for path in evidence]
    drawn = sorted((base / FIGURES / row["study"]).glob("*.svg"))
    figures = [_file(path, path.relative_to(base).as_posix()) for path in drawn]
    claimed: Record = {
        "@id": f"{this}#claim",
        "@type": "sl:FORRT-Claim",
        "rdfs:label": row["statement"],
        "sl:asAidaStatement": {"@id": f"http://purl.org/aida/{quote_plus(row['statement'])}"},
        "dct:source": paper,
        "schema:articleSection": row["where"],
    }
    if row["quote"]:
        selector = {
            "@id": f"{this}#quote",
            "@type": "oa:TextQuoteSelector",
            "oa:exact": row["quote"],
        }
        claimed["oa:hasTarget"] = {
            "@id": f"{this}#quoted",
            "oa:hasSource": paper,
            "oa:hasSelector": selector,
        }
    checked: Record = {
        "@id": f"{this}#study",
        "@type": [
            "sl:FORRT-Replication-Study",
            "sl:Replication-Study" if claim.redone else "sl:Reproduction-Study",
        ],
        "rdfs:label": f"Check of: {row['statement']}",
        "sl:targetsClaim": {"@id": f"{this}#claim"},
        "sl:hasScopeDescription": row["where"],
        "sl:hasMethodologyDescription": "From the raw data, by "
        f"the check `{claim.name}` of {study_file} on the tables of the run.",
    }
    if claim.redone:
        checked["sl:hasDeviationDescription"] = f"Choices of our own: {claim.redone}."
    outcome = {
        "@id": f"{this}#outcome",
        "@type": "sl:FORRT-Replication-Outcome",
        "rdfs:label": f"{row['verdict']}: {row['statement']}",
        "sl:isOutcomeOf": {"@id": f"{this}#study"},
        "sl:hasValidationStatus": {"@id": status},
        "sl:hasConclusionDescription": row["verdict"],
        "sl:hasEvidenceDescription": row["reason"],
        "schema:endDate": {"@type": "xsd:date", "@value": origin["made"][:10]},
        cites: paper,
    }
    if figures:
        outcome["schema:image"] = figures
    head = {
        "@id": this,
        "@type": "np:Nanopublication",
        "np:hasAssertion": {"@id": f"{this}#assertion"},
        "np:hasProvenance": {"@id": f"{this}#provenance"},
        "np:hasPublicationInfo": {"@id": f"{this}#pubinfo"},
    }
    provenance = {
        "@id": f"{this}#assertion",
        "prov:wasGeneratedBy": {"@id": f"{UNSIGNED}/run"},
        "prov:wasDerivedFrom": files,
    }
    info = {
        "@id": this,
        "dct:created": {"@type": "xsd:dateTime", "@value": origin["made"]},
        "dct:license": {"@id": "https://spdx.org/licenses/MIT.html"},
        "dct:creator": "The FairPairs developers",
    }
    return [
        {"@id": f"{this}#Head", "@graph": [head]},
        {"@id": f"{this}#assertion", "@graph": [claimed, checked, outcome]},
        {"@id": f"{this}#provenance", "@graph": [provenance]},
        {"@id": f"{this}#pubinfo", "@graph": [info]},
    ]


def _paper(study: str, citation: str) -> Record:
    """Return a paper by its address at arXiv, or by a name of ours with its citation."""
    found = re.search(r"arXiv (\d+\.\d+)", citation)
    if found is None:
        return {"@id": f"{UNSIGNED}/{study}#paper", "rdfs:label": citation}
    return {"@id": f"https://arxiv.org/abs/{found[1]}"}


def _file(path: Path, name: str) -> Record:
    """Return a file by its content (RFC 6920), with its name."""
    digest = file_sha256(path)
    coded = urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
    return {"@id": f"ni:///sha-256;{coded}", "rdfs:label": name}
