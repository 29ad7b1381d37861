# Waits for a fit that works in a thread of its own. R's evaluator stays in charge: it prints, and it takes interrupts.

wait_for <- function(job, progress, out) {
  said <- new.env(parent = emptyenv())
  said$shown <- FALSE
  tryCatch(
    watch(job, progress, said),
    interrupt = function(condition) interrupted(job, out)
  )
  end_progress(said)
  pointer <- native(wrap__job_result, job)
  if (is.null(pointer)) stop_sbmds("the time was up before every chain had a draw. Remedy: give more time")
  pointer
}

# Looks often at first, so that a short fit is not kept waiting, and every 50 ms later.
watch <- function(job, progress, said) {
  pause <- 0.0005
  repeat {
    state <- .Call(wrap__job_poll, job)
    if (progress) for (note in state$notes) message(in_words_of_r(note))
    for (text in state$warnings) warn_sbmds(text)
    if (progress && length(state$iteration) > 0) show_progress(state, said)
    if (state$done) return(invisible())
    Sys.sleep(pause)
    pause <- min(0.05, 1.3 * pause)
  }
}

show_progress <- function(state, said) {
  now <- proc.time()[["elapsed"]]
  if (!is.null(said$last) && now - said$last < 0.25 && !state$done) return(invisible())
  said$last <- now
  said$shown <- TRUE
  share <- sum(state$iteration) / sum(state$n_iterations)
  bar <- strrep("=", round(40 * share))
  divergent <- if (sum(state$divergences) > 0) sprintf(", %d divergences", sum(state$divergences)) else ""
  cat(sprintf(
    "\r[%-40s] %3.0f%% of %d chains%s", bar, 100 * share, length(state$iteration), divergent
  ), file = stderr())
}

end_progress <- function(said) if (said$shown) cat("\n", file = stderr())

# The fit ends with the draws it has; then the interrupt goes on to whoever waits for it.
interrupted <- function(job, out) {
  .Call(wrap__job_stop, job)
  pointer <- native(wrap__job_result, job)
  if (!is.null(out)) {
    message("\ninterrupted; go on with the same call and resume = TRUE")
  } else if (is.null(pointer)) {
    message("\ninterrupted before every chain had a draw")
  } else {
    kept$fit <- new_sbmds(pointer)
    message(sprintf("\ninterrupted; last_fit() has the %d draws of each chain", kept$fit$n_draws))
  }
  signalCondition(structure(class = c("sbmds_interrupt", "interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

kept <- new.env(parent = emptyenv())

#' The fit that was interrupted last
#'
#' @return An `sbmds` object of the draws made before the interrupt, or `NULL` if there is none.
#' @examples
#' last_fit()
#' @export
last_fit <- function() kept$fit
