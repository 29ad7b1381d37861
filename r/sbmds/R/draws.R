# The draws, as posterior and coda have them.

# Locations aligned to the map: iteration x chain x object x dimension.
locations <- function(fit) {
  if (!fit$has_x) stop_sbmds("the fit kept no draws of the locations. Remedy: fit without keep = \"summary\"")
  native(wrap__fitted_locations, pointer_of(fit))
}

# A stored quantity: iteration x chain x entry.
stored <- function(fit, name) {
  values <- native(wrap__fitted_variable, pointer_of(fit), name, name %in% names(fit$stats))
  aperm(values, c(2, 3, 1))
}

# Names of the entries of a quantity, by row.
entry_names <- function(name, axes) {
  if (length(axes) == 0) return(name)
  index <- rev(expand.grid(rev(lapply(axes, seq_len))))
  sprintf("%s[%s]", name, do.call(paste, c(unname(index), sep = ",")))
}

#' The draws for posterior and coda
#'
#' Draws as `posterior` has them: iteration x chain x variable. The variables are `lp__` (log density), `log_likelihood`,
#' `sigma`, with a tree `trait_trace`, `trait_logdet`, `diffusion_rate` and `trait_covariance[i,j]`, and the locations
#' `x[name,dim]`, aligned to the map. R-hat of coordinates is not a measure of convergence, because a map may turn; see
#' [diagnostics()] for quantities that do not change with it.
#'
#' @param x A fit.
#' @param locations Whether the locations are among the variables.
#' @param ... Ignored.
#' @return A `draws_array` (or the other formats of posterior), where `as_draws_rvars(fit)$x` is an objects x dimensions
#'   `rvar`; an `mcmc.list` of coda.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' if (requireNamespace("posterior", quietly = TRUE)) {
#'   posterior::summarise_draws(posterior::as_draws_array(fit, locations = FALSE))
#'   posterior::as_draws_rvars(fit)$x["Athens", ]
#' }
#' @exportS3Method posterior::as_draws_array
as_draws_array.sbmds <- function(x, locations = x$has_x, ...) {
  posterior::as_draws_array(plain_draws(x, locations))
}

# A three-dimensional array with names.
plain_draws <- function(fit, with_locations = fit$has_x) {
  scalars <- setdiff(names(fit$variables), "monitored_distance")
  quantities <- c("lp", "log_likelihood", scalars)
  axes <- c(fit$stats, fit$variables)
  parts <- lapply(quantities, function(name) stored(fit, name))
  names <- unlist(lapply(quantities, function(name) entry_names(name, axes[[name]])))
  names[names == "lp"] <- "lp__"
  if (with_locations) {
    parts <- c(parts, list(locations(fit)))
    dims <- seq_len(ncol(fit$map))
    names <- c(names, sprintf("x[%s,%d]", rep(fit$names, length(dims)), rep(dims, each = length(fit$names))))
  }
  array(
    unlist(parts, use.names = FALSE), c(fit$n_draws, fit$n_chains, length(names)),
    dimnames = list(iteration = seq_len(fit$n_draws), chain = seq_len(fit$n_chains), variable = names)
  )
}

#' @rdname as_draws_array.sbmds
#' @exportS3Method posterior::as_draws
as_draws.sbmds <- function(x, ...) as_draws_array.sbmds(x, ...)

#' @rdname as_draws_array.sbmds
#' @exportS3Method posterior::as_draws_df
as_draws_df.sbmds <- function(x, ...) posterior::as_draws_df(as_draws_array.sbmds(x, ...))

#' @rdname as_draws_array.sbmds
#' @exportS3Method posterior::as_draws_matrix
as_draws_matrix.sbmds <- function(x, ...) posterior::as_draws_matrix(as_draws_array.sbmds(x, ...))

#' @rdname as_draws_array.sbmds
#' @exportS3Method posterior::as_draws_list
as_draws_list.sbmds <- function(x, ...) posterior::as_draws_list(as_draws_array.sbmds(x, ...))

#' @rdname as_draws_array.sbmds
#' @exportS3Method posterior::as_draws_rvars
as_draws_rvars.sbmds <- function(x, locations = x$has_x, ...) {
  draws <- posterior::as_draws_rvars(as_draws_array.sbmds(x, locations = FALSE))
  if (locations) {
    # Not by way of names such as x[St. Gallen,1], whose parts posterior would have to sort.
    draws$x <- posterior::rvar(
      locations(x), dimnames = list(x$names, colnames(x$map)), with_chains = TRUE
    )
  }
  draws
}

#' @rdname as_draws_array.sbmds
#' @exportS3Method coda::as.mcmc.list
as.mcmc.list.sbmds <- function(x, locations = x$has_x, ...) {
  draws <- plain_draws(x, locations)
  one <- function(chain) {
    values <- draws[, chain, , drop = FALSE]
    coda::mcmc(array(values, dim(draws)[c(1, 3)], list(NULL, dimnames(draws)$variable)))
  }
  coda::mcmc.list(lapply(seq_len(x$n_chains), one))
}

#' Sample statistics
#'
#' @param fit A fit.
#' @param name `"acceptance_rate"`, `"step_size"`, `"energy"`, `"diverging"`, `"n_gradients"` or `"tree_depth"`.
#' @return A matrix, iterations x chains.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' colMeans(sample_stat(fit, "acceptance_rate"))
#' @export
sample_stat <- function(fit, name) {
  if (!name %in% names(fit$stats)) {
    stop_sbmds(sprintf("there is no statistic %s. Remedy: give one of %s", dQuote(name, FALSE), paste(names(fit$stats), collapse = ", ")))
  }
  values <- stored(fit, name)
  if (dim(values)[3] == 1) matrix(values, dim(values)[1]) else values
}
