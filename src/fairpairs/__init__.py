"""FairPairs: tests of group fairness, from labels or from comparative judgments.

The functions follow the convention of Fairlearn and scikit-learn:
`f(y_true, y_pred, *, sensitive_features)`.
"""

from importlib.metadata import PackageNotFoundError, version

from fairpairs.auditing.audit import AuditResult, audit
from fairpairs.errors import InputError
from fairpairs.fairness import power
from fairpairs.fairness.bridges import biased_bridge, bridge_from_errors, unbiased_bridge
from fairpairs.fairness.comparative import (
    ComparativeSeparationResult,
    comparative_separation_from_judgments,
    comparative_separation_test,
    label_mix_decomposition,
)
from fairpairs.fairness.contingency import (
    ContingencyResult,
    TwoProportionResult,
    chi_square_test,
    cochran_mantel_haenszel_test,
    conditional_chi_square_test,
    two_proportion_test,
)
from fairpairs.fairness.density_ratio import DensityRatioResult, density_ratio_fairness
from fairpairs.fairness.differential_parity import (
    DifferentialParityResult,
    RaterPairs,
    differential_parity_of_raters,
    differential_parity_permutation_test,
    differential_parity_slope_test,
    differential_parity_test,
)
from fairpairs.fairness.information import (
    InformationFairness,
    information_fairness,
    information_separation,
)
from fairpairs.fairness.permutation import (
    PermutationResult,
    permutation_test,
    separation_permutation_test,
)
from fairpairs.fairness.proportions import cohens_h
from fairpairs.fairness.ranking import (
    RankingResult,
    brier_scores,
    conditional_xauc,
    xauc,
    xauc_of_normal_scores,
    xroc_curve,
)
from fairpairs.fairness.ranking_adjustment import XaucAdjustment, equalize_xauc
from fairpairs.fairness.separation import SeparationResult, separation_test
from fairpairs.fairness.slopes import (
    ComparativeSlopesResult,
    comparative_separation_slopes_test,
)
from fairpairs.treatments import (
    fair_reweighing_weights,
    fairbalance_weights,
    reweighing_weights,
)

try:
    __version__ = version("fairpairs")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "unknown"

__all__ = [
    "AuditResult",
    "ComparativeSeparationResult",
    "ComparativeSlopesResult",
    "ContingencyResult",
    "DensityRatioResult",
    "DifferentialParityResult",
    "InformationFairness",
    "InputError",
    "PermutationResult",
    "RankingResult",
    "RaterPairs",
    "SeparationResult",
    "TwoProportionResult",
    "XaucAdjustment",
    "audit",
    "biased_bridge",
    "bridge_from_errors",
    "brier_scores",
    "chi_square_test",
    "cochran_mantel_haenszel_test",
    "cohens_h",
    "comparative_separation_from_judgments",
    "comparative_separation_slopes_test",
    "comparative_separation_test",
    "conditional_chi_square_test",
    "conditional_xauc",
    "density_ratio_fairness",
    "differential_parity_of_raters",
    "differential_parity_permutation_test",
    "differential_parity_slope_test",
    "differential_parity_test",
    "equalize_xauc",
    "fair_reweighing_weights",
    "fairbalance_weights",
    "information_fairness",
    "information_separation",
    "label_mix_decomposition",
    "permutation_test",
    "power",
    "reweighing_weights",
    "separation_permutation_test",
    "separation_test",
    "two_proportion_test",
    "unbiased_bridge",
    "xauc",
    "xauc_of_normal_scores",
    "xroc_curve",
]
