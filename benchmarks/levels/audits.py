"""Worlds of whole audits: what counts, margins, classes, many groups, two models, few labels."""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr, ndtri

import fairpairs as fp
from fairpairs.audits.audit.adjustment import judge, judge_all
from fairpairs.audits.audit.audit import rows_of
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.few_labels import read_few_labels
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.read import read_items
from fairpairs.audits.items.settings import AuditColumns, Settings
from fairpairs.audits.judgments.audit import arguments_of_test
from fairpairs.audits.judgments.cheap import judged_in_part, separation
from fairpairs.audits.judgments.settings import CheapOutcomes, Judgments, JudgmentSettings
from fairpairs.base.errors import InputError

#: The margin of audits, and of comparisons of two models.
MARGIN = 0.1


def rows(columns, criteria, margin=None):
    """Return the lines of some criteria as an audit has them; all others would take longer."""
    settings = Settings(margin=margin)
    if columns.cheap_label is not None:
        (items,) = read_few_labels(columns, settings, Wording())
    else:
        roles, (attribute,), design = read_items(columns, settings, Wording())
        items = AttributeItems(roles, attribute, settings, design)
    return rows_of(items, criteria)


def joint(rng, mean, n):
    """Return n errors of each person, which have a correlation of 0.5; of one row, independent."""
    person = np.repeat(np.arange(len(mean)), n)
    shared, own = rng.normal(size=len(mean))[person], rng.normal(size=len(person))
    return person, own if n == 1 else np.sqrt(0.5) * (shared + own)


# fair models: predictions and scores depend on the label alone


def fair(rng, items, shares, base, tpr=0.7, fpr=0.3, kind="both", attributes=1):
    """Draw the arguments of an audit; `base` is the share of positives, or the mean of numbers.

    `kind` is "decisions", "both" (decisions and a score around them), "score" (probabilities) or
    "numbers"; a second attribute is a coin.
    """
    group = rng.choice(len(shares), items, p=shares)
    features = {"first": group, "second": rng.integers(0, 2, items)}
    options = {
        "sensitive_features": dict(list(features.items())[:attributes]),
        "intersections": attributes == 2,
    }
    middle = np.asarray(base)[group]
    if kind == "numbers":
        label = middle + rng.normal(size=items)
        return {"y_true": label, "y_pred": label + rng.normal(size=items), **options}
    label, cut = (rng.random(items) < middle).astype(int), -ndtri(fpr)
    score = rng.normal(size=items) + (cut + ndtri(tpr)) * label
    options |= {"y_true": label, "y_pred": (score > cut).astype(int)}
    if kind == "score":
        return options | {"y_pred": expit(score)}
    return options if kind == "decisions" else options | {"y_score": score}


TWO, RARE, THREE = (0.6, 0.4), (0.95, 0.05), (0.5, 0.3, 0.2)
FAIR = {
    "two groups, decisions": (2000, TWO, (0.4, 0.4), 0.7, 0.3, "decisions"),
    "and a score": (2000, TWO, (0.4, 0.4)),
    "five groups": (3000, (0.4, 0.2, 0.2, 0.1, 0.1), (0.4,) * 5),
    "two attributes and their intersections": (3000, TWO, (0.4, 0.4), 0.7, 0.3, "both", 2),
    "base rates of 0.3 and 0.5": (2000, TWO, (0.3, 0.5)),
    "probabilities alone, a minority of 5 %": (3000, RARE, (0.4, 0.4), 0.7, 0.3, "score"),
    "numbers, a minority of 10 %": (1000, (0.9, 0.1), (0, 0), 0.7, 0.3, "numbers"),
    "rare predictions (TPR 0.1, FPR 0.02), a minority of 5 %": (3000, RARE, (0.2, 0.2), 0.1, 0.02),
}


def audited(**data):
    """Say whether an audit finds what counts violated."""
    return fp.audit(**data).violated


# rates that differ by just the margin


def at_margin(rng, persons, minority, tpr=0.7, fpr=0.3, n=1):
    """Draw twice: the TPR of the second group is lower by the margin, and both rates are."""
    group, label = rng.random(persons) < minority, rng.random(persons) < 0.4
    person, error = joint(rng, label, n)
    both = {}
    for name, lower in (("within", group & label), ("beyond", group)):
        rate = np.where(label, tpr, fpr) - MARGIN * lower
        both[name] = AuditColumns(
            label[person].astype(int), (error < ndtri(rate)[person]).astype(int),
            {"g": group[person]}, clusters=person if n > 1 else None,
        )  # fmt: skip
    return both


