# Count the predictions in one of many files by what an audit reads, so that rule audit adds up the counts.
# Needs: the file. Makes: results/counts/<audit>/<shard>.counts, which is kept: with a new file only that one is counted.


rule count:
    input:
        file=lambda wildcards: SHARDS[wildcards.audit][wildcards.shard],
    output:
        counts="results/counts/{audit}/{shard}.counts",
    log:
        "logs/count/{audit}/{shard}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        code=digest("count"),
        roles=lambda wildcards: counting_settings(CONFIG["audits"][wildcards.audit]),
    message:
        "Counting {input.file} for {wildcards.audit}"
    script:
        "../scripts/count.py"
