# Base graphics.

#' Plot a fit
#'
#' The map with a 95% ellipse around every object; or the Shepard plot, traces of the chains, or their rank histograms.
#'
#' @param x A fit.
#' @param type What to plot.
#' @param dims Two dimensions of the map.
#' @param level How much of an object's posterior its ellipse holds; 0 for none.
#' @param labels Whether to write the names; by default if there are at most 60 objects.
#' @param col Colours of the objects: one, one each, or the name of a column of the labels of the fit.
#' @param quantity For traces and ranks: `"sigma"`, `"lp"` or another stored quantity.
#' @param ... Passed to [graphics::plot()].
#' @return The fit, invisibly.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' plot(fit)
#' plot(fit, type = "shepard")
#' @export
plot.sbmds <- function(x, type = c("map", "shepard", "trace", "rank"), dims = 1:2, level = 0.95,
                       labels = length(x$names) <= 60, col = NULL, quantity = "sigma", ...) {
  switch(match.arg(type),
    map = plot_map(x, dims, level, labels, col, ...),
    shepard = plot_shepard(x, ...),
    trace = plot_trace(x, quantity, ...),
    rank = plot_rank(x, quantity, ...)
  )
  invisible(x)
}

plot_map <- function(fit, dims, level, labels, col, asp = 1, main = NULL, ...) {
  if (ncol(fit$map) == 1) return(plot_line(fit, labels, colours_of(fit, col), ...))
  colours <- colours_of(fit, col)
  at <- fit$map[, dims, drop = FALSE]
  around <- if (level > 0) outlines(fit, dims, level)
  graphics::plot(
    range(at[, 1], around$x, na.rm = TRUE), range(at[, 2], around$y, na.rm = TRUE),
    type = "n", asp = asp, main = main, xlab = colnames(at)[1], ylab = colnames(at)[2], ...
  )
  if (level > 0) {
    for (object in seq_along(fit$names)) {
      one <- around[around$name == fit$names[object], ]
      graphics::polygon(one$x, one$y, border = faint(colours[object], 0.5), col = faint(colours[object], 0.15))
    }
  }
  graphics::points(at, pch = 19, cex = 0.6, col = colours)
  if (labels) graphics::text(at, fit$names, pos = 3, offset = 0.3, cex = 0.7)
}

# One dimension: intervals, sorted.
plot_line <- function(fit, labels, colours, ...) {
  rank <- rank(fit$map[, 1], ties.method = "first")
  half <- stats::qnorm(0.975) * sqrt(fit$covariance[1, 1, ])
  limits <- range(fit$map[, 1] - half, fit$map[, 1] + half, na.rm = TRUE)
  graphics::plot(fit$map[, 1], rank, xlim = limits, pch = 19, cex = 0.6, col = colours, yaxt = "n", ylab = "", xlab = "D1", ...)
  graphics::segments(fit$map[, 1] - half, rank, fit$map[, 1] + half, rank, col = faint(colours, 0.5))
  if (labels) graphics::axis(2, at = rank, labels = fit$names, las = 1, cex.axis = 0.7)
}

plot_shepard <- function(fit, pch = ".", ...) {
  table <- shepard(fit)
  graphics::plot(table$dissimilarity, table$distance, pch = pch, cex = 2, xlab = "dissimilarity", ylab = "distance in the map", ...)
  graphics::abline(0, 1, col = "grey50")
}

# Dissimilarities of the likelihood and distances; of very many pairs, evenly spaced ones.
shepard <- function(fit, most = 20000) {
  pairs <- native(wrap__fitted_pairs, pointer_of(fit), as.integer(most))
  apart <- fit$map[pairs$a, , drop = FALSE] - fit$map[pairs$b, , drop = FALSE]
  data.frame(dissimilarity = pairs$dissimilarity, distance = sqrt(rowSums(unname(apart)^2)))
}

plot_trace <- function(fit, quantity, ...) {
  draws <- first_entry(fit, quantity)
  graphics::matplot(draws, type = "l", lty = 1, xlab = "iteration", ylab = quantity, col = grDevices::hcl.colors(ncol(draws), "Dark 3"), ...)
}

plot_rank <- function(fit, quantity, breaks = 20, ...) {
  draws <- first_entry(fit, quantity)
  ranks <- matrix(rank(draws), nrow(draws))
  old <- graphics::par(mfrow = grDevices::n2mfrow(ncol(draws)))
  on.exit(graphics::par(old))
  edges <- seq(0, length(draws), length.out = breaks + 1)
  for (chain in seq_len(ncol(draws))) {
    graphics::hist(ranks[, chain], breaks = edges, main = paste("chain", chain), xlab = paste("rank of", quantity), ...)
    graphics::abline(h = nrow(draws) / breaks, lty = 2)
  }
}

# Draws of a quantity, iteration x chain.
first_entry <- function(fit, quantity) {
  known <- c(names(fit$variables), names(fit$stats))
  if (!quantity %in% known) {
    stop_sbmds(sprintf("there is no quantity %s. Remedy: give one of %s", dQuote(quantity, FALSE), paste(known, collapse = ", ")))
  }
  values <- stored(fit, quantity)
  matrix(values[, , 1], dim(values)[1])
}

# One colour per object.
colours_of <- function(fit, col) {
  n <- length(fit$names)
  if (is.null(col)) return(rep("#2c5f8a", n))
  if (length(col) == 1 && is.character(col) && col %in% colnames(fit$labels)) {
    values <- fit$labels[[col]]
    classes <- if (is.numeric(values)) cut(values, 20, labels = FALSE) else as.integer(factor(values))
    palette <- if (is.numeric(values)) grDevices::hcl.colors(20) else grDevices::hcl.colors(max(classes, 1, na.rm = TRUE), "Dark 3")
    return(ifelse(is.na(classes), "grey60", palette[classes]))
  }
  rep_len(col, n)
}

faint <- function(colour, alpha) grDevices::adjustcolor(colour, alpha.f = alpha)
