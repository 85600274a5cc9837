"""What Table V requires: stratified splits of German credit, rescaled weights on COMPAS."""

import numpy as np
import pytest

from fairpairs import separation_test
from fairpairs.papers.datasets.prepared import positions
from fairpairs.papers.experiments import train
from fairpairs.papers.treatments.groups import group_label_counts


def violated(dataset, attribute, treatment, repeats):
    """In which repeats the paper's test finds a violation of separation."""
    predictions = train.train_repeats(
        dataset, model="logistic_regression", treatment=treatment, repeats=range(repeats),
        seed=20260101, test_fraction=0.5,
    )  # fmt: skip
    group = dataset.sensitive[:, [*dataset.attributes].index(attribute)]
    found = []
    for _, part in predictions.groupby("repeat"):
        item = positions(part, dataset)
        result = separation_test(
            dataset.label[item], part["prediction"].to_numpy(), sensitive_features=group[item],
            method="wald", correction="none",
        )  # fmt: skip
        found.append(np.nanmin(result.to_frame()["pvalue"]) < 0.05)
    return np.array(found)


@pytest.mark.slow
def test_a_plain_split_of_german_credit_finds_fewer_violations_by_age(prepared, monkeypatch):
    german = prepared("german")
    stratified = violated(german, "age", "none", 300).mean()
    plain = lambda strata, share, rng: rng.permutation(len(strata)) < share * len(strata)  # noqa: E731
    monkeypatch.setattr(train, "stratified_split", plain)
    assert stratified == pytest.approx(0.844, abs=0.05)  # as printed
    assert violated(german, "age", "none", 300).mean() == pytest.approx(0.76, abs=0.06)


@pytest.mark.slow
def test_reweighing_that_is_not_rescaled_finds_fewer_violations_by_race(prepared, monkeypatch):
    compas = prepared("compas")
    rescaled = violated(compas, "race", "reweighing", 60)

    def as_written(step, label, sensitive):
        in_group, in_label, in_both = group_label_counts(label, sensitive)
        return in_group * in_label / in_both

    monkeypatch.setattr(train, "weights_by", as_written)
    unscaled = violated(compas, "race", "reweighing", 60)
    assert rescaled.mean() == pytest.approx(0.642, abs=0.13)  # as printed
    assert unscaled.mean() == pytest.approx(0.51, abs=0.13)
    assert unscaled.mean() < rescaled.mean()