AT_MARGIN = {
    "2,000 items": (2000, 0.4),
    "a minority of 10 %": (5000, 0.1),
    "rare predictions (TPR 0.15, FPR 0.12)": (1500, 0.4, 0.15, 0.12),
    "400 persons with five rows": (400, 0.5, 0.7, 0.3, 5),
}


def gates(within, beyond):
    """Say whether rates are shown to lie within the margin, and beyond it, where neither holds."""
    gate = []
    for columns in (within, beyond):
        lines = rows(columns, ["separation"], MARGIN)
        table = judge(lines, 0.05, "holm", {"separation": MARGIN})
        gate.append(judge_all(table, ("separation",), 0.05)[0])
    return {"within": gate[0]["shown"], "beyond": gate[1]["pvalue"]}


# several classes


def classes(rng, items, shares, base, right=0.7, others=None, worse=0.0, aside=0.0):
    """Draw labels and predictions, which are right by a chance, else any other class.

    `others` are the shares of the classes in all groups but the first; `worse` is what the last
    group's chance is less; `aside` the share of its mistakes that are the next class.
    """
    c, group = len(base), rng.choice(len(shares), items, p=shares)
    label = np.where(
        group > 0, rng.choice(c, items, p=others or base), rng.choice(c, items, p=base)
    )
    last = group == len(shares) - 1
    step = np.where(rng.random(items) < aside * last, 1, rng.integers(1, c, items))
    wrong = rng.random(items) > right - worse * last
    names = np.array([f"class {i:02d}" for i in range(c)])
    predicted = np.where(wrong, (label + step) % c, label)
    return {"y_true": names[label], "y_pred": names[predicted], "sensitive_features": {"g": group}}


def zipf(c):
    """Return shares that fall as 1 / rank."""
    return tuple(1 / np.arange(1, c + 1) / (1 / np.arange(1, c + 1)).sum())


HALVES, FIVE = (0.5, 0.5), (0.2,) * 5
#: Name → a fair model, and what an unfair one has beside it.
CLASSES = {
    "3 classes, a minority of 5 % of 2,000": ((2000, RARE, THREE), None),
    "3 classes, 60 items": ((60, TWO, THREE), None),
    "5 classes, 5 groups of other base rates, 2,000 items": (
        (2000, (0.4, 0.2, 0.2, 0.1, 0.1), FIVE, 0.7, (0.4, 0.3, 0.1, 0.1, 0.1)), None
    ),
    "10 classes by Zipf's law, 3 groups, 1,000 items": ((1000, (0.6, 0.3, 0.1), zipf(10)), None),
    "5 classes, right 0.70 and 0.60, 1,000 items": ((1000, HALVES, FIVE), {"worse": 0.1}),
    "5 classes, half of the mistakes to the next class": ((1000, HALVES, FIVE), {"aside": 0.5}),
    "20 classes by Zipf's law, right 0.70 and 0.60, 2,000 items": (
        (2000, HALVES, zipf(20)), {"worse": 0.1}
    ),
}  # fmt: skip


def all_and_each(**data):
    """Say whether all classes at once are violated, and any one."""
    return {
        "all classes at once": fp.audit(**data).violated,
        "each class": fp.audit(**data, criterion="separation").violated,
    }


# many groups


def many(rng, share, items, tpr, fpr, base=0.5, spread=0.0):
    """Draw labels and decisions of groups whose rates differ by a share of them; their truth too.

    The true differences of TPR and FPR are those of a group and everyone else.
    """
    sizes = rng.multinomial(items, share)
    positive = rng.binomial(sizes, base * rng.choice([0.5, 1, 1.5], len(share)))
    n = np.stack([sizes - positive, positive])
    rates = np.array([[fpr], [tpr]])
    rates = np.clip(rates + rng.normal(0, rates * spread, n.shape), 0, 1)
    hits = rng.binomial(n, rates)
    counts = np.stack([n - hits, hits], axis=1)
    label, decided, group = (np.repeat(x.ravel(), counts.ravel()) for x in np.indices(counts.shape))
    return {"y_true": label, "y_pred": decided, "group": group, "true": _apart(n, rates)}


def _apart(n, rates):
    """Return the true rate of each group minus that of everyone else."""
    others = n.sum(axis=1, keepdims=True) - n
    hits = (n * rates).sum(axis=1, keepdims=True) - n * rates
    return rates - hits / np.maximum(others, 1)


