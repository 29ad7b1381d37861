# The same with ggplot2.

#' Plot a fit with ggplot2
#'
#' @param object A fit.
#' @param type The map with its ellipses, the Shepard plot, traces of the chains or their rank histograms.
#' @param colour The name of a column of the labels of the fit, or one value per object.
#' @param dims,level,labels,quantity As for [plot.sbmds()].
#' @param ... Ignored.
#' @return A `ggplot`.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#'   ggplot2::autoplot(fit)
#'   ggplot2::autoplot(fit, type = "rank")
#' }
#' @exportS3Method ggplot2::autoplot
autoplot.sbmds <- function(object, type = c("map", "shepard", "trace", "rank"), colour = NULL, dims = 1:2, level = 0.95,
                           labels = length(object$names) <= 60, quantity = "sigma", ...) {
  switch(match.arg(type),
    map = gg_map(object, colour, dims, level, labels),
    shepard = gg_shepard(object),
    trace = gg_trace(object, quantity),
    rank = gg_rank(object, quantity)
  )
}

# Columns of the data frames below, as ggplot2 knows them.
of <- function(name) ggplot2::sym(name)

gg_map <- function(fit, colour, dims, level, labels) {
  if (ncol(fit$map) < 2) stop_sbmds("the map has one dimension. Remedy: use plot(fit), or fit with dims = 2")
  check_dims(fit, dims, level)
  points <- data.frame(name = fit$names, x = fit$map[, dims[1]], y = fit$map[, dims[2]])
  by <- label_column(fit, colour)
  points$label <- if (is.null(by)) "" else by
  plot <- ggplot2::ggplot(points, ggplot2::aes(!!of("x"), !!of("y")))
  if (level > 0) {
    around <- merge_label(outlines(fit, dims, level), points)
    plain <- list(data = around, alpha = 0.15, colour = "grey50", linewidth = 0.2)
    plot <- plot + if (is.null(by)) {
      do.call(ggplot2::geom_polygon, c(list(ggplot2::aes(group = !!of("name")), fill = own_blue), plain))
    } else {
      do.call(ggplot2::geom_polygon, c(list(ggplot2::aes(group = !!of("name"), fill = !!of("label"))), plain))
    }
  }
  dots <- if (is.null(by)) ggplot2::geom_point(size = 1, colour = own_blue) else ggplot2::geom_point(ggplot2::aes(colour = !!of("label")), size = 1)
  plot <- plot + dots + ggplot2::coord_equal() +
    ggplot2::labs(x = colnames(fit$map)[dims[1]], y = colnames(fit$map)[dims[2]], colour = name_of(colour), fill = name_of(colour))
  if (labels) plot <- plot + ggplot2::geom_text(ggplot2::aes(label = !!of("name")), size = 2.5, vjust = -0.8, check_overlap = TRUE)
  plot
}

merge_label <- function(around, points) {
  around$label <- points$label[match(around$name, points$name)]
  around
}

name_of <- function(colour) if (is.character(colour) && length(colour) == 1) colour else NULL

label_column <- function(fit, colour) {
  if (is.null(colour)) return(NULL)
  if (is.character(colour) && length(colour) == 1) {
    if (!colour %in% colnames(fit$labels)) {
      known <- if (is.null(fit$labels)) "fit with labels = a data frame" else paste("give one of", paste(colnames(fit$labels), collapse = ", "))
      stop_sbmds(sprintf("there is no label %s. Remedy: %s", dQuote(colour, FALSE), known))
    }
    return(fit$labels[[colour]])
  }
  if (length(colour) != length(fit$names)) stop_sbmds("colour: give a label, or one value per object")
  colour
}

gg_shepard <- function(fit) {
  ggplot2::ggplot(shepard(fit), ggplot2::aes(!!of("dissimilarity"), !!of("distance"))) +
    ggplot2::geom_abline(colour = "grey50") +
    ggplot2::geom_point(size = 0.6, alpha = 0.4) +
    ggplot2::labs(y = "distance in the map")
}

long_draws <- function(fit, quantity) {
  draws <- first_entry(fit, quantity)
  data.frame(iteration = c(row(draws)), chain = factor(c(col(draws))), value = c(draws), rank = rank(draws))
}

gg_trace <- function(fit, quantity) {
  ggplot2::ggplot(long_draws(fit, quantity), ggplot2::aes(!!of("iteration"), !!of("value"), colour = !!of("chain"))) +
    ggplot2::geom_line(linewidth = 0.2) +
    ggplot2::labs(y = quantity)
}

gg_rank <- function(fit, quantity, bins = 20) {
  draws <- long_draws(fit, quantity)
  ggplot2::ggplot(draws, ggplot2::aes(!!of("rank"))) +
    ggplot2::geom_histogram(breaks = seq(0, nrow(draws), length.out = bins + 1), fill = "grey70", colour = "white") +
    ggplot2::geom_hline(yintercept = fit$n_draws / bins, linetype = 2) +
    ggplot2::facet_wrap(of("chain"), labeller = ggplot2::label_both) +
    ggplot2::labs(x = paste("rank of", quantity))
}
