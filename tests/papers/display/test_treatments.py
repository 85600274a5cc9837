import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.treatments import (
    measure_label,
    read_treatments,
    sentences,
    treatments_table,
    write_treatments,
)
from fairpairs.papers.display.treatments_figure import treatments_figure
from fairpairs.papers.experiments.comparison import compare_treatments


@pytest.fixture
def measures():
    """FairBalance costs accuracy and lowers the gap; `other` does nothing."""
    rows = []
    means = {"none": (0.80, 0.20), "fairbalance": (0.75, -0.02), "other": (0.80, 0.20)}
    for treatment, (accuracy, gap) in means.items():
        for repeat in range(20):
            halves = {"none": 1, "fairbalance": 2 * (repeat // 2 % 2) - 1}
            halves["other"] = 2 * (repeat // 4 % 2) - 1
            noise = 0.004 * (2 * (repeat % 2) - 1) * halves[treatment]
            common = ("german", treatment, repeat, 70, 30, "logistic_regression")
            rows.append((*common, "accuracy", "", accuracy + noise))
            rows.append((*common, "tpr_gap", "age", gap + noise))
    columns = ["dataset", "treatment", "repeat", "n_train", "n_test", "model"]
    return pd.DataFrame(rows, columns=[*columns, "measure", "attribute", "value"])


def test_a_sentence_says_what_is_shown(measures):
    assert sentences(compare_treatments(measures)) == [
        "German, FairBalance: better: TPR gap, age 0.200 → -0.020; worse: Accuracy 0.800 → 0.750.",
        "No change is shown for German, Other.",
    ]


def test_the_table_has_means_with_marks_and_the_best_in_bold(measures):
    display = treatments_table(measures, compare_treatments(measures), title="T", alpha=0.05)
    table = display.table
    row = "German, Logistic regression, FairBalance"
    assert table.loc[row, "TPR gap, age"].startswith("**-0.020 ± 0.00")
    assert table.loc[row, "TPR gap, age"].endswith("** ▲")
    assert table.loc[row, "Accuracy"].endswith(" ▼")
    assert table["Accuracy"].str.startswith("**").sum() >= 1
    assert "of 20 random splits" in display.note and "more repeats hardly help" not in display.note
    halves = measures.assign(n_train=50, n_test=50)
    display = treatments_table(halves, compare_treatments(halves), title="T", alpha=0.05)
    assert "more repeats hardly help: 70/30 does" in display.note


def test_files_are_written_and_latex_is_bold(measures, tmp_path):
    table, figure = tmp_path / "t.csv", tmp_path / "f.svg"
    compare = {"against": "none", "alpha": 0.05, "margin": {"accuracy": 0.2}}
    searched = measures.assign(setting=np.where(measures["treatment"] == "other", "k=1", ""))
    searched.loc[searched["repeat"] == 0, "setting"] *= 2
    how = {"logistic_regression, other": "the best auc"}
    write_treatments(table, searched, compare=compare, title="Credit", searches=how)
    words = (
        "German, Logistic regression, Other: settings by the best auc: k=1 in 19, k=1k=1 in 1 of 20"
    )
    assert words in (tmp_path / "t.md").read_text("utf-8")
    assert pd.read_csv(table)["verdict"].tolist() == ["no worse", "no worse", "better", "open"]
    latex = (tmp_path / "t.tex").read_text("utf-8")
    assert r"\textbf{-0.020 $\pm$" in latex and r"\bigtriangleup" in latex and r"\approx" in latex
    treatments_figure(figure, read_treatments(table))
    over = (tmp_path / "t.over_datasets.md").read_text("utf-8")
    assert "1 / 0 / 0; 1.00" in over and "0 / 1 / 0; 2.50" in over
    assert "over 1 data sets" in over
    svg = figure.read_text("utf-8")
    assert "FairBalance" in svg and "TPR gap, age" in svg
    before = figure.read_bytes()
    treatments_figure(figure, compare_treatments(measures, **compare))
    assert figure.read_bytes() == before


def test_measures_have_the_names_of_the_field():
    assert measure_label("fpr_gap", "sex") == "FPR gap, sex"
    assert measure_label("auc", "") == "AUC"
    assert measure_label("balanced_accuracy", "") == "Balanced accuracy"
