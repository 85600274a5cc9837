"""Models: training and testing many repeats, embedding texts and images."""

from __future__ import annotations

from dataclasses import replace

from measure import ALPHA, CONFIG, ROOT, SEED, prepared_datasets, promises, seconds  # isort: skip

import numpy as np
import pandas as pd
import plain
import yaml

from fairpairs.base.errors import InputError
from fairpairs.papers.datasets.archive import read
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import Settings
from fairpairs.papers.experiments.testing import run_tests
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.models.encoders import encode, locate
from fairpairs.papers.models.faces import ENCODERS
from fairpairs.papers.models.linear_mae import LinearMAE

#: Repeats of Table V of the package and of the plain loop, and of Table 1 of the paper on xAUC.
REPEATS, PLAIN_REPEATS, XAUC_REPEATS = 250, 3, 50
#: Images that are embedded.
IMAGES = 200


def train_and_test(
    dataset: PreparedDataset,
    *,
    model: str,
    treatment: str,
    tests: tuple[str, ...],
    repeats: int,
    test_fraction: float,
    pairs: int,
    tested: PreparedDataset | None = None,
) -> tuple[float, float]:
    """Return the seconds of the training and of the tests."""
    predictions = pd.DataFrame()

    def train() -> None:
        nonlocal predictions
        predictions = train_repeats(
            dataset, model=model, treatment=treatment, repeats=range(repeats), seed=SEED,
            test_fraction=test_fraction,
        )  # fmt: skip

    def test() -> None:
        settings = Settings(SEED, ALPHA, pairs)
        run_tests(tests, predictions, tested or dataset, treatment=treatment, settings=settings)

    return seconds(train), seconds(test)


@promises(
    ("Table V, one repeat of all data sets and treatments", "≥", 20.0),
    ("Table V, all tests / fitting", "≤", 0.15),
)
def table_5(rounds: int) -> tuple[list[float], list[float]]:
    """Plain seconds / ours for a repeat, and the seconds of the tests / those of the fitting."""
    speed, share = [], []
    for round_ in range(rounds):
        slow = fitting = testing = 0.0
        for dataset in prepared_datasets("compas", "german"):
            columns = list(dataset.sensitive.T)
            rng = np.random.default_rng(round_)
            for treatment in ("none", "fairbalance", "reweighing"):

                def plain_repeats(dataset=dataset, columns=columns, treatment=treatment, rng=rng):
                    for _ in range(PLAIN_REPEATS):
                        plain.repeat(
                            dataset.frame, dataset.kinds, dataset.label, columns, treatment, rng
                        )

                slow += seconds(plain_repeats) / PLAIN_REPEATS
                trained, tested = train_and_test(
                    dataset, model="logistic_regression", treatment=treatment, repeats=REPEATS,
                    tests=("separation", "comparative_separation"), test_fraction=0.5, pairs=2,
                )  # fmt: skip
                fitting += trained / REPEATS
                testing += tested / REPEATS
        speed.append(slow / (fitting + testing))
        share.append(testing / fitting)
    return speed, share


@promises(("Table VIII, twenty trainings against torch loops", "≥", 20.0))
def table_8(rounds: int) -> tuple[list[float]]:
    """Twenty trainings of the story-point model: separate torch loops / all together."""
    rng = np.random.default_rng(0)
    n, p = 284, 384
    x = pd.DataFrame(rng.normal(size=(n, p)) / p**0.5).add_prefix("x")
    y, tested = rng.choice([1.0, 2.0, 3.0, 5.0, 8.0], n), np.arange(n) >= 219
    weights = rng.uniform(0.5, 2, (2, 219))
    model = LinearMAE(x, dict.fromkeys(x, "numeric"))
    ratios = []
    for round_ in range(rounds):

        def together(round_=round_):
            for weight in weights:  # the two treatments
                rngs = [np.random.default_rng([round_, i]) for i in range(10)]
                model.fit_repeats(y, [tested] * 10, [weight] * 10, rngs)

        def one_loop(round_=round_):
            plain.train_linear(x.to_numpy()[~tested], y[~tested], weights[0], round_)

        ratios.append(20 * seconds(one_loop) / seconds(together))
    return (ratios,)


@promises(
    ("Table 1 on xAUC: statistics / training", "≤", 0.05),
    ("Table 1 on xAUC, 4 data sets, 2 models: seconds", "≤", 480.0),
)
def table_1_xauc(rounds: int) -> tuple[list[float], list[float]]:
    """Table 1 of the paper on xAUC, measured once: the share of its statistics, and all seconds."""
    trained = tested = 0.0
    for dataset in prepared_datasets("compas_filtered", "framingham", "german_age_25", "adult"):
        for model in ("logistic_regression", "rankboost"):
            times = train_and_test(
                dataset, model=model, treatment="none", repeats=XAUC_REPEATS,
                tests=("xauc", "ranking"), test_fraction=0.3, pairs=1,
                tested=replace(dataset, attributes=dataset.attributes[:1]),
            )  # fmt: skip
            trained += times[0]
            tested += times[1]
    return [tested / trained], [trained + tested]


@promises(("Embedding 284 texts of 60 words, seconds", "≤", 60.0))
def texts(rounds: int) -> tuple[list[float]] | None:
    """Embed texts, if the encoder is installed."""
    name, encoder = next(iter(CONFIG["encoders"].items()))
    texts = [
        f"As a user I would like board {i} to show " + "issue sprint " * 25 for i in range(284)
    ]
    try:
        folder = locate(name, encoder)
        return ([seconds(lambda: encode(texts, folder)) for _ in range(rounds)],)
    except InputError:
        return None


@promises((f"Embedding 5,500 images, from {IMAGES}, seconds", "≤", 180.0))
def images(rounds: int) -> tuple[list[float]] | None:
    """Embed images by MobileNet, extrapolated to all, if they are downloaded."""
    card = yaml.safe_load((ROOT / "config/datasets/scut_fbp5500.yaml").read_text("utf-8"))
    pictures = ROOT / "data/raw/scut_fbp5500" / card["archives"]["images"]["file"]
    (weights,) = CONFIG["encoders"]["mobilenet"]["files"]
    network = ROOT / "data/raw/mobilenet" / weights["name"]
    if not (pictures.exists() and network.exists()):
        return None
    names = pd.read_csv(pictures.parent / "Ratings.csv")["Filename"]
    template = card["archives"]["images"]["entry"]

    def embed() -> None:
        ENCODERS["mobilenet"](read(pictures, template, names[:IMAGES]), network)

    return ([seconds(embed) * len(names) / IMAGES for _ in range(rounds)],)
