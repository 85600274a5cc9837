"""The steps of a run in its RO-Crate: each rule a step, each job an action.

The profile is Provenance Run Crate 0.5, https://w3id.org/ro/wfrun/provenance/0.5.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fairpairs.papers.run.times import Job

PROFILE = "https://w3id.org/ro/wfrun/provenance/0.5"
#: The types of a workflow whose steps are known.
WITH_STEPS = ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
#: Makes a thing of the crate that is no file: identifier, type and properties.
Thing = Callable[..., Any]


def add_steps(crate: Any, thing: Thing, jobs: Sequence[Job], run: Any, scripts: Path) -> Any:
    """Describe the jobs of a run, and return the action of the engine that organised them.

    `run` is the action of the whole workflow, `scripts` the folder of the scripts of the rules.
    """
    if not jobs:
        return None
    rules = list(dict.fromkeys(job.rule for job in jobs))
    steps = {rule: _step(crate, thing, rule, at, scripts) for at, rule in enumerate(rules, start=1)}
    workflow = crate.mainEntity
    workflow["step"] = [step for step, _ in steps.values()]
    workflow["hasPart"] = [tool for _, tool in steps.values()]
    actions: dict[str, list[Any]] = {rule: [] for rule in rules}
    for number, job in enumerate(jobs, start=1):
        actions[job.rule].append(_action(crate, thing, number, job, steps[job.rule][1]))
    controls = [
        thing(
            crate,
            f"#control-{rule}",
            "ControlAction",
            name=f"Run the jobs of {rule}",
            instrument=steps[rule][0],
            object=actions[rule],
        )
        for rule in rules
    ]
    return thing(
        crate,
        "#organise",
        "OrganizeAction",
        name="Snakemake organises the run",
        instrument=crate.get("https://pypi.org/project/snakemake/"),
        object=controls,
        result=run,
        startTime=run["startTime"],
        endTime=run["endTime"],
    )


def _step(crate: Any, thing: Thing, rule: str, position: int, scripts: Path) -> tuple[Any, Any]:
    """Return a rule as a step, and its script, or else the rule itself, as the tool."""
    found = sorted(scripts.rglob(f"{rule}.py"))
    name = found[0].relative_to(scripts.parent.parent).as_posix() if found else f"rule {rule}"
    tool = thing(crate, f"#tool-{rule}", "SoftwareApplication", name=name)
    step = thing(
        crate, f"#step-{rule}", "HowToStep", name=rule, position=str(position), workExample=tool
    )
    return step, tool


def _action(crate: Any, thing: Thing, number: int, job: Job, tool: Any) -> Any:
    """Return a job as an action; its results are those that the crate holds."""
    held = [entity for name in job.outputs if (entity := crate.get(name)) is not None]
    properties: dict[str, Any] = {
        "name": f"{job.rule}: {', '.join(job.outputs)}",
        "instrument": tool,
        "startTime": _date(job.start),
        "endTime": _date(job.end),
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    if held:
        properties["result"] = held
    return thing(crate, f"#job-{number}", "CreateAction", **properties)


def _date(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="seconds")
