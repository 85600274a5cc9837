# Say which of the papers' conclusions hold on the results of the run.
# Needs: all tables. Makes: results/claims.csv.


rule claims:
    input:
        tables=claims_inputs(PLAN),
        package=package("claims", studies=PLAN.studies, file="claims"),
    output:
        claims=report(
            "results/claims.csv", caption="../report/claims.rst", category="Papers"
        ),
        provenance=sidecars("results/claims"),
    log:
        "logs/claims.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **claims_params(PLAN),
    message:
        "Checking the papers' conclusions"
    script:
        "../scripts/claims.py"
