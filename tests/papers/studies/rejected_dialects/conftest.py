import numpy as np
import pytest

from fairpairs.papers.studies.rejected_dialects.measures import DialectScores
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS


@pytest.fixture
def make_scores():
    """A function that draws the scores of a model: `lean` towards WME, `worse` in AAL."""

    def make(seed: int, n: int = 400, *, lean: float = 0.0, worse: float = 0.0) -> DialectScores:
        rng = np.random.default_rng(seed)
        answers = rng.normal([1.0, 0.0], 1.0, (n, 2))
        # the preferred answers lose more than the dispreferred ones
        lost = np.array([lean + worse, lean])
        wme, wme_answers, aal, aal_answers = answers + 0.3 * rng.normal(size=(4, n, 2))
        scores = (wme, aal - lost, aal_answers - lost, wme_answers)
        return dict(zip(CONDITIONS, scores, strict=True))

    return make
