"""The report: one HTML file that opens offline."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml

from fairpairs.datasets.prepared import read_roles
from fairpairs.experiments.summaries import remark
from fairpairs.files import read_parquet, write_text
from fairpairs.output.provenance import read_provenance, stamps
from fairpairs.output.tables import cell_text, experiment_display_table, label
from fairpairs.published.comparison import AGREES, DIFFERS, NOT_COMPARABLE, tally
from fairpairs.published.table import PublishedTable, read_published
from fairpairs.report.findings import findings
from fairpairs.studies.calibration.designs.tables import NOTE
from fairpairs.studies.differential_parity.bridge_tables import display_table as bridges_table
from fairpairs.studies.differential_parity.predictions_and_labels import (
    NOTE as PARITY_NOTE,
    TESTS as PARITY,
    display_table as parity_table,
)
from fairpairs.studies.differential_parity.rater_tables import (
    display_table as rater_table,
    summary as rater_summary,
)
from fairpairs.studies.xauc.curve_figures import FIGURES as KINDS
from fairpairs.studies.xauc.tables import display_table, notes, ranking_rows, treatment_effects
from fairpairs.texts import decimals

#: Name of a paper → what the report calls it in short and in full, in its order.
PAPERS = {
    "comparative_separation": (
        "Comparative separation",
        "Xi, Capak, Stockwell and Yu: Comparative Separation: Evaluating Separation on Comparative "
        "Judgment Test Data",
    ),
    "xauc": (
        "xAUC",
        "Kallus and Zhou: The Fairness of Risk Scores Beyond Classification: Bipartite Ranking and "
        "the xAUC Metric",
    ),
    "differential_parity": (
        "Differential parity",
        "Yu and Xi: Differential Parity: Relative Fairness Between Two Sets of Decisions",
    ),
    "density_ratio": (
        "Density ratios",
        "A Comprehensive Evaluation of the Sensitivity of Density-Ratio Estimation Based Fairness "
        "Measurement in Regression",
    ),
}


def write_report(
    report: str | Path,
    *,
    published: Sequence[str | Path],
    schema: str | Path,
    config: Mapping[str, Any],
    experiments: Mapping[str, Mapping[str, Any]],
    missing: Mapping[str, Mapping[str, Any]],
    datasets: Sequence[str],
    provenance: Sequence[str | Path] = (),
) -> None:
    """Write the report from the results that lie beside it.

    Parameters
    ----------
    report
        `results/report.html`; tables, figures and summaries are read from its folder, prepared
        data sets from `data/prepared` beside that.
    published
        The published tables that are shown.
    schema
        Schema of the published tables.
    config
        The config of the run.
    experiments
        The experiments of the run that have data.
    missing
        Data sets that the run left out: the `title` of the card and the `reason` of each.
    datasets
        The data sets that are available.
    provenance
        The sidecars of the tables (see `fairpairs.output.provenance`).
    """
    parity = config.get("differential_parity", {})
    bridges = {k: v for k, v in parity.get("bridges", {}).items() if v["dataset"] in datasets}
    raters = [name for name in parity.get("raters", []) if name in datasets]
    results = Path(report).parent
    origins = read_provenance(provenance)
    tables = [_table(read_published(path, schema), results) for path in published]
    tables.sort(key=lambda table: table["order"])
    totals = {
        verdict: sum(table["tally"][verdict] for table in tables)
        for verdict in (AGREES, DIFFERS, NOT_COMPARABLE)
    }
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fairpairs.report"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    by_paper = _by_paper(tables)
    page = environment.get_template("report.html.j2").render(
        totals=totals,
        tables=tables,
        by_paper=by_paper,
        shown=lambda name: any(paper["name"] == name for paper in by_paper),
        findings=findings(results),
        experiments=[
            _experiment(name, settings, results) for name, settings in experiments.items()
        ],
        datasets=[
            read_roles(results.parent / "data/prepared" / f"{name}.json") for name in datasets
        ],
        calibration=_calibration(config, results),
        rankings=[
            _ranking(name, settings, results)
            for name, settings in experiments.items()
            if {"ranking", "xauc"} <= set(settings["tests"])
        ],
        decisions=_decisions(experiments, bridges, raters, results),
        density_ratio=_density_ratio(results),
        missing=missing,
        quick=quick_look(config, tables),
        config=config,
        config_text=yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True),
        overview=_svg(results / "figures/comparison.svg"),
        figure_1=_svg(results / "figures/comparative_separation/figure_1.svg"),
        origins=origins,
        stamps=stamps(origins),
        raw={name: files for origin in origins for name, files in origin["data"].items()},
        made=dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )
    write_text(report, page)


def _by_paper(tables: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the papers in the order of `PAPERS` with their tables and counts."""
    found = []
    for name, (short, title) in PAPERS.items():
        own = [table for table in tables if table["paper"] == name]
        if own:
            counts = {
                verdict: sum(table["tally"][verdict] for table in own)
                for verdict in (AGREES, DIFFERS, NOT_COMPARABLE)
            }
            found.append(
                {"name": name, "short": short, "title": title, "tables": len(own),
                 "tally": counts, "own": own}
            )  # fmt: skip
    return found


