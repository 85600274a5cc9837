"""The conclusions of the paper on density ratios, with checks on real and synthetic data."""

from fairpairs.papers.plan.claims import Claim
from fairpairs.papers.studies.density_ratio.cap_checks import (
    check_cap_on_data,
    check_other_factors,
    check_values,
)
from fairpairs.papers.studies.density_ratio.regressor_checks import (
    check_boundaries,
    check_data_sets,
    check_kendall,
    check_kernel,
    check_linear,
    check_matching,
    check_matching_among,
    check_penalty,
    check_ranking,
)
from fairpairs.papers.studies.density_ratio.synthetic_checks import (
    check_cap,
    check_gap,
    check_truth,
)

#: What the paper does not give, so that its tables of real data can be redone, not recomputed.
OURS = "the regressors, the kernels and the split"
LINEAR = "the regressors, the penalties and the split"
CLASSIFIERS = "the penalties and the kernels"

CLAIMS = [
    Claim(
        "choice-decides-the-ranking",
        "The choice of the estimator can change which regressors are measured as fairer.",
        "abstract; introduction; conclusion",
        check_ranking,
        quote="the choice of density-ratio estimation core could significantly affect the outcome "
        "… and even, generate inconsistent results with respect to the relative fairness",
        redone=OURS,
    ),
    Claim(
        "linear-classifiers-alike",
        "Logistic regression, ridge and lasso rank regressors alike: correlations above 0.85.",
        "introduction; section on the choice of classifier (Table 1)",
        check_linear,
        quote="the use of non-kernel based classifiers (such as Logistic Regression, Lasso, and "
        "Ridge) consistently results in strong correlations among the estimated fairness values",
        redone=LINEAR,
    ),
    Claim(
        "few-inputs-make-a-penalty-harmless",
        "An explanation of the agreement of linear classifiers: with one or two inputs, a penalty "
        "may hardly change them.",
        "section on the choice of classifier",
        check_penalty,
        quote="because of small number of inputs … the use of regularization … could result in "
        "intangible change in the resulted linear classifier",
        redone=LINEAR,
    ),
    Claim(
        "kernels-disagree",
        "Kernel classifiers mostly rank regressors differently from linear ones.",
        "abstract; introduction; section on the choice of classifier (Table 1)",
        check_kernel,
        quote="the outcome of these methods are not highly correlated with that of models relying "
        "on kernel-based probabilistic classifiers",
        redone=OURS,
    ),
    Claim(
        "kernels-have-other-boundaries",
        "An explanation of that: the boundary of a kernel classifier is not linear, so it states "
        "other probabilities.",
        "section on the choice of classifier",
        check_boundaries,
        quote="to find non-linear classification boundaries, perhaps this could result in "
        "different output probability than the linear ones",
        redone=OURS,
    ),
    Claim(
        "ratio-matching-disagrees",
        "Ratio matching (LSIF and uLSIF) correlates little with classifiers, in general.",
        "abstract; introduction; section on the choice of estimator (Table 2)",
        check_matching,
        quote="generally low correlation when comparing the ratio matching-based approach with the "
        "Probabilistic Classification-based ones",
        redone=OURS,
    ),
    Claim(
        "ratio-matching-among-itself",
        "Two estimators that match ratios correlate little in some cases.",
        "introduction; section on the choice of estimator (Table 2); conclusion",
        check_matching_among,
        quote="the output of ratio matching approaches seem to show a low level of correlation in "
        "some cases",
        redone="the regressors and the split",
    ),
    Claim(
        "agreement-varies-between-data-sets",
        "How far the same two estimators agree differs between data sets.",
        "section on the choice of estimator (Table 2); appendix (Table 9)",
        check_data_sets,
        quote="there is significant variation in correlation values across datasets, even within "
        "the same methods",
        redone=OURS,
    ),
    Claim(
        "probabilities-near-1-decide",
        "A few probabilities near 1 can decide the measure: on Communities, independence falls "
        "severalfold with a cap.",
        "section on potential reasons (Figure 3)",
        check_values,
        quote="Such sudden changes of ratios for just a few data points could significantly affect "
        "the overall Independence value",
        redone="the regressor, the sensitive attribute and the split",
    ),
    Claim(
        "worse-with-a-gap",
        "Overall, classifiers agree less where the gap between the groups is larger.",
        "introduction; section on potential reasons, step 1 (Tables 3 and 5)",
        check_gap,
        quote="The overall trend suggests that as the mean value increases … the correlation "
        "between fairness values produced by different classifiers decreases",
        redone=CLASSIFIERS,
    ),
    Claim(
        "further-from-the-truth",
        "Overall, classifiers agree less with the true independence where the gap between the "
        "groups is larger.",
        "section on potential reasons, step 1 (Table 4)",
        check_truth,
        quote="inconsistencies increase as the mean value rises",
        redone=CLASSIFIERS,
    ),
    Claim(
        "a-cap-helps-on-synthetic-data",
        "On synthetic data with a large gap, a cap of 0.99 on probabilities raises agreement.",
        "section on potential reasons, step 2 (Tables 6 and 7)",
        check_cap,
        quote="applying a threshold can effectively improve correlation values",
        redone=CLASSIFIERS,
    ),
    Claim(
        "a-cap-is-mixed-on-real-data",
        "On real data, a cap of 0.99 raises agreement in some cases, and leaves it unchanged or "
        "lowers it in others.",
        "section on potential reasons, step 2",
        check_cap_on_data,
        quote="thresholding improving correlations in some cases while leaving them unchanged or "
        "even reducing them in others",
        redone=OURS,
    ),
    Claim(
        "other-factors-than-probabilities-near-1",
        "Something else than probabilities near 1 may make classifiers disagree, too.",
        "introduction; section on potential reasons, step 2",
        check_other_factors,
        quote="factors beyond high probability values may contribute to inconsistencies",
        redone=OURS,
    ),
    Claim(
        "kendall-shows-the-same",
        "Kendall's coefficient is high and low where Spearman's is.",
        "appendix",
        check_kendall,
        quote="a similar pattern between the Spearman and Kendall correlation analyses, with both "
        "showing either strong or weak correlations in the same instances",
    ),
]
