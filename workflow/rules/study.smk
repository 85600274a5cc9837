# What steps share (`use rule study_step as … with`), and those that write tables. Their param `function` names a
# function of the package, most of a study, whose arguments are the inputs, outputs, params and wildcards of the same
# names.
# `localrule` is not handed on: each says it again.


rule study_table:
    log:
        "logs/study_table.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Showing a table of a study"
    script:
        "../scripts/study_table.py"


rule study_step:
    log:
        "logs/study_step.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Making a step"
    script:
        "../scripts/study_step.py"


# the rules that only one study has; those of an extension lie in its folder
for name, folder in PLAN.folders.items():
    ours = BASE / f"workflow/studies/{name}.smk"
    rules_of_study = ours if ours.exists() else (folder / "rules.smk").absolute()
    if rules_of_study.exists():

        include: rules_of_study