def quick_look(config: Mapping[str, Any], tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say where a run has fewer repeats than the paper."""
    notes = []
    for table in tables:
        names = table["from"].experiments
        known = [config["experiments"][name] for name in names if name in config["experiments"]]
        repeats = [experiment.get("repeats", config["repeats"]) for experiment in known]
        own = min(repeats, default=config["repeats"])
        if table["from"].results == "simulation":
            own = config["comparative_separation"]["simulation"]["repeats"]
        if own < table["runs"]:
            notes.append(
                f"{table['heading']}: {own:,} repeats where the paper has {table['runs']:,}"
            )
    return notes


def _table(published: PublishedTable, results: Path) -> dict[str, Any]:
    comparison = read_parquet(results / "comparisons" / f"{published.name}.parquet")
    rows, columns = list(dict.fromkeys(published.cells["row"])), published.columns
    cells = {
        (cell["row"], cell["column"]): {
            "text": cell_text(cell),
            "verdict": cell["verdict"],
            "title": f"z = {cell['z']:.2f}" if pd.notna(cell["z"]) else "",
        }
        for _, cell in comparison.iterrows()
    }
    for place in product(rows, columns):  # where the paper has no number
        cells.setdefault(place, {"text": "–", "verdict": "", "title": ""})
    words = list(dict.fromkeys(published.texts["column"]))
    if words:
        ours = pd.read_csv(
            results / "tables" / f"{published.name}.csv", index_col="row", dtype=str
        ).fillna("–")
        for row, column, printed, _ in published.texts.itertuples(index=False):
            text = f"{ours[column][row]} ({printed})"
            cells[row, column] = {"text": text, "verdict": "", "title": ""}
    differing = comparison[comparison["verdict"] == DIFFERS]
    noted = comparison[comparison["note"] != ""]
    notes = noted.groupby("note", sort=False).apply(
        lambda group: [f"{row}, {column}" for row, column in group[["row", "column"]].to_numpy()]
    )
    return {
        "name": published.name,
        "paper": published.study,
        "heading": published.heading,
        "order": (published.spec.get("table", 3.5), published.name),
        "title": published.spec["title"],
        "source": published.spec["source"],
        "from": published.source,
        "runs": published.spec.get("runs", 0),
        "remarks": published.spec.get("remarks", ""),
        "rows": rows,
        "columns": [*columns, *words],
        "cells": cells,
        "tally": tally(comparison),
        "differing": differing.to_dict("records"),
        "notes": {} if noted.empty else {
            note: places if len(places) < len(comparison) else ["Every cell"]
            for note, places in notes.items()
        },
        "figure": _svg(results / "figures" / f"{published.name}.svg"),
    }  # fmt: skip


def _experiment(name: str, settings: Mapping[str, Any], results: Path) -> dict[str, Any]:
    summary = read_parquet(results / "summaries" / f"{name}.parquet")
    estimates = read_parquet(results / "summaries" / f"{name}.estimates.parquet")
    tested = estimates["test"].isin(set(summary["test"]))
    means = estimates[~tested]
    return {
        "name": name,
        "title": settings["title"],
        "settings": settings,
        "wide": experiment_display_table(summary, estimates),
        "rows": [
            {
                "dataset": label(row["dataset"]),
                "attribute": row["attribute"],
                "treatment": label(row["treatment"]),
                "test": label(row["test"]),
                "violated": decimals(row["violated"], 3),
                "standard_error": decimals(row["standard_error"], 3),
                "remark": remark(row),
            }
            for row in summary.to_dict("records")
        ]
        + [
            {
                "dataset": label(row["dataset"]),
                "attribute": row["attribute"],
                "treatment": label(row["treatment"]),
                "test": row["hypothesis"],
                "violated": decimals(row["mean"], 3),
                "standard_error": decimals(row["standard_error"], 3),
                "remark": "mean over the repeats",
            }
            for row in means.to_dict("records")
        ],
        "effects": [
            {
                **{key: label(row[key]) for key in ("dataset", "treatment", "test")},
                **{key: row[key] for key in ("attribute", "hypothesis")},
                **{
                    key: decimals(row[key], 3)
                    for key in ("mean", "standard_error", "run_sd", "rejected")
                },
            }
            for row in estimates[tested].to_dict("records")
        ],
        "figure": _svg(results / "figures" / f"{name}.svg"),
    }


def _ranking(name: str, settings: Mapping[str, Any], results: Path) -> dict[str, Any]:
    """Return what the report shows of the ranking of an experiment."""
    summary = {
        part: read_parquet(results / "summaries" / f"{name}{ending}.parquet")
        for part, ending in (("violations", ""), ("estimates", ".estimates"))
    }
    rows = ranking_rows(summary)
    roles = [
        read_roles(results.parent / "data/prepared" / f"{dataset}.json")
        for dataset in settings["datasets"]
    ]
    figures = {
        title: _svg(results / "figures/xauc" / kind / f"{name}.svg", own=f"{kind}-{name}")
        for kind, title in KINDS.items()
    }
    return {
        "title": settings["title"],
        "table": display_table(rows),
        "notes": notes(rows, roles),
        "warnings": [about for about in roles if about["warning"]],
        "model_sees_groups": all(
            f"sensitive_{name}" in about["features"]
            for about in roles
            for name in about["sensitive"]
        ),
        "effects": treatment_effects(rows),
        "forest": _svg(results / "figures/xauc" / f"{name}.svg", own=f"ranking-{name}"),
        "figures": {title: figure for title, figure in figures.items() if figure},
    }


def _decisions(
    experiments: Mapping[str, Mapping[str, Any]],
    bridges: Mapping[str, Mapping[str, Any]],
    raters: Sequence[str],
    results: Path,
) -> dict[str, Any]:
    """Return what the report shows of differential parity: people, bridges, predictions."""
    figures, tables = (results / kind / "differential_parity" for kind in ("figures", "tables"))
    people = []
    for name in raters:
        about = read_roles(results.parent / "data/prepared" / f"{name}.json")
        pairs, each = (
            read_parquet(results / "differential_parity/raters" / f"{name}.{part}.parquet")
            for part in ("pairs", "people")
        )
        people.append(
            {
                "title": about["title"],
                "summary": rater_summary(pairs, each, about),
                "table": rater_table(each),
                "figure": _svg(
                    figures / f"raters/{name}.svg",
                    own=f"raters-{name}",
                ),
            }
        )
    studies = [
        {
            "title": study.get("title", name),
            "figure": _svg(
                figures / f"bridges/{name}.svg",
                own=f"bridges-{name}",
            ),
            "conclusions": pd.read_csv(
                tables / f"bridges/{name}_conclusions.csv",
                dtype=str,
                index_col=0,
            ).fillna("–"),
            "cells": bridges_table(_csv(tables / f"bridges/{name}.csv")),
        }
        for name, study in bridges.items()
    ]
    predictions = []
    for name, settings in experiments.items():
        if not set(PARITY) <= set(settings["tests"]):
            continue
        folder = results / "figures/differential_parity/predictions"
        rows = _csv(results / "tables/differential_parity/predictions" / f"{name}.csv")
        predictions.append(
            {
                "title": settings["title"],
                "table": parity_table(rows),
                "figure": _svg(folder / f"{name}.svg", own=f"differential_parity-{name}"),
            }
        )
    return {"people": people, "studies": studies, "predictions": predictions, "note": PARITY_NOTE}


def _csv(path: Path) -> pd.DataFrame:
    """Read a tidy table; a name stays a name, whether it looks like a number or a missing value."""
    names = ("dataset", "attribute", "treatment", "decisions", "reference", "row")
    return pd.read_csv(path, dtype=dict.fromkeys(names, str), keep_default_na=False, na_values=[""])


def _density_ratio(results: Path) -> dict[str, Any]:
    """Return what the report shows of the study of density-ratio measures, where it was run."""
    shown = {}
    names = (
        "density_ratio_estimators",
        "known_separation",
        *(
            f"density_ratio_{name}"
            for name in ("conclusions", "caps", "regressor_asterisks", "regressors")
        ),
    )
    for name in names:
        path = results / "tables/density_ratio" / f"{name.removeprefix('density_ratio_')}.md"
        if path.exists():
            shown[name] = _written_table(path)
    figures = {
        name: _svg(results / f"figures/density_ratio/{name}.svg")
        for name in ("synthetic", "regressors")
    }
    return {"tables": shown, "figures": figures}


def _written_table(path: Path) -> dict[str, Any]:
    """Read a table for people, in Markdown: its title, columns, rows and note."""
    title, _, *lines = path.read_text("utf-8").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    return {
        "title": title.removeprefix("# "),
        "columns": rows[0],
        "rows": rows[2:],
        "note": lines[-1],
    }


def _calibration(config: Mapping[str, Any], results: Path) -> dict[str, Any] | None:
    """Return what the report shows of the study of levels and power; None if the run has none."""
    if not config.get("calibration", {}).get("designs"):
        return None
    size = config["calibration"]["sizes"][config["calibration"]["size"]]
    tables = {}
    for kind in ("items", "pairs"):
        path = results / f"tables/calibration/{kind}.csv"
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        tables[kind] = {"columns": list(table), "rows": table.to_numpy().tolist()}
    levels = results / "tables/calibration/levels.md"
    return {
        "size": size,
        "levels": _written_table(levels) if levels.exists() else None,
        "tables": tables,
        "figures": {
            name: _svg(results / f"figures/calibration/{name}.svg")
            for name in ("rejections", "label_mix", "power", "levels")
        },
        "note": NOTE,
    }


def _svg(path: Path, own: str = "") -> str:
    if not path.exists():
        return ""
    text = path.read_text("utf-8")
    # figures in one page must not share the names of their parts
    text = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{own or path.stem}-", text)
    return text[text.index("<svg") :]