#: Name → shares of the groups, items, TPR and FPR, and base rate.
GROUPS = {
    "1,000 groups of 100": ((0.001,) * 1000, 100_000, 0.7, 0.3),
    "two groups of 600 and 1,400": ((0.3, 0.7), 2000, 0.7, 0.3),
    "two groups of 200 and 1,800, rare decisions": ((0.1, 0.9), 2000, 0.05, 0.005, 0.3),
}


def errors(group, true, **data):
    """Say whether any group of a fair model is violated, and whether any interval misses."""
    names = np.array([f"{code:04d}" for code in range(true.shape[1])])
    result = fp.audit_groups(**data, sensitive_features={"a": names[group]})
    place = result.tests["group"].str.partition("=")[2].astype(int)
    truth = true[(result.tests["measure"] == "TPR").astype(int), place]
    missed = (result.tests["ci_low"] > truth) | (result.tests["ci_high"] < truth)
    said = {"an interval misses": bool(missed.any())}
    return said if np.ptp(true) > 1e-9 else said | {"violated": result.violated}


# two models


def models(rng, many, few, before, after, scores=False):
    """Draw two models, whose gaps of the TPR (or xAUC) are these; those of the FPR are 0."""
    group = np.repeat(["a", "b"], [many, few])
    y = np.tile([0, 1], (many + few) // 2)
    shared, old, new = rng.normal(size=(3, len(y)))
    errors = [np.sqrt(0.5) * (shared + own) for own in (old, new)]
    moved = (group == "b") & (y == 1)
    options = {"y_true": y, "sensitive_features": {"g": group}}
    if scores:  # xAUC = Φ(shift / √2), 0.76 without a gap
        shifts = [np.sqrt(2) * ndtri(0.76 - gap * moved) * (y == 1) for gap in (before, after)]
        names = "y_score_old", "y_score_new"
        given = [one + shift for one, shift in zip(errors, shifts, strict=True)]
        return options | dict(zip(names, given, strict=True)) | {"threshold": 0}
    given = [
        (one < ndtri(np.where(y == 1, 0.7 - gap * moved, 0.2))).astype(int)
        for one, gap in zip(errors, (before, after), strict=True)
    ]
    return options | {"y_pred_old": given[0], "y_pred_new": given[1]}


#: The gap is larger by the margin, or becomes smaller.
WORSE = {
    "worse by the margin, from 0": (1000, 1000, 0.0, 0.1),
    "worse by the margin, other side": (600, 600, 0.02, -0.12),
}


def not_worse(**data):
    """Say whether the second model is shown to be not worse."""
    scores = "y_score_old" in data
    criterion, measure = ("xauc", "xAUC") if scores else ("separation", "TPR")
    result = fp.compare(**data, criterion=criterion, margin=MARGIN)
    return {f"not worse, {measure}": result.tests.set_index("measure").loc[measure,
            "pvalue_not_worse"]}  # fmt: skip


# lines of predictive parity and calibration


def parity(rng, sizes, predicted, found, n=1):
    """Draw predictions by group, and labels that depend on them alone, of n rows of a person."""
    member = np.repeat([1, 0], sizes)
    person, error = joint(rng, member, n)
    yhat = rng.random(len(person)) < np.asarray(predicted)[member[person]]
    y = ndtr(error) < np.asarray(found)[yhat.astype(int)]
    return {"columns": _lines(y, yhat, member, person, n), "criteria": ["predictive_parity"]}


def calibrated(rng, sizes, means, spread, n=1):
    """Draw scores by group, and labels by them alone."""
    member = np.repeat([1, 0], sizes)
    person, error = joint(rng, member, n)
    score = expit(rng.normal(np.asarray(means)[member[person]], spread))
    y = ndtr(error) < score
    columns = _lines(y, y, member, person, n, y_score=score)
    return {"columns": columns, "criteria": ["calibration", "calibration_slope"]}


def _lines(y, yhat, member, person, n, **more):
    return AuditColumns(y.astype(int), yhat.astype(int), {"g": member[person]},
                        clusters=person if n > 1 else None, **more)  # fmt: skip


#: Name → draw and settings.
LINES = {
    "parity, 15 / 1,000": (parity, (15, 1000), (0.4, 0.3), (0.2, 0.7)),
    "parity, 60 / 300": (parity, (60, 300), (0.4, 0.3), (0.2, 0.7)),
    "parity, 60 / 300, rare": (parity, (60, 300), (0.1, 0.03), (0.02, 0.5)),
    "parity, 50 / 50 persons of five rows": (parity, (50, 50), (0.4, 0.4), (0.2, 0.7), 5),
    "calibration, 15 / 1,000": (calibrated, (15, 1000), (0, 0), 1),
    "calibration, 60 / 300": (calibrated, (60, 300), (0, 0), 1),
    "calibration, 60 / 300, rare": (calibrated, (60, 300), (-2, -3), 1),
    "calibration, 50 / 50 persons of five rows": (calibrated, (50, 50), (0, 0), 1, 5),
}


def each_line(columns, criteria):
    """Say of each line whether a difference is found."""
    return {row.measure: row.pvalue for row in rows(columns, criteria)}


# few labels by people, and a judge who errs more often in the second group


def _line(pvalue, measure, low=np.nan, high=np.nan):
    table = pd.DataFrame([{"measure": measure, "ci_low": low, "ci_high": high}])
    found = bool(pvalue < 0.05) if np.isfinite(pvalue) else None
    return SimpleNamespace(violated=found, to_frame=lambda: table)


class InPart:
    """Data of which people judged a part and a judge all: `people` name them, column and rows."""

    @property
    def competitors(self):
        """Return the tests of what people said alone, and of what the judge said."""
        name, *own = self.people
        return {name: partial(self.alone, *own), "the judge alone": partial(self.alone, "cheap")}


@dataclass(frozen=True)
class FewLabels(InPart):
    """Rows of two groups, a few of them with a human label, all with a cheap one.

    `right` are the shares of both groups whose cheap label is right, `lean` the share whose cheap
    label is the decision, `favour` that of the second group whose cheap label is 0. `persons` are
    rows of a person. Rows are chosen at random, or by `choose` in some `rounds`.
    """

    rows: int
    human: int
    minority: float = 0.3
    right: tuple[float, float] = (0.95, 0.85)
    lean: float = 0.05
    favour: float = 0.0
    gap: float = 0.1
    measure: str = "TPR"
    persons: int = 1
    rounds: int = 0
    people = "human labels alone", "label", "random"

    def drawn(self, rng, gap):
        """Return the arguments of the tests."""
        n, each = self.rows, self.persons
        person = np.repeat(np.arange(n // each), each)
        group = (rng.random(n // each) < self.minority)[person]
        label = rng.random(n) < np.where(group, 0.3, 0.4)
        own = rng.normal(size=n // each)[person] if each > 1 else 0.0
        score = rng.normal(size=n) * (0.7 if each > 1 else 1) + 0.7 * own
        if self.measure == "AUC":
            score = score + (1.5 - gap * group) * label
            decision = score > 1
        else:
            rate = np.where(label, 0.8 - gap * group, 0.2)
            decision = ndtr(score) < rate if each == 1 else score < np.quantile(score, rate)
        right = rng.random(n) < np.take(self.right, group.astype(int))
        cheap = np.where(rng.random(n) < self.lean, decision, np.where(right, label, ~label))
        cheap = (cheap & ~(group & (rng.random(n) < self.favour))).astype(int)
        predicted = score if self.measure == "AUC" else decision.astype(int)
        human, chance = np.full(n, np.nan), None
        some = random = rng.permutation(n)[: self.human]
        for _ in range(self.rounds):
            choice = fp.choose(
                human, predicted, sensitive_features={"g": group}, cheap_label=cheap,
                n=self.human // self.rounds, chance=chance, criterion="equal_opportunity",
                random_state=int(rng.integers(2**31)),
            )  # fmt: skip
            some, chance = choice.chosen, choice.chance
            human[some] = label[some]
        human[some] = label[some]
        return {"label": label.astype(float), "human": human, "cheap": cheap, "chance": chance,
                "predicted": predicted, "group": group, "random": random,
                "person": person if each > 1 else None}  # fmt: skip

    def row(self, columns):
        """Return the line of the group."""
        criterion = {"TPR": "equal_opportunity", "AUC": "xauc"}[self.measure]
        return next(row for row in rows(columns, [criterion]) if row.measure == self.measure)

    def both(self, human, cheap, chance, predicted, group, person, **_):
        """Test by both labels."""
        columns = AuditColumns(
            human, predicted, {"g": group}, clusters=person, cheap_label=cheap, chance=chance
        )
        row = self.row(columns)
        return _line(row.pvalue, self.measure, row.ci_low, row.ci_high)

    def alone(self, name, some=None, **data):
        """Test by one kind of labels, of some rows."""
        taken = slice(None) if some is None else data[some]
        clusters = None if data["person"] is None else data["person"][taken]
        columns = AuditColumns(
            data[name][taken], data["predicted"][taken], {"g": data["group"][taken]},
            clusters=clusters,
        )  # fmt: skip
        try:
            return self.row(columns).pvalue
        except InputError:  # no label of one kind
            return np.nan


FEW_LABELS = {
    "5,000 rows, 500 labels": FewLabels(5_000, 500),
    "500 labels, chosen in two rounds": FewLabels(5_000, 500, rounds=2),
    "50 labels": FewLabels(5_000, 50, minority=0.5, gap=0.3),
    "a judge who guesses": FewLabels(5_000, 500, right=(0.5, 0.5)),
    "a judge who leans to the decision and to a group": FewLabels(
        5_000, 1_000, lean=0.3, favour=0.3
    ),
    "AUC of a score": FewLabels(5_000, 500, measure="AUC", gap=0.5),
    "persons of five rows": FewLabels(5_000, 600, persons=5),
}


@dataclass(frozen=True)
class FewJudgments(InPart):
    """Judgments across two groups, a few of them with a human outcome, all with a cheap one.

    `right` are the shares of judgments whose cheap outcome is right: within the first group, and
    others; `judges` have tastes of their own. In a twentieth the cheap outcome is the order by the
    score, and in a fifth of those of two groups the first group.
    """

    judged: int
    human: int
    minority: float = 0.4
    right: tuple[float, float] = (0.95, 0.85)
    gap: float = 0.3
    judges: int = 0
    measure = "across"
    people = "people alone", "outcome", "human"

    def drawn(self, rng, gap):
        """Return the arguments of the tests."""
        m, number = self.judged, max(self.judges, 1)
        group = (rng.random(2 * m) < self.minority).astype(int)
        need = rng.normal(size=2 * m)
        score = need + 0.8 * rng.normal(size=2 * m) - gap * group
        left, right, judge = np.arange(m), np.arange(m) + m, rng.integers(number, size=m)
        taste = 0.4 * rng.normal(size=number)[judge] * (self.judges > 0)
        apart = need[left] - need[right] + taste * (group[left] - group[right])
        outcome = np.where(apart + 0.3 * rng.normal(size=m) > 0, 1, -1)
        errs = np.take(self.right, np.maximum(group[left], group[right]))
        cheap = np.where(rng.random(m) < errs, outcome, -outcome)
        order = np.sign(score[left] - score[right]).astype(int)
        cheap = np.where(rng.random(m) < 0.05, order, cheap)
        leans = (group[left] != group[right]) & (rng.random(m) < 0.2)
        cheap = np.where(leans, np.where(group[left], -1, 1), cheap)
        human = np.sort(rng.permutation(m)[: self.human])
        return {"left": left, "right": right, "outcome": outcome, "cheap": cheap, "group": group,
                "score": score, "judge": judge, "human": human}  # fmt: skip

    def both(self, left, right, outcome, cheap, group, score, judge, human):
        """Test by human and cheap outcomes."""
        known = np.isin(np.arange(len(left)), human)
        items = pd.DataFrame({"score": score, "g": pd.Categorical(group)})
        judgments = Judgments(
            (), left, right, np.where(known, outcome, 0), items, ["score"], ["g"],
            judge=pd.Series(judge).where(known) if self.judges else None,
            cheap=CheapOutcomes(cheap, known, np.full(len(left), known.mean())),
        )  # fmt: skip
        settings = JudgmentSettings(judges="sample")
        given = arguments_of_test(judgments, "score", items["g"], settings)
        judged = judged_in_part(judgments, judgments.cheap, settings)
        result = separation(judgments, judged, "score", items["g"], given).result.difference
        return _line(result.pvalue[0], "across", result.ci_low[0], result.ci_high[0])

    def alone(self, name, some=None, **data):
        """Test by one kind of outcomes, of some judgments."""
        taken = slice(None) if some is None else data[some]
        judges = {"judges": data["judge"][taken], "judges_as": "sample"} if self.judges else {}
        judgments = (data[column][taken] for column in ("left", "right", name))
        return fp.comparative_separation_from_judgments(
            *judgments, data["score"], sensitive_features=data["group"], **judges
        ).difference.pvalue[0]


FEW_JUDGMENTS = {
    "3,000 judgments, 300 by people": FewJudgments(3_000, 300),
    "a judge who guesses": FewJudgments(3_000, 300, right=(0.5, 0.5)),
    "60 judgments by people": FewJudgments(3_000, 60, minority=0.5, gap=0.7),
    "30 judges with tastes": FewJudgments(3_000, 600, judges=30, gap=0.4),
}
