"""The conclusions as nanopublications: whole, and the same as in claims.csv."""

import json
from base64 import urlsafe_b64decode
from collections import Counter
from urllib.parse import unquote_plus

import pandas as pd
import pytest
import rdflib

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256
from fairpairs.papers.article.claims_record import CONTEXT, RECORD, STATUS, claims_record

CLAIMS = "results/claims.csv"


@pytest.fixture
def record(run):
    return json.loads(json.dumps(claims_record(run)))


@pytest.fixture
def claims(run):
    return pd.read_csv(run / CLAIMS, keep_default_na=False).to_dict("records")


def parts(record, kind):
    """What the assertions have of a type, by nanopublication."""
    return {
        graph["@id"].removesuffix("#assertion"): part
        for graph in record["@graph"]
        for part in graph.get("@graph", [])
        if kind in part.get("@type", [])
    }


@pytest.mark.slow
def test_each_conclusion_is_a_nanopublication_of_four_graphs(record, claims):
    heads = [g for g in record["@graph"] if g["@id"].endswith("#Head")]
    graphs = {g["@id"] for g in record["@graph"]}
    assert len(heads) == len(claims)
    for head in heads:
        (said,) = head["@graph"]
        kinds = ("Assertion", "Provenance", "PublicationInfo")
        assert {said[f"np:has{kind}"]["@id"] for kind in kinds} <= graphs


def test_claims_quotes_and_outcomes_are_those_of_the_table(record, claims):
    claimed, studies = parts(record, "sl:FORRT-Claim"), parts(record, "sl:FORRT-Replication-Study")
    outcomes = parts(record, "sl:FORRT-Replication-Outcome")
    assert len(claimed) == len(studies) == len(outcomes) == len(claims)
    for row in claims:
        this = f"http://purl.org/nanopub/temp/{row['study']}/{row['claim']}"
        sentence = claimed[this]["sl:asAidaStatement"]["@id"].removeprefix("http://purl.org/aida/")
        assert unquote_plus(sentence) == row["statement"]
        quoted = claimed[this].get("oa:hasTarget", {}).get("oa:hasSelector", {})
        assert quoted.get("oa:exact", "") == row["quote"]
        status, cites = STATUS[row["verdict"]]
        outcome = outcomes[this]
        assert outcome["sl:hasValidationStatus"] == {"@id": status}
        assert outcome[cites] == claimed[this]["dct:source"]
        assert outcome["sl:hasEvidenceDescription"] == row["reason"]
        assert outcome["sl:isOutcomeOf"] == {"@id": studies[this]["@id"]}
        redone = "Redone with choices of our own" in row["reason"]
        assert ("sl:hasDeviationDescription" in studies[this]) == redone
    counts = Counter(o["sl:hasValidationStatus"]["@id"] for o in outcomes.values())
    assert counts["sl:Contradicted"] == sum(row["verdict"] == "does not hold" for row in claims)


def test_evidence_is_named_by_its_content(run, record):
    files = [
        file
        for graph in record["@graph"] if graph["@id"].endswith("#provenance")
        for file in graph["@graph"][0]["prov:wasDerivedFrom"]
    ]  # fmt: skip
    assert len(files) > 50
    for file in files:
        coded = file["@id"].removeprefix("ni:///sha-256;")
        assert urlsafe_b64decode(coded + "=").hex() == file_sha256(run / file["rdfs:label"])


def test_every_term_has_its_vocabulary(record):
    def names(part):
        if isinstance(part, dict):
            for key, value in part.items():
                if not key.startswith("@"):
                    yield key
                if key != "@value":
                    yield from names(value)
        elif isinstance(part, list):
            for value in part:
                yield from names(value)

    terms = set(names(record["@graph"]))
    assert len(terms) > 20
    assert {term.split(":")[0] for term in terms} <= set(CONTEXT)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of rdflib itself
def test_it_is_valid_json_ld(record):
    quads = rdflib.Dataset()
    quads.parse(data=json.dumps(record), format="json-ld")
    kind = rdflib.URIRef("http://www.nanopub.org/nschema#Nanopublication")
    assert len(list(quads.quads((None, rdflib.RDF.type, kind, None)))) > 50
    assert not any(isinstance(s, rdflib.BNode) for s, *_ in quads.quads())


def test_claims_of_another_version_are_refused(run):
    table = pd.read_csv(run / CLAIMS, keep_default_na=False)
    table.loc[0, "claim"] = "no-such-claim"
    table.to_csv(run / CLAIMS, index=False)
    with pytest.raises(InputError, match=r"claims\.csv: the claim `no-such-claim` is of another"):
        claims_record(run)
    (run / CLAIMS).unlink()
    with pytest.raises(InputError, match=r"claims\.csv: there is no such file: finish the run"):
        claims_record(run)
    assert not (run / RECORD).exists()
