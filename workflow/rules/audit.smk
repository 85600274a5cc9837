# Audit the predictions of a model in a file of the user's (config: audits).
# Needs: the file. Makes: results/audits/<name>/audit.html, .json and .csv, and rates.csv.


rule audits:
    input:
        expand(
            "results/audits/{audit}/{file}", audit=CONFIG["audits"], file=AUDIT_FILES
        ),
    localrule: True


rule audit:
    input:
        file=lambda wildcards: CONFIG["audits"][wildcards.audit]["file"],
        package=package("audit"),
    output:
        **{
            name.replace(".", "_"): f"results/audits/{{audit}}/{name}"
            for name in AUDIT_FILES
        },
    log:
        "logs/audit/{audit}.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        settings=lambda wildcards: CONFIG["audits"][wildcards.audit],
        alpha=CONFIG["alpha"],
        seed=CONFIG["seed"],
    message:
        "Auditing {wildcards.audit}"
    script:
        "../scripts/audit.py"
