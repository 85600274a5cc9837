"""Files that real tools wrote, and files in the form that they document, as tables."""

import gzip
import io
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.harnesses import readers
from fairpairs.base.reading.table import Table
from tests.base.harnesses import make

FILES = Path(__file__).parent / "files"
JUDGED = pd.DataFrame(
    [(name, prompt, *dialects, *sides) for name, prompt, dialects, *sides in make.judged()],
    columns=["sample", "prompt", "dialect_a", "dialect_b", "target", "answer"],
)


def written(tmp_path, name, content):
    path = tmp_path / name
    if isinstance(content, list) and name.endswith(".jsonl"):
        content = "".join(f"{json.dumps(row)}\n" for row in content)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def log():
    return json.loads(gzip.decompress((FILES / "judge.json.gz").read_bytes()))


def test_each_reader_is_found_by_its_folder():
    names = [reader.__name__.rpartition(".")[2] for reader in readers()]
    assert names == ["arena", "argilla", "inspect_ai", "label_studio", "lm_eval", "rewardbench"]


@pytest.mark.parametrize("name", ["judge.eval", "judge.json.gz"])
def test_a_log_of_inspect_ai_is_its_samples(name):
    rows = Table(FILES / name).frame()
    rows = rows.sort_values("sample", ignore_index=True)
    expected = JUDGED.sort_values("sample", ignore_index=True)
    for column in expected:
        assert rows[column].tolist() == expected[column].tolist()
    right = expected["target"] == expected["answer"]
    assert rows["correct"].tolist() == right.astype(float).tolist()
    assert rows["score"].tolist() == ["C" if one else "I" for one in right]
    assert set(rows["model"]) == {"mockllm/model"}


def test_an_indented_log_and_one_of_deflated_members_are_read_too(tmp_path):
    content = log()
    expected = Table(FILES / "judge.json.gz").frame()
    path = written(tmp_path, "log.json", json.dumps(content, indent=2))
    pd.testing.assert_frame_equal(Table(path).frame(), expected)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for sample in content["samples"]:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        file.writestr("header.json", json.dumps({**content, "samples": None}))
    (tmp_path / "log.eval").write_bytes(packed.getvalue())
    pd.testing.assert_frame_equal(Table(tmp_path / "log.eval").frame(), expected)


def test_several_scorers_and_scores_of_many_values_have_their_own_columns(tmp_path):
    content = log()
    for sample in content["samples"]:
        sample["scores"]["model_graded"] = {"value": {"clear": 3, "kind": 4}, "answer": "x"}
        sample["metadata"] |= {"sample": "mine", "words": ["a", "b"]}
    rows = Table(written(tmp_path, "log.json", content)).frame()
    names = ["answer_match", "score_match", "correct_match", "answer_model_graded"]
    names += ["score_model_graded_clear", "score_model_graded_kind", "metadata_sample"]
    assert set(names) <= set(rows)
    assert "words" not in rows


def test_samples_of_lm_evaluation_harness_have_target_answer_and_document():
    rows = Table(FILES / "samples.jsonl").frame()
    raw = [json.loads(line) for line in (FILES / "samples.jsonl").read_text().splitlines()]
    assert rows["acc"].tolist() == [row["acc"] for row in raw]
    # a target is the right choice, and acc whether the likeliest one is it
    assert ((rows["answer"] == rows["target"]) == (rows["acc"] == 1)).all()
    assert ((rows["score"] > 0) == (rows["answer"] == "1")).all()
    assert rows["dialect"].tolist() == ["AAL", "WME"] * make.QUESTIONS
    assert "arguments" not in rows


def test_free_answers_of_lm_evaluation_harness_are_texts(tmp_path):
    rows = [
        {"doc_id": i, "doc": {"q": "?"}, "target": "7", "arguments": {}, "resps": [["7"]],
         "filtered_resps": [text], "exact_match": float(text == "7"), "filter": "first"}
        for i, text in enumerate(["7", "8"])
    ]  # fmt: skip
    read = Table(written(tmp_path, "samples.jsonl", rows)).frame()
    assert read["answer"].tolist() == ["7", "8"]
    assert read["exact_match"].tolist() == [1, 0]


