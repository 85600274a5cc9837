"""The inputs and params of the rules claims, report and first_report."""

import dataclasses
from pathlib import Path

from fairpairs.base.plain_values import Record
from fairpairs.base.shipped import from_here
from fairpairs.papers.plan import files
from fairpairs.papers.plan.plan import Plan


def first_plan(plan: Plan) -> Plan:
    """Return the part of a run that its first report shows.

    These are the published tables that `first` of the config names, and the experiments that they
    rest on; without such tables the first experiment alone.
    """
    tables = [name for name in plan.tables if name in plan.config["first"]]
    sources = [plan.published[name].source for name in tables]
    wanted = {name for source in sources for name in source.experiments}
    if not tables:
        wanted = set(list(plan.experiments)[:1])
    experiments = {k: v for k, v in plan.config["experiments"].items() if k in wanted}
    datasets = {name for table in tables for name in plan.source_datasets(table)}
    datasets |= {name for settings in experiments.values() for name in settings["datasets"]}
    studies = {plan.published[name].study for name in tables}
    return dataclasses.replace(
        plan,
        config={**plan.config, "experiments": experiments},
        data=dataclasses.replace(
            plan.data, cards={k: v for k, v in plan.data.cards.items() if k in datasets}
        ),
        studies={k: v for k, v in plan.studies.items() if k in studies},
        published={k: v for k, v in plan.published.items() if k in tables},
        missing={k: v for k, v in plan.missing.items() if k in datasets},
    )


def first_inputs(plan: Plan) -> dict[str, list[str]]:
    """Name the inputs of the first report, for the part of a run that `first_plan` returns."""
    names = [*plan.tables, *plan.tested]
    return {
        "tables": [*files.table_files(names), *files.treatment_files(plan.compared)],
        "provenance": files.sidecars(*(f"results/tables/{name}" for name in names)),
        "figures": files.figure_files(
            [*plan.drawn, *plan.tested, *(f"treatments/{name}" for name in plan.compared)]
        ),
        **_shown(plan),
    }


def report_inputs(plan: Plan) -> dict[str, list[str]]:
    """Name the inputs of the report of a run."""
    return {
        "tables": plan.all_tables,
        "provenance": plan.all_sidecars,
        "figures": plan.all_figures,
        "results": [f for of in plan.results.values() for r in of.values() for f in r.files],
        "claims": [files.CLAIMS],
        **_shown(plan),
    }


def _shown(plan: Plan) -> dict[str, list[str]]:
    return {
        "comparisons": [f"results/comparisons/{name}.parquet" for name in plan.tables],
        "summaries": files.summary_files(plan.tested),
        "roles": plan.roles_files(plan.datasets),
        "published": plan.published_files(plan.tables),
    }


def report_params(plan: Plan, base: Path) -> Record:
    """Return the params of the script of a report; `base` is the checkout."""
    shipped = Path(base, "config/datasets").resolve()
    return {
        "config": dict(plan.config),
        "experiments": {name: dataclasses.asdict(plan.experiments[name]) for name in plan.shown},
        "datasets": plan.datasets,
        "missing": {
            name: {"title": plan.data.card(name)["title"], "reason": reason}
            for name, reason in plan.missing.items()
        },
        "studies": {
            name: {
                "title": study.title,
                "citation": study.citation,
                "words": dict(study.words),
                "folder": from_here(plan.folders[name]),
            }
            for name, study in plan.studies.items()
        },
        "words": plan.data.words(plan.datasets),
        "titles": {name: plan.data.titles(plan.experiments[name].datasets) for name in plan.shown},
        "project_experiments": [
            name
            for name in plan.shown
            if any(
                plan.data.card_files[dataset].resolve().parent != shipped
                for dataset in plan.experiments[name].datasets
            )
        ],
        "repeats": {table: plan.repeats(table) for table in plan.tables},
    }


def template_files(plan: Plan) -> list[str]:
    """Name the templates of a report: those of the package, and those of the studies."""
    folders = [Path(__file__).parents[1] / "report/templates", *plan.folders.values()]
    return [
        from_here(file)
        for folder in folders
        for file in sorted(folder.iterdir())
        if file.suffix in (".j2", ".css", ".js")
    ]


def claims_inputs(plan: Plan) -> list[str]:
    """Name the CSV tables that checks may read: all but the claims."""
    return [file for file in plan.all_tables if file.endswith(".csv") and file != files.CLAIMS]


def claims_params(plan: Plan) -> Record:
    """Return what the script needs to know: the studies with claims, in the report's order."""
    return {
        "studies": {
            name: from_here(plan.folders[name])
            for name in plan.studies
            if (plan.folders[name] / "claims.py").exists() and plan.study_files(name)
        },
        "config": dict(plan.config),
    }
