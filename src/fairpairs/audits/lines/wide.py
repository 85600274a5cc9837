"""Numbers of groups as wide tables, a row per group, as fairlearn's MetricFrame has them."""

import numpy as np
import pandas as pd

#: Columns of a table that name a row of a wide one, apart from the group.
KEYS = ("model", "attribute", "reference")


def wide(rows: pd.DataFrame, *values: str) -> pd.DataFrame:
    """Return a row per group and a column per measure (and per value, if there are several).

    The index has the group; also the attribute and what else a group may have several of.
    """
    measures = rows["measure" if "measure" in rows else "criterion"]
    if "label_class" in rows:
        of_class = measures + " of " + rows["label_class"]
        measures = measures.where(rows["label_class"] == "", of_class)
    rows = rows.assign(measure=measures)
    keys = [name for name in KEYS if name in rows and len({*rows[name]}) > 1]
    for name in (*keys, "group"):
        rows = rows[rows[name].astype(str) != ""]  # of a test of all groups at once
    table = rows.pivot(index=[*keys, "group"], columns="measure", values=list(values))
    columns = [(value, name) for name in dict.fromkeys(rows["measure"]) for value in values]
    order = rows[[*keys, "group"]].drop_duplicates().itertuples(index=False, name=None)
    table = table.loc[[key if keys else key[0] for key in order], columns]
    if not keys and "attribute" in rows:
        table.index.name = rows["attribute"].iloc[0]
    return table.droplevel(0, axis=1) if len(values) == 1 else table.swaplevel(axis=1)


def largest(table: pd.DataFrame) -> pd.Series | pd.DataFrame:
    """Return the largest difference of two groups by measure; of several attributes, a row each."""
    if table.index.nlevels == 1:
        return (table.max() - table.min()).rename("difference")
    groups = table.groupby(level=0, sort=False)
    return groups.max() - groups.min()


def over_all(rates: pd.DataFrame) -> pd.Series:
    """Return each rate, and each mean, over all items of the first attribute.

    `rates` has `measure`, `estimate`, `count` (NaN of what is no rate) and `n`. What groups alone
    do not tell, such as an AUC, is left out.
    """
    overall = {}
    if "attribute" in rates:
        rates = rates[rates["attribute"] == rates["attribute"].iloc[0]]
    if "label_class" in rates:
        rates = rates[rates["label_class"] == ""]
    for measure, rows in rates.groupby("measure", sort=False):
        counted = rows["count"].notna().all()
        if counted or str(measure).startswith("mean "):
            known = rows[rows["n"] > 0]
            sums = known["count"] if counted else known["estimate"] * known["n"]
            overall[str(measure)] = sums.sum() / known["n"].sum() if len(known) else np.nan
    return pd.Series(overall, dtype=float, name="overall")
