"""How many chunks of repeats a cluster gets as one job."""

#: Largest number of submitted jobs, unless bundles of the largest size are too small.
MOST = 64
#: Chunks in one job, each run after the other; `group-components` of the profiles has them, too. A
#: job of more chunks of 5,000 repeats would ask for more than a day.
SIZES = (1, 2, 4, 8, 16, 32)


def bundle(chunks: int) -> str:
    """Name the group of the train and test jobs of a run; few chunks stay alone, to run at once.

    >>> bundle(64), bundle(65), bundle(1230)
    ('predictions', 'predictions_by_2', 'predictions_by_32')
    """
    size = next((size for size in SIZES if size * MOST >= chunks), SIZES[-1])
    return bundle_name(size)


def bundle_name(size: int) -> str:
    """Name the group of bundles of a size."""
    return f"predictions_by_{size}" if size > 1 else "predictions"
