"""The public names and their modules, which are imported on first use."""

from .audits.audit.interface import (
    audit as audit,
)
from .audits.audit.result import (
    AuditResult as AuditResult,
)
from .audits.choose.choose import (
    Choice as Choice,
    choose as choose,
)
from .audits.compare.interface import (
    compare as compare,
)
from .audits.compare.result import (
    ComparisonResult as ComparisonResult,
)
from .audits.groups.interface import (
    audit_groups as audit_groups,
)
from .audits.groups.result import (
    GroupAuditResult as GroupAuditResult,
)
from .audits.judgments.interface import (
    audit_judgments as audit_judgments,
)
from .audits.judgments.result import (
    JudgmentsResult as JudgmentsResult,
)
from .audits.monitor.interface import (
    monitor as monitor,
)
from .audits.monitor.result import (
    MonitorResult as MonitorResult,
)
from .audits.power.interface import (
    power as power,
)
from .audits.table.interface import (
    table as table,
)
from .audits.table.result import (
    TableResult as TableResult,
)
from .base.errors import (
    InputError as InputError,
)
from .mathematics.density_ratio.measures import (
    DensityRatioResult as DensityRatioResult,
    density_ratio_fairness as density_ratio_fairness,
)
from .mathematics.estimates.estimates import (
    cohens_h as cohens_h,
)
from .mathematics.fairness.bridges import (
    biased_bridge as biased_bridge,
    bridge_from_errors as bridge_from_errors,
    unbiased_bridge as unbiased_bridge,
)
from .mathematics.fairness.chi_square import (
    chi_square_test as chi_square_test,
    cochran_mantel_haenszel_test as cochran_mantel_haenszel_test,
    conditional_chi_square_test as conditional_chi_square_test,
)
from .mathematics.fairness.comparative import (
    comparative_separation_test as comparative_separation_test,
)
from .mathematics.fairness.comparative_result import (
    ComparativeSeparationResult as ComparativeSeparationResult,
)
from .mathematics.fairness.contingency import (
    ContingencyResult as ContingencyResult,
)
from .mathematics.fairness.differential_parity import (
    DifferentialParityResult as DifferentialParityResult,
    differential_parity_permutation_test as differential_parity_permutation_test,
    differential_parity_test as differential_parity_test,
)
from .mathematics.fairness.information import (
    information_separation as information_separation,
)
from .mathematics.fairness.ranking import (
    RankingResult as RankingResult,
    conditional_xauc as conditional_xauc,
    xauc as xauc,
    xroc_curve as xroc_curve,
)
from .mathematics.fairness.ranking_adjustment import (
    XaucAdjustment as XaucAdjustment,
    equalize_xauc as equalize_xauc,
)
from .mathematics.fairness.separation import (
    SeparationResult as SeparationResult,
    separation_permutation_test as separation_permutation_test,
    separation_test as separation_test,
)
from .mathematics.fairness.slopes import (
    ComparativeSlopesResult as ComparativeSlopesResult,
    comparative_separation_slopes_test as comparative_separation_slopes_test,
    differential_parity_slope_test as differential_parity_slope_test,
)
from .mathematics.fairness.two_proportions import (
    TwoProportionResult as TwoProportionResult,
    two_proportion_test as two_proportion_test,
)
from .mathematics.inference.contrasts.equivalence import (
    WithinMargin as WithinMargin,
)
from .mathematics.inference.permutation import (
    PermutationResult as PermutationResult,
    permutation_test as permutation_test,
)
from .mathematics.judgments.agreement import (
    JudgeAgreement as JudgeAgreement,
    judge_agreement as judge_agreement,
)
from .mathematics.judgments.comparative_judgments import (
    comparative_separation_by as comparative_separation_by,
    comparative_separation_from_judgments as comparative_separation_from_judgments,
)
from .mathematics.judgments.questions import (
    FirstPlaceResult as FirstPlaceResult,
    JudgeLeanResult as JudgeLeanResult,
    OutcomeTiesResult as OutcomeTiesResult,
    first_place_test as first_place_test,
    judge_lean_test as judge_lean_test,
    outcome_ties_test as outcome_ties_test,
)
from .mathematics.promises.check import (
    Promises as Promises,
    check_promises as check_promises,
)
from .mathematics.promises.worlds import World as World, worlds as worlds
from .papers.datasets.interface import card as card
from .papers.display.treatments import describe_treatments as describe_treatments
from .papers.experiments.comparison import compare_treatments as compare_treatments
from .papers.experiments.experiment import experiment as experiment, score_once as score_once
from .papers.experiments.information import (
    InformationFairness as InformationFairness,
    information_fairness as information_fairness,
)
from .papers.experiments.normal_scores import (
    xauc_of_normal_scores as xauc_of_normal_scores,
)
from .papers.experiments.rater_pairs import (
    RaterPairs as RaterPairs,
    differential_parity_of_raters as differential_parity_of_raters,
)
from .papers.treatments.fair_reweighing import (
    fair_reweighing_weights as fair_reweighing_weights,
)
from .papers.treatments.fairbalance import (
    fairbalance_weights as fairbalance_weights,
)
from .papers.treatments.reweighed import Reweighed as Reweighed
from .papers.treatments.reweighing import (
    reweighing_weights as reweighing_weights,
)

__version__: str
