"""What the gaps add follows from the results, and flips with them."""

import pytest

from fairpairs.papers.studies.rejected_dialects.additions import FOR_ALL, FOR_MOST, NOT, additions
from fairpairs.papers.studies.rejected_dialects.gaps import measure_gaps


@pytest.fixture
def verdicts(make_scores):
    """A function from the (lean, worse) of each model to the verdicts."""

    def of(*models):
        scores = {
            f"o/{i}": make_scores(i, n=1000, lean=lean, worse=worse)
            for i, (lean, worse) in enumerate(models)
        }
        found = additions(measure_gaps(scores))
        return [verdict for _, verdict, _ in found], [[*own.values()] for *_, own in found]

    return of


@pytest.mark.slow
def test_all_models_lean(verdicts):
    assert verdicts((0.8, 0.5), (0.8, 0.5), (0.8, 0.5))[0][0] == FOR_ALL


@pytest.mark.slow
def test_one_model_of_three_treats_the_dialects_alike(verdicts):
    found, numbers = verdicts((0.8, 0.5), (0.8, 0.5), (0.0, 0.0))
    assert found[0] == FOR_MOST
    assert numbers[0][-2:] == [(1, 3), 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "models", [((0.0, 0.0), (0.0, 0.0), (0.8, 0.5)), ((-0.8, -0.5), (-0.8, -0.5))]
)
def test_fair_models_and_models_that_lean_the_other_way_add_nothing(verdicts, models):
    assert verdicts(*models)[0][0] == NOT


def test_a_lean_alone_is_seen_across_the_dialects_only(verdicts):
    found, numbers = verdicts((0.8, 0.0), (0.8, 0.0))
    assert found[0] == FOR_ALL
    assert numbers[0][-2:] == [(2, 2), 2]


@pytest.mark.slow
def test_pairing_is_credited_only_where_it_finds_more(verdicts):
    found, numbers = verdicts((0.0, 0.2), (0.0, 0.2), (0.0, 0.2))
    assert found[1] == "holds"
    assert numbers[1][0] == (3, 3)
    assert verdicts((0.0, 1.0), (0.0, 1.0))[0][1] == NOT  # both find all
