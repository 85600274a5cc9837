"""Runs of another seed agree, and runs of another code do not: experiments on synthetic loans."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.mathematics.estimates.pairs.drawn import PairCounts, cell_probabilities
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.datasets.synthetic import synthetic_loans
from fairpairs.papers.display.tables import write_experiment_table
from fairpairs.papers.experiments import predictions as saved, train
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.experiments.summaries import summarise
from fairpairs.papers.experiments.testing import run_tests
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.fairness_tests import comparative_separation
from fairpairs.papers.run.agreement import compare

pytestmark = pytest.mark.slow

#: Numbers of items; half of the pairs of 30 tested ones are drawn, so that replacing them matters.
MANY, FEW = 600, 60
TREATMENTS = ("none", "fairbalance")


def loans(n):
    made = synthetic_loans(n)
    frame = pd.DataFrame(
        {
            "item": np.arange(n, dtype=np.int32),
            "income": made["income"].astype(float),
            "debt": made["debt"].astype(float),
            "label": (made["repaid"] == "yes").astype(np.int8),
            "sensitive_sex": (made["sex"] == "male").astype(np.int8),
        }
    )
    kinds = dict.fromkeys(("income", "debt", "sensitive_sex"), "numeric")
    return PreparedDataset("loans", frame, kinds, ("sex",))


def table(folder, seed, *, n=MANY, repeats=100, tests=("separation", "xauc", "ranking"), pairs=2):
    """Train, test and summarise; return the table of the experiment."""
    dataset, settings = loans(n), Settings(seed, 0.05, pairs)
    results = []
    for treatment in TREATMENTS:
        predictions = train_repeats(
            dataset,
            model="logistic_regression",
            treatment=treatment,
            repeats=range(repeats),
            seed=seed,
            test_fraction=0.5,
        )
        results += [
            run_tests([test], predictions, dataset, treatment=treatment, settings=settings)
            for test in tests
        ]
    write_experiment_table(*summarise(results), folder / "loans", title="Synthetic loans")
    return (folder / "loans.csv").read_text("utf-8")


def differences(ours, committed):
    """The columns of the cells that differ."""
    found = compare({"results/tables/loans.csv": (ours, committed)}, {"repeats": 100})
    return {difference.position[1] for difference in found.differences}


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    return table(tmp_path_factory.mktemp("committed"), 1)


@pytest.fixture(scope="module")
def committed_pairs(tmp_path_factory):
    return few(tmp_path_factory.mktemp("committed"), 1)


def few(folder, seed):
    tests = ("comparative_separation",)
    return table(folder, seed, n=FEW, repeats=600, tests=tests, pairs=FEW / 4)


@pytest.mark.parametrize("seed", [2, 3])
def test_another_seed_agrees(committed, tmp_path, seed):
    ours = table(tmp_path, seed)
    assert ours != committed
    assert differences(ours, committed) == set()


def exchanged(label, prediction, score, group, *others):
    return RepeatedPredictions(label, prediction, score, 1 - group, *others)


def test_exchanged_groups_differ(committed, tmp_path, monkeypatch):
    monkeypatch.setattr(saved, "RepeatedPredictions", exchanged)
    assert "value" in differences(table(tmp_path, 2), committed)


def test_a_treatment_that_is_not_applied_differs(committed, tmp_path, monkeypatch):
    load = train.load

    def load_none(kind, name, extensions):
        return load(kind, "none" if kind == "treatments" else name, extensions)

    monkeypatch.setattr(train, "load", load_none)
    assert "value" in differences(table(tmp_path, 1), committed)  # of the same seed


def test_splits_that_are_all_the_same_differ(committed, tmp_path, monkeypatch):
    stream = train.stream
    monkeypatch.setattr(train, "stream", lambda *key: stream(*key[:-1], 0))
    assert "value" in differences(table(tmp_path, 2), committed)


def test_fewer_repeats_differ(committed, tmp_path):
    assert "repeats" in differences(table(tmp_path, 1, repeats=90), committed)


def drawn_without_replacement(items, n_pairs, rngs, size=None):
    """Count pairs of distinct places among all pairs of the items, n² of them."""
    right, wrong = (cells.reshape(len(cells), 4) for cells in cell_probabilities(items))
    counts = []
    for number, rng, *chances in zip(n_pairs, rngs, right, wrong, strict=True):
        total = (FEW // 2) ** 2
        usable = np.rint(total * np.concatenate(chances)).astype(int)
        cells = [*usable, total - usable.sum()]
        counts.append(rng.multivariate_hypergeometric(cells, number, size=size))
    drawn = np.stack(counts)[..., :8].reshape(len(items), size, 2, 2, 2)
    return PairCounts(drawn[:, :, 0], drawn.sum(axis=2))


def test_pairs_drawn_with_replacement_agree_and_without_differ(
    committed_pairs, tmp_path, monkeypatch
):
    assert differences(few(tmp_path, 2), committed_pairs) == set()
    monkeypatch.setattr(comparative_separation, "draw_pair_counts", drawn_without_replacement)
    # how often a cell is small is what replacement changes most
    assert "small_cells" in differences(few(tmp_path, 2), committed_pairs)
