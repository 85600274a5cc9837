# What the rules read and make, by their wildcards: functions that the rules name, in the order of the stages.


def experiment_of(wildcards):
    return EXPERIMENTS[wildcards.experiment]


def of_experiment(key):
    """The function of wildcards that returns what their experiment has of this name."""
    return lambda wildcards: getattr(experiment_of(wildcards), key)


def arm_of(wildcards):
    """The model and the treatment of predictions; of an experiment without a treatment the first."""
    arms = experiment_of(wildcards).arms
    return arms[wildcards.get("treatment", next(iter(arms)))]


def of_arm(key):
    """The same of the model and the treatment of predictions."""
    return lambda wildcards: getattr(arm_of(wildcards), key)


def extensions_of_arm(wildcards):
    """The files of the user's project that have the model and the treatment."""
    return PLAN.extension_files(*arm_of(wildcards).parts)


def repeats_of(wildcards):
    return chunk_repeats(wildcards.chunk)


def prepared_of(wildcards):
    """The prepared data sets of an experiment, in its order."""
    return prepared_files(experiment_of(wildcards).datasets)


def predictions_of(wildcards):
    """All predictions of an experiment."""
    return PLAN.arm_files("predictions", wildcards.experiment)


def titles_of(wildcards):
    """The titles of the data sets of an experiment."""
    return PLAN.data.titles(experiment_of(wildcards).datasets)


def summary_of(wildcards):
    return summary_files([wildcards.experiment])


def audited(wildcards):
    """The files that an audit reads: its own, or the counts of each."""
    counted = SHARDS[wildcards.audit]
    return [
        f"results/counts/{wildcards.audit}/{shard}.counts" for shard in counted
    ] or AUDITED[wildcards.audit]


def title_of_study(wildcards):
    return PLAN.studies[wildcards.study].title


def title_of_table(wildcards):
    """What the paper calls a table: "Table 5" or "Section 4.1.2"."""
    return PLAN.published[published_name(wildcards)].heading


def published_name(wildcards):
    return f"{wildcards.study}/{wildcards.table}"


def roles_of(wildcards):
    """The descriptions of the prepared data sets of an experiment, in its order."""
    return expand(
        "data/prepared/{dataset}.json", dataset=experiment_of(wildcards).datasets
    )


# fetch


def raw_files(datasets):
    """All raw files of data sets, and the weights of their encoders."""
    return PLAN.data.raw_files(datasets)


def list_of_archive(wildcards):
    """The file that lists the members of an archive, if the raw file is built from one."""
    entry = checked(PLAN.data.raw_entry, wildcards.dataset, wildcards.file)
    listed = entry.get("members", {}).get("listed")
    return f"data/raw/{wildcards.dataset}/{listed}" if listed else []


def entry_of(wildcards):
    """The addresses, the size and the sha256 of a raw file."""
    return PLAN.data.raw_entry(wildcards.dataset, wildcards.file)


def source_of(wildcards):
    """From where a raw file is fetched, and its terms: Snakemake fetches nothing again when such an object changes."""
    notice = PLAN.data.notice(wildcards.dataset)
    return SimpleNamespace(entry=entry_of(wildcards), notice=notice)


# prepare


def coding_of(wildcards):
    """What a card says of the coding of a data set, without words that are only shown."""
    return checked(PLAN.data.coding, wildcards.dataset)


def raw_of(wildcards):
    """The raw files of a data set, without its archives of images."""
    return PLAN.data.raw_tables(wildcards.dataset)


def raw_of_table(wildcards):
    """The same of a data set with a table of items."""
    return checked(PLAN.data.prepared_from, wildcards.dataset)


def prepared(datasets):
    """The tables of data sets, and what describes these and those that have files alone."""
    tables = [name for name in datasets if name not in PLAN.data.raw_only]
    return [*prepared_files(tables), *PLAN.roles_files(datasets)]


# embed


def pictures_of(wildcards):
    """The archive that an encoder of images reads."""
    return PLAN.data.image_files(wildcards.dataset, wildcards.encoder)


def files_of_card(wildcards):
    return {"files": PLAN.data.card(wildcards.dataset)["files"]}


def weights_of(wildcards):
    return PLAN.data.encoder_files(wildcards.encoder)


def place_of_pictures(wildcards):
    """Where the archive has the images."""
    archive = PLAN.data.image_archive(wildcards.dataset, wildcards.encoder)
    return archive.get("entry", "")


# train


def embedded_of(wildcards):
    """The vectors of a data set with texts or images."""
    return PLAN.data.embedded(wildcards.dataset, experiment_of(wildcards).encoder)


# summarise


def tests_of(wildcards):
    """The results of all tests of an experiment."""
    return PLAN.arm_files("tests", wildcards.experiment)


# table


def sources_of(wildcards):
    """The results of the run from which a published table is reproduced."""
    return PLAN.source_files(published_name(wildcards))


def published_of(wildcards):
    return PLAN.published_files([published_name(wildcards)])


def printed_of(wildcards):
    """The other published tables from which the numbers of one follow."""
    names = PLAN.published[published_name(wildcards)].source.published
    return PLAN.published_files(f"{wildcards.study}/{name}" for name in names)


def roles_of_table(wildcards):
    return PLAN.roles_files(PLAN.source_datasets(published_name(wildcards)))