def test_scores_of_rewardbench_are_chosen_and_rejected(tmp_path):
    scores = {
        "model": "org/model", "subset": ["chat", "code"], "id": [4, 9], "results": [1, 0],
        "scores_chosen": [1.5, 0.2], "scores_rejected": [0.5, 0.4],
    }  # fmt: skip
    rows = Table(written(tmp_path, "model.json", scores)).frame()
    assert rows["chosen"].tolist() == [1.5, 0.2]
    assert rows["rejected"].tolist() == [0.5, 0.4]
    assert rows["subset"].tolist() == ["chat", "code"]
    assert rows["model"].tolist() == ["org/model"] * 2
    lines = [{"scores_chosen": 1.5, "scores_rejected": [0.5], "subset": "chat"}] * 2
    assert Table(written(tmp_path, "m.jsonl", lines)).frame()["rejected"].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_battles_of_an_arena_have_one_winner(tmp_path, ending):
    battles = pd.DataFrame(
        {
            "id": [1, 2, 3],
            "model_a": ["x", "y", "x"],
            "winner_model_a": [1, 0, 0],
            "winner_model_b": [0, 1, 0],
            "winner_tie": [0, 0, 1],
        }
    )
    path = tmp_path / f"battles.{ending}"
    if ending == "csv":
        battles.to_csv(path, index=False)
    elif ending == "parquet":
        battles.to_parquet(path)
    else:
        battles.to_json(path, orient="records", lines=True)
    rows = Table(path)
    assert rows.words("winner").tolist() == ["left", "right", "tie"]
    assert rows.words("model_a").tolist() == ["x", "y", "x"]
    assert "winner_tie" not in rows.columns


def annotation(selected, who, **more):
    result = {"value": {"selected": selected}, "from_name": "pw", "type": "pairwise"}
    return {"completed_by": who, "result": [result], **more}


def test_pairwise_annotations_of_label_studio_are_rows(tmp_path):
    tasks = [
        {"id": 1, "data": {"prompt": "p", "dialect_left": "AAL", "tags": [1, 2]}, "meta": {},
         "annotations": [annotation("left", 7), annotation("right", {"id": 8, "email": "a@b.c"}),
                         annotation("left", 9, was_cancelled=True)]},
        {"id": 2, "data": {"prompt": "q", "dialect_left": "WME"}, "annotations": []},
    ]  # fmt: skip
    rows = Table(written(tmp_path, "project.json", tasks)).frame()
    assert rows.to_dict("list") == {
        "task": [1, 1], "judge": ["7", "a@b.c"],
        "winner": ["left", "right"], "prompt": ["p", "p"], "dialect_left": ["AAL", "AAL"],
    }  # fmt: skip


def test_responses_of_argilla_are_rows():
    rows = Table(FILES / "argilla.json").frame()
    assert rows["winner"].tolist() == [
        "left" if better == "A" else "right" for better in JUDGED["target"]
    ]
    assert rows["dialect_1"].tolist() == JUDGED["dialect_a"].tolist()
    assert rows["prompt"].tolist() == JUDGED["prompt"].tolist()
    assert rows["judge"].nunique() == 3


@pytest.mark.parametrize(
    "value",
    [["response-2", "response-1"], [{"value": "b", "rank": 1}, {"value": "a", "rank": 2}], "right"],
)
def test_a_ranking_of_two_is_a_verdict(tmp_path, value):
    records = [{"id": "1", "fields": {"prompt": "p"}, "metadata": {},
                "responses": {"ranking": [{"value": value, "user_id": "u"}]}}]  # fmt: skip
    assert Table(written(tmp_path, "r.json", records)).frame()["winner"].tolist() == ["right"]


def test_rows_that_only_look_like_those_of_a_tool_stay_as_they_are(tmp_path):
    rows = [{"id": 1, "data": "x", "fields": "y", "version": 3, "eval": 0.5, "status": "ok"}]
    assert Table(written(tmp_path, "x.jsonl", rows)).columns == list(rows[0])


def test_samples_of_several_filters_are_one_row_a_document(tmp_path):
    samples = [
        {**SAMPLE, "doc_id": i, "doc": {"dialect": "wa"[i]}, "exact_match": x, "filter": name,
         "filtered_resps": [name]}
        for name, x in (("strict", 0.0), ("flexible", 1.0)) for i in range(2)
    ]  # fmt: skip
    table = Table(written(tmp_path, "s.jsonl", samples))
    values = ["exact_match (strict)", "answer (strict)", "exact_match (flexible)"]
    assert set(table.columns) >= {"sample", "target", "dialect", "answer (flexible)", *values}
    assert len(table.frame()) == 2 and "exact_match" not in table.columns
    rows = [table.frame()[name].tolist() for name in ("dialect", *values)]
    assert rows == [["w", "a"], [0.0, 0.0], ["strict"] * 2, [1.0, 1.0]]


def test_of_several_rejected_answers_the_best_counts(tmp_path):
    rows = [
        {"chosen": [0.5], "rejected": [-1.0, 1.3, 0], "dialect": "w"},
        {"chosen": [2.5, 1.5], "rejected": [0.3], "dialect": "a"},
    ]
    table = Table(written(tmp_path, "r.jsonl", rows))
    assert table.frame()["chosen"].tolist() == [0.5, 1.5]
    assert table.frame()["rejected"].tolist() == [1.3, 0.3]


