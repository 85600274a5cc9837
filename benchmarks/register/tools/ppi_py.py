"""ppi_py: prediction-powered inference."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["ppi-python==0.2.3"]
# ///

import numpy as np
from ppi_py import ppi_ols_ci, ppi_ols_pointestimate


def labels(data):
    """Call `ppi_ols_ci(X, Y, Yhat, X_unlabeled, Yhat_unlabeled, alpha=0.05, coord=1)`.

    Page: ppi-py.readthedocs.io, ppi_ols_ci. X has a constant and the group.
    """
    labelled = ~np.isnan(data["label"])
    x = np.column_stack([np.ones(len(labelled)), data["group"]])
    human = (data["label"] == data["decision"]).astype(float)
    judged = (data["cheap"] == data["decision"]).astype(float)
    asked = x[labelled], human[labelled], judged[labelled], x[~labelled], judged[~labelled]
    low, high = ppi_ols_ci(*asked, alpha=0.05, coord=1)
    return {"estimate": ppi_ols_pointestimate(*asked, coord=1)[1], "low": low[1], "high": high[1]}
