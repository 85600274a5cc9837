"""The audit of many groups as Python calls it."""

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from fairpairs.audits.groups.audit import audit_counted
from fairpairs.audits.groups.read import count_arrays, count_rows
from fairpairs.audits.groups.result import GroupAuditResult
from fairpairs.audits.groups.settings import SMALLEST, GroupSettings
from fairpairs.audits.items.columns import column_names, open_table
from fairpairs.audits.options import options_as_arguments
from fairpairs.base.guesses import understood


@understood
def audit_groups(
    y_true: ArrayLike | None,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    depth: int | None = None,
    smallest: int = SMALLEST,
    criterion: str | Sequence[str] | None = None,
    margin: float | None = None,
    alpha: float = 0.05,
    positive: object = None,
    favourable: object = None,
    missing_group: bool = False,
    control: ArrayLike | Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    data: object = None,
) -> GroupAuditResult:
    """Find the groups that a model treats worst, among up to 100,000 that may overlap.

    Each group of each attribute, and each intersection of up to `depth` attributes, is compared
    with everyone else; of two groups of an attribute, the smaller one with the larger one.
    p-values, intervals and verdicts hold for all groups together.

    Items must be independent, or `clusters` names those that are not. With `control`, differences
    are those within strata.

    Parameters
    ----------
    y_true, y_pred
        Labels and decisions, shape (n,): two values of any kind. Selection rates need no labels:
        then `y_true` is None.
    sensitive_features
        Group of each item, shape (n,); or several attributes: a DataFrame, an array of shape (n,
        attributes), or a mapping from names. An attribute may have any number of groups.
    depth
        Most attributes of an intersection; by default 2.
    smallest
        Groups with fewer items are left out.
    criterion
        One or more of "separation" (TPR and FPR), "equal_opportunity" (TPR), "demographic_parity"
        (selection rate) and "accuracy"; by default separation, or, without labels, demographic
        parity.
    margin
        Largest difference that does not matter, such as 0.05: each group is then also shown to lie
        within it, or beyond it, where its simultaneous interval does.
    alpha
        Level of all lines together; the intervals cover, all together, with a chance of 1 − alpha.
    positive
        Value of the label (and of the decision) that is positive; None for 1 or true.
    favourable
        Value of the label (without labels, of the decision) that is good for a person: it decides
        what harms a group, which the answer then lists before what is not.
    missing_group
        Whether items without a value of an attribute are a group of their own, "missing".
    control
        Columns within whose values groups are compared (see `audit`), as `sensitive_features` are
        given: by the weights of Mantel and Haenszel, and by their exact test.
    clusters
        The person, or other cluster, of each item, shape (n,): items of one may be dependent, as
        the résumés for one job ad. Each line then has the test of `audit`.
    data
        A table of pandas, Polars, Arrow, Modin, DuckDB, Ibis or PySpark (as narwhals reads
        it), or paths of CSV or Parquet files, of any size. The other arguments then name its
        columns.

    Returns
    -------
    GroupAuditResult
        One row per group and measure, the worst first.

    Raises
    ------
    InputError
        As for `audit`; labels or decisions that are numbers, more than 100,000 groups, a depth of 0
        or above the number of attributes, no group that is large enough, a criterion that needs
        labels without any, a control that determines an attribute.

    Notes
    -----
    docs/explanation/methods.md has the methods. Up to 100 lines have the tests of `audit`. With
    more, or with a control, p-values are exact where fewer than 10,000 items are expected in a cell
    (Fisher), and of the pooled z elsewhere; intervals are of exact limits of both rates. All is
    adjusted by Bonferroni, and an interval leaves out 0 exactly if its p is below the level.

    References
    ----------
    C. E. Bonferroni (1936), Teoria statistica delle classi e calcolo delle probabilità; J. J.
    Cherian and E. J. Candès (2023), Statistical inference for fairness auditing (certificates for
    many groups).

    Examples
    --------
    >>> y_true, y_pred = [1, 0] * 200, [1, 0, 1, 1, 0, 0, 1, 0] * 50
    >>> sex, area = ["f", "f", "m", "m"] * 100, ["n", "n", "n", "n", "s", "s", "s", "s"] * 50
    >>> result = audit_groups(y_true, y_pred, sensitive_features={"sex": sex, "area": area})
    >>> result.to_frame().loc[:1, ["group", "measure", "estimate", "verdict"]].round(2)
                group measure  estimate   verdict
    0  sex=f & area=s     TPR      -1.0  violated
    1  sex=m & area=n     FPR       1.0  violated
    """
    settings = GroupSettings(
        criterion=criterion,
        depth=depth,
        smallest=smallest,
        margin=margin,
        alpha=alpha,
        positive=positive,
        favourable=favourable,
        missing_group=missing_group,
    )
    with options_as_arguments():
        if data is None:
            items = count_arrays(y_true, y_pred, sensitive_features, settings, control, clusters)
        else:
            named = column_names(
                y_true=y_true,
                y_pred=y_pred,
                sensitive_features=sensitive_features,
                control=control,
                clusters=clusters,
            )
            items = count_rows(open_table(data), named, settings)
        return audit_counted(items, settings)
