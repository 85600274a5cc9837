# Rates and means of groups, and their differences, by the package survey.
#
# Rscript survey_reference.R items.csv reference.csv

suppressPackageStartupMessages(library(survey))

paths <- commandArgs(trailingOnly = TRUE)
items <- read.csv(paths[1])
items$one <- 1
items$error <- items$prediction - items$label
items$right <- as.numeric(items$prediction == items$label)

designs <- list(
  weights = svydesign(ids = ~1, weights = ~weight, data = items),
  clusters = svydesign(ids = ~person, weights = ~one, data = items),
  both = svydesign(ids = ~person, weights = ~weight, data = items)
)
rows <- list()
add <- function(design, quantity, estimate, error) {
  rows[[length(rows) + 1]] <<- data.frame(
    design = design, quantity = quantity, estimate = sprintf("%.17g", as.numeric(estimate)),
    error = sprintf("%.17g", as.numeric(error))
  )
}

for (name in names(designs)) {
  design <- designs[[name]]
  domains <- list(
    "selection rate" = list(~prediction, design),
    "accuracy" = list(~right, design),
    "mean error" = list(~error, design),
    "TPR" = list(~prediction, subset(design, label == 1)),
    "FPR" = list(~prediction, subset(design, label == 0)),
    "precision" = list(~label, subset(design, prediction == 1))
  )
  for (quantity in names(domains)) {
    formula <- domains[[quantity]][[1]]
    by_group <- svyby(formula, ~group, domains[[quantity]][[2]], svymean, covmat = TRUE)
    for (group in c("a", "b")) {
      add(name, paste(quantity, group), coef(by_group)[group], SE(by_group)[by_group$group == group])
    }
    difference <- svycontrast(by_group, c(a = -1, b = 1))
    add(name, paste(quantity, "b - a"), coef(difference), SE(difference))
  }
  # the mean of the differences of TPR and FPR: of four ratios at once
  cells <- with(items, interaction(group, label, sep = "_"))
  for (cell in levels(cells)) {
    items[[paste0("of_", cell)]] <- as.numeric(cells == cell)
    items[[paste0("in_", cell)]] <- as.numeric(cells == cell) * items$prediction
  }
  whole <- update(design, items[grep("^(of|in)_", names(items))])
  whole$variables <- cbind(design$variables, items[grep("^(of|in)_", names(items))])
  sums <- svytotal(~ in_a_0 + of_a_0 + in_a_1 + of_a_1 + in_b_0 + of_b_0 + in_b_1 + of_b_1, whole)
  odds <- svycontrast(sums, quote(
    (in_b_1 / of_b_1 + in_b_0 / of_b_0 - in_a_1 / of_a_1 - in_a_0 / of_a_0) / 2
  ))
  add(name, "average odds b - a", coef(odds), SE(odds))
}
write.csv(do.call(rbind, rows), paths[2], row.names = FALSE, quote = FALSE)
