"""States that tests read and must leave as they are."""

import pytest

import fairpairs as fp


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A function that returns a state of one batch, made once for the same options."""
    states = {}

    def state(batch, **options):
        key = repr(options)
        if key not in states:
            states[key] = tmp_path_factory.mktemp("state") / "s"
            fp.monitor(states[key], batch, **options)
        return states[key]

    return state
