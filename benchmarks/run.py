"""Print what the project promises about speed, as ratios against benchmarks/plain.py.

Both are measured in the same run, on one core. Real data is used where it has been prepared
(`make reproduce`), and made data elsewhere.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is loaded
    os.environ[variable] = "1"

import kernels
import numpy as np
import pandas as pd
import plain
import yaml
from densratio import densratio

from fairpairs.datasets.archive import read
from fairpairs.datasets.card import read_card
from fairpairs.datasets.prepare import prepare
from fairpairs.datasets.prepared import PreparedDataset, read_prepared
from fairpairs.datasets.synthetic import write_synthetic_dataset
from fairpairs.errors import InputError
from fairpairs.experiments.known_classifiers import distribution
from fairpairs.experiments.predictions import Settings
from fairpairs.experiments.testing import run_test
from fairpairs.experiments.train import train_repeats
from fairpairs.fairness.comparative import (
    comparative_separation_from_rates,
    comparative_separation_test,
)
from fairpairs.fairness.density_ratio.least_squares import GRID, RuLSIFRatio
from fairpairs.fairness.differential_parity import differential_parity_of_raters
from fairpairs.fairness.pairs.all_pairs import all_pairs
from fairpairs.fairness.pairs.binary import all_pairs_from_counts
from fairpairs.fairness.ranking import xauc
from fairpairs.models.encoders import encode, locate
from fairpairs.models.faces import ENCODERS
from fairpairs.models.linear_mae import LinearMAE
from fairpairs.registry import load
from fairpairs.studies.comparative_separation.simulation import COMPARATIVE, SEPARATION, simulate

ROOT = Path(__file__).parent.parent
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
SEED, ALPHA = CONFIG["seed"], CONFIG["alpha"]


def seconds(work) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def datasets() -> list[PreparedDataset]:
    """Return the prepared data sets of Table V, or made data where there are none."""
    folder = ROOT / "data/prepared"
    names = [n for n in ("compas", "german") if (folder / f"{n}.parquet").exists()]
    if names:
        return [read_prepared(folder / f"{n}.parquet", folder / f"{n}.json") for n in names]
    with tempfile.TemporaryDirectory() as made:
        write_synthetic_dataset(made, n=4000)
        schema = ROOT / "workflow/schemas/dataset.schema.yaml"
        card = read_card(Path(made, "config/datasets/loans.yaml"), schema)
        frame, about = prepare(Path(made, "mirror/loans/loans.csv"), card, name="loans")
    return [PreparedDataset("loans", frame, about["features"], tuple(about["sensitive"]))]


def simulation_ratio(plain_repeats: int) -> list[float]:
    """Table III, 16 simulated cells at r = 10,000: plain seconds / ours, per round."""
    settings = {**CONFIG["simulation"], "repeats": 10_000}
    classifiers = [distribution(cells) for cells in settings["classifiers"].values()]
    ratios = []
    for round_ in range(3):
        rng = np.random.default_rng(round_)

        def per_pair(rng=rng):
            for items in classifiers:
                for n in settings["sizes"]:
                    for notion in (SEPARATION, COMPARATIVE):
                        size = n if notion == SEPARATION else 2 * n
                        for _ in range(plain_repeats):
                            plain.simulate(items, size, notion, rng, ALPHA)

        slow = seconds(per_pair) * settings["repeats"] / plain_repeats
        fast = seconds(lambda: simulate(settings, seed=SEED, alpha=ALPHA))
        ratios.append(slow / fast)
    return ratios


def experiment_ratios(plain_repeats: int, repeats: int) -> dict[str, list[float]]:
    """Table V: plain seconds / ours for a repeat, and the share of the tests in the fitting."""
    ratios: dict[str, list[float]] = {"speed": [], "tests": []}
    prepared = datasets()
    for round_ in range(3):
        slow = fitting = testing = 0.0
        for dataset in prepared:
            columns = list(dataset.sensitive.T)
            rng = np.random.default_rng(round_)
            for treatment in ("none", "fairbalance", "reweighing"):

                def per_repeat(dataset=dataset, columns=columns, treatment=treatment, rng=rng):
                    for _ in range(plain_repeats):
                        plain.repeat(
                            dataset.frame, dataset.kinds, dataset.label, columns, treatment, rng
                        )

                slow += seconds(per_repeat) / plain_repeats
                predictions = []

                def train(dataset=dataset, treatment=treatment, predictions=predictions):
                    predictions.append(
                        train_repeats(
                            dataset, model="logistic_regression", treatment=treatment,
                            repeats=range(repeats), seed=SEED, test_fraction=0.5,
                        )
                    )  # fmt: skip

                def test(dataset=dataset, treatment=treatment, predictions=predictions):
                    for name in ("separation", "comparative_separation"):
                        run_test(
                            name, predictions[0], dataset, treatment=treatment,
                            settings=Settings(SEED, ALPHA, 2),
                        )  # fmt: skip

                fitting += seconds(train) / repeats
                testing += seconds(test) / repeats
        ratios["speed"].append(slow / (fitting + testing))
        ratios["tests"].append(testing / fitting)
    return ratios


def training_ratio() -> list[float]:
    """Twenty trainings of the story-point model: separate torch loops / all together."""
    rng = np.random.default_rng(0)
    n, p = 284, 384
    x = pd.DataFrame(rng.normal(size=(n, p)) / p**0.5).add_prefix("x")
    y, tested = rng.choice([1.0, 2.0, 3.0, 5.0, 8.0], n), np.arange(n) >= 219
    weights = rng.uniform(0.5, 2, (2, 219))
    model = LinearMAE(x, dict.fromkeys(x, "numeric"))
    ratios = []
    for round_ in range(3):

        def together(round_=round_):
            for weight in weights:  # the two treatments
                rngs = [np.random.default_rng([round_, i]) for i in range(10)]
                model.fit_repeats(y, [tested] * 10, [weight] * 10, rngs)

        def one_loop(round_=round_):
            plain.train_linear(x.to_numpy()[~tested], y[~tested], weights[0], round_)

        ratios.append(20 * seconds(one_loop) / seconds(together))
    return ratios


def embedding_seconds() -> float | None:
    """Embed 284 texts of 60 words; None where the encoder is not installed."""
    name, encoder = next(iter(CONFIG["encoders"].items()))
    texts = [
        f"As a user I would like board {i} to show " + "issue sprint " * 25 for i in range(284)
    ]
    try:
        folder = locate(name, encoder)
        return seconds(lambda: encode(texts, folder))
    except InputError:
        return None


def all_pairs_figures() -> dict[str, list[float]]:
    """All pairs of a million items: time against one argsort and against 10⁵ items, and memory."""
    figures: dict[str, list[float]] = {"argsort": [], "growth": [], "bytes": [], "real": []}
    rng = np.random.default_rng(0)

    def items(n, labels):
        y = rng.integers(0, 2, n).astype(float) if labels == "binary" else rng.normal(size=n)
        return y, y + rng.normal(size=n), rng.integers(0, 2, n)

    large, small, real = items(10**6, "binary"), items(10**5, "binary"), items(10**6, "real")

    def test(data):
        rates = all_pairs(*data, 2)
        comparative_separation_from_rates(rates)

    def median_seconds(work):
        return statistics.median(seconds(work) for _ in range(5))

    for _ in range(3):
        time_ = median_seconds(lambda: test(large))
        figures["argsort"].append(time_ / median_seconds(lambda: np.argsort(large[1])))
        figures["growth"].append(time_ / median_seconds(lambda: test(small)))
        y, score, group = real
        figures["real"].append(
            seconds(
                lambda y=y, s=score, g=group: comparative_separation_test(
                    y, s, sensitive_features=g
                )
            )
        )
    tracemalloc.start()
    test(large)
    figures["bytes"].append(tracemalloc.get_traced_memory()[1] / 10**6)
    tracemalloc.stop()
    return figures


def xauc_ratio() -> list[float]:
    """Compare xAUCs of 10⁶ items with their tests: pairs counted in blocks / ours.

    Counting takes quadratic time, so it is timed on 2·10⁴ items and multiplied by 2,500.
    """
    rng = np.random.default_rng(0)

    def items(n):
        y, group = rng.integers(0, 2, n), rng.integers(0, 2, n)
        return y, y + rng.normal(size=n), group

    large, small = items(10**6), items(2 * 10**4)
    y, score, group = large
    return [
        seconds(lambda: plain.xauc(*small))
        * (len(y) / len(small[0])) ** 2
        / seconds(lambda: xauc(y, score, sensitive_features=group))
        for _ in range(3)
    ]


def table_1_figures() -> dict[str, list[float]]:
    """Table 1 of the paper on xAUC on one core: seconds of all, and the share of its statistics."""
    folder = ROOT / "data/prepared"
    names = ["compas_filtered", "framingham", "german_age_25", "adult"]
    known = [n for n in names if (folder / f"{n}.parquet").exists()]
    given = [read_prepared(folder / f"{n}.parquet", folder / f"{n}.json") for n in known]
    trained = tested = 0.0
    for dataset in given if len(given) == len(names) else datasets():
        first = replace(dataset, attributes=dataset.attributes[:1])
        for model in ("logistic_regression", "rankboost"):
            predictions: list[pd.DataFrame] = []

            def train(dataset=dataset, model=model, into=predictions):
                into.append(
                    train_repeats(
                        dataset, model=model, treatment="none", repeats=range(50), seed=SEED,
                        test_fraction=0.3,
                    )
                )  # fmt: skip

            def test(first=first, found=predictions):
                for name in ("xauc", "ranking"):
                    run_test(
                        name, found[0], first, treatment="none", settings=Settings(SEED, ALPHA, 1)
                    )

            trained += seconds(train)
            tested += seconds(test)
    return {"seconds": [trained + tested], "share": [tested / trained]}


def raters_figures() -> dict[str, list[float]]:
    """60 raters of 5,500 items and two attributes: seconds, and a loop over pairs / ours."""
    rng = np.random.default_rng(0)
    ratings = np.clip(np.rint(rng.normal(3, 1, (5500, 60)) + rng.normal(size=60) / 2), 1, 5)
    attributes = rng.integers(0, 2, (2, 5500))

    def together():
        for group in attributes:
            differential_parity_of_raters(ratings, sensitive_features=group)

    times = [seconds(together) for _ in range(3)]
    loops = [
        sum(seconds(lambda g=group: plain.raters(ratings, g)) for group in attributes)
        for _ in range(3)
    ]
    return {
        "seconds": times,
        "ratio": [loop / own for loop, own in zip(loops, times, strict=True)],
    }


def image_seconds(n: int = 200) -> float | None:
    """Embed n images by MobileNet, extrapolated to all 5,500; None where they are not fetched."""
    card = yaml.safe_load((ROOT / "config/datasets/scut_fbp5500.yaml").read_text("utf-8"))
    pictures = ROOT / "data/raw/scut_fbp5500" / card["archives"]["images"]["file"]
    (weights,) = CONFIG["encoders"]["mobilenet"]["files"]
    network = ROOT / "data/raw/mobilenet" / weights["name"]
    if not (pictures.exists() and network.exists()):
        return None
    names = pd.read_csv(pictures.parent / "Ratings.csv")["Filename"]
    files = read(pictures, card["archives"]["images"]["entry"], names[:n])
    return seconds(lambda: ENCODERS["mobilenet"](files, network)) * len(names) / n


def ulsif_ratio() -> list[float]:
    """Fit uLSIF on 1,000 items of each group, its grid by leave-one-out: densratio / ours."""
    rng = np.random.default_rng(0)
    one, zero = rng.normal(0.5, 1, (1000, 2)), rng.normal(size=(1000, 2))
    ratios = []
    for _ in range(3):
        theirs = seconds(
            lambda: densratio(
                one, zero, alpha=0, sigma_range=GRID, lambda_range=GRID, kernel_num=100,
                verbose=False,
            )
        )  # fmt: skip
        ratios.append(theirs / seconds(lambda: RuLSIFRatio(0.0, centres=100).fit(one, zero)))
    return ratios


def audit_figures() -> dict[str, list[float]]:
    """`fairpairs audit` of 10⁶ rows with two attributes, the command as a whole: seconds, MB."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    items = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "race": rng.choice(list("abc"), n)})
    score = (rng.random(n) + 0.05 * (items["sex"] == "m")).round(4)
    found = {}
    command = [sys.executable, "-c", "from fairpairs.cli import program; program()", "audit"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.csv")
        for kind in ("binary", "real"):
            if kind == "binary":
                labels = (rng.random(n) < score).astype(int)
                roles = {"y": labels, "yhat": (score > 0.5).astype(int), "score": score}
            else:
                roles = {"y": (score + rng.normal(0, 0.3, n)).round(4), "yhat": score}
            items.assign(**roles).to_csv(path, index=False)
            options = ["--label", "y", "--prediction", "yhat", "--sensitive", "sex"]
            options += ["--sensitive", "race", *(["--score", "score"] if "score" in roles else [])]
            work = partial(
                subprocess.run, [*command, str(path), *options],
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            found[kind] = [seconds(work) for _ in range(3)]
    found["memory"] = [resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]
    return found


def study_ratio(plain_sets: int) -> list[float]:
    """10,000 simulated test sets of 300 items, on all pairs: a double loop each / in batches."""
    rng = np.random.default_rng(0)
    items = distribution(CONFIG["simulation"]["classifiers"]["f0"])
    counts = rng.multinomial(300, items.ravel(), size=10_000).reshape(-1, 2, 2, 2)
    ratios = []
    for _ in range(3):
        slow = seconds(lambda: [plain.all_pairs(table) for table in counts[:plain_sets]])

        def batches():
            comparative_separation_from_rates(all_pairs_from_counts(counts.astype(float)))

        ratios.append(slow / plain_sets * len(counts) / seconds(batches))
    return ratios


def solver_difference(repeats: int) -> list[str]:
    """How far scikit-learn's default solver, which stops early, is from the optimum we fit."""
    lines = []
    for dataset in datasets():
        label, sensitive = dataset.label, dataset.sensitive
        for treatment in ("none", "fairbalance", "reweighing"):
            weigh = load("treatments", treatment)
            ours = train_repeats(
                dataset, model="logistic_regression", treatment=treatment, repeats=range(repeats),
                seed=SEED, test_fraction=0.5,
            )  # fmt: skip
            theirs = ours.copy()
            for _, part in ours.groupby("repeat"):
                test = part["item"].to_numpy()
                train = np.setdiff1d(np.arange(len(label)), test)
                weights = weigh(label[train], sensitive[train])
                scores = plain.predict(dataset.frame, dataset.kinds, label, train, test, weights)
                theirs.loc[part.index, "prediction"] = (scores > 0.5).astype(np.int8)
            share = float((ours["prediction"] != theirs["prediction"]).mean())
            found = []
            for predictions in (ours, theirs):
                results = run_test(
                    "separation", predictions, dataset, treatment=treatment,
                    settings=Settings(SEED, ALPHA, 2),
                )  # fmt: skip
                rejected = results.groupby(["attribute", "repeat"], sort=False)["rejected"].any()
                found.append(rejected.unstack("attribute", sort=False))
            changes = ", ".join(
                f"{a} {found[0][a].mean():.3f} / {found[1][a].mean():.3f} "
                f"({(found[0][a] & ~found[1][a]).sum()} and {(~found[0][a] & found[1][a]).sum()} "
                "repeats only one finds)"
                for a in found[0]
            )
            lines.append(
                f"{dataset.name}, {treatment}, {repeats} repeats: {share:.2%} of the predictions "
                f"differ; separation found violated {changes}"
            )
    return lines


def write_page(rows: list[tuple[str, ...]], others: list[str], names: str) -> None:
    """Write docs/benchmarks.md."""
    table = pd.DataFrame(rows, columns=["what", "median", "lowest – highest", "promised", ""])
    heading = (
        "# Benchmarks\n\nWhat `make benchmark` measured, which writes this page: ratios against a "
        "plain implementation (`benchmarks/plain.py`) in the same run, on one core, median of the "
        f"rounds. It fails where no round keeps a promise. Data: {names}. "
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n\n"
    )
    body = table.to_markdown(index=False, disable_numparse=True)
    text = f"{heading}{body}\n\n{' '.join(others)}\n"
    (ROOT / "docs/benchmarks.md").write_text(text, "utf-8")


def main() -> int:
    """Measure, print, and fail where a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver-repeats", type=int, default=100)
    options = parser.parse_args()
    names = ", ".join(dataset.name for dataset in datasets())
    print(f"Ratios against a plain loop, median of 3 rounds (min – max); data: {names}")
    experiment = experiment_ratios(plain_repeats=3, repeats=250)
    pairs = all_pairs_figures()
    ranking = table_1_figures()
    raters = raters_figures()
    audit = audit_figures()
    figures = [
        ("Table III, 16 simulated cells at r = 10,000", simulation_ratio(5), "≥", 1000.0),
        ("Table V, one repeat of all data sets and treatments", experiment["speed"], "≥", 8.0),
        ("Table V, all tests / fitting", experiment["tests"], "≤", 0.1),
        ("Table VIII, twenty trainings against torch loops", training_ratio(), "≥", 20.0),
        ("All pairs of 10⁶ items / np.argsort(kind=None)", pairs["argsort"], "≤", 6.0),
        ("All pairs of 10⁶ items / of 10⁵", pairs["growth"], "≤", 12.0),
        ("All pairs of 10⁶ items, peak bytes an item", pairs["bytes"], "≤", 64.0),
        ("All pairs of 10⁶ real labels, balanced, seconds", pairs["real"], "≤", 3.0),
        ("10,000 test sets on all pairs against double loops", study_ratio(3), "≥", 1000.0),
        ("xAUC of 10⁶ items / pairs in blocks, extrapolated", xauc_ratio(), "≥", 100.0),
        ("Table 1 on xAUC: statistics / training", ranking["share"], "≤", 0.05),
        ("Table 1 on xAUC, 4 data sets, 2 models: seconds", ranking["seconds"], "≤", 480.0),
        ("uLSIF with its grid by leave-one-out against densratio", ulsif_ratio(), "≥", 10.0),
        ("60 × 60 raters, two attributes, seconds", raters["seconds"], "≤", 2.0),
        ("60 × 60 raters against a loop of ttest_ind", raters["ratio"], "≥", 100.0),
        ("Audit of 10⁶ binary labels, two attributes, seconds", audit["binary"], "≤", 15.0),
        ("Audit of 10⁶ real labels, two attributes, seconds", audit["real"], "≤", 15.0),
        ("Audit of 10⁶ labels, peak MB", audit["memory"], "≤", 2000.0),
        *(
            (f"Fixed kernels / free choice: {work}", kernels.fixed_and_free(work), "≤", 3.0)
            for work in kernels.WORKS
        ),
    ]
    if (images := image_seconds()) is not None:
        figures.append(("Embedding 5,500 images, from 200, seconds", [images], "≤", 180.0))
    rows, broken = [], 0
    for name, values, sign, promise in figures:
        best = max(values) if sign == "≥" else min(values)
        kept = best >= promise if sign == "≥" else best <= promise  # one round may be noise
        broken += not kept
        spread = f"{min(values):,.3g} – {max(values):,.3g}"
        median = f"{statistics.median(values):,.3g}"
        rows.append((name, median, spread, f"{sign} {promise:g}", "" if kept else "BROKEN"))
        print(f"  {name:58} {median:>10} {spread:>20}  promised {sign} {promise:g}  {rows[-1][-1]}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    embedding = embedding_seconds()
    said = "the encoder is not installed" if embedding is None else f"{embedding:.1f} s"
    others = [f"Peak memory of this process: {peak:,.0f} MB.",
              f"Embedding 284 texts of 60 words on all cores: {said}."]  # fmt: skip
    print("\n".join(f"  {line}" for line in others))
    write_page(rows, others, names)
    print("The optimum that is fitted here / scikit-learn's default solver, on the same splits:")
    for line in solver_difference(options.solver_repeats):
        print(f"  {line}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
