"""Notes on how items were sampled: clusters of several groups, unequal weights, skewed means."""

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.audits.criteria import comparison
from fairpairs.audits.items import about
from fairpairs.audits.items.about import clusters_of_several
from fairpairs.mathematics.arguments.design import SamplingDesign

from ..synthetic import people

DATA = people(250)


def audit(**options):
    return fp.audit(
        DATA["y"], DATA["yhat"], sensitive_features={"sex": DATA["sex"]}, **options
    ).about["notes"]


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_of_several_groups_are_counted(weighted):
    rng = np.random.default_rng(0)
    cluster, group = np.repeat(np.arange(60), 5), rng.integers(0, 3, 300)
    group[rng.random(300) < 0.8] = 0
    weight = rng.integers(0, 2, 300) + 0.0 if weighted else np.ones(300)
    several = [len(set(group[(cluster == c) & (weight > 0)])) > 1 for c in range(60)]
    design = SamplingDesign(300, cluster, weight if weighted else None)
    assert clusters_of_several(group, design) == sum(several) > 0


def test_a_note_says_that_clusters_have_rows_of_several_groups():
    codes = DATA["sex"].astype("category").cat.codes.to_numpy(dtype=np.int64)
    person = 1000 * codes + DATA.groupby("sex").cumcount().to_numpy() // 3
    assert not any("several groups" in note for note in audit(clusters=person))
    first = [int(np.flatnonzero(codes == code)[0]) for code in (0, 1)]
    person[first[1]] = person[first[0]]
    start = "Clusters with rows of several groups: 1 of sex. "
    assert any(
        note.startswith(start) and note.endswith(about.ROWS) for note in audit(clusters=person)
    )


@pytest.mark.parametrize("kind", ["sampling", "importance"])
def test_a_note_says_how_many_rows_weights_leave(kind):
    weight = np.ones(len(DATA))
    assert not any("effective" in note for note in audit(sample_weight=weight, weight_kind=kind))
    weight[::10] = 30
    effective = weight.sum() ** 2 / (weight**2).sum()
    note = f"The weights leave {effective:,.0f} effective rows of {len(DATA)}."
    assert note in audit(sample_weight=weight, weight_kind=kind)


@pytest.mark.parametrize(("skewed", "noted"), [(True, True), (False, False)])
@pytest.mark.parametrize(
    ("of", "note"),
    [("clusters", comparison.SKEWED_GAP), ("weights", comparison.SKEWED_WEIGHTED_GAP)],
)
def test_means_of_skewed_values_are_noted(of, note, skewed, noted):
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(520), 5) if of == "clusters" else np.arange(520)
    draw = rng.exponential if skewed else rng.uniform
    values = draw(size=520)[person]
    options = (
        {"clusters": person}
        if of == "clusters"
        else {"sample_weight": np.linspace(1, 1 + 1e-9, 520)}
    )
    frame = fp.audit(
        values + rng.normal(size=len(values)), values,
        sensitive_features={"sex": np.where(person < 50, "f", "m")}, **options,
    ).to_frame()  # fmt: skip
    notes_of_mean = frame.loc[frame["criterion"] == "demographic_parity", "note"]
    assert len(notes_of_mean)
    assert notes_of_mean.str.contains(note, regex=False).all() == noted
