# pROC: DeLong's test of two ROC curves of separate rows.
# Debian: r-cran-proc, r-cran-jsonlite
suppressMessages(library(pROC))

# Call roc.test(roc1, roc0, method = "delong", paired = FALSE). Page: help(roc.test) of pROC.
auc <- function(data) {
  of_group <- function(code) {
    rows <- data[data$group == code, ]
    roc(rows$label, rows$score, levels = c(0, 1), direction = "<", quiet = TRUE)
  }
  test <- roc.test(of_group(1), of_group(0), method = "delong", paired = FALSE)
  gap <- unname(test$estimate[1] - test$estimate[2])
  list(estimate = gap, low = test$conf.int[1], high = test$conf.int[2], p = test$p.value)
}
