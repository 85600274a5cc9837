# Say which of the papers' conclusions hold on the results of the run.
# Needs: all tables. Makes: results/claims.csv.


rule claims:
    input:
        tables=claims_inputs(PLAN),
    output:
        claims=shown("results/claims.csv", "claims", AT_A_GLANCE, "The papers' claims"),
        provenance=sidecars("results/claims"),
    log:
        "logs/claims.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **claims_params(PLAN),
        code=digest("claims", studies=PLAN.studies, file="claims"),
    message:
        "Checking the papers' conclusions"
    script:
        "../scripts/claims.py"
