"""What the tests of real labels share."""

from fairpairs.papers.experiments.predictions import Settings, run_tests


def scored(predictions):
    """A real label is scored by the prediction itself."""
    return predictions.assign(score=predictions["prediction"])


def run(test, predictions, dataset, **settings):
    return run_tests(
        [test], predictions, dataset, treatment="none", settings=Settings(1, 0.05, 1, **settings)
    )
