"""Simultaneous intervals of many groups of COMPAS beside those of fairaudit 0.0.1.

    python -m venv build/fairaudit && build/fairaudit/bin/pip install fairaudit==0.0.1
    .venv/bin/python benchmarks/certificates.py data/raw/compas/compas-scores-two-years.csv

fairaudit (Cherian and Candès 2023) compares a group with everyone, the group among them. Such a
difference is that with everyone else, times the share of everyone else; so are its ends.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pandas as pd
from processes import run

import fairpairs as fp

HERE = Path(__file__).parent
ATTRIBUTES = ["sex", "race", "age_cat"]
DEPTH, SMALLEST, ALPHA = 3, 10, 0.05
MARGINS = (0.1, 0.2, 0.3)


def both(people: pd.DataFrame, python: Path) -> tuple[pd.DataFrame, float]:
    """Return the lines of FairPairs with the bounds of fairaudit, and the latter's seconds."""
    result = fp.audit_groups(
        "label", "prediction", sensitive_features=ATTRIBUTES, data=people, depth=DEPTH,
        smallest=SMALLEST, alpha=ALPHA,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.csv")
        people.to_csv(path, index=False)
        options = ["label", "prediction", ",".join(ATTRIBUTES), DEPTH, SMALLEST, ALPHA]
        ran = run([python, HERE / "tools/by_fairaudit.py", path, *options])
    if ran is None:
        raise SystemExit("fairaudit failed: see the message above.")
    lines = result.tests.merge(pd.DataFrame(ran.answer["rows"]), on=["group", "measure"])
    assert len(lines) == len(result.tests) == len(ran.answer["rows"]) - 2  # one line for both sexes
    others = lines["n_others"] / (lines["n"] + lines["n_others"])
    for name in ("estimate", "ci_low", "ci_high"):
        lines[f"{name}_all"] = lines[name] * others
    assert (lines["estimate_all"] - lines["estimate_by"]).abs().max() < 1e-12
    return lines, float(ran.answer["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compas", type=Path, help="compas-scores-two-years.csv")
    parser.add_argument(
        "--fair", type=int, default=0,
        help="also so many sets whose decisions are shuffled within the label",
    )  # fmt: skip
    parser.add_argument("--python", type=Path, default=Path("build/fairaudit/bin/python"))
    options = parser.parse_args()
    people = pd.read_csv(options.compas)
    people["label"] = people["two_year_recid"]
    people["prediction"] = (people["score_text"] != "Low").astype(int)
    lines, seconds = both(people[["label", "prediction", *ATTRIBUTES]], options.python)
    ours = lines["ci_low_all"], lines["ci_high_all"]
    theirs = lines["low_by"], lines["high_by"]
    ratio = (theirs[1] - theirs[0]) / (ours[1] - ours[0])
    print(f"{len(lines)} lines; fairaudit took {seconds:.1f} seconds")
    print(f"width of fairaudit by that of FairPairs: median {ratio.median():.2f}, "
          f"{ratio.min():.2f} to {ratio.max():.2f}")  # fmt: skip
    sizes = pd.cut(lines["n"], [0, 20, 100, 1000, 10**9])
    print(ratio.groupby(sizes, observed=True).agg(["median", "count"]).round(2).to_string())
    flagged = [(low > 0) | (high < 0) for low, high in (ours, theirs)]
    print(f"without 0: FairPairs {flagged[0].sum()}, fairaudit {flagged[1].sum()}, "
          f"both {(flagged[0] & flagged[1]).sum()}; violated by Holm: "
          f"{(lines['pvalue_adjusted'] < ALPHA).sum()}")  # fmt: skip
    for margin in MARGINS:
        within = [(low > -margin) & (high < margin) for low, high in (ours, theirs)]
        beyond = [(low > margin) | (high < -margin) for low, high in (ours, theirs)]
        for what, (own, other) in (("within", within), ("beyond", beyond)):
            print(f"{what} ±{margin:g}: FairPairs {own.sum()}, fairaudit {other.sum()}, "
                  f"both {(own & other).sum()}")  # fmt: skip
    wrong = [0, 0]
    for seed in range(options.fair):
        shuffled = people["prediction"].groupby(people["label"]).sample(frac=1, random_state=seed)
        order = people.index[people["label"].argsort(kind="stable")]
        fair = people.assign(prediction=pd.Series(shuffled.to_numpy(), order))
        lines, _ = both(fair[["label", "prediction", *ATTRIBUTES]], options.python)
        for i, (low, high) in enumerate((("ci_low", "ci_high"), ("low_by", "high_by"))):
            wrong[i] += bool(((lines[low] > 0) | (lines[high] < 0)).any())
    if options.fair:
        shares = [f"{count / options.fair:.3f}" for count in wrong]
        print(f"an interval without 0, in {options.fair} fair sets: FairPairs {shares[0]}, "
              f"fairaudit {shares[1]}")  # fmt: skip


if __name__ == "__main__":
    main()
