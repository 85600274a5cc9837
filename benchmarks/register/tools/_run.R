# Run a tool of the register in R: Rscript _run.R TOOL.R QUESTION=DATA.csv …; as _run.py.
asked <- commandArgs(trailingOnly = TRUE)
suppressMessages(source(asked[1]))
for (one in asked[-1]) {
  question <- sub("=.*", "", one)
  path <- sub("^[^=]*=", "", one)
  for (data in split(read.csv(path), ~set)) {
    start <- proc.time()[["elapsed"]]
    said <- tryCatch(
      get(question)(data),
      error = function(e) list(refused = conditionMessage(e))
    )
    # numbers that R does not know are no numbers of JSON
    said <- Filter(function(value) is.character(value) || isTRUE(is.finite(value)), said)
    said$seconds <- proc.time()[["elapsed"]] - start
    said$data <- path
    cat(jsonlite::toJSON(said, auto_unbox = TRUE, digits = NA), "\n", sep = "")
  }
}
