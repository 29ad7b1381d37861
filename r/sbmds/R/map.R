# The map: locations, their uncertainty, and the distances in it.

#' The map and its distances
#'
#' `coef()`, `as.matrix()` and `vegan::scores()` return the map, one row per object, ready for `vegan::procrustes()`; `vcov()` the covariance of
#' every location; `fitted()` the distances in the map, `residuals()` the dissimilarities minus these, both as [stats::dist]
#' objects, which are `NA` where a pair was not measured.
#'
#' @param object,x A fit.
#' @param type Of `fitted()`: the distances in the map shown, or their posterior means over all draws.
#' @param pairs Of `residuals()`: all measured pairs, or those in the likelihood only.
#' @param choices Dimensions to return.
#' @param display Ignored: there are only sites.
#' @param ... Ignored.
#' @return A matrix (objects x dimensions); an array (dimensions x dimensions x objects); a `dist`.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' head(coef(fit))
#' sqrt(diag(vcov(fit)[, , "Athens"]))
#' range(residuals(fit))
#' @export
coef.sbmds <- function(object, ...) object$map

#' @rdname coef.sbmds
#' @export
as.matrix.sbmds <- function(x, ...) x$map

#' @rdname coef.sbmds
#' @export
vcov.sbmds <- function(object, ...) object$covariance

#' @rdname coef.sbmds
#' @exportS3Method vegan::scores
scores.sbmds <- function(x, choices = seq_len(ncol(x$map)), display = "sites", ...) x$map[, choices, drop = FALSE]

#' @rdname coef.sbmds
#' @export
fitted.sbmds <- function(object, type = c("map", "mean"), ...) {
  type <- match.arg(type)
  if (type == "map") return(stats::dist(object$map))
  x <- locations(object)
  n_draws <- prod(dim(x)[1:2])
  x <- array(x, c(n_draws, dim(x)[3:4]))
  total <- 0
  for (draw in seq_len(n_draws)) total <- total + stats::dist(matrix(x[draw, , ], dim(x)[2]))
  mean <- stats::dist(object$map)
  mean[] <- total / n_draws
  mean
}

#' @rdname coef.sbmds
#' @export
residuals.sbmds <- function(object, pairs = c("measured", "coupled"), ...) {
  pairs <- match.arg(pairs)
  fitted <- fitted(object)
  fitted[] <- dissimilarities(object, pairs == "coupled") - fitted
  fitted
}

# The data in the order of a dist.
dissimilarities <- function(fit, coupled = FALSE) native(wrap__fitted_data, pointer_of(fit), coupled)

#' @rdname coef.sbmds
#' @export
nobs.sbmds <- function(object, ...) object$summary$n_pairs

#' Every object: mean, standard deviation, 95% ellipse and stress
#'
#' @param fit A fit.
#' @return A data frame with the columns of `embedding.csv`: `name`, `x1`, ..., `sd1`, ..., `ellipse_major`, `ellipse_minor`,
#'   `ellipse_angle_degrees` and `stress`.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' head(embedding(fit))
#' @export
embedding <- function(fit) {
  n_dims <- ncol(fit$map)
  sd <- t(apply(fit$covariance, 3, function(covariance) sqrt(diag(as.matrix(covariance)))))
  if (n_dims == 1) sd <- matrix(sd)
  ellipses <- lapply(seq_along(fit$names), function(object) ellipse_of(fit, object))
  axis <- function(name) vapply(ellipses, `[[`, 0, name)
  data.frame(
    name = fit$names,
    stats::setNames(as.data.frame(unname(fit$map)), paste0("x", seq_len(n_dims))),
    stats::setNames(as.data.frame(unname(sd)), paste0("sd", seq_len(n_dims))),
    ellipse_major = axis("major"), ellipse_minor = axis("minor"), ellipse_angle_degrees = axis("angle"),
    stress = unname(fit$stress)
  )
}

# Semi-axes and angle of the ellipse that holds so much of an object, in two dimensions; an interval in one.
ellipse_of <- function(fit, object, dims = seq_len(min(2, ncol(fit$map))), level = 0.95) {
  covariance <- matrix(fit$covariance[dims, dims, object], length(dims))
  radius <- sqrt(stats::qchisq(level, length(dims)))
  if (anyNA(covariance)) return(list(major = NA_real_, minor = NA_real_, angle = NA_real_))
  if (length(dims) == 1) return(list(major = radius * sqrt(covariance[1]), minor = 0, angle = 0))
  parts <- eigen(covariance, symmetric = TRUE)
  angle <- atan2(parts$vectors[2, 1], parts$vectors[1, 1]) * 180 / pi
  # A direction and its opposite are the same axis.
  angle <- if (angle > 90) angle - 180 else if (angle <= -90) angle + 180 else angle
  axes <- radius * sqrt(pmax(parts$values, 0))
  list(major = axes[1], minor = axes[2], angle = angle)
}

# The outlines of the ellipses of all objects: a data frame of name, x, y.
outlines <- function(fit, dims = 1:2, level = 0.95, n = 61) {
  turn <- seq(0, 2 * pi, length.out = n)
  one <- function(object) {
    ellipse <- ellipse_of(fit, object, dims, level)
    angle <- ellipse$angle * pi / 180
    along <- ellipse$major * cos(turn)
    across <- ellipse$minor * sin(turn)
    data.frame(
      name = fit$names[object],
      x = fit$map[object, dims[1]] + along * cos(angle) - across * sin(angle),
      y = fit$map[object, dims[2]] + along * sin(angle) + across * cos(angle)
    )
  }
  do.call(rbind, lapply(seq_along(fit$names), one))
}
