"""The checksums of a run, whatever the chunks of its predictions."""

import hashlib
import math
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from fairpairs import InputError
from fairpairs.base.files import write_parquet, write_text
from fairpairs.papers.run.checksums import (
    describe_predictions,
    read_checksums,
    write_checksums,
)

pytestmark = pytest.mark.usefixtures("folder")

PLACE = "results/predictions/loans/loans/none"


def predictions(repeats=12, items=5):
    rng = np.random.default_rng(1)
    score = rng.normal(size=repeats * items) * 10.0 ** rng.integers(-9, 9, repeats * items)
    return pd.DataFrame(
        {
            "repeat": np.repeat(np.arange(repeats, dtype=np.int32), items),
            "item": np.tile(np.arange(items, dtype=np.int32), repeats),
            "score": score,
            "prediction": (score > 0.5).astype(np.int8),
        }
    )


def write_chunks(frame, size):
    files = []
    for first in range(0, 12, size):
        last = min(first + size, 12) - 1
        files.append(f"{PLACE}/{first:07d}-{last:07d}.parquet")
        write_parquet(files[-1], frame[frame["repeat"].between(first, last)])
    return files


def sha256_of(files):
    """The digest of files that are chunks of one, or one file."""
    return describe_predictions(files)["sha256"].item()


@pytest.mark.slow
def test_the_chunks_do_not_matter():
    frame = predictions()
    descriptions = [describe_predictions(write_chunks(frame, size)).to_csv() for size in (12, 1, 5)]
    assert len(set(descriptions)) == 1


def test_the_order_of_the_files_does_not_matter():
    files = write_chunks(predictions(), 4)
    assert describe_predictions(files[::-1]).equals(describe_predictions(files))


def test_the_digest_is_of_each_column_in_order():
    frame = predictions(repeats=2)
    files = write_chunks(frame, 1)[:2]
    kinds = {"repeat": "i4", "item": "i4", "score": "f8", "prediction": "i1"}
    text = "".join(
        f"{name} {kind} {hashlib.sha256(frame[name].to_numpy().tobytes()).hexdigest()}\n"
        for name, kind in kinds.items()
    )
    assert sha256_of(files) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.assign(score=np.nextafter(frame["score"], np.inf)),
        lambda frame: frame.iloc[::-1],
        lambda frame: frame.astype({"prediction": np.int16}),
        lambda frame: frame.rename(columns={"score": "scores"}),
        lambda frame: frame.iloc[:-1],
    ],
)
def test_any_change_changes_the_digest(change):
    frame = predictions()
    write_parquet("a.parquet", frame)
    write_parquet("b.parquet", change(frame))
    assert sha256_of(["a.parquet"]) != sha256_of(["b.parquet"])


def test_words_are_digested_too():
    frame = pd.DataFrame({"regressor": ["ab", "c"], "prediction": [1.0, 2.0]})
    digests = []
    for words in (["ab", "c"], ["a", "bc"]):
        write_parquet("p.parquet", frame.assign(regressor=words))
        digests.append(sha256_of(["p.parquet"]))
    assert digests[0] != digests[1]


def test_the_means_are_exact():
    frame = predictions()
    (row,) = describe_predictions(write_chunks(frame, 5)).to_dict("records")
    exact = sum(map(Fraction, frame["score"])) / 60
    assert math.isclose(row["mean_score"], float(exact), rel_tol=4e-16)
    assert row["mean_prediction"] == frame["prediction"].mean()
    assert (row["predictions"], row["rows"], row["repeats"]) == (PLACE, 60, 12)


def test_predictions_without_repeats_and_scores():
    path = "results/density_ratio/predictions/law.parquet"
    write_parquet(path, pd.DataFrame({"regressor": ["a", "b"], "prediction": [1.0, 2.0]}))
    (row,) = describe_predictions([path]).to_dict("records")
    assert row["predictions"] == path.removesuffix(".parquet")
    assert row["mean_prediction"] == 1.5
    assert pd.isna(row["repeats"])
    assert "mean_score" not in describe_predictions([path]).dropna(axis=1)


def test_chunks_of_other_columns_are_refused():
    files = write_chunks(predictions(), 6)
    write_parquet(files[1], predictions().drop(columns="score"))
    with pytest.raises(InputError, match=r"0000006-0000011\.parquet: its columns are not those of"):
        describe_predictions(files)


def test_sha256sum_reads_the_checksums():
    files = write_chunks(predictions(), 4)
    for name in ("b.csv", "a.csv"):
        write_text(f"results/tables/{name}", f"{name}\n")
    write_checksums(
        "results/checksums.txt",
        tables=["results/tables/b.csv", "results/tables/a.csv"],
        predictions=files,
        predictions_table="results/predictions.csv",
    )
    found = read_checksums("results/checksums.txt")
    assert list(found) == [
        "results/predictions.csv",
        "results/tables/a.csv",
        "results/tables/b.csv",
    ]
    assert found["results/tables/a.csv"] == hashlib.sha256(b"a.csv\n").hexdigest()
    assert pd.read_csv("results/predictions.csv")["sha256"].tolist() == [sha256_of(files)]
    if shutil.which("sha256sum"):
        command = ["sha256sum", "--check", "--strict", "results/checksums.txt"]
        subprocess.run(command, check=True, capture_output=True)


def test_a_run_without_predictions_has_none():
    described = describe_predictions([])
    assert described.empty
    assert described.to_csv(index=False).strip() == (
        "predictions,rows,repeats,mean_score,mean_prediction,sha256"
    )


@pytest.mark.parametrize("line", ["", "0123  results/a.csv", "f" * 64 + " results/a.csv"])
def test_damaged_checksums_are_refused(line):
    write_text("checksums.txt", f"{'0' * 64}  results/a.csv\n{line}\n")
    with pytest.raises(InputError, match="line 2 is no checksum and path"):
        read_checksums("checksums.txt")


def test_a_path_that_is_named_twice_is_refused():
    write_text("checksums.txt", "".join(f"{digit * 64}  results/a.csv\n" for digit in "01"))
    with pytest.raises(InputError, match=r"line 2 names results/a\.csv a second time: restore"):
        read_checksums("checksums.txt")
