"""What the tests of rankings share: settings, and the rows and arrays of one repeat."""

from fairpairs.experiments.predictions import Settings
from fairpairs.experiments.testing import run_test

REPEATS = [4, 5, 9]


SETTINGS = Settings(seed=11, alpha=0.2, pairs_per_item=2.0)


def run(test, predictions, dataset, settings=SETTINGS, treatment="none"):
    return run_test(test, predictions, dataset, treatment=treatment, settings=settings)


def arrays(predictions, dataset):
    """The labels, scores and groups of each repeat and attribute."""
    for repeat, part in predictions.groupby("repeat"):
        rows = dataset.frame.set_index("item").loc[part["item"]]
        for attribute in dataset.attributes:
            yield (
                (repeat, attribute),
                rows["label"].to_numpy(),
                part["score"].to_numpy(),
                rows[f"sensitive_{attribute}"].to_numpy(),
            )


def own_rows(frame, repeat, attribute):
    return frame[(frame["repeat"] == repeat) & (frame["attribute"] == attribute)]
