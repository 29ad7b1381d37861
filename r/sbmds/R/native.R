# The calls into the library. What fails comes back as a value and is raised here, as a condition of class "sbmds_error".

native <- function(symbol, ...) {
  answer <- .Call(symbol, ...)
  if (inherits(answer, "sbmds_failure")) stop_sbmds(answer$message)
  answer
}

stop_sbmds <- function(message, call = NULL) {
  condition <- structure(
    class = c("sbmds_error", "error", "condition"),
    list(message = in_words_of_r(message), call = call)
  )
  stop(condition)
}

warn_sbmds <- function(message, class = "sbmds_warning") {
  condition <- structure(
    class = unique(c(class, "sbmds_warning", "warning", "condition")),
    list(message = in_words_of_r(message), call = NULL)
  )
  warning(condition)
}
