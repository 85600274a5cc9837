"""The conclusions of the paper on differential parity, with checks on the cells of Table 3."""

from fairpairs.papers.plan.claims import CannotTellError, Claim, Finding, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART
from fairpairs.papers.studies.differential_parity.bridge_checks import (
    FOLDER,
    check_accurate,
    check_all_right,
    check_biased_better,
    check_models_less,
    check_robust,
    check_small,
    check_training_bias,
    percent,
)
from fairpairs.papers.studies.differential_parity.bridge_summaries import LEVEL

CELLS = f"{FOLDER}/split_80_20.csv"
#: Differences below this are rounding: tables have six digits.
NEGLIGIBLE = 1e-5


def check_confidence(results: Results) -> Finding:
    """Ask how often the paper's rule, in both directions, calls a fair pair biased."""
    cells = table(results, CELLS)
    above = cells[cells["p_one_sided"] > NEGLIGIBLE]
    times = above["p_two_sided"] / above["p_one_sided"]
    if times.empty or times.isna().any() or times.max() - times.min() > 0.001:
        raise CannotTellError(f"results/{CELLS} has not all p-values of a test.", CELLS)
    both = float(times.median())
    reason = (
        f"It is {percent(1 - LEVEL)} for one direction that is named beforehand. But p is taken "
        "on the side of the sign, so either direction may be found: the two-sided p is "
        f"{both:.0f} times as large in all {len(above)} cells whose p is above 0, and a fair pair "
        f"is called biased in {percent(both * LEVEL)} of the samples. So the confidence that a "
        f"pair is biased at all is {percent(1 - both * LEVEL)}."
    )
    return Finding(IN_PART if both > 1 else HOLDS, reason, (CELLS,))


def check_symmetric(results: Results) -> Finding:
    """Compare each two people's labels with the same two the other way round."""
    keys = ["attribute", "row", "decisions", "reference"]
    cells = table(results, CELLS, text=keys)
    labels = cells.loc[cells["row"].str.startswith("Label"), [*keys, "dpd", "p_two_sided"]]
    swapped = labels.rename(columns={"decisions": "reference", "reference": "decisions"})
    both = labels.merge(swapped, on=keys, suffixes=("", "_swapped"))
    if both.empty or both.isna().any(axis=None):
        raise CannotTellError(f"results/{CELLS} has not all labels.", CELLS)
    mirrored = (both["dpd"] + both["dpd_swapped"]).abs() <= NEGLIGIBLE
    mirrored &= (both["p_two_sided"] - both["p_two_sided_swapped"]).abs() <= NEGLIGIBLE
    reason = (
        "It is so by definition: exchanged decisions change the signs of DPT and DPD, and nothing "
        f"else, as they do in {mirrored.sum()} of {len(both)} comparisons of labels."
    )
    return Finding(HOLDS if mirrored.all() else FAILS, reason, (CELLS,))


def check_network(results: Results) -> Finding:
    """Say why the networks are not compared."""
    table(results, CELLS)
    raise CannotTellError(
        "It is not tested: the project has neither ResNet-50 nor AlexNet, and this run no VGG-16, "
        "whose weights are unavailable.",
        CELLS,
    )


CLAIMS = [
    Claim(
        "symmetric",
        "It does not matter which of two sets of decisions is called R_0: differential parity "
        "holds or is violated either way.",
        "section 1",
        check_symmetric,
        quote="which decision set is chosen as … does not affect whether differential parity is "
        "satisfied",
    ),
    Claim(
        "more-than-95-confidence",
        "A relative bias that is found, in either direction (one-tailed p at most 0.05), is found "
        "with a confidence of more than 95 %.",
        "section 2.2",
        check_confidence,
        quote="if the null hypothesis is rejected at more than 95% confidence— one tailed … vice "
        "versa",
    ),
    Claim(
        "vgg-16-best",
        "Of ResNet-50, VGG-16 and AlexNet, VGG-16 predicts the decisions best.",
        "section 3.1",
        check_network,
        quote="Among them, the VGG-16 model … achieved the best prediction performance",
    ),
    Claim(
        "robust-against-sampling",
        "Conclusions on two people's decisions are robust: most agree between two samples of the "
        "images (27 of 32).",
        "section 4 (RQ1)",
        check_robust,
        quote="The proposed differential parity metrics is robust against sampling bias when "
        "evaluating relative fairness between two sets of human decisions.",
    ),
    Claim(
        "models-less-robust",
        "Conclusions are less robust where one of the two sets of decisions is a model's (25 of "
        "32).",
        "section 4 (RQ1)",
        check_models_less,
        quote="it is less robust against sampling bias when one of the decision set is generated "
        "by a machine learning model",
    ),
    Claim(
        "no-opposite-conclusions",
        "Conclusions on two samples of the images that do not agree are never opposite, and always "
        "of a DPD of at most 0.1.",
        "section 4 (RQ1)",
        check_small,
        quote="not a single case where the detected relative biases are opposite … every "
        "inconsistency case has small effect size of DPD ≤ 0.1",
    ),
    Claim(
        "biased-bridge-better",
        "The biased bridge estimates differential parity between decisions on different data "
        "better than the unbiased one.",
        "sections 4 (RQ2) and 6",
        check_biased_better,
        quote="Biased Bridge outperformed Unbiased Bridge algorithm in terms of estimating "
        "differential parity between decision sets from different data.",
    ),
    Claim(
        "misses-by-training-bias",
        "In the paper's study, the wrong conclusions of the unbiased bridge are all of models that "
        "are biased against the decisions that they were fitted on.",
        "section 4 (RQ2)",
        check_training_bias,
        quote="The three incorrect estimations from unbiased bridge all due to the relative bias "
        "between … and its training data",
    ),
    Claim(
        "biased-bridge-accurate",
        "The biased bridge estimates differential parity with a high accuracy.",
        "section 4 (RQ2)",
        check_accurate,
        quote="the Biased Bridge algorithm estimates differential parity in high accuracy",
    ),
    Claim(
        "biased-bridge-all-right",
        "All 32 conclusions of the biased bridge are right.",
        "section 4 (RQ2)",
        check_all_right,
        quote="all estimations are correct in this case study",
    ),
]
