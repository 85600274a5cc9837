# Fetch raw files, and weights of encoders: from the mirrors first, then from the public addresses, verified by sha256.
# Needs: the `files` of the card of a data set or of an encoder, and the mirrors, which stand in the environment
# variable FAIRPAIRS_MIRROR: a param would have the files fetched again when it changes. Makes: data/raw/<dataset>/<file>.


def raw_entry(wildcards):
    """The entry of a raw file on the card of a data set, or in that of an encoder."""
    return checked(PLAN.data.raw_entry, wildcards.dataset, wildcards.file)


def archive_list(wildcards):
    """The file that lists what an archive is built from, where a raw file is one."""
    members = raw_entry(wildcards).get("members")
    return [f"data/raw/{wildcards.dataset}/{members['listed']}"] if members else []


def notice(wildcards):
    """The terms of a data set, which are printed when its files are there."""
    name = wildcards.dataset
    return "" if name in PLAN.data.encoders else PLAN.data.card(name).get("notice", "")


rule fetch:
    input:
        listed=archive_list,
    output:
        raw="data/raw/{dataset}/{file}",
    log:
        "logs/fetch/{dataset}/{file}.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(500),
        runtime=growing(30),
    params:
        entry=raw_entry,
        notice=notice,
    message:
        "Fetching {wildcards.file} of {wildcards.dataset}"
    script:
        "../scripts/fetch.py"
