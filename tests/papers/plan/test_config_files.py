import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.plan.config_files import check_config_files, check_config_folder

PART = "calibration: {size: small}\n"


def test_the_shipped_config_is_right(root):
    check_config_folder(root)
    check_config_files([root / "config/config.yaml"])


@pytest.mark.parametrize("text", ["", "# nothing\n", "- 1\n", "hello\n", "{}\n"])
@pytest.mark.parametrize("name", ["config.yaml", "studies/calibration.yaml"])
def test_a_file_without_keys_is_named(tmp_path, name, text):
    write_text(tmp_path / "config" / name, text)
    with pytest.raises(InputError, match=f"config/{name}: has no keys with values"):
        check_config_folder(tmp_path)
    with pytest.raises(InputError, match=f"config/{name}: has no keys with values"):
        check_config_files([tmp_path / "config" / name])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("calibration.yaml", PART + "seed: 3\n", "the key `seed` cannot be here"),
        ("calibratoin.yaml", PART, "move it to config/studies/calibration.yaml"),
        ("xauc.yaml", "xauc: {}\n", "`xauc` is in .*config/config.yaml too: drop one"),
        ("calibration.yml", PART, "not read: move it to config/studies/calibration.yaml"),
        ("mine/calibration.yaml", PART, "not read: move it to config/studies/calibration.yaml"),
    ],
)
def test_a_part_of_the_config_has_the_key_of_its_study_alone(tmp_path, name, text, words):
    write_text(tmp_path / "config/config.yaml", "xauc: {}\n")
    write_text(tmp_path / "config/studies" / name, text)
    with pytest.raises(InputError, match=f"{name}: .*{words}"):
        check_config_folder(tmp_path)
