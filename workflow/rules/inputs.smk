# The input functions of single rules, in the order of the stages; what several rules share is in common.smk.


def raw_entry(wildcards):
    """What the card of a data set or an encoder says of a raw file."""
    name = wildcards.dataset
    about = CONFIG["encoders"][name] if name in CONFIG["encoders"] else card_of(name)
    if wildcards.file not in [entry["name"] for entry in about.get("files", [])]:
        raise WorkflowError(
            f"There is no raw file {wildcards.file} of {name}: its card or the config names none."
        )
    return raw_file(about, wildcards.file)


def listed_by(wildcards):
    """The file that lists what an archive is built from, where a raw file is one."""
    members = raw_entry(wildcards).get("members")
    return [f"data/raw/{wildcards.dataset}/{members['listed']}"] if members else []


def notice(wildcards):
    """The terms of a data set, which are printed when its files are there."""
    name = wildcards.dataset
    return "" if name in CONFIG["encoders"] else card_of(name).get("notice", "")


def study_inputs(wildcards):
    """What a study reads besides the package."""
    study = BRIDGES[wildcards.study]
    dataset, encoder = study["dataset"], study.get("encoder")
    on_images = study["model"] == "fine_tuned"
    return {
        "table": f"data/prepared/{dataset}.parquet",
        "roles": f"data/prepared/{dataset}.json",
        "embedded": [] if on_images else embedded(dataset, encoder),
        "pictures": picture_files(dataset, encoder) if on_images else [],
        "weights": encoder_files(encoder) if on_images else [],
    }


def test_results(wildcards):
    experiment = EXPERIMENTS[wildcards.experiment]
    return expand(
        "results/tests/{experiment}/{dataset}/{treatment}/{test}/{chunk}.parquet",
        experiment=wildcards.experiment,
        dataset=experiment["datasets"],
        treatment=experiment["treatments"],
        test=experiment["tests"],
        chunk=chunks(EXPERIMENTS[wildcards.experiment]),
    )


def table_source(wildcards):
    """The files that a published table is reproduced from."""
    source = PUBLISHED[wildcards.table].about["from"]
    if source.get("simulation") == "estimates":
        return ["results/simulation/estimates.parquet"]
    if "density_ratio" in source:
        name = {
            "synthetic": "correlations",
            "regressors": "regressor_correlations",
            "caps": "caps",
        }[source["density_ratio"]]
        return (
            [f"results/density_ratio/{name}.parquet"]
            if has_no_data(source) or MEASURED
            else []
        )
    if "bridges" in source:
        return study_results(source["bridges"]) if source["bridges"] in BRIDGES else []
    if experiments_of(source):
        return summary_files(
            [name for name in experiments_of(source) if name in EXPERIMENTS]
        )
    if "items" in source:
        return [
            f"data/prepared/{name}.parquet"
            for name in PREPARED
            if name == source["items"]
        ]
    return [
        f"data/prepared/{name}.json"
        for name in source.get("datasets", [])
        if name in PREPARED
    ]


def audit_files():
    """What the audits of the config make."""
    return expand(
        "results/audits/{audit}/{file}", audit=CONFIG["audits"], file=AUDIT_FILES
    )
