"""Audits of labels and predictions of several classes: all at once, and each against the rest."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.stats import chi2, chi2_contingency

import fairpairs as fp
from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.counting import rows as rows_module
from fairpairs.audits.items import attribute_items, files
from fairpairs.audits.lines.tables import MOST_DRAWN

CLASSES = np.array(["bus", "car", "tram", "van"])
OMNIBUS = ["separation_all_classes", "demographic_parity_all_classes"]
OMNIBUS += ["predictive_parity_all_classes"]
LINES = ["separation", "demographic_parity", "predictive_parity"]
#: Numbers of a line and of a rate, which do not depend on the family.
OF_A_LINE = ["estimate", "ci_low", "ci_high", "effect_size", "pvalue", "ratio", "n", "note"]
OF_A_RATE = ["group", "items", "measure", "estimate", "ci_low", "ci_high", "count", "n", "note"]


def traffic(n=2400, seed=0, harder=0.15, k=4):
    """Labels and predictions of k classes, which are wrong more often in group `north`."""
    rng = np.random.default_rng(seed)
    area = rng.choice(["east", "north", "west"], n, p=[0.5, 0.3, 0.2])
    label = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    wrong = rng.random(n) < np.where(area == "north", 0.25 + harder, 0.25)
    predicted = np.where(wrong, (label + rng.integers(1, k, n)) % k, label)
    day = rng.choice(["week", "weekend"], n)
    return pd.DataFrame({"y": CLASSES[label], "yhat": CLASSES[predicted], "area": area, "day": day})


def audited(data, *attributes, **options):
    features = data[list(attributes or ["area"])]
    return fp.audit(data["y"], data["yhat"], sensitive_features=features, **options)


@cache
def usual(n=2400, **options):
    """An audit that several tests read."""
    return audited(traffic(n), **options)


def line(result, criterion, **where):
    table = result.to_frame()
    for name, value in {"criterion": criterion, **where}.items():
        table = table[table[name] == value]
    return table


STRATA = {
    "separation_all_classes": ("yhat", "y"),
    "demographic_parity_all_classes": ("yhat", None),
    "predictive_parity_all_classes": ("y", "yhat"),
}


@pytest.mark.parametrize("criterion", OMNIBUS)
def test_all_classes_are_tested_by_chi_squares_that_are_summed_over_strata(criterion):
    data = traffic(4800)
    column, stratum = STRATA[criterion]
    parts = [data] if stratum is None else [part for _, part in data.groupby(stratum)]
    tests = [
        chi2_contingency(pd.crosstab(part["area"], part[column]), correction=False)
        for part in parts
    ]
    statistic, df = sum(test.statistic for test in tests), sum(test.dof for test in tests)
    (found,) = line(audited(data), criterion).to_dict("records")
    assert_allclose(found["statistic"], statistic, rtol=1e-12)
    assert_allclose(found["pvalue"], chi2.sf(statistic, df), rtol=1e-9)
    assert (found["group"], found["reference"], found["label_class"]) == ("", "", "")
    assert (found["n"], found["effect_kind"], found["note"]) == (len(data), "w", "")
    # Bergsma (2013), with its parts summed over the strata
    of_strata = []
    for part, test in zip(parts, tests, strict=True):
        r, c = part["area"].nunique() - 1, part[column].nunique() - 1
        n, smaller = len(part), len(part) - 1
        narrow = min(r - r**2 / smaller, c - c**2 / smaller)
        of_strata.append((test.statistic - r * c * n / smaller, n * narrow))
    excess, room = np.sum(of_strata, axis=0)
    assert_allclose(found["estimate"], np.sqrt(max(excess, 0) / room), rtol=1e-12)
    assert_allclose(found["effect_size"], np.sqrt(max(excess, 0) / len(data)), rtol=1e-12)


def test_few_items_are_tested_by_shuffles_within_labels():
    data = traffic(60, seed=3)
    (found,) = line(audited(data), "separation_all_classes").to_dict("records")
    assert found["note"] == (
        "few rows expected in a cell: p by 9,999 shuffles of the groups within labels"
    )

    area, label, predicted = (pd.factorize(data[name])[0] for name in ("area", "y", "yhat"))

    def statistic(area):
        total = 0.0
        for each in range(4):
            here = label == each
            table = np.zeros((3, 4))
            np.add.at(table, (area[here], predicted[here]), 1)
            expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
            total += ((table - expected) ** 2 / np.where(expected > 0, expected, 1)).sum()
        return total

    observed, rng, beyond = statistic(area), np.random.default_rng(0), 0
    for _ in range(400):
        shuffled = area.copy()
        for each in range(4):
            here = np.flatnonzero(label == each)
            shuffled[here] = rng.permutation(area[here])
        beyond += statistic(shuffled) >= observed - 1e-9
    assert_allclose(found["statistic"], observed, rtol=1e-12)
    # four standard errors of 400 shuffles
    assert abs(found["pvalue"] - beyond / 400) < 4 * np.sqrt(0.25 / 400)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"margin": 0.1}, {"reference": {"area": "west"}, "alpha": 0.1}]
)
def test_lines_and_rates_of_a_class_are_those_of_it_as_positive(options):
    data = traffic(1200)
    result = audited(data, **options)
    for name in CLASSES[[2 if "margin" in options else 3]]:
        one = audited(data, positive=name, **options)
        mine, its = (
            table[table["criterion"].isin(LINES)].reset_index(drop=True)
            for table in (line_of_class(result.to_frame(), name), one.to_frame())
        )
        columns = [*OF_A_LINE, "margin", "margin_low", "margin_high", "pvalue_within"]
        assert_frame_equal(mine[["group", *columns]], its[["group", *columns]])
        assert (mine["hypothesis"] == f"class {name}: " + its["hypothesis"]).all()
        rates = one.rates[one.rates["measure"] != "accuracy"].reset_index(drop=True)
        assert_frame_equal(line_of_class(result.rates, name)[OF_A_RATE], rates[OF_A_RATE])


def line_of_class(table, name):
    return table[table["label_class"] == name].reset_index(drop=True)


def test_accuracy_is_that_of_all_classes():
    data = traffic()
    rates = usual().rates
    (name,) = rates.loc[rates["label_class"] == "", "measure"].unique()
    expected = (data["y"] == data["yhat"]).groupby(data["area"]).mean()
    assert name == "accuracy"
    assert_allclose(rates.loc[rates["label_class"] == "", "estimate"], expected)
    assert not (rates.loc[rates["label_class"] != "", "measure"] == "accuracy").any()
    right = fp.audit(None, (data["y"] == data["yhat"]).astype(int), sensitive_features=data["area"])
    ours = audited(data, criterion="accuracy")
    pairs = line(ours, "accuracy"), line(right, "demographic_parity")
    assert_frame_equal(*(rows[OF_A_LINE].reset_index(drop=True) for rows in pairs))
    assert ours.about["gate"]["pvalue"] == pytest.approx(right.about["gate"]["pvalue"])


@pytest.mark.slow
def test_the_test_of_all_classes_counts_once_for_each_attribute():
    result = audited(traffic(), "area", "day")
    gate = result.about["gate"]
    assert gate["criteria"] == ["separation_all_classes"]
    assert (gate["lines"], gate["hypotheses"]) == (2, 2)
    pvalues = line(result, "separation_all_classes")["pvalue"].to_numpy()
    assert result.pvalue == pytest.approx(2 * pvalues.min())
    assert result.violated
    fair = audited(traffic(harder=0, seed=1))
    assert not fair.violated
    # four classes, two rates, each two of three areas
    assert usual(criterion="separation").about["gate"]["lines"] == 4 * 2 * 3
    both = audited(traffic(), criterion=["demographic_parity", "separation_all_classes"])
    assert both.about["gate"]["criteria"] == ["separation_all_classes", "demographic_parity"]


def test_p_values_of_a_criterion_are_adjusted_over_all_classes():
    table = line(usual(), "separation")
    pvalues = np.sort(table["pvalue"])
    holm = np.maximum.accumulate(pvalues * np.arange(len(pvalues), 0, -1)).clip(max=1)
    assert_allclose(np.sort(table["pvalue_adjusted"]), holm)


def test_with_a_margin_the_lines_of_classes_count():
    data = traffic(80_000, harder=0.01)
    result = audited(data, margin=0.05)
    assert result.about["gate"]["criteria"] == ["separation"]
    assert result.shown is True
    assert not result.violated
    assert line(result, "separation_all_classes")["margin"].isna().all()
    of_one = audited(data, margin={"demographic_parity": 0.05})
    assert of_one.about["gate"]["criteria"] == ["separation_all_classes"]
    assert "separation, predictive_parity, accuracy (none is named)" in " ".join(
        of_one.about["notes"]
    )


def test_a_perfect_model_is_not_violated():
    data = traffic().assign(yhat=lambda data: data["y"])
    result = audited(data)
    (found,) = line(result, "separation_all_classes").to_dict("records")
    assert (found["estimate"], found["pvalue"], found["verdict"]) == (0, 1, "not shown")
    assert result.violated is False
    assert result.pvalue == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options"),
    [("csv", {}), ("parquet", {"label_kind": "ordinal", "order": ["car", "bus", "tram"]})],
)
def test_items_that_are_counted_give_the_same_lines(monkeypatch, tmp_path, kind, options):
    data = traffic(500, k=3)
    path = tmp_path / f"data.{kind}"
    data.to_csv(path, index=False) if kind == "csv" else data.to_parquet(path)
    named = {"label": "y", "prediction": "yhat", "sensitive": ["area", "day"], **options}
    expected = audited(data, "area", "day", **options)
    monkeypatch.setattr(rows_module, "SMALL_FILE", 0)
    monkeypatch.setattr(files, "MOST_ITEMS", 0)
    found = audit_file(path, **named)
    assert_frame_equal(found.tests, expected.tests)
    assert_frame_equal(found.rates, expected.rates)
    with_weights = data.groupby(list(data), as_index=False).size()
    with_weights.to_parquet(tmp_path / "weighted.parquet")
    found = audit_file(
        tmp_path / "weighted.parquet", weight="size", weight_kind="frequency", **named,
    )  # fmt: skip
    assert_frame_equal(found.tests, expected.tests)


def test_of_more_items_than_fit_ranks_are_drawn(monkeypatch):
    data, options = traffic(), {"label_kind": "ordinal", "order": list(CLASSES)}
    expected = audited(data, **options)
    monkeypatch.setattr(attribute_items, "MOST_ITEMS", 1500)
    found = audited(data, **options)
    drawn = line(found, "comparative_separation")
    assert drawn["note"].str.contains("rows, drawn at random").all()
    others = found.tests["criterion"] != "comparative_separation"
    assert_frame_equal(found.tests.loc[others, OF_A_LINE], expected.tests.loc[others, OF_A_LINE])
    assert_frame_equal(found.rates, expected.rates)
    gaps = drawn["estimate"].to_numpy() - line(expected, "comparative_separation")["estimate"]
    assert np.abs(gaps).max() < 0.1


@pytest.mark.slow
def test_clusters_and_weights_leave_the_lines_of_classes():
    data = traffic(900)
    person = np.arange(len(data)) // 3
    result = audited(data, clusters=person)
    assert result.about["gate"]["criteria"] == ["separation"]
    why = "the test of all classes takes no clusters and no weights"
    assert result.about["not_applicable"] == dict.fromkeys(OMNIBUS, why)
    assert "Not run: Separation of all classes; the test of" in result.to_text()
    one = audited(data, clusters=person, positive="tram")
    mine = line_of_class(result.to_frame(), "tram")
    its = one.to_frame()[one.to_frame()["criterion"].isin(LINES)].reset_index(drop=True)
    assert_frame_equal(mine[OF_A_LINE], its[OF_A_LINE])
    weighted = audited(data, sample_weight=np.where(data["day"] == "week", 1.0, 2.0))
    assert weighted.about["weights"] == "sampling"
    sentence = r"criterion separation_all_classes does not apply \(the test of all classes takes no"
    with pytest.raises(fp.InputError, match=sentence):
        audited(data, clusters=person, criterion="separation_all_classes")


# --- classes that are not everywhere -------------------------------------------------------------


def test_a_class_that_a_group_lacks_cannot_be_compared():
    data = traffic()
    data = data[~((data["y"] == "bus") & (data["area"] == "west"))]
    result = audited(data.reset_index(drop=True))
    eod = line(result, "separation", label_class="bus", measure="TPR").set_index("group")
    assert eod.loc["west", "verdict"] == "cannot be estimated"
    assert eod.loc["west", "note"] == "empty cell"
    assert eod.loc["north", "verdict"] != "cannot be estimated"
    assert np.isfinite(line(result, "separation_all_classes")["pvalue"].item())


def test_a_label_of_one_group_is_left_out_of_the_test_of_all_classes():
    data = traffic()
    data = data[(data["y"] != "bus") | (data["area"] == "west")].reset_index(drop=True)
    (found,) = line(audited(data), "separation_all_classes").to_dict("records")
    assert found["note"] == "left out, as of one group only: label bus"
    assert found["n"] == (data["y"] != "bus").sum()
    apart = pd.DataFrame({"y": list("aabbcc") * 9, "yhat": list("abcabc") * 9})
    apart["area"] = np.where(apart["y"] == "a", "x", np.where(apart["y"] == "b", "y", "z"))
    result = audited(apart)
    (found,) = line(result, "separation_all_classes").to_dict("records")
    assert found["verdict"] == "cannot be estimated"
    assert found["note"] == "no label has rows of two groups"
    assert result.violated is None


def test_classes_that_only_labels_or_only_predictions_have_are_noted():
    data = traffic().replace({"yhat": {"bus": "bike"}})
    result = audited(data)
    notes = result.about["notes"]
    assert result.about["classes"] == ["bus", "car", "tram", "van", "bike"]
    assert notes[0] == (
        "y_pred has classes that y_true does not have (bike): they count as wrong, and have no "
        "comparisons of their own"
    )
    assert notes[1] == "y_pred is never bus"
    assert set(result.tests["label_class"]) == {"", *CLASSES}
    eod = line(result, "separation", label_class="bus", measure="TPR")
    assert (eod["estimate"] == 0).all()
    assert (eod["pvalue"] == 1).all()


# --- kinds of labels -----------------------------------------------------------------------------


def test_ordinal_classes_are_compared_by_their_ranks():
    data = traffic()
    order = ["van", "bus", "car", "tram"]
    result = audited(data, label_kind="ordinal", order=order)
    assert result.about["label"] == "ordinal"
    assert result.about["classes"] == order
    assert result.about["gate"]["criteria"] == ["separation_all_classes"]
    rank = {name: i for i, name in enumerate(order)}
    two = data[data["area"].isin(["north", "east"])]
    expected = fp.comparative_separation_test(
        two["y"].map(rank), two["yhat"].map(rank),
        sensitive_features=(two["area"] == "north").astype(int),
    )  # fmt: skip
    found = line(result, "comparative_separation", group="north")
    assert_allclose(found["estimate"], expected.difference.estimate, rtol=1e-9)
    assert_allclose(found["pvalue"], expected.difference.pvalue)
    errors = (data["yhat"].map(rank) - data["y"].map(rank)).abs().groupby(data["area"]).mean()
    rates = result.rates[result.rates["measure"] == "mean absolute error"]
    assert_allclose(rates["estimate"], errors)
    plain = usual()
    same = result.tests["criterion"] != "comparative_separation"
    for name in CLASSES:
        mine, its = (line_of_class(table, name) for table in (result.tests, plain.tests))
        assert_frame_equal(mine[OF_A_LINE], its[OF_A_LINE])
    assert same.sum() == len(plain.tests)
    named = audited(data, label_kind="ordinal", order=order, criterion="comparative_separation")
    assert named.about["gate"]["lines"] == 2 * 3


def test_ratings_are_in_the_order_of_their_numbers():
    rng = np.random.default_rng(0)
    y = rng.integers(1, 6, 800)
    yhat = np.clip(y + rng.integers(-1, 2, 800), 1, 5)
    area = rng.choice(["a", "b"], 800)
    result = fp.audit(y, yhat, sensitive_features={"area": area}, label_kind="ordinal")
    assert result.about["classes"] == ["1", "2", "3", "4", "5"]
    number = fp.audit(y, yhat, sensitive_features={"area": area}, label_kind="number")
    assert_allclose(
        line(result, "comparative_separation")["pvalue"],
        line(number, "comparative_separation")["pvalue"],
        rtol=1e-9,
    )
    means = result.rates[result.rates["measure"] == "mean absolute error"]
    assert_allclose(means["estimate"], [np.abs(yhat - y)[area == g].mean() for g in "ab"])
    clusters = np.arange(800) // 2
    by_person = fp.audit(
        y, yhat, sensitive_features={"area": area}, label_kind="ordinal", clusters=clusters
    )
    assert line(by_person, "comparative_separation")["pvalue"].notna().all()


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_text_and_the_page_have_a_section_for_each_class():
    result = audited(traffic(900))
    text, html = result.to_text(), result.to_html()
    assert "Label y: 4 classes (bus, car, tram, van); prediction yhat: classes\n" in text
    assert "\narea: all 3 groups\n" in text
    assert "\narea, class tram: north (" in text
    assert html.count("<h2>area") == 1 + len(CLASSES)
    assert "<h3>area: all 3 groups</h3>" in html
    assert "NaN" not in html
    cases = result.to_junit()
    assert 'name="area: all groups: separation"' in cases
    lines = usual(criterion="separation").to_junit()
    assert 'name="area, class bus: north minus east: TPR"' in lines


@pytest.mark.slow
def test_a_page_has_figures_of_the_gravest_groups_only():
    page = audited(traffic(300, k=3)).to_html()
    assert page.count("<figure") == 4 + MOST_DRAWN  # the rates of all, and of each class
    assert page.count("drawn of 3 comparisons") == 2 * MOST_DRAWN  # also in words


# --- bad input -----------------------------------------------------------------------------------

ABC = list("abcabcabcacb")
NUMBERS = [1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 2, 1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y_score": [0.5] * 12}, "y_score is for one class of y_true: name that class, such as"),
        ({"label_kind": "classes", "positive": "a"},
         "label_kind='classes' audits all classes, and a positive value one of them: leave out"),
        ({"order": ["a", "b", "c"]}, "The order of classes is for label_kind='ordinal': give"),
        ({"label_kind": "ordinal"},
         "y_true has the classes a, b, c, which are words: name their order, the lowest first, "
         r"such as order=\['low', 'medium', 'high'\]"),
        ({"label_kind": "ordinal", "order": ["a", "b"]},
         r"y_true holds 'c', which the order does not name \(a, b\): add it"),
        ({"label_kind": "ordinal", "order": ["a", "b", "c", "a"]},
         "The order of classes names 'a' twice: name each class once"),
        ({"label_kind": "ordinal", "order": "abc"}, "The order is 'abc': give a list of classes"),
        ({"y_pred": list("xyzxyzxyzxyz")},
         r"y_pred holds 'x', which is no class of y_true \(a, b, c\): give the predicted cla"),
        ({"y_true": NUMBERS, "y_pred": [1, 2, 7] * 4, "label_kind": "classes"},
         r"y_pred holds '7', which is no class of y_true \(1, 2, 3\)"),
        ({"y_true": NUMBERS, "y_pred": [0.1, 0.2, 0.7] * 4, "label_kind": "classes"},
         "y_pred holds '0.1', which is no class .*; for a score, name its class, such as posit"),
        ({"y_true": [0.5, 1, 2] * 4, "y_pred": [0.5, 1, 2] * 4, "label_kind": "classes"},
         "y_true holds 0.5, and classes are words or whole numbers: for numbers, give label_k"),
        ({"y_true": ["a"] * 12, "label_kind": "classes"}, "y_true is a in every row"),
        ({"y_pred": ["a"] * 12, "label_kind": "classes"}, "y_pred is a in every row"),
        ({"criterion": "xauc"}, r"criterion xauc does not apply \(it is for one class: name that"),
        ({"criterion": "comparative_separation"},
         r"does not apply \(it needs an order of the classes\): name one of separation_all_clas"),
        ({"margin": {"separation_all_classes": 0.1}},
         "margin: separation_all_classes is no difference of two groups, so it has no margin"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(change, sentence):
    given = {"y_true": ABC, "y_pred": ABC[::-1], "sensitive_features": ["f", "m"] * 6}
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**{**given, **change})


def test_more_than_fifty_classes_are_refused(monkeypatch, tmp_path):
    words = [f"c{i}" for i in range(51)] * 2
    sentence = (
        "y_true has more than 50 classes: join some, or name the one to audit against the rest"
    )
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(words, words, sensitive_features=["f", "m"] * 51)
    path = tmp_path / "data.parquet"
    many = np.arange(20_000).astype(str)
    data = pd.DataFrame({"y": many, "yhat": many, "sex": ["f", "m"] * 10_000})
    data.to_parquet(path)
    monkeypatch.setattr(rows_module, "SMALL_FILE", 0)
    monkeypatch.setattr(files, "MOST_ITEMS", 0)
    with pytest.raises(fp.InputError, match="column `y` has more than 50 classes: join some"):
        audit_file(path, label="y", prediction="yhat", sensitive=["sex"], label_kind="classes")


def test_two_words_or_a_prediction_of_two_are_no_classes():
    two = ["yes", "no", "yes", "no"] * 3
    given = {"sensitive_features": ["f", "m"] * 6}
    with pytest.raises(fp.InputError, match="name the positive one"):
        fp.audit(two, two[::-1], **given)
    with pytest.raises(fp.InputError, match="or all of them, label_kind='classes', or give"):
        fp.audit(ABC, ["a", "b"] * 6, **given)
    result = fp.audit(ABC, ["a", "b"] * 6, label_kind="classes", **given)
    assert "y_pred is never c" in result.about["notes"]
