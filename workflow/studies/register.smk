# Register: level, coverage and power of other libraries' tests and intervals of group differences, and of ours.
# Needs: the config, workflow/tools, the package index for other libraries. Makes: results/register/<tool>.csv,
# results/tables/register/levels.csv, .md and .tex, results/figures/register/levels.svg and .png.

from fairpairs.papers.studies.register import study as register_study
from fairpairs.papers.studies.register.tools import chosen_tools

REGISTER = register_study.size(PLAN)
TOOLS = checked(chosen_tools, BASE / "workflow/tools", REGISTER) if REGISTER else {}
# results of the full size, which a small one has beside its own
OF_FULL_SIZE = [beside("docs/explanation/register/levels.csv")]
OF_FULL_SIZE = [] if register_study.is_full(PLAN) else OF_FULL_SIZE
ENVIRONMENTS = "build/register"


# on a cluster beside the main process, because other nodes may have no package index
rule install_tool:
    input:
        tool=lambda wildcards: TOOLS[wildcards.tool].files,
        package=package("register/install_tool"),
    output:
        reason=temp("results/register/{tool}.reason.txt"),
    log:
        "logs/install_tool/{tool}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        tools=beside("workflow/tools"),
        environments=ENVIRONMENTS,
    message:
        "Installing {wildcards.tool}"
    script:
        "../scripts/register/install_tool.py"


rule measure_tool:
    input:
        tool=lambda wildcards: TOOLS[wildcards.tool].files,
        reason=lambda wildcards: (
            [f"results/register/{wildcards.tool}.reason.txt"]
            if TOOLS[wildcards.tool].packages
            else []
        ),
        package=package("register/measure_tool"),
        called=lambda wildcards: checked(
            DEPENDENCIES.files, TOOLS[wildcards.tool].sources
        ),
    output:
        study="results/register/{tool}.csv",
    log:
        "logs/measure_tool/{tool}.log",
    benchmark:
        "logs/measure_tool/{tool}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(120),
    params:
        tools=beside("workflow/tools"),
        environments=ENVIRONMENTS,
        sets=lambda wildcards: REGISTER.get("fewer", {}).get(
            wildcards.tool, REGISTER["sets"]
        ),
        worlds=REGISTER.get("worlds"),
        seed=CONFIG["seed"],
    message:
        "Measuring level, coverage and power: {wildcards.tool}"
    script:
        "../scripts/register/measure_tool.py"


rule table_register:
    input:
        studies=expand("results/register/{tool}.csv", tool=TOOLS),
        full=OF_FULL_SIZE,
        package=package("register/table_register"),
    output:
        tables=of_study("results/tables/register/levels", ".csv", ".md", ".tex"),
        provenance=sidecars("results/tables/register/levels"),
    log:
        "logs/table_register.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Gathering level, coverage and power of all tools"
    script:
        "../scripts/register/table_register.py"


rule figure_register:
    input:
        table=OF_FULL_SIZE or ["results/tables/register/levels.csv"],
        package=package("register/figure_register"),
    output:
        figures=of_study("results/figures/register/levels", ".svg", ".png"),
    log:
        "logs/figure_register.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Drawing level and power of all tools"
    script:
        "../scripts/register/figure_register.py"
