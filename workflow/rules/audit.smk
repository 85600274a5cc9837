# Audit the predictions of a model in files of the user's, or compare two models (config: audits).
# Needs: the file, the counts of many files, or the files of both models. Makes: results/audits/<name>/audit.html, .json and .csv, and rates.csv; of two models
# compare.html, .json and .csv, decisions.csv and changed.csv.
COMPARED = [name for name, settings in CONFIG["audits"].items() if "old" in settings]


rule audits:
    input:
        expand(
            "results/audits/{audit}/{file}",
            audit=[name for name in CONFIG["audits"] if name not in COMPARED],
            file=FILES["audit"],
        ),
        expand("results/audits/{audit}/{file}", audit=COMPARED, file=FILES["compare"]),
        expand(
            "results/judgments/{judged}/{file}",
            judged=CONFIG["judgments"],
            file=FILES["audit-judgments"],
        ),
    localrule: True


rule audit:
    input:
        files=audited,
    output:
        **of_audit("audit", "results/audits/{audit}", "{audit}"),
    log:
        "logs/audit/{audit}.log",
    localrule: not any(SHARDS.values())
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        code=digest("audit"),
        settings=lambda wildcards: auditing_settings(
            CONFIG["audits"][wildcards.audit], counted=bool(SHARDS[wildcards.audit])
        ),
        alpha=CONFIG["alpha"],
        seed=CONFIG["seed"],
    message:
        "Auditing {wildcards.audit}"
    script:
        "../scripts/audit.py"


rule compare_models:
    input:
        old=lambda wildcards: CONFIG["audits"][wildcards.audit]["old"],
        new=lambda wildcards: CONFIG["audits"][wildcards.audit]["new"],
    output:
        **of_audit("compare", "results/audits/{audit}", "{audit}"),
    log:
        "logs/compare_models/{audit}.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        code=digest("compare_models"),
        settings=lambda wildcards: CONFIG["audits"][wildcards.audit],
        alpha=CONFIG["alpha"],
    message:
        "Comparing the models of {wildcards.audit}"
    script:
        "../scripts/compare_models.py"
