"""Aequitas: rates by group and disparities; with `tests`, its tests of significance."""

import sys
import warnings
from importlib.metadata import version

from aequitas.bias import Bias
from aequitas.group import Group
from rates import ATTRIBUTES, items, show

warnings.simplefilter("ignore")
NAMES = {"pprev": "selection rate", "tpr": "TPR", "fpr": "FPR"}

data = items().rename(columns={"y": "label_value", "yhat": "score"})
crosstabs, _ = Group().get_crosstabs(data, attr_cols=list(ATTRIBUTES))
Bias().get_disparity_major_group(
    crosstabs, original_df=data, alpha=0.05, mask_significance=True,
    check_significance="tests" in sys.argv,
)  # fmt: skip
of_groups = crosstabs.set_index("attribute_value").rename(columns=NAMES)
show(
    version("aequitas"),
    {
        name: of_groups.loc[of_groups["attribute_name"] == name, list(NAMES.values())]
        .to_dict("index")
        for name in ATTRIBUTES
    },
)  # fmt: skip
