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
#' @param col Colours of the objects: one, one each, or the name of a column of the labels of the fit, which a legend explains.
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
  check_dims(fit, dims, level)
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
  if (labels) write_names(at, fit$names)
  legend_of(fit, col, at)
}

# Names beside their objects, on the side (above, below, right, left, or between these) where they cover the fewest objects and names.
write_names <- function(at, names, cex = 0.7) {
  # So many cover each other anyhow, and the search would take long.
  if (length(names) > 300) return(graphics::text(at, names, pos = 3, offset = 0.3, cex = cex))
  width <- graphics::strwidth(names, cex = cex)
  height <- graphics::strheight(names, cex = cex)
  gap <- 0.6 * height
  # Boxes are left, bottom, right, top.
  on_side <- function(object, side) {
    half <- c(width[object], height[object]) / 2
    middle <- at[object, ] + sides[side, ] * (half + gap[object])
    c(middle - half, middle + half)
  }
  points <- cbind(at - gap / 2, at + gap / 2)
  boxes <- t(vapply(seq_along(names), on_side, numeric(4), side = 1))
  # Name by name, given where the others are; a few rounds settle it.
  for (object in rep(seq_along(names), 4)) {
    others <- rbind(points[-object, , drop = FALSE], boxes[-object, , drop = FALSE])
    choices <- lapply(seq_len(nrow(sides)), on_side, object = object)
    covered <- vapply(choices, function(box) sum(meets(others, box)), 0)
    boxes[object, ] <- choices[[which.min(covered)]]
  }
  graphics::text((boxes[, 1] + boxes[, 3]) / 2, (boxes[, 2] + boxes[, 4]) / 2, names, cex = cex)
  invisible(boxes)
}

sides <- rbind(c(0, 1), c(0, -1), c(1, 0), c(-1, 0), c(1, 1), c(-1, 1), c(1, -1), c(-1, -1))

meets <- function(boxes, box) boxes[, 1] < box[3] & boxes[, 3] > box[1] & boxes[, 2] < box[4] & boxes[, 4] > box[2]

# What the colours of a label mean, in the corner that is farthest from all objects.
legend_of <- function(fit, col, at) {
  if (!is_label(fit, col)) return(invisible())
  values <- fit$labels[[col]]
  if (is.numeric(values)) {
    ends <- range(values, na.rm = TRUE)
    entries <- list(text = format(signif(ends, 3)), colours = grDevices::hcl.colors(20)[c(1, 20)])
  } else {
    classes <- levels(factor(values))
    if (length(classes) > 12) return(invisible())
    entries <- list(text = classes, colours = grDevices::hcl.colors(max(length(classes), 1), "Dark 3"))
  }
  area <- graphics::par("usr")
  x <- (at[, 1] - area[1]) / (area[2] - area[1])
  y <- (at[, 2] - area[3]) / (area[4] - area[3])
  corners <- list(topright = c(1, 1), topleft = c(0, 1), bottomright = c(1, 0), bottomleft = c(0, 0))
  room <- vapply(corners, function(corner) min((x - corner[1])^2 + (y - corner[2])^2), 0)
  graphics::legend(names(which.max(room)), entries$text, title = col, col = entries$colours, pch = 19, cex = 0.8, bty = "n")
}

is_label <- function(fit, col) length(col) == 1 && is.character(col) && col %in% colnames(fit$labels)

check_dims <- function(fit, dims, level) {
  n_dims <- ncol(fit$map)
  if (length(dims) != 2 || !all(dims %in% seq_len(n_dims))) {
    stop_sbmds(sprintf("dims: give two of the %d dimensions of the map, such as dims = 1:2", n_dims))
  }
  if (!isTRUE(level >= 0 && level < 1)) stop_sbmds("level: give a probability, such as 0.95, or 0 for no ellipses")
}

# One dimension: intervals, sorted.
plot_line <- function(fit, labels, colours, ...) {
  rank <- rank(fit$map[, 1], ties.method = "first")
  half <- stats::qnorm(0.975) * sqrt(fit$covariance[1, 1, ])
  limits <- range(fit$map[, 1] - half, fit$map[, 1] + half, na.rm = TRUE)
  if (labels) {
    # Room for the longest name, in lines of text.
    longest <- max(graphics::strwidth(fit$names, units = "inches", cex = 0.7)) / graphics::par("csi")
    old <- graphics::par(mar = replace(graphics::par("mar"), 2, longest + 1.5))
    on.exit(graphics::par(old))
  }
  graphics::plot(fit$map[, 1], rank, xlim = limits, pch = 19, cex = 0.6, col = colours, yaxt = "n", ylab = "", xlab = "D1", ...)
  graphics::segments(fit$map[, 1] - half, rank, fit$map[, 1] + half, rank, col = faint(colours, 0.5))
  if (labels) graphics::axis(2, at = rank, labels = fit$names, las = 1, cex.axis = 0.7)
}

plot_shepard <- function(fit, pch = if (nrow(table) <= 2000) 19 else ".", ...) {
  table <- shepard(fit)
  cex <- if (identical(pch, ".")) 2 else 0.4
  graphics::plot(table$dissimilarity, table$distance, pch = pch, cex = cex, xlab = "dissimilarity", ylab = "distance in the map", ...)
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

# Objects without colours of their own.
own_blue <- "#2c5f8a"

# One colour per object.
colours_of <- function(fit, col) {
  n <- length(fit$names)
  if (is.null(col)) return(rep(own_blue, n))
  if (is_label(fit, col)) {
    values <- fit$labels[[col]]
    classes <- if (is.numeric(values)) cut(values, 20, labels = FALSE) else as.integer(factor(values))
    palette <- if (is.numeric(values)) grDevices::hcl.colors(20) else grDevices::hcl.colors(max(classes, 1, na.rm = TRUE), "Dark 3")
    return(ifelse(is.na(classes), "grey60", palette[classes]))
  }
  is_colour <- tryCatch(is.matrix(grDevices::col2rgb(col)), error = function(condition) FALSE)
  if (!is_colour) {
    known <- if (is.null(fit$labels)) "" else paste0(" (", paste(colnames(fit$labels), collapse = ", "), ")")
    stop_sbmds(sprintf("col: give a colour, one for each object, or the name of a column of the labels%s", known))
  }
  rep_len(col, n)
}

faint <- function(colour, alpha) grDevices::adjustcolor(colour, alpha.f = alpha)
