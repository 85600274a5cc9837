"""The names that users of other libraries guess for arguments, options and results, and ours."""

import inspect
from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

from fairpairs.base.errors import InputError
from fairpairs.base.texts import listed

P = ParamSpec("P")
R = TypeVar("R")

#: Our names of an argument or an option, the first that a function has → as it is guessed.
ARGUMENTS = {
    ("sensitive_features", "sensitive"): "sensitive sensitive_feature sensitive_attribute "
    "sensitive_attributes protected protected_attribute protected_attributes protected_features "
    "protected_attribute_names attribute attributes group groups group_by demographic",
    ("y_true", "label", "labels", "outcome"): "y y_test target true truth actual ground_truth "
    "y_actual label labels y_label true_label actual_label label_name label_names label_col",
    ("y_pred", "prediction", "y_pred_new", "new"): "pred preds predicted predictions prediction "
    "y_hat yhat decision decisions prediction_col y_predicted pred_label",
    ("y_score", "score", "y_score_new"): "score y_proba y_prob proba prob probability "
    "probabilities probas_pred y_scores scores score_col predict_proba pred_proba",
    ("control",): "control_features controls control_feature condition conditional_on stratify",
    ("judges", "judge"): "judge annotator rater",
    ("clusters", "cluster"): "cluster cluster_ids person subject unit",
    ("item_clusters", "item_cluster"): "item_cluster",
    ("strata", "stratum", "control"): "stratum strata",
    ("sample_weight", "weight"): "sample_weights weights weight instance_weights",
    ("positive",): "pos_label positive_label positive_class positive_outcome",
    ("favourable",): "favorable favorable_label favorable_classes favourable_label",
    ("reference",): "reference_group reference_groups ref ref_groups baseline privileged "
    "privileged_group privileged_groups unprivileged_groups",
    ("criterion",): "metric metrics criteria measure measures notion fairness_metric constraint",
    ("margin",): "tolerance epsilon eps delta max_difference",
    ("alpha",): "level confidence confidence_level significance significance_level",
    ("random_state", "seed"): "random_seed rng",
    ("data",): "df dataframe frame table dataset",
    ("smallest",): "min_samples min_group_size min_size minimum",
    ("out",): "output output_dir outdir folder directory html report save",
    ("threshold",): "cutoff cut_off",
    ("separator",): "sep delimiter",
    ("fail_on_violation", "fail_on_worse"): "fail strict exit_code",
}
#: What a result or the package offers → as it is guessed.
OFFERED = {
    "to_frame()": "to_dataframe to_df to_pandas df frame results table data details p_values "
    "pvalues_ conf_int confidence_interval confidence_intervals ci",
    "pvalue": "p_value pval p",
    "answer.verdict": "verdict decision conclusion is_fair fair",
    "passed": "ok success pass_ significant",
    "by_group": "metrics groups_ group_metrics rates_by_group per_group group_rates",
    "estimate": "difference effect diff",
    "by_group.min()": "group_min",
    "by_group.max()": "group_max",
    "difference": "differences disparity gap gaps",
    "four_fifths()": "ratio ratios disparate_impact impact_ratio",
    "summary()": "report describe print display show text",
    "plot()": "plots figure fig draw visualize plot_",
    "save()": "export dump to_file savefig",
    "to_card()": "to_markdown to_md model_card",
    "to_frame().to_excel()": "to_excel",
    "to_frame().to_parquet()": "to_parquet",
    "to_dict()": "json as_dict asdict",
    "audit": "MetricFrame ClassificationMetric BinaryLabelDatasetMetric evaluate fairness_report "
    "bias_report audit_model check group_fairness Group Bias Fairness Audit",
    "audit(…, criterion='equalized_odds')": "equalized_odds equalized_odds_difference "
    "equalized_odds_ratio equalized_odds_test average_odds_difference equalised_odds",
    "audit(…, criterion='equal_opportunity')": "equal_opportunity equal_opportunity_difference "
    "true_positive_rate_difference false_positive_rate_difference",
    "two_proportion_test": "demographic_parity demographic_parity_difference "
    "statistical_parity_difference statistical_parity selection_rate",
    "table(…, form='four-fifths')": "demographic_parity_ratio disparate_impact_ratio "
    "adverse_impact adverse_impact_ratio four_fifths_rule",
    "compare": "compare_models",
    "reweighing_weights": "reweighing Reweighing",
    "Reweighed": "ExponentiatedGradient GridSearch",
    "audit_groups": "intersectional_audit audit_subgroups subgroups",
    "power": "sample_size power_analysis",
}


def _by_guess(table: dict[R, str]) -> dict[str, list[R]]:
    found: dict[str, list[R]] = {}
    for ours, guesses in table.items():
        for guess in (*guesses.split(), *(ours if isinstance(ours, tuple) else ())):
            found.setdefault(guess, []).append(ours)
    return found


_ARGUMENTS, _OFFERED = _by_guess(ARGUMENTS), _by_guess(OFFERED)


def nearest_argument(guess: str, known: Collection[str]) -> str:
    """Return which known argument, or option without its dashes, is meant by a name; "" for none.

    >>> nearest_argument("pos_label", ["positive"]), nearest_argument("y_prde", ["y_pred"])
    ('positive', 'y_pred')
    """
    ours = (name for names in _ARGUMENTS.get(guess.lower(), ()) for name in names)
    named = next((name for name in ours if name in known), "")
    return named or next(iter(get_close_matches(guess, known, 1)), "")


def nearest_offered(guess: str, known: Collection[str]) -> str:
    """Return which of the known names of a result or a module is meant by another; "" for none.

    >>> nearest_offered("p_value", ["pvalue", "to_frame"])
    'pvalue'
    """
    ours = _OFFERED.get(guess, ())
    named = next((name for name in ours if name.partition(".")[0].partition("(")[0] in known), "")
    return named or next(iter(get_close_matches(guess, known, 1)), "")


def understood(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse an argument by another name in a sentence with the one that it has here.

    >>> understood(lambda y_true, *, control: 0)([], control_features=[])
    Traceback (most recent call last):
    fairpairs.base.errors.InputError: <lambda> has no argument control_features; name it control.
    """
    parameters = inspect.signature(function).parameters
    known, by_name = [*parameters], inspect.Parameter.KEYWORD_ONLY
    places = sum(one.kind is not by_name for one in parameters.values())

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        if len(arguments) > places:
            raise InputError(
                f"{function.__name__} takes {listed(known[:places])} by position: name the others, "
                f"such as {known[places]}=…."
            )
        for name in named:
            if name not in known:
                nearest = nearest_argument(name, known)
                remedy = f"name it {nearest}" if nearest else f"there are {', '.join(known)}"
                raise InputError(f"{function.__name__} has no argument {name}; {remedy}.")
        return function(*arguments, **named)

    return call
