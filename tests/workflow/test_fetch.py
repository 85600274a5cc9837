"""The rule fetch: raw files from mirrors, verified."""

import json

RAW = "data/raw/loans/loans.csv"


def test_the_raw_file_is_that_of_the_mirror(done):
    assert (done / RAW).read_bytes() == (done / "mirror/loans/loans.csv").read_bytes()
    assert "from mirror/loans/loans.csv" in done.text("logs/fetch/loans/loans.csv.log")


def test_nothing_else_is_in_the_folder_of_raw_files(done):
    assert done.files("data/raw") == [RAW]


def test_a_mirror_of_the_environment_comes_first(small):
    (small / "mirror").rename(small / "elsewhere")
    (small / "mirror/loans").mkdir(parents=True)
    (small / "mirror/loans/loans.csv").write_text("not the file")
    run = small.snakemake("fetched", FAIRPAIRS_MIRROR=str(small / "elsewhere")).check()
    assert run.jobs["fetch"] == 1
    log = small.text("logs/fetch/loans/loans.csv.log")
    assert f"from {small / 'elsewhere/loans/loans.csv'}" in log
    assert "refused" not in log
    assert (small / RAW).read_bytes() == (small / "elsewhere/loans/loans.csv").read_bytes()


def test_a_bad_copy_is_passed_over_and_the_card_says_where_the_file_lies(small):
    good = (small / "mirror/loans/loans.csv").read_bytes()
    (small / "mirror/loans").rename(small / "mirror/credit")
    (small / "mirror/credit/loans.csv").write_bytes(good[:-1])
    (small / "other/credit").mkdir(parents=True)
    (small / "other/credit/loans.csv").write_bytes(good)
    small.change_card(lambda card: card["files"][0].update(mirror="credit/loans.csv"))
    small.configure(lambda config: config.update(mirrors=["nowhere", "mirror", "other"]))
    small.snakemake(RAW).check()
    assert (small / RAW).read_bytes() == good


def test_another_mirror_does_not_fetch_again(copy):
    copy.configure(lambda config: config.update(mirrors=["another"]))
    jobs = copy.snakemake("--dry-run").check().jobs
    assert "fetch" not in jobs
    assert "prepare" not in jobs


def test_the_sha256_of_the_raw_file_reaches_the_prepared_one(done):
    about = json.loads(done.text("data/prepared/loans.json"))
    sha256 = about["raw_sha256"]["loans.csv"]
    assert f"sha256: {sha256}" in done.text("config/datasets/loans.yaml")
