# The difference of two calibration slopes, as the interaction of a survey-weighted logistic model.
#
# Rscript calibration_reference.R items.csv reference.csv

suppressPackageStartupMessages(library(survey))

paths <- commandArgs(trailingOnly = TRUE)
items <- read.csv(paths[1])
items$one <- 1
items$log_odds <- qlogis(items$score)
items$in_b <- as.numeric(items$group == "b")

designs <- list(
  weights = svydesign(ids = ~1, weights = ~weight, data = items),
  clusters = svydesign(ids = ~person, weights = ~one, data = items),
  both = svydesign(ids = ~person, weights = ~weight, data = items)
)
rows <- lapply(names(designs), function(name) {
  fit <- svyglm(
    label ~ in_b * log_odds, designs[[name]], family = quasibinomial(),
    control = glm.control(epsilon = 1e-14, maxit = 100)
  )
  slope <- "in_b:log_odds"
  data.frame(
    design = name, estimate = sprintf("%.17g", coef(fit)[slope]),
    error = sprintf("%.17g", sqrt(vcov(fit)[slope, slope]))
  )
})
write.csv(do.call(rbind, rows), paths[2], row.names = FALSE, quote = FALSE)
