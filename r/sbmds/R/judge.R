# What a fit expects of pairs, and where it places objects that it has not seen.

#' What a fit expects of dissimilarities
#'
#' @param object A fit.
#' @param newdata The pairs: a data frame or matrix whose first two columns are names of objects, or a kind of pairs: all that were
#'   `"measured"`, those that are `"coupled"` (in the likelihood), those that are `"missing"`.
#' @param level Probability of the predictive intervals.
#' @param draws Posterior draws to use.
#' @param ... Ignored.
#' @return A data frame with a row per pair: the two objects, the dissimilarity that was `observed` (`NA` if none was), the posterior
#'   mean of the `distance`, `mean`, `sd` and interval (`low`, `high`) of the dissimilarity that is expected, how probable a smaller
#'   one than the observed is (`below`), and whether the pair is `coupled`.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' predict(fit, data.frame(a = "Rome", b = c("Athens", "Milan")))
#' @export
predict.sbmds <- function(object, newdata = "measured", level = 0.95, draws = 400, ...) {
  if (!isTRUE(level > 0 && level < 1)) stop_sbmds("level: give a probability between 0 and 1")
  if (!isTRUE(draws >= 1)) stop_sbmds("draws: give 1 or more")
  kind <- if (is.character(newdata) && length(newdata) == 1) newdata else "listed"
  if (!kind %in% c("listed", "measured", "coupled", "missing")) {
    stop_sbmds("newdata: give a data frame of two columns with names, or \"measured\", \"coupled\" or \"missing\"")
  }
  ends <- function(column) if (kind == "listed") object_numbers(object, newdata[, column, drop = TRUE]) else integer()
  found <- native(wrap__fitted_predict, pointer_of(object), kind, ends(1), ends(2), as.double(level), as.integer(draws))
  found[1:2] <- lapply(found[1:2], function(numbers) object$names[numbers])
  as.data.frame(found)
}

object_numbers <- function(fit, names) {
  numbers <- match(as.character(names), fit$names)
  if (anyNA(numbers)) {
    unknown <- as.character(names)[is.na(numbers)][1]
    stop_sbmds(sprintf("there is no object called %s. Remedy: give a name as it stands in the data", dQuote(unknown, FALSE)))
  }
  numbers
}

#' Place new objects on the map of a fit
#'
#' Objects that were measured after a fit are placed in every one of some draws of its map, which stays as it is.
#'
#' @param fit A fit.
#' @param new Their dissimilarities: a matrix or data frame with a named row per new object and a column for every object of the map
#'   that it was measured against, by name; `NA` where it was not.
#' @param draws Draws of the map to place them in.
#' @param seed Seed of everything random.
#' @return A data frame with a row per new object: `name`, mean and standard deviation of its location (`x1`, ..., `sd1`, ...),
#'   `stress`, how many `pairs` were measured, and in how many `modes` it may be. The attribute `draws` holds its locations
#'   (draw x object x dimension), `covariance` their covariances (dimension x dimension x object).
#' @examples
#' m <- as.matrix(eurodist)
#' fit <- sbmds(m[-1, -1], iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' place(fit, m["Athens", -1, drop = FALSE])
#' @export
place <- function(fit, new, draws = 200, seed = 1) {
  if (!isTRUE(draws >= 1)) stop_sbmds("draws: give 1 or more")
  new <- as.matrix(new)
  if (!is.numeric(new)) stop_sbmds("new holds no numbers. Remedy: give dissimilarities, and the names as row names")
  if (is.null(colnames(new))) stop_sbmds("new has no column names. Remedy: name its columns after the objects of the map")
  if (is.null(rownames(new))) rownames(new) <- paste("new", seq_len(nrow(new)))
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write_table(new, path)
  found <- native(wrap__fitted_place, pointer_of(fit), path, as.integer(draws), as.double(seed))
  n <- length(found$names)
  axes <- seq_len(found$n_dims)
  covariance <- array(found$covariance, c(found$n_dims, found$n_dims, n), list(NULL, NULL, found$names))
  sd <- t(matrix(apply(covariance, 3, function(one) sqrt(diag(as.matrix(one)))), found$n_dims))
  placed <- data.frame(
    name = found$names,
    stats::setNames(as.data.frame(matrix(found$map, n)), paste0("x", axes)),
    stats::setNames(as.data.frame(sd), paste0("sd", axes)),
    stress = found$stress, pairs = found$pairs, modes = found$modes
  )
  locations <- aperm(array(found$draws, c(n, found$n_dims, found$n_draws), list(found$names, NULL, NULL)), c(3, 1, 2))
  structure(placed, draws = locations, covariance = covariance)
}
