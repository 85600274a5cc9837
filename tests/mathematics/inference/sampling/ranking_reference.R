# AUCs of groups and of two scores with their standard errors: DeLong's by the package pROC, and
# Obuchowski's (1997) for clusters by her formulas, which no package has that Debian ships. AUCs and
# xAUCs with sampling weights are double loops over pairs; the package survey has the standard
# error of a total, here of the influence of the items.
#
# Rscript ranking_reference.R items.csv reference.csv

suppressPackageStartupMessages({
  library(pROC)
  library(survey)
})

paths <- commandArgs(trailingOnly = TRUE)
items <- read.csv(paths[1])
rows <- list()
add <- function(design, quantity, estimate, error) {
  rows[[length(rows) + 1]] <<- data.frame(
    design = design, quantity = quantity, estimate = sprintf("%.17g", as.numeric(estimate)),
    error = sprintf("%.17g", as.numeric(error))
  )
}

# DeLong
curve <- function(rows, score) {
  roc(rows$label, rows[[score]], levels = c(0, 1), direction = "<", algorithm = 2, quiet = TRUE)
}
in_a <- items[items$group == "a", ]
in_b <- items[items$group == "b", ]
a <- curve(in_a, "score")
b <- curve(in_b, "score")
for (name in c("a", "b")) {
  of_group <- list(a = a, b = b)[[name]]
  add("items", paste("AUC", name), auc(of_group), sqrt(var(of_group)))
}
unpaired <- roc.test(b, a, paired = FALSE, method = "delong")
difference <- as.numeric(auc(b) - auc(a))
add("items", "AUC b - a", difference, difference / unpaired$statistic)
first <- curve(items, "score")
second <- curve(items, "other")
paired <- roc.test(second, first, paired = TRUE, method = "delong")
difference <- as.numeric(auc(second) - auc(first))
add("items", "AUC other - score", difference, difference / paired$statistic)
add("items", "covariance of AUCs", cov(second, first, method = "delong"), NA)

# placements: one row for each item of a label, ties half
pairs <- function(positive, negative) outer(positive, negative, ">") + outer(positive, negative, "==") / 2

# Obuchowski, section 3: S10, S01 and S11 of two AUCs r and s on the same items
clustered <- function(rows, scores) {
  abnormal <- rows[rows$label == 1, ]
  normal <- rows[rows$label == 0, ]
  clusters <- sort(unique(rows$person))
  m <- nrow(abnormal)
  n <- nrow(normal)
  i10 <- length(unique(abnormal$person))
  i01 <- length(unique(normal$person))
  i <- length(clusters)
  theta <- numeric(length(scores))
  x <- y <- matrix(0, i, length(scores)) # sums of placements of a cluster minus m_i or n_i times AUC
  for (r in seq_along(scores)) {
    psi <- pairs(abnormal[[scores[r]]], normal[[scores[r]]])
    theta[r] <- mean(psi)
    v10 <- rowMeans(psi)
    v01 <- colMeans(psi)
    for (k in seq_along(clusters)) {
      x[k, r] <- sum(v10[abnormal$person == clusters[k]] - theta[r])
      y[k, r] <- sum(v01[normal$person == clusters[k]] - theta[r])
    }
  }
  s10 <- i10 / ((i10 - 1) * m) * t(x) %*% x
  s01 <- i01 / ((i01 - 1) * n) * t(y) %*% y
  s11 <- i / (i - 1) * t(x) %*% y
  list(auc = theta, covariance = s10 / m + s01 / n + (s11 + t(s11)) / (m * n))
}
of_all <- clustered(items, c("score", "other"))
for (name in c("a", "b", "all")) {
  of_group <- if (name == "all") of_all else clustered(items[items$group == name, ], "score")
  add("clusters", paste("AUC", name), of_group$auc[1], sqrt(of_group$covariance[1, 1]))
}
add("clusters", "AUC other - score", of_all$auc[2] - of_all$auc[1],
    sqrt(of_all$covariance[1, 1] + of_all$covariance[2, 2] - 2 * of_all$covariance[1, 2]))

# weights: the influence of each item, by a double loop over pairs
influence <- function(winners, losers) {
  weight <- items$weight
  i <- which(items$label == 1 & items$group %in% winners)
  j <- which(items$label == 0 & items$group %in% losers)
  theta <- sum_of_weights <- 0
  beaten <- beating <- numeric(nrow(items))
  for (one in i) for (other in j) {
    h <- (items$score[one] > items$score[other]) + (items$score[one] == items$score[other]) / 2
    theta <- theta + weight[one] * weight[other] * h
    sum_of_weights <- sum_of_weights + weight[one] * weight[other]
    beaten[one] <- beaten[one] + weight[other] * h
    beating[other] <- beating[other] + weight[one] * h
  }
  theta <- theta / sum_of_weights
  z <- numeric(nrow(items))
  z[i] <- weight[i] * (beaten[i] / sum(weight[j]) - theta) / sum(weight[i])
  z[j] <- weight[j] * (beating[j] / sum(weight[i]) - theta) / sum(weight[j])
  list(estimate = theta, z = z)
}
both <- c("a", "b")
rates <- list(
  "AUC a" = influence("a", "a"), "AUC b" = influence("b", "b"),
  "xAUC b a" = influence("b", "a"), "xAUC a b" = influence("a", "b"),
  "xAUC_1 b" = influence("b", both), "xAUC_1 a" = influence("a", both),
  "xAUC_0 b" = influence(both, "b"), "xAUC_0 a" = influence(both, "a")
)
items$one <- 1
for (name in c("weights", "both")) {
  ids <- if (name == "both") ~person else ~1
  error <- function(z) {
    SE(svytotal(~z, svydesign(ids = ids, weights = ~one, data = cbind(items, z = z))))
  }
  for (quantity in names(rates)) {
    add(name, quantity, rates[[quantity]]$estimate, error(rates[[quantity]]$z))
  }
  for (k in seq(1, 7, 2)) {
    gap <- if (k == 1) rates[c(2, 1)] else rates[c(k, k + 1)]
    add(name, paste(names(gap), collapse = " - "), gap[[1]]$estimate - gap[[2]]$estimate,
        error(gap[[1]]$z - gap[[2]]$z))
  }
}
write.csv(do.call(rbind, rows), paths[2], row.names = FALSE, quote = FALSE)
