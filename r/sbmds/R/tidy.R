# generics::tidy() and glance(), for pipelines of data frames.

#' A fit as data frames
#'
#' @param x A fit.
#' @param ... Ignored.
#' @return `tidy()`: one row per object and dimension, with `object`, `dim`, `estimate` and `std.error`. `glance()`: one row with
#'   what [summary()] says. `as.data.frame()`: one row per object, as [embedding()].
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' head(as.data.frame(fit))
#' if (requireNamespace("generics", quietly = TRUE)) generics::glance(fit)
#' @exportS3Method generics::tidy
tidy.sbmds <- function(x, ...) {
  n_dims <- ncol(x$map)
  sd <- vapply(seq_len(n_dims), function(dim) sqrt(x$covariance[dim, dim, ]), numeric(length(x$names)))
  data.frame(
    object = rep(x$names, n_dims), dim = rep(seq_len(n_dims), each = length(x$names)), estimate = c(x$map), std.error = c(sd)
  )
}

#' @rdname tidy.sbmds
#' @exportS3Method generics::glance
glance.sbmds <- function(x, ...) {
  summary <- x$summary
  known <- function(number) if (is.null(number)) NA_real_ else number
  data.frame(
    n_objects = summary$n_objects, n_dims = summary$n_dims, n_pairs = summary$n_pairs, couplings = summary$couplings,
    converged = summary$converged, max_rhat = known(summary$max_rhat$value), min_ess = known(summary$min_ess$value),
    sigma = known(summary$sigma$mean), stress1 = known(summary$map$stress1), r2 = known(summary$map$r2),
    heldout_stress1 = known(summary$map$heldout_stress1), log_likelihood = known(summary$log_likelihood),
    divergences = summary$divergences, n_chains = x$n_chains, n_draws = x$n_draws
  )
}

#' @rdname tidy.sbmds
#' @export
as.data.frame.sbmds <- function(x, ...) embedding(x)
