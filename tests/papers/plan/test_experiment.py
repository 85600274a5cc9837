from fairpairs.papers.plan.experiment import Experiment, chunk_repeats, chunks


def test_chunks_hold_every_repeat_once():
    for repeats in range(1, 12):
        for size in range(1, 13):
            held = [r for chunk in chunks(repeats, size) for r in chunk_repeats(chunk)]
            assert held == list(range(repeats))
            later = [r for c in chunks(repeats, size, since=2) for r in chunk_repeats(c)]
            assert later == list(range(2, repeats))


def test_an_experiment_has_defaults_of_its_own_and_of_the_config():
    settings = {
        "datasets": ["a", "b"], "treatments": ["none"], "model": "ridge", "tests": ["accuracy"],
    }  # fmt: skip
    config = {"repeats": 5, "chunk_size": 2, "seed": 1}
    experiment = Experiment.from_settings("mine", settings, config, ["b"])
    assert (experiment.title, experiment.datasets) == ("mine", ("b",))
    assert (experiment.repeats, experiment.draws, experiment.encoder) == (5, 1, None)
    assert experiment.chunks == ["0000000-0000001", "0000002-0000003", "0000004-0000004"]
    few = Experiment.from_settings("mine", {**settings, "repeats": 1, "draws": 9}, config, ["a"])
    assert (few.chunks, few.draws) == (["0000000-0000000"], 9)


def test_predictions_rest_on_a_treatment_and_a_model():
    settings = {"datasets": ["a"], "treatments": ["none"], "model": "ridge", "tests": ["accuracy"]}
    experiment = Experiment.from_settings("mine", settings, {"repeats": 1, "chunk_size": 1}, ["a"])
    assert experiment.arms["none"].parts == [("treatments", "none"), ("models", "ridge")]
