# survey: design-based inference with clusters and weights.
# Debian: r-cran-survey, r-cran-jsonlite
suppressMessages(library(survey))

compared <- function(design) {
  test <- svyttest(decision ~ group, design)
  limits <- confint(test)
  list(estimate = unname(test$estimate), low = limits[1], high = limits[2], p = test$p.value[[1]])
}

# Call svyttest(decision ~ group, svydesign(ids = ~cluster, …)). Page: help(svyttest) of survey.
clustered <- function(data) compared(svydesign(ids = ~cluster, weights = ~one, data = cbind(data, one = 1)))
# Call the same, with clusters of both groups. Page: help(svyttest).
crossed <- clustered

# Call svyttest(decision ~ group, svydesign(ids = ~1, weights = ~weight)). Page: help(svyttest).
weighted <- function(data) compared(svydesign(ids = ~1, weights = ~weight, data = data))
