# Audit models by judgments in files of the user's, without labels (config: judgments).
# Needs: the files. Makes: results/judgments/<name>/judgments.html and .json, hypotheses.csv, rates.csv, report.txt.


rule audit_judgments:
    input:
        files=lambda wildcards: files_read(CONFIG["judgments"][wildcards.judged]),
    output:
        **of_audit("audit-judgments", "results/judgments/{judged}", "{judged}"),
    log:
        "logs/audit_judgments/{judged}.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        code=digest("audit_judgments"),
        settings=lambda wildcards: CONFIG["judgments"][wildcards.judged],
        alpha=CONFIG["alpha"],
    message:
        "Auditing by the judgments of {wildcards.judged}"
    script:
        "../scripts/audit_judgments.py"
