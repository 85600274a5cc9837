"""Items that are sampled in clusters or with unequal weights, and estimates that share items.

linear.py
    `Linear`: an estimate, and what each item adds to it to first order (its influence). The sums of
    the influence over clusters give the variance of any estimate, and the covariance of any two.
    Rates and means are such.
placements.py
    AUC, xAUC and TPR(a, b) as `Linear`.
comparative.py
    TPR(a, b) of all groups, also of real labels that are balanced.
gaps.py
    `Gap`: the difference of two of them, with its test and interval; of rates of pairs, `PairGap`.
estimates.py
    Many such differences as the `Estimates` that tests return; Welch's t of means.
units.py, cell_shuffles.py
    Shuffles of whole clusters.
"""
