# The object of class sbmds: what R code needs at once, and a pointer to the draws and the data.

new_sbmds <- function(pointer, labels = NULL, tree = NULL, call = NULL) {
  overview <- native(wrap__fitted_overview, pointer)
  names <- overview$names
  axes <- paste0("D", seq_len(ncol(overview$map)))
  dimnames(overview$map) <- list(names, axes)
  dimnames(overview$covariance) <- list(axes, axes, names)
  names(overview$stress) <- names
  if (!is.null(labels)) labels <- labels[match(names, as.character(labels[[1]])), , drop = FALSE]
  # By reference, so that a fit that is opened again is opened for all copies.
  handle <- new.env(parent = emptyenv())
  handle$pointer <- pointer
  structure(c(overview, list(handle = handle, labels = labels, tree = tree, call = call)), class = "sbmds")
}

# The library's own object. After readRDS() only a run in a directory can be opened again.
pointer_of <- function(fit) {
  pointer <- fit$handle$pointer
  if (!is_null_pointer(pointer)) return(pointer)
  if (!dir.exists(fit$path)) {
    stop_sbmds("the draws of this fit were in the memory of another session. Remedy: fit with out = DIRECTORY to keep them")
  }
  fit$handle$pointer <- native(wrap__fitted_open, fit$path, fit$mode)
}

is_null_pointer <- function(pointer) identical(pointer, methods::new("externalptr"))

#' Open a finished run
#'
#' @param run The directory of a run, made by [sbmds()] with `out` or by the program.
#' @param mode Which of the modes that the chains are in, from 1, the one shown by default.
#' @return An object of class `sbmds`, as [sbmds()] returns it.
#' @examples
#' run <- file.path(tempdir(), "run")
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 100, chains = 2, seed = 1, out = run,
#'              overwrite = TRUE, progress = FALSE)
#' identical(coef(read_sbmds(run)), coef(fit))
#' @export
read_sbmds <- function(run, mode = 1) {
  if (!is_string(run)) stop_sbmds("run: give the path of its directory")
  pointer <- native(wrap__fitted_open, path.expand(run), as.integer(mode))
  fit <- new_sbmds(pointer)
  path <- fit$settings$input$labels
  if (!is.null(path) && file.exists(path)) {
    table <- label_table(path)
    fit$labels <- table[match(fit$names, as.character(table[[1]])), , drop = FALSE]
  }
  fit
}

#' The same fit in another mode
#'
#' Where chains are in different modes, each mode has a map of its own.
#'
#' @param fit A fit.
#' @param mode The mode, from 1.
#' @return The fit with the map of that mode.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 100, chains = 2, seed = 1, progress = FALSE)
#' in_mode(fit, 1)$what_is_shown
#' @export
in_mode <- function(fit, mode) {
  new_sbmds(native(wrap__fitted_in_mode, pointer_of(fit), as.integer(mode)), fit$labels, fit$tree, fit$call)
}

#' Print a fit
#'
#' @param x A fit.
#' @param ... Ignored.
#' @return The fit, invisibly.
#' @examples
#' print(sbmds(eurodist, iter_warmup = 200, iter_sampling = 100, chains = 2, seed = 1, progress = FALSE))
#' @export
print.sbmds <- function(x, ...) {
  summary <- x$summary
  cat(paragraph(summary$verdict))
  if (!is.null(summary$map$verdict)) cat(paragraph(summary$map$verdict))
  cat(sprintf(
    "%d objects in %d dimensions%s, %d pairs (%s), %d chains of %d draws\n", summary$n_objects, summary$n_dims,
    if (is.null(x$settings$tree)) "" else " along a tree", summary$n_pairs, summary$couplings, x$n_chains, x$n_draws
  ))
  sigma <- summary$sigma
  cat(sprintf("noise sigma %s, 90%% in [%s, %s]\n", short(sigma$mean), short(sigma$q5), short(sigma$q95)))
  invisible(x)
}

paragraph <- function(text) paste0(paste(strwrap(in_words_of_r(text), width = max(40, getOption("width") - 2)), collapse = "\n"), "\n")

short <- function(number) if (is.null(number)) "-" else format(signif(number, 3))

#' What a fit found, verdict first
#'
#' @param object A fit.
#' @param x A summary.
#' @param ... Ignored.
#' @return A list of class `summary.sbmds`: `verdict`, `converged`, `map` (how well it describes the data), `sigma`, `stress`,
#'   `diagnostics` (a data frame of everything monitored) and `objects` (a data frame of mean, standard deviation, 95% ellipse
#'   and stress of every object).
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' summary(fit)
#' @export
summary.sbmds <- function(object, ...) {
  summary <- object$summary
  structure(
    c(
      summary[setdiff(names(summary), c("files", "verdict_details"))],
      list(diagnostics = diagnostics(object), objects = embedding(object), sentences = object$sentences)
    ),
    class = "summary.sbmds"
  )
}

#' @rdname summary.sbmds
#' @export
print.summary.sbmds <- function(x, ...) {
  cat(paragraph(x$verdict))
  if (!is.null(x$map$verdict)) cat(paragraph(x$map$verdict))
  for (text in x$warnings) cat(paragraph(paste("Warning:", text)))
  for (text in x$sentences) cat(paragraph(text))
  worst <- function(extreme) if (is.null(extreme)) "-" else sprintf("%s (%s)", short(extreme$value), extreme$quantity)
  lines <- c(
    "objects" = sprintf("%d in %d dimensions, %d pairs (%s)", x$n_objects, x$n_dims, x$n_pairs, x$couplings),
    "draws" = sprintf("%d chains of %d (%s), %d divergences", x$n_chains, x$n_draws, x$sampler, x$divergences),
    "largest R-hat" = worst(x$max_rhat),
    "smallest ESS" = worst(x$min_ess),
    "sigma" = sprintf("%s, 90%% in [%s, %s]", short(x$sigma$mean), short(x$sigma$q5), short(x$sigma$q95)),
    "stress-1" = short(x$map$stress1),
    "rms residual" = sprintf("%s, worst object %s (%s)", short(x$stress$rms), x$stress$worst_object, short(x$stress$worst))
  )
  if (!is.null(x$diffusion)) {
    rate <- x$diffusion$diffusion_rate
    lines["diffusion rate"] <- sprintf("%s, 90%% in [%s, %s]", short(rate$mean), short(rate$q5), short(rate$q95))
  }
  cat("\n", sprintf("%-15s %s\n", names(lines), lines), "\n", sep = "")
  print(utils::head(x$objects, 10), digits = 3, row.names = FALSE)
  if (nrow(x$objects) > 10) cat(sprintf("... %d more\n", nrow(x$objects) - 10))
  invisible(x)
}

#' R-hat and effective sample sizes of everything monitored
#'
#' @param fit A fit.
#' @return A data frame: one row each for the log density, sigma and distances, which no rotation of the map changes.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' head(diagnostics(fit))
#' @export
diagnostics <- function(fit) as.data.frame(native(wrap__fitted_diagnostics, pointer_of(fit)))
