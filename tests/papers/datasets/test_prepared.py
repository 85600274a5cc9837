import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal

from fairpairs.base import files
from fairpairs.papers.datasets.prepared import read_prepared


def test_what_is_written_is_read_back(prepare_people, tmp_path):
    frame, about = prepare_people()
    files.write_parquet(tmp_path / "table.parquet", frame)
    files.write_json(tmp_path / "roles.json", about)
    dataset = read_prepared(tmp_path / "table.parquet", tmp_path / "roles.json")
    assert dataset.name == "people"
    assert dataset.kinds == about["features"]
    assert list(dataset.kinds) == list(about["features"])
    assert dataset.attributes == ("sex",)
    assert_array_equal(dataset.label, [1, 0, 1, 0])
    assert_array_equal(dataset.sensitive, [[1], [0], [0], [1]])
    pd.testing.assert_frame_equal(dataset.frame, frame, check_exact=True)


def test_images_decisions_and_a_group_from_a_letter(prepare_faces, tmp_path):
    frame, about = prepare_faces()
    assert list(frame) == [
        "item", "Filename", "label", "sensitive_sex", "decision_P1", "decision_P2", "decision_Mean",
    ]  # fmt: skip
    assert_array_equal(frame["sensitive_sex"], [0, 1, 0, 1])
    assert about["features"] == {"Filename": "image"}
    assert about["consensus"] == ["Mean"]
    assert about["counts"] == {"rows": 4, "sensitive.sex": 2}
    files.write_parquet(tmp_path / "table.parquet", frame)
    files.write_json(tmp_path / "roles.json", about)
    dataset = read_prepared(tmp_path / "table.parquet", tmp_path / "roles.json")
    assert dataset.images == ["AF1.jpg", "AM2.jpg", "CF3.jpg", "CM10.jpg"]
    assert dataset.texts == []
    assert dataset.consensus == ("Mean",)
    expected = pd.DataFrame(
        {"P1": [1, 5, 3, np.nan], "P2": [2, np.nan, 3, 4.5], "Mean": [1.5, 5, 3, 4.5]}
    )
    pd.testing.assert_frame_equal(dataset.decisions, expected, check_dtype=False)
    vectors = pd.DataFrame({"item": range(4), "embedding_0": [1.0, 2, 3, 4]})
    files.write_parquet(tmp_path / "vectors.parquet", vectors)
    dataset = read_prepared(
        tmp_path / "table.parquet", tmp_path / "roles.json", tmp_path / "vectors.parquet"
    )
    assert dataset.kinds == {"embedding_0": "numeric"}
    assert_array_equal(dataset.frame["embedding_0"], [1, 2, 3, 4])


def test_a_data_set_without_images_or_decisions_has_none(small_dataset):
    assert small_dataset.images == []
    assert small_dataset.decisions.shape == (500, 0)
    assert small_dataset.consensus == ()
