# What the rules share: the plan of the run, the digest of the code that a rule rests on, and resources.
# What a run makes is decided in src/fairpairs/papers/plan/; the rules only ask for names of files.
import math
import os
import time
from types import SimpleNamespace

from snakemake.settings.types import DeploymentMethod

from fairpairs.base.shipped import from_here, link_package
from fairpairs.papers import registry
from fairpairs.audits.lines.files import FILES
from fairpairs.papers.run.failures import failure_text
from fairpairs.papers.run.stopping import end_on_signals, lock_folder
from fairpairs.papers.run.summary import summary_text
from fairpairs.papers.run.watched import Watch
from fairpairs.papers.experiments.blocks import BLOCK, chunk_repeats, minutes_asked
from fairpairs.papers.experiments.parts import versions
from fairpairs.papers.experiments.search import criteria
from fairpairs.papers.plan.audits import (
    audited_files,
    auditing_settings,
    counting_settings,
    files_read,
    shards,
)
from fairpairs.papers.plan.dependencies import Dependencies
from fairpairs.papers.plan.files import (
    figure_files,
    prepared_files,
    sidecars,
    summary_files,
    table_files,
)
from fairpairs.papers.plan.read import read_plan
from fairpairs.papers.plan.report import (
    claims_inputs,
    claims_params,
    first_inputs,
    first_plan,
    report_inputs,
    report_params,
    template_files,
)

if workflow.is_main_process:
    link_package()
# an error in an older log is none of this run
STARTED = time.time()
PLAN = checked(read_plan, config, BASE, load_extensions=workflow.is_main_process)
CONFIG, EXPERIMENTS, DATASETS = PLAN.config, PLAN.experiments, PLAN.data.requested
FIRST = first_plan(PLAN)
# categories of the report of Snakemake, which sorts them by name
AT_A_GLANCE, PAPERS, STUDIES, OF_EXPERIMENTS, AUDITS = (
    "1. At a glance",
    "2. Published tables",
    "3. Studies",
    "4. Experiments",
    "5. Audits",
)
MIRRORS = [
    *filter(None, os.environ.get("FAIRPAIRS_MIRROR", "").split(os.pathsep)),
    *CONFIG["mirrors"],
    *PLAN.data.folders_with_files,
]
# the rule that fetches reads it
os.environ.update(FAIRPAIRS_MIRROR=os.pathsep.join(dict.fromkeys(MIRRORS)))
DEPENDENCIES = Dependencies()
AUDITED = checked(audited_files, CONFIG["audits"])
SHARDS = {
    name: shards(CONFIG["audits"][name], files) for name, files in AUDITED.items()
}
# on a cluster, what gathers all repeats of an experiment runs beside the main process unless they are many
FEW_REPEATS = (
    max([CONFIG["repeats"], *(e.repeats for e in EXPERIMENTS.values())]) <= 10_000
)


def beside(path):
    """What params say of a file that comes with the workflow."""
    return from_here(BASE / path)


def digest(script, *parts, studies=(), file="cells", module=None):
    """The digest of all code that a script, parts of an experiment and a file of studies rest on.

    A script loads its treatment, model, test or study by name, so that it rests on no other; `module` is that of
    the function that it calls. With them are the texts of a study that they read.
    """
    sources = [
        BASE / f"workflow/scripts/{script}.py",
        *PLAN.extension_files(*parts),
        *(path for study in studies for path in PLAN.study_extension_files(study)),
    ]
    modules = [
        f"{registry.KINDS[kind].package}.{name}"
        for kind, name in parts
        if not PLAN.extension_files((kind, name))
    ]
    modules += [f"fairpairs.papers.{module}"] if module else []
    modules += [
        f"fairpairs.papers.studies.{study}.{file}"
        for study in studies
        if not PLAN.study_extension_files(study)
        and (PLAN.folders[study] / f"{file}.py").exists()
    ]
    texts = {"claims": "claims.yaml", "section": "tables.yaml"}.get(file)
    data = [PLAN.folders[study] / texts for study in studies] if texts else []
    if script == "study_table":
        data += [
            folder / "tables.yaml"
            for study, folder in PLAN.folders.items()
            if module.startswith(f"studies.{study}.")
        ]
    return checked(DEPENDENCIES.digest, sources, modules, data)


def step(function, script="study_step"):
    """The params of a step: the function of `fairpairs.papers` that it calls, and the digest of its code."""
    of = function.rpartition(".")[0]
    return {"function": function, "code": digest(script, module=of)}


def table_step(function):
    """The params of a step that writes tables."""
    return step(function, "study_table")


