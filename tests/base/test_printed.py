"""How results print, and show themselves in a notebook."""

import inspect
from functools import cache

import numpy as np

import fairpairs as fp
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.base.printed import Printed
from fairpairs.base.texts import number, p_equals

#: Public classes that are no results of a test; the last three print in a few lines of their own.
OTHERS = {"InputError", "Reweighed", "World", "Promises", "Choice", "TableResult"}


@cache
def results():
    """One result of each class."""
    rng = np.random.default_rng(0)
    n = 400
    y = rng.integers(0, 2, n)
    s = rng.normal(y, 1)
    p, g, x = (s > 0.5).astype(int), rng.choice(["<a>", "b"], n), rng.normal(size=n)
    options = {"sensitive_features": g}
    left, right = rng.integers(0, n, (2, 900))
    won, judge = np.where(rng.random(900) < 0.5, 1, -1), rng.choice(["x", "y", "z"], 900)
    judged = {"sensitive_features": g, "judges": judge}
    separation = fp.separation_test(y, p, **options)
    every = [
        separation,
        separation.within(0.1),
        fp.xauc(y, s, **options),
        fp.comparative_separation_test(y, p, **options),
        fp.comparative_separation_slopes_test(s, s + x, sensitive_features=x),
        fp.differential_parity_test(s, y, **options),
        fp.separation_permutation_test(y, p, n_permutations=99, **options),
        fp.density_ratio_fairness(y, p, **options),
        fp.information_fairness(y, p, **options),
        fp.conditional_chi_square_test(y, p, **options),
        fp.cochran_mantel_haenszel_test(y, p, **options),
        fp.two_proportion_test(p, **options),
        fp.equalize_xauc(y, s, scale="identity", **options),
        fp.judge_agreement(left % 9, right % 9 + 9, won, judges=judge),
        fp.judge_lean_test(left, right, won, **judged),
        fp.first_place_test(left, right, won, **judged),
        fp.outcome_ties_test(left, right, np.where(judge == "x", 0, won), **judged),
        fp.differential_parity_of_raters(
            rng.integers(0, 2, (n, 3)).astype(float), sensitive_features=g == "b"
        ),
    ]
    return {type(result): result for result in every}


def test_a_result_prints_in_a_few_lines_without_arrays_and_a_notebook_shows_a_table():
    for kind, result in results().items():
        text, page = repr(result), result._repr_html_()
        assert 2 <= len(text.splitlines()) <= 8, kind
        assert max(map(len, text.splitlines())) <= 120, kind
        assert "array(" not in text and "nan" not in text, kind
        assert page.startswith("<p>"), kind
        assert page.count("<table") == 1 and "<a>" not in page, kind
        assert len(page) < 20_000, kind


def test_each_line_has_estimate_interval_and_p():
    result = results()[fp.SeparationResult]
    head, *lines = repr(result).splitlines()
    assert head == "separation test: not shown"
    for line, row in zip(lines, result.to_frame().to_dict("records"), strict=True):
        limits = f"({number(row['ci_low'])} to {number(row['ci_high'])})"
        assert line == (
            f"{row['hypothesis']}: {number(row['estimate'])} {limits}, {p_equals(row['pvalue'])}"
        )


def test_many_hypotheses_are_cut_and_what_cannot_be_estimated_says_why():
    rng = np.random.default_rng(1)
    y, p, g = rng.integers(0, 2, 300), rng.integers(0, 2, 300), rng.choice(list("abcde"), 300)
    text = repr(fp.separation_test(y, p, sensitive_features=g))
    assert text.splitlines()[-1] == "and 14 more: to_frame()"
    y[g == "a"] = 1
    text = repr(fp.separation_test(y, p, sensitive_features=np.where(g == "a", "a", "b")))
    assert text.splitlines()[-1] == "FPR(A=b) = FPR(A=a): empty cell"


def test_every_public_class_of_results_prints_so():
    classes = {name: getattr(fp, name) for name in fp.__all__ if inspect.isclass(getattr(fp, name))}
    assert {
        name for name, kind in classes.items() if not issubclass(kind, Printed | Outcome)
    } == OTHERS
    shown = {kind for kind in classes.values() if issubclass(kind, Printed)}
    assert shown <= set(results())


def test_promises_choices_and_tables_print_in_a_few_lines():
    promises = fp.check_promises(lambda: False, fp.World("nothing", lambda rng: {}), sets=5)
    assert repr(promises).splitlines()[0].startswith("nothing: ")
    assert 2 <= len(repr(promises).splitlines()) <= 4
    groups = [0, 1] * 20
    choice = fp.choose(None, groups, sensitive_features=groups[::-1], cheap_label=groups, n=8)
    assert repr(choice) == "8 of 40 rows are chosen: .cells"
    sexes = np.where(groups, "<a>\u202e", "b")
    table = fp.table(groups, sensitive_features={"sex": sexes}, form="four-fifths")
    assert repr(table) == table.to_text()
    assert r"&lt;a&gt;\u202e" in table._repr_html_()
    result = fp.separation_test(groups, groups, sensitive_features=sexes)
    for text in (repr(result), result._repr_html_(), repr(table)):
        assert r"\u202e" in text and "\u202e" not in text