SAMPLE = {"doc_id": 0, "doc": {}, "target": "1", "arguments": {}, "filtered_resps": ["1"]}
RESPONSE = {"value": "good", "user_id": "u"}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("log.json", lambda log: log | {"version": 1}, "of version 1, and version 2 is read"),
        ("log.json", lambda log: log | {"samples": None}, "no sample has a score"),
        ("log.json", lambda log: log | {"samples": [{**log["samples"][0], "scores": {}}]},
         "1 of its 1 samples have no score (the status of the log is 'success')"),
        ("s.jsonl", lambda _: [SAMPLE], "the samples have no metric, so no verdict"),
        ("s.jsonl", lambda _: [{"doc_id": 0, "doc": {}, "arguments": {}, "acc": 1}],
         "as versions before 0.4 write them"),
        ("s.jsonl", lambda _: [{**SAMPLE, "acc": 1, "filter": name} for name in "aba"],
         "document 0 has two samples of one filter: keep the samples of one run and one task"),
        ("m.json", lambda _: {"scores_chosen": [1, 2], "scores_rejected": [1]},
         "have 1 to 2 values: write the file again"),
        ("b.jsonl", lambda _: [{"winner_model_a": 1, "winner_model_b": 1}],
         "2 of winner_model_a, winner_model_b, winner_tie are 1 in row 1"),
        ("l.json", lambda _: [{"id": 1, "data": {}, "completions": []}],
         "as versions before 1.0 have them"),
        ("l.json", lambda _: [{"id": 1, "data": {}, "annotations": [{"result": []}]}],
         "no annotation has a verdict of the type `pairwise`"),
        ("a.json", lambda _: [{"fields": {}, "responses": [{"values": {}}]}],
         "records of Argilla 1, whose responses are a list"),
        ("a.json", lambda _: [{"fields": {}, "responses": {"q": [RESPONSE]}}],
         "no question of these records of Argilla has responses that name a side"),
    ],
)  # fmt: skip
def test_another_version_or_no_verdicts_are_refused(tmp_path, name, change, message):
    path = written(tmp_path, name, change(log() if name == "log.json" else None))
    with pytest.raises(InputError) as refused:
        Table(path)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.parametrize("cut", [100, 20_000, -30])
def test_a_cut_log_is_refused(tmp_path, cut):
    path = tmp_path / "cut.eval"
    path.write_bytes((FILES / "judge.eval").read_bytes()[:cut])
    with pytest.raises(InputError, match=r"no \.eval log of inspect_ai"):
        Table(path)


def test_a_damaged_member_is_refused(tmp_path):
    content = bytearray((FILES / "judge.eval").read_bytes())
    with zipfile.ZipFile(FILES / "judge.eval") as file:
        member = max(file.infolist(), key=lambda info: info.filename.startswith("samples/"))
        start = member.header_offset + 30 + len(member.filename)
    content[start : start + 40] = bytes(40)
    (tmp_path / "bad.eval").write_bytes(content)
    with pytest.raises(InputError, match=r"no \.eval log of inspect_ai"):
        Table(tmp_path / "bad.eval")


def zipped(path, header):
    """Write a log of a header alone, and return where its bytes begin."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", header)
    return 30 + len("header.json")


@pytest.mark.parametrize("harm", ["no record", "damaged", "encrypted"])
def test_a_member_that_cannot_be_read_is_refused(tmp_path, harm):
    path = tmp_path / "bad.eval"
    start = zipped(path, "[]" if harm == "no record" else json.dumps(log()["eval"]))
    content = bytearray(path.read_bytes())
    if harm == "damaged":
        content[start : start + 40] = b"\xff" * 40
    elif harm == "encrypted":
        for flags in (6, content.index(b"PK\x01\x02") + 8):
            content[flags] |= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"no \.eval log of inspect_ai"):
        Table(path)


@pytest.mark.parametrize(
    ("package", "write", "name"),
    [
        ("inspect_ai", make.make_inspect, "judge.eval"),
        ("lm_eval", make.make_lm_eval, "samples.jsonl"),
        ("argilla", make.make_argilla, "argilla.json"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of the packages themselves
def test_what_the_installed_package_writes_now_is_read(tmp_path, package, write, name):
    pytest.importorskip(package)
    write(tmp_path)
    new, old = Table(tmp_path / name).frame(), Table(FILES / name).frame()
    assert list(new) == list(old)
    assert len(new) == len(old)