def growing(amount, each=0, held=0):
    """A resource that doubles with every attempt.

    `each` is added for every repeat that a job reads or makes, `held` for every repeat of a block, of which it holds
    one.

    The amounts of the rules are measured (docs/how-to/cluster.md), and rounded up with room for larger data.
    """

    def resource(wildcards, attempt):
        made, chunk = 0, 0
        if "chunk" in wildcards.keys():
            made = chunk = len(chunk_repeats(wildcards.chunk))
        elif "experiment" in wildcards.keys():
            experiment = EXPERIMENTS[wildcards.experiment]
            made, chunk = experiment.repeats, min(
                experiment.chunk_size, experiment.repeats
            )
        return math.ceil(amount + each * made + held * min(chunk, BLOCK)) * 2 ** (
            attempt - 1
        )

    return resource


def resuming(folder, start, each):
    """The minutes of a job that makes a chunk in blocks, `each` for a repeat: an attempt goes on where one was ended."""

    def resource(wildcards, attempt):
        path = "{experiment}/{dataset}/{treatment}/{chunk}.parquet".format(**wildcards)
        return minutes_asked(f"{folder}/{path}", attempt, start, each)

    return resource


def shown(path, caption, category, result, subcategory=None):
    """Mark an output for `snakemake --report`, with a caption of workflow/report/.

    The report sorts categories by name. `result` is the name in its menu: a text, with
    wildcards or not, or a function of the wildcards.
    """
    form = {".csv": "table", ".svg": "figure", ".html": "page"}[
        os.path.splitext(path)[1]
    ]

    def labels(wildcards):
        return {
            "result": result(wildcards) if callable(result) else result,
            "form": form,
        }

    return report(
        path,
        caption=f"../report/{caption}.rst",
        category=category,
        subcategory=subcategory,
        labels=labels,
    )


def of_audit(command, folder, label):
    """The files that a command writes, each as an output of its name; the page is in the report of Snakemake."""
    return {
        name.replace(".", "_"): (
            shown(f"{folder}/{name}", "audit", AUDITS, label)
            if name.endswith(".html")
            else f"{folder}/{name}"
        )
        for name in FILES[command]
    }


# the files of a table, and of a figure
TABLE, FIGURE = (".csv", ".md", ".tex"), (".svg", ".png")


def shown_first(stem, endings, *of):
    """The files of a table or a figure, the first of which is marked as by `shown`."""
    first, *others = (stem + ending for ending in endings)
    return [shown(first, *of), *others]


def of_study(stem, *endings):
    """The files of a study's table or figure, the first of which is in the report of Snakemake.

    The caption is of workflow/report/study.rst, which has a text for each rule.
    """
    _, _, study, *parts = stem.split("/")
    result = ", ".join(part.replace("_", " ") for part in parts)
    title = PLAN.studies[study].title
    return shown_first(stem, endings, "study", STUDIES, result, title)


def tables_of(study, csv={}, **names):
    """The outputs of what writes tables of a study, each output → the name of its table.

    Those of `csv` are not shown in words.
    """
    stems = {
        output: f"results/tables/{study}/{name}"
        for output, name in {**names, **csv}.items()
    }
    return {
        **{name: of_study(stems[name], *TABLE) for name in names},
        **{name: of_study(stems[name], ".csv")[0] for name in csv},
        "provenance": sidecars(*stems.values()),
    }


if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:
    if not CONFIG["container"]:
        raise WorkflowError(
            "No rule has a container of its own; name an image as `container` in the config, as one built from "
            "Containerfile (docs/how-to/run.md)."
        )

    container: CONFIG["container"]


wildcard_constraints:
    audit="|".join(CONFIG["audits"]) or "no audit",
    shard="[A-Za-z0-9_-]+",
    judged="|".join(CONFIG["judgments"]) or "no judgments",
    dataset="[A-Za-z0-9_]+",
    experiment="|".join(CONFIG["experiments"]) or "no experiment",
    encoder="|".join(PLAN.data.encoders) or "no encoder",
    treatment="[A-Za-z0-9_.=+-]+",
    test="[a-z0-9_]+",
    chunk="[0-9]+-[0-9]+",
    study="|".join(PLAN.studies),
    table="|".join({table.number for table in PLAN.published.values()} or ["-"]),
    file="[^/]+",


onstart:
    checked(lock_folder)
    end_on_signals()
    # with a limit of jobs per time, every pass of the scheduler plans another, and the passes pile up
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    else:
        Watch(
            workflow.scheduler._executor, workflow.execution_settings.latency_wait
        )


onsuccess:
    if all(map(os.path.exists, ["results/comparison.csv", "results/report.html"])):
        print(
            summary_text(
                "results",
                PLAN.missing,
                PLAN.all_tables,
                reported=report_params(PLAN, BASE),
                since=STARTED,
            ),
            file=sys.stderr,
        )


onerror:
    failed = [
        (job.message or job.rule.name, [*job.log])
        for submitted in workflow.scheduler.failed
        for job in (submitted.jobs if submitted.is_group() else [submitted])
    ]
    print(failure_text(failed, PLAN.missing, since=STARTED), file=sys.stderr)
