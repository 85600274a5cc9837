"""Every public test and audit, with the worlds in which it must keep its promises."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import fairpairs as fp
from benchmarks.levels import audits, looks, margins, plans, treatments, worlds
from fairpairs.mathematics.promises import competitors

#: Slow tests run on a fifth of the data sets.
SETS, FEW = 100, 20
LABELLED = {"y_true": "label", "y_pred": "score", "sensitive_features": "group"}
SCORED = {"y_true": "label", "y_score": "score", "sensitive_features": "group"}
DECIDED = {"decisions": "score", "reference": "reference", "sensitive_features": "group"}
SELECTED = {"y_pred": "score", "sensitive_features": "group"}


@dataclass(frozen=True)
class Part:
    """A test in its worlds: the test, the world, and the power that is planned, if any, of each."""

    cases: Callable[[], Iterable[tuple[Callable[..., Any], fp.World | str, float | None]]]
    #: data sets with something to find; without, there are so many times more
    sets: int = SETS
    more: int = 1
    #: whether something is promised
    promised: bool = True

    def measured(self, sets=None, seed=0):
        """Yield the world and what was measured of each promise, maybe on other numbers of sets."""
        sets = sets or self.sets
        for test, world, power in self.cases():
            found = fp.check_promises(
                test, world, sets=sets, null_sets=self.more * sets, seed=seed, power=power
            )
            for row in found.measured:
                yield found.world, row if self.promised else replace(row, promised=np.nan)


def asked(test, names, **options):
    """Return a test of the columns of a world."""

    def ask(**columns):
        return test(**{name: columns[column] for name, column in names.items()}, **options)

    return ask


def in_worlds(test, draws, sets=SETS, truth=0.0):
    """Return the part of a test in worlds without a difference."""
    return Part(lambda: ((test, fp.World(*of, None, truth), None) for of in draws.items()), sets)


def drawn(draw, cases):
    """Return a function of a generator for each case, whose settings are given in their order."""
    return {name: partial(_draw, draw, settings) for name, settings in cases.items()}


def _draw(draw, settings, rng, **more):
    return draw(rng, *settings, **more)


def some(draws, *names):
    """Return the cases whose names contain one of these."""
    return {name: draw for name, draw in draws.items() if any(part in name for part in names)}


def _joint(label, score, group):
    """Say what the joint test of both hypotheses finds, with the notes of the result."""
    result = fp.comparative_separation_test(label, score, sensitive_features=group)
    found = None if result.joint is None else bool(result.joint.pvalue < 0.05)
    return SimpleNamespace(violated=found, to_frame=result.to_frame)


def _raters(**data):
    """Return the smallest p of the comparisons of each two raters."""
    found = fp.differential_parity_of_raters(**data).to_frame()
    return float(found["pvalue_adjusted"].min())


SHUFFLED = {"n_permutations": 199, "random_state": 0}
_FEW_NUMBERS = some(worlds.NUMBERS, "50 / 50", "970 / 30", "300 / 100, shift 0.5, 4")
#: A spread that grows with the attribute is a violation; so are labels that differ of independence.
_EQUAL_SPREAD = {name: draw for name, draw in worlds.SLOPES.items() if "grows" not in name}
_SAME_LABELS = {name: worlds.NUMBERS[name] for name in ("50 / 50, shift 0", "950 / 50, shift 0")}
TESTS = {
    "separation_test": in_worlds(asked(fp.separation_test, LABELLED), worlds.PREDICTIONS),
    "two_proportion_test": in_worlds(asked(fp.two_proportion_test, SELECTED), worlds.PREDICTIONS),
    **{
        test.__name__: in_worlds(asked(test, LABELLED), worlds.PREDICTIONS, sets, None)
        for test, sets in (
            (fp.conditional_chi_square_test, FEW), (fp.chi_square_test, FEW),
            (fp.cochran_mantel_haenszel_test, SETS),
        )
    },
    **{
        f"comparative_separation_test of {name}":
        in_worlds(asked(fp.comparative_separation_test, SCORED), draws)
        for name, draws in (
            ("predictions", worlds.PREDICTIONS), ("scores", worlds.SCORES),
            ("numbers", worlds.NUMBERS),
        )
    },
    "comparative_separation_test, both jointly": in_worlds(_joint, worlds.SCORES, truth=None),
    "comparative_separation_from_judgments": in_worlds(
        fp.comparative_separation_from_judgments, worlds.JUDGMENTS
    ),
    "comparative_separation_slopes_test": in_worlds(
        asked(fp.comparative_separation_slopes_test, SCORED), _EQUAL_SPREAD, truth=None
    ),
    "xauc": in_worlds(asked(fp.xauc, SCORED), worlds.SCORES),
    **{
        f"separation_permutation_test of {name}": in_worlds(
            asked(fp.separation_permutation_test, LABELLED, statistic=name, **SHUFFLED),
            _FEW_NUMBERS, FEW, None,
        )
        for name in ("comparative_separation", "information_separation")
    },
    "differential_parity_test": in_worlds(
        asked(fp.differential_parity_test, DECIDED), worlds.DECISIONS
    ),
    "differential_parity_permutation_test": in_worlds(
        asked(fp.differential_parity_permutation_test, DECIDED, **SHUFFLED), worlds.DECISIONS, FEW,
        None,
    ),
    "differential_parity_slope_test": in_worlds(
        asked(fp.differential_parity_slope_test, DECIDED | {"reference": "label"}), worlds.SLOPES
    ),
    "differential_parity_of_raters": in_worlds(_raters, worlds.RATERS, truth=None),
    "biased_bridge": in_worlds(fp.biased_bridge, worlds.BRIDGES, FEW),
    "density_ratio_fairness": in_worlds(
        asked(fp.density_ratio_fairness, LABELLED, **SHUFFLED),
        _SAME_LABELS, FEW, None,
    ),
}  # fmt: skip


def _within(**data):
    return bool(fp.separation_test(**data).within(audits.MARGIN).all_within)


def _changed(**data):
    """Return the smaller p-value of the changes of TPR and FPR, times two."""
    tests = fp.compare(**data, criterion="separation").to_frame()
    return float(2 * tests.loc[tests["criterion"] == "separation", "pvalue"].min())


def beside(test, names, more=1):
    """Return the part of a test beside textbook tests."""
    return Part(lambda: ((test, name, None) for name in names), 200, more)


def _mean_errors(decisions, reference, sensitive_features, clusters):
    errors = competitors.clustered_2(decisions - reference, sensitive_features, clusters)
    return competitors.two_sided(*errors)


def hospitals():
    """Yield the worlds of clusters that hold both groups, beside CR2."""
    rates = partial(competitors.by_label, competitors.clustered_2)
    for test, draw, named, cr2 in (
        (fp.separation_test, worlds.hospitals, worlds.HOSPITALS, rates),
        (fp.differential_parity_test, worlds.means_of_hospitals, worlds.MEANS_OF_HOSPITALS,
         _mean_errors),
    ):  # fmt: skip
        for name, (settings, gap) in named.items():
            null = partial(_draw, draw, settings)
            unfair = partial(null, gap=gap)
            yield test, fp.World(name, null, unfair, competitors={"CR2": cr2}), None


_RANKED = [name for name in fp.worlds() if name.startswith("scores, ")]


def _named(words):
    return [name for name in fp.worlds() if words in name and name not in _RANKED]


def worlds_of(kinds):
    """Return the worlds of few labels, beside tests of one kind of labels."""
    for name, one in kinds.items():
        null, other = partial(one.drawn, gap=0.0), partial(one.drawn, gap=one.gap)
        yield one.both, fp.World(name, null, other, {one.measure: 0.0}, one.competitors), None


def worlds_of_classes():
    """Yield the worlds of several classes."""
    for name, (settings, unfair) in audits.CLASSES.items():
        null = partial(_draw, audits.classes, settings)
        yield audits.all_and_each, fp.World(name, null, unfair and partial(null, **unfair)), None


def worlds_of_groups():
    """Yield the worlds of many groups, of a fair model and of an unfair one."""
    for name, settings in audits.GROUPS.items():
        draw = partial(_draw, audits.many, settings)
        yield audits.errors, fp.World(name, draw), None
        yield audits.errors, fp.World(f"{name}, unfair", partial(draw, spread=0.25)), None


def streams(named):
    """Return the part of streams that a monitor looks at again and again."""
    return lambda: ((looks.said, looks.world(*one), None) for one in named.items())


BESIDE = {
    "separation_test_in_clusters": beside(fp.separation_test, _named(" clusters of "), 5),
    "separation_test_with_weights": beside(fp.separation_test, _named(" rows, weights"), 5),
    "xauc_in_clusters": beside(fp.xauc, _RANKED),
    "judges_of_judgments": beside(
        fp.comparative_separation_from_judgments, _named(" judges of "), 5
    ),
    "changes_of_two_models": beside(_changed, _named("two models of ")),
    "hospitals": Part(hospitals, 1000, 2),
    "within_a_margin": beside(_within, _named("at the margin ")),
}
#: Parts by name.
PARTS = {
    **TESTS,
    **BESIDE,
    "audit": in_worlds(audits.audited, drawn(audits.fair, audits.FAIR), 200, None),
    "audit_at_the_margin": in_worlds(
        audits.gates, drawn(audits.at_margin, audits.AT_MARGIN), 400, None
    ),
    "audit_lines": in_worlds(
        audits.each_line,
        {name: partial(_draw, draw, of) for name, (draw, *of) in audits.LINES.items()}, 200, None,
    ),
    "audit_classes": Part(worlds_of_classes),
    "audit_groups": Part(worlds_of_groups, 400),
    "few_labels": Part(lambda: worlds_of(audits.FEW_LABELS), 400),
    "few_judgments": Part(lambda: worlds_of(audits.FEW_JUDGMENTS), 400),
    "compare": in_worlds(
        audits.not_worse,
        {
            f"{name}{', scores' * scores}": partial(
                _draw, audits.models, (*of, scores)
            )
            for name, of in audits.WORSE.items()
            for scores in (False, True)
        },
        400, None,
    ),
    "monitor": Part(streams(looks.KEPT), 400),
    "monitor_broken": Part(streams(looks.BROKEN), 400, promised=False),
    "margins": Part(margins.worlds, 1000),
    "plans": Part(plans.cases),
    "treatments": Part(lambda: ((treatments.corrected, one, None) for one in treatments.worlds()),
                       400, promised=False),
}  # fmt: skip
