"""The rule curves: what the figures of a ranking show, from kept predictions."""

import pandas as pd
import pytest
import yaml

from fairpairs.base.files import write_parquet
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.studies.xauc.curves import XROC, ranking_curves

CURVES = "results/xauc/curves/loans/loans.parquet"
COLUMNS = {
    "dataset": "str",
    "treatment": "str",
    "attribute": "str",
    "kind": "str",
    "curve": "str",
    "x": "float64",
    "mean": "float64",
    "sd": "float64",
    "repeats": "int64",
}


@pytest.fixture
def curves(ranked):
    return ranked.frame(CURVES)


def test_there_is_one_file_a_data_set(ranked, curves):
    assert ranked.files("results/xauc/curves") == [CURVES]
    assert {column: str(kind) for column, kind in curves.dtypes.items()} == COLUMNS
    assert set(curves["dataset"]) == {"loans"}
    assert set(curves["treatment"]) == {"none"}
    assert list(dict.fromkeys(curves["attribute"])) == ["sex", "region"]
    assert set(curves["kind"]) == {"xroc", "density", "conditional", "misranked", "calibration"}
    assert set(curves.loc[curves["kind"] == "xroc", "curve"]) == set(XROC)


def test_the_curves_are_those_of_the_kept_predictions(ranked, curves):
    chunks = ("0000000-0000001", "0000002-0000002")
    folder = ranked / "results/predictions/loans/loans/none"
    predictions = pd.concat(pd.read_parquet(folder / f"{chunk}.parquet") for chunk in chunks)
    dataset = read_prepared(*(ranked / f"data/prepared/loans.{e}" for e in ("parquet", "json")))
    expected = ranking_curves(predictions, dataset, treatment="none")
    pd.testing.assert_frame_equal(curves, expected, check_exact=True)
    roc = curves[curves["curve"] == "ROC(0)"]
    assert set(roc["repeats"]) == {3}
    assert (roc.groupby("attribute")["mean"].diff().dropna() >= 0).all()


def test_the_bytes_do_not_depend_on_the_chunks(ranked, tmp_path):
    dataset = read_prepared(*(ranked / f"data/prepared/loans.{e}" for e in ("parquet", "json")))
    predictions = train_repeats(
        dataset, model="rankboost", treatment="none", repeats=range(3), seed=7, test_fraction=0.3,
        rounds=10,
    )  # fmt: skip
    at_once = ranking_curves(predictions, dataset, treatment="none")
    write_parquet(tmp_path / "curves.parquet", at_once)
    assert (ranked / CURVES).read_bytes() == (tmp_path / "curves.parquet").read_bytes()


def test_curves_rest_on_the_predictions_of_the_first_treatment_alone(unranked):
    def treat(config):
        config["experiments"]["loans"].update(treatments=["fairbalance", "none"])

    unranked.configure(treat)
    run = unranked.snakemake(CURVES, "--dry-run").check()
    assert run.jobs == {"fetch": 1, "prepare": 1, "train": 2, "curves": 1}
    assert "with treatment fairbalance" in run.stdout
    assert "with treatment none" not in run.stdout


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"tests": ["accuracy"], "curves": True}, "`curves`"),
        ({"tests": ["accuracy", "ranking"], "curves": True}, "the test ranking"),
    ],
    ids=["curves", "test"],
)
def test_a_real_label_is_refused(small, change, what):
    experiment = {"model": "linear_mae", **change}
    small.configure(lambda config: config["experiments"]["loans"].update(experiment))
    small.change_card(
        lambda card: (
            card["features"].pop("debt"),
            card.update(label={"column": "debt", "numeric": True}),
        )
    )
    assert small.refusal() == (
        f"config: experiments.loans: {what} needs a label of 0 and 1, and that of the data set "
        "loans is a number: choose another, or give the card's label `one` and `zero`."
    )


def test_what_the_config_does_not_ask_for_is_not_made(unranked):
    """Neither curves and folds nor, with one of its two tests, a ranking."""

    def ask_for_less(config):
        experiment = config["experiments"]["loans"]
        experiment.update(tests=["ranking"], curves=False)
        del experiment["folds"]

    unranked.configure(ask_for_less)
    jobs = unranked.snakemake("--dry-run").check().jobs
    assert jobs["test"] == 2
    assert not {"curves", "figure_curves", "table_ranking", "figure_ranking"} & set(jobs)
    assert not {"held_out", "table_normal_scores"} & set(jobs)


def test_the_shipped_rankings_have_curves_of_one_treatment(root):
    experiments = yaml.safe_load((root / "config/config.yaml").read_text("utf-8"))["experiments"]
    drawn = [name for name, experiment in experiments.items() if experiment.get("curves")]
    assert drawn == ["ranking_logistic_regression", "ranking_rankboost"]
    for name in drawn:
        assert experiments[name]["treatments"] == ["none"]
