"""The public names, and where each is from; they are imported when they are asked for."""

from .auditing.audit import (
    AuditResult as AuditResult,
)
from .auditing.audit import (
    audit as audit,
)
from .errors import (
    InputError as InputError,
)
from .fairness import (
    power as power,
)
from .fairness.bridges import (
    biased_bridge as biased_bridge,
)
from .fairness.bridges import (
    bridge_from_errors as bridge_from_errors,
)
from .fairness.bridges import (
    unbiased_bridge as unbiased_bridge,
)
from .fairness.comparative import (
    ComparativeSeparationResult as ComparativeSeparationResult,
)
from .fairness.comparative import (
    comparative_separation_from_judgments as comparative_separation_from_judgments,
)
from .fairness.comparative import (
    comparative_separation_test as comparative_separation_test,
)
from .fairness.contingency import (
    ContingencyResult as ContingencyResult,
)
from .fairness.contingency import (
    TwoProportionResult as TwoProportionResult,
)
from .fairness.contingency import (
    chi_square_test as chi_square_test,
)
from .fairness.contingency import (
    cochran_mantel_haenszel_test as cochran_mantel_haenszel_test,
)
from .fairness.contingency import (
    conditional_chi_square_test as conditional_chi_square_test,
)
from .fairness.contingency import (
    two_proportion_test as two_proportion_test,
)
from .fairness.density_ratio import (
    DensityRatioResult as DensityRatioResult,
)
from .fairness.density_ratio import (
    density_ratio_fairness as density_ratio_fairness,
)
from .fairness.differential_parity import (
    DifferentialParityResult as DifferentialParityResult,
)
from .fairness.differential_parity import (
    differential_parity_permutation_test as differential_parity_permutation_test,
)
from .fairness.differential_parity import (
    differential_parity_slope_test as differential_parity_slope_test,
)
from .fairness.differential_parity import (
    differential_parity_test as differential_parity_test,
)
from .fairness.information import (
    InformationFairness as InformationFairness,
)
from .fairness.information import (
    information_fairness as information_fairness,
)
from .fairness.information import (
    information_separation as information_separation,
)
from .fairness.label_mix import (
    label_mix_decomposition as label_mix_decomposition,
)
from .fairness.permutation import (
    PermutationResult as PermutationResult,
)
from .fairness.permutation import (
    permutation_test as permutation_test,
)
from .fairness.permutation import (
    separation_permutation_test as separation_permutation_test,
)
from .fairness.proportions import (
    cohens_h as cohens_h,
)
from .fairness.ranking import (
    RankingResult as RankingResult,
)
from .fairness.ranking import (
    brier_scores as brier_scores,
)
from .fairness.ranking import (
    conditional_xauc as conditional_xauc,
)
from .fairness.ranking import (
    xauc as xauc,
)
from .fairness.ranking import (
    xauc_of_normal_scores as xauc_of_normal_scores,
)
from .fairness.ranking import (
    xroc_curve as xroc_curve,
)
from .fairness.ranking_adjustment import (
    XaucAdjustment as XaucAdjustment,
)
from .fairness.ranking_adjustment import (
    equalize_xauc as equalize_xauc,
)
from .fairness.rater_pairs import (
    RaterPairs as RaterPairs,
)
from .fairness.rater_pairs import (
    differential_parity_of_raters as differential_parity_of_raters,
)
from .fairness.separation import (
    SeparationResult as SeparationResult,
)
from .fairness.separation import (
    separation_test as separation_test,
)
from .fairness.slopes import (
    ComparativeSlopesResult as ComparativeSlopesResult,
)
from .fairness.slopes import (
    comparative_separation_slopes_test as comparative_separation_slopes_test,
)
from .treatments import (
    fair_reweighing_weights as fair_reweighing_weights,
)
from .treatments import (
    fairbalance_weights as fairbalance_weights,
)
from .treatments import (
    reweighing_weights as reweighing_weights,
)

__version__: str
