"""Tables of the promises of the tests, worst cases first."""

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import write_table

NOTE = (
    "Of every test and promise the worst case, apart for results without and with a note. Level: "
    "share of data sets in which a true hypothesis is rejected after the correction, or in which a "
    "difference of the margin is said to lie within it, at most 0.05 without a note and 0.1 with "
    "one. Coverage: share of 95 % intervals that hold the truth, at least 0.93 and 0.9. Power: "
    "share of studies of the planned size that find what they were planned for, at least the "
    "planned power less 0.03; or of unfair data sets that are found, at least the share that the "
    "best textbook test finds whose level is not broken, less 0.03. ± Monte Carlo standard error. "
    "A promise is broken where chance alone explains the number in less than 1 % (the bound), so "
    "with few data sets most count as kept."
)


def with_error(number, error):
    """Write a number with its Monte Carlo standard error."""
    return f"{decimals(number, 3)} ± {decimals(error, 3)}"


def worst_first(study):
    """Return the rows of all tests: broken promises first, then by distance from the bound."""
    over = study["bound"] - study["promised"]
    study = study.assign(over=over.where(study["promise"] == "level", -over))
    keys = ["kept", "over", "test", "case", "of"]
    study = study.sort_values(keys, ascending=[True, False, True, True, True])
    return study.drop(columns="over").reset_index(drop=True)


def worst_cases(study):
    """Return the worst case of each test and promise in words, without and with a note."""
    study = study[study["promised"].notna()]  # competitors promise nothing
    worst = study[~study.duplicated(["test", "promise", "noted"])]
    at_most = worst["promise"] == "level"
    columns = {
        "Test": worst["test"],
        "Promise": worst["promise"],
        "Note": np.where(worst["noted"], "with", "without"),
        "Promised": np.where(at_most, "≤ ", "≥ ") + worst["promised"].map("{:g}".format),
        "Measured": map(with_error, worst["measured"], worst["standard_error"]),
        "Of": worst["of"],
        "Worst case": worst["case"],
        "Data sets": worst["sets"].map("{:,}".format),
        "Kept": np.where(worst["kept"], "yes", "no"),
    }
    return pd.DataFrame({name: list(values) for name, values in columns.items()})


def treatments_table(study):
    """Return the level and the power of each comparison of treatments, a row for each world."""
    study = study[study["test"] == "treatments"]
    test = study["of"].replace("violated", "corrected resampled t")
    world = np.where(study["promise"] == "power", "power: ", "") + study["case"]
    cells = map(with_error, study["measured"], study["standard_error"])
    table = study.assign(world=world, of=test, cell=list(cells))
    table = table.sort_values("promise", kind="stable")  # levels before powers
    return table.pivot_table("cell", "world", "of", aggfunc="first", sort=False).reset_index()


def write_tables(study, folder):
    """Write all numbers as levels.csv, the worst cases as worst.csv, and that of treatments."""
    if (study["test"] == "treatments").any():
        write_table(folder / "treatments", treatments_table(study))
    study = worst_first(study)
    write_table(folder / "levels", study)
    if study["promised"].notna().any():
        write_table(folder / "worst", worst_cases(study))
