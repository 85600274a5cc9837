"""Items that are sampled in clusters or with unequal weights, and estimates that share items.

design.py
    `SamplingDesign`: the cluster and the weight of each item.
read.py
    `read_sample`: a design from the clusters and weights that a user gives.
linear.py
    `Linear`: an estimate, and what each item adds to it to first order (its influence). The sums of
    the influence over clusters give the variance of any estimate, and the covariance of any two.
means.py
    Rates and means as `Linear`.
placements.py
    AUC, xAUC and TPR(a, b) as `Linear`.
balanced.py
    TPR(a, b) of real labels that are balanced, as `Linear`.
gaps.py
    `Gap`: the difference of two of them, with its test and interval.
pair_gaps.py
    `PairGap`: the same for two rates of pairs, such as two AUCs.
estimates.py
    Many such differences as the `Estimates` that tests return.
welch.py
    Welch's t of means.
ranking.py
    AUC and xAUC of all groups.
units.py, cell_shuffles.py
    Shuffles of whole clusters.
"""
