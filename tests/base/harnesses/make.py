"""Make the files beside this module with the packages that write them, and a mock model.

pip install inspect-ai lm-eval argilla
python tests/base/harnesses/make.py tests/base/harnesses/files
"""

import gzip
import json
import os
import random
import shutil
import sys
from pathlib import Path

#: Prompts, and the dialects of the two answers that a judge compares.
PROMPTS, DIALECTS = 12, ("AAL", "WME")
#: Questions of a benchmark, each in two dialects.
QUESTIONS = 30


def judged():
    """Prompts with two answers, which one people prefer, and what the mock judge says."""
    rng = random.Random(40)
    for number in range(2 * PROMPTS):
        dialects = rng.sample(DIALECTS, 2)
        better = rng.choice("AB")
        wrong = rng.random() < (0.6 if dialects["AB".index(better)] == "AAL" else 0.1)
        said = "BA"["AB".index(better)] if wrong else better
        yield f"s{number}", f"p{number // 2}", dialects, better, said


def make_inspect(folder):
    """Write judge.eval and judge.json.gz by inspect_ai: a judge, and what people prefer."""
    import tiktoken

    # the only thing for which it would use the network
    class Words:
        def encode(self, text, **_):
            return text.split()

    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda _: Words()
    from inspect_ai import Task, eval as run
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import match

    rows = list(judged())
    samples = [
        Sample(
            input=f"Which answer is better? A: {one}. B: {two}.", target=better, id=name,
            metadata={"prompt": prompt, "dialect_a": one, "dialect_b": two},
        )
        for name, prompt, (one, two), better, _ in rows
    ]  # fmt: skip
    for form, name in (("eval", "judge.eval"), ("json", "judge.json.gz")):
        model = get_model(
            "mockllm/model",
            custom_outputs=[ModelOutput.from_content("mockllm/model", row[-1]) for row in rows],
            memoize=False,
        )
        (log,) = run(
            Task(dataset=MemoryDataset(samples), scorer=match(), name="judge"), model=model,
            log_dir=str(folder / form), log_format=form, display="none", max_samples=1,
            log_realtime=False,
        )  # fmt: skip
        written = Path(log.location.removeprefix("file://"))
        content = written.read_bytes()
        if form == "json":
            content = gzip.compress(json.dumps(json.loads(content)).encode(), mtime=0)
        (folder / name).write_bytes(content)
        shutil.rmtree(folder / form)


def make_lm_eval(folder):
    """Write samples.jsonl by lm-evaluation-harness: yes-no questions, answered at random."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import lm_eval
    from lm_eval.tasks import TaskManager

    rng, work = random.Random(41), folder / "task"
    work.mkdir()
    questions = [
        {"question": f"Is {n} even?", "answer": 1 - n % 2, "dialect": dialect, "item": f"q{n}"}
        for n in range(QUESTIONS)
        for dialect in DIALECTS
    ]
    (work / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in questions))
    task = {
        "task": "even", "dataset_path": "json", "test_split": "test",
        "dataset_kwargs": {"data_files": {"test": str(work / "items.jsonl")}},
        "output_type": "multiple_choice", "doc_to_text": "{{question}}",
        "doc_to_choice": ["no", "yes"], "doc_to_target": "{{answer}}",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }  # fmt: skip
    (work / "even.yaml").write_text(json.dumps(task))
    random.seed(rng.random())
    from lm_eval.loggers import EvaluationTracker

    results = lm_eval.simple_evaluate(
        "dummy", tasks=["even"], task_manager=TaskManager(include_path=str(work)), log_samples=True
    )
    samples = results.pop("samples")
    tracker = EvaluationTracker(output_path=str(work / "out"))
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name="even", samples=samples["even"])
    (written,) = (work / "out").rglob("samples_*.jsonl")
    shutil.copy(written, folder / "samples.jsonl")
    shutil.rmtree(work)


def make_argilla(folder):
    """Write argilla.json as Argilla's `records.to_json` does."""
    from uuid import UUID

    import argilla
    from argilla.records._io import JsonIO

    records = [
        argilla.Record(
            id=name,
            fields={"prompt": prompt, "response-1": "…", "response-2": "…"},
            metadata={"dialect_1": one, "dialect_2": two, "agrees": said},
            responses=[
                argilla.Response(
                    "preference", f"response-{1 + 'AB'.index(better)}", user_id=UUID(int=number % 3)
                ),
                argilla.Response("quality", 3, user_id=UUID(int=number % 3)),
            ],
        )
        for number, (name, prompt, (one, two), better, said) in enumerate(judged())
    ]
    (folder / "argilla.json").unlink(missing_ok=True)
    JsonIO.to_json(records, folder / "argilla.json")


if __name__ == "__main__":
    for make in (make_inspect, make_lm_eval, make_argilla):
        make(Path(sys.argv[1]).resolve())
