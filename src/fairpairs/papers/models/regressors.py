"""Regressors of scikit-learn, scaled and tuned as a user would."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import TransformedTargetRegressor
from sklearn.cross_decomposition import PLSRegression
from sklearn.ensemble import (
    AdaBoostRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNetCV,
    HuberRegressor,
    LassoCV,
    LinearRegression,
    OrthogonalMatchingPursuitCV,
    RANSACRegressor,
    RidgeCV,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR, LinearSVR
from sklearn.tree import DecisionTreeRegressor

from fairpairs.base.arrays import Floats

#: Largest number of items for methods whose cost grows with the cube of it.
MAX_ITEMS = 2000
SUBSAMPLED = ("svr", "kernel_ridge", "gaussian_process")


def _tuned(model: Any, **grid: list[Any]) -> GridSearchCV:
    return GridSearchCV(model, grid, cv=5, scoring="neg_mean_squared_error")


#: Name of a regressor in the config → what builds it from a seed; features and target are scaled.
REGRESSORS: dict[str, Callable[[int], Any]] = {
    "linear": lambda seed: LinearRegression(),
    "ridge": lambda seed: RidgeCV(np.logspace(-3, 3, 13)),
    "lasso": lambda seed: LassoCV(max_iter=20_000, random_state=seed),
    "elastic_net": lambda seed: ElasticNetCV(
        l1_ratio=[0.2, 0.8], max_iter=20_000, random_state=seed
    ),
    "bayesian_ridge": lambda seed: BayesianRidge(),
    "orthogonal_matching_pursuit": lambda seed: OrthogonalMatchingPursuitCV(cv=5),
    "partial_least_squares": lambda seed: _tuned(PLSRegression(), n_components=[1, 2, 4, 8]),
    "huber": lambda seed: HuberRegressor(max_iter=1000),
    "ransac": lambda seed: RANSACRegressor(random_state=seed),
    "stochastic_gradient": lambda seed: SGDRegressor(alpha=1e-3, random_state=seed),
    "linear_svr": lambda seed: LinearSVR(C=0.1, max_iter=20_000, random_state=seed),
    "svr": lambda seed: _tuned(SVR(), C=[0.1, 1, 10]),
    "kernel_ridge": lambda seed: _tuned(
        KernelRidge(kernel="rbf"), alpha=[0.1, 1], gamma=[0.01, 0.1]
    ),
    "gaussian_process": lambda seed: GaussianProcessRegressor(
        ConstantKernel() * RBF(5.0) + WhiteKernel(), random_state=seed
    ),
    "nearest_neighbors": lambda seed: _tuned(KNeighborsRegressor(), n_neighbors=[5, 15, 45]),
    "decision_tree": lambda seed: _tuned(
        DecisionTreeRegressor(random_state=seed), min_samples_leaf=[5, 20, 80]
    ),
    "random_forest": lambda seed: RandomForestRegressor(min_samples_leaf=3, random_state=seed),
    "extra_trees": lambda seed: ExtraTreesRegressor(min_samples_leaf=3, random_state=seed),
    "gradient_boosting": lambda seed: GradientBoostingRegressor(random_state=seed),
    "histogram_boosting": lambda seed: HistGradientBoostingRegressor(random_state=seed),
    "ada_boost": lambda seed: AdaBoostRegressor(random_state=seed),
    "multilayer_perceptron": lambda seed: MLPRegressor(
        hidden_layer_sizes=(64, 32), early_stopping=True, max_iter=500, random_state=seed
    ),
}


def fit_predict(
    name: str, x: Floats, y: Floats, tested: NDArray[np.bool_], seed: int
) -> tuple[Floats, int]:
    """Return predictions of the tested items, and the number of items that were fitted on.

    `name` is in `REGRESSORS`. Those in `SUBSAMPLED` are fitted on at most `MAX_ITEMS` items.
    """
    items = np.flatnonzero(~tested)
    if name in SUBSAMPLED and len(items) > MAX_ITEMS:
        items = np.sort(np.random.default_rng(seed).choice(items, MAX_ITEMS, replace=False))
    model = TransformedTargetRegressor(
        make_pipeline(StandardScaler(), REGRESSORS[name](seed)), transformer=StandardScaler()
    )
    predicted = model.fit(x[items], y[items]).predict(x[tested])
    return np.asarray(predicted, dtype=np.float64).ravel(), len(items)
