"""Put the JSON-LD contexts of a crate into a cache of roc-validator, without a network.

It runs in the environment of the validator: `rocrate_contexts.py CACHE TERMS`. TERMS is the context
of RO-Crate 1.3 that rocrate brings; four terms of 1.1 have another address.
"""

import io
import json
import sys
from pathlib import Path

BIOSCHEMAS = "https://bioschemas.org/"
OTHERS = {
    "ComputationalWorkflow": f"{BIOSCHEMAS}ComputationalWorkflow",
    "FormalParameter": f"{BIOSCHEMAS}FormalParameter",
    "input": f"{BIOSCHEMAS}ComputationalWorkflow#input",
    "output": f"{BIOSCHEMAS}ComputationalWorkflow#output",
}
RUN = "https://w3id.org/ro/terms/workflow-run"


def main(cache, terms):
    # only the environment of the validator has these
    import requests
    import urllib3
    from requests_cache import CachedSession

    context = json.loads(Path(terms).read_text("utf-8"))["@context"]
    ours = {term: f"{RUN}#{term}" for term in ("sha256", "environment")}
    pages = {
        "https://w3id.org/ro/crate/1.1/context": {"@context": {**context, **OTHERS}},
        f"{RUN}/context": {"@context": ours},
    }

    class Local(requests.adapters.HTTPAdapter):
        """Answers with the contexts."""

        def send(self, request, **_):
            body = io.BytesIO(json.dumps(pages[request.url]).encode())
            headers = {"Content-Type": "application/ld+json"}
            response = urllib3.HTTPResponse(body, headers, status=200, preload_content=False)
            response._request_url = None
            return self.build_response(request, response)

    session = CachedSession(cache, backend="sqlite")
    session.mount("https://", Local())
    for page in pages:
        session.get(page).raise_for_status()


if __name__ == "__main__":
    main(*sys.argv[1:])
