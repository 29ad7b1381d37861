# The interactive page and the clusters.

#' Write the interactive report of a fit
#'
#' @param fit A fit.
#' @param file The page to write, one HTML file that needs nothing else.
#' @param labels What else is known of the objects, as in [sbmds()]; by default that of the fit.
#' @return The path of the page, invisibly.
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' page <- report(fit, tempfile(fileext = ".html"))
#' @export
report <- function(fit, file = "report.html", labels = fit$labels) {
  path <- ""
  if (!is.null(labels)) {
    path <- tempfile(fileext = ".csv")
    on.exit(unlink(path))
    utils::write.csv(label_table(labels), path, row.names = FALSE, na = "")
  }
  file <- path.expand(file)
  native(wrap__fitted_report, pointer_of(fit), file, path)
  invisible(file)
}

#' Clusters of the objects, with their uncertainty
#'
#' HDBSCAN of many posterior draws, and the partition that says best what they say.
#'
#' @param fit A fit.
#' @param min_points The fewest objects that make a cluster; by default 5, or half the square root of the number of objects
#'   where that is more.
#' @param min_samples Objects within the core distance, the object itself counted.
#' @param selection How clusters are selected from the hierarchy: `"eom"` (excess of mass) or `"leaf"`.
#' @param draws Draws to cluster, chosen from all chains.
#' @param seed Seed of that choice.
#' @param x Clusters.
#' @param ... Ignored.
#' @return A data frame of class `sbmds_clusters`: `name`, `cluster` (from 1 for the largest on; 0 is noise), `confidence` (mean
#'   probability to share a cluster with the other members), `membership` and `noise` (probability to be in no cluster). The
#'   attribute `together` is a function of two names: the probability that they share a cluster; `draws` holds the clusters of
#'   every draw (objects x draws).
#' @examples
#' set.seed(1)
#' x <- rbind(matrix(rnorm(20, 0), 10), matrix(rnorm(20, 8), 10))
#' fit <- sbmds(dist(x), iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' clusters <- cluster(fit, min_points = 5)
#' clusters
#' attr(clusters, "together")("1", "20")
#' @export
cluster <- function(fit, min_points = NULL, min_samples = NULL, selection = c("eom", "leaf"), draws = 200, seed = 1) {
  selection <- match.arg(selection)
  n <- length(fit$names)
  if (!isTRUE(draws >= 1)) stop_sbmds("draws: give 1 or more")
  if (is.null(min_points)) min_points <- default_min_points(n)
  if (is.null(min_samples)) min_samples <- min_points
  found <- native(
    wrap__fitted_cluster, pointer_of(fit), as.integer(min_points), as.integer(min_samples), selection, as.integer(draws),
    as.double(seed)
  )
  by_draw <- matrix(found$by_draw, n, dimnames = list(fit$names, NULL))
  table <- data.frame(
    name = fit$names, cluster = found$cluster, confidence = found$confidence, membership = found$membership, noise = found$noise
  )
  structure(
    table, draws = by_draw, together = together_of(by_draw), summary = found$summary, class = c("sbmds_clusters", "data.frame")
  )
}

# As the program has it. R's round() would make 6 of 6.5, the program makes 7.
default_min_points <- function(n) max(2, min(max(5, floor(sqrt(n) / 2 + 0.5)), n %/% 2))

together_of <- function(by_draw) {
  function(a, b) {
    unknown <- setdiff(c(a, b), rownames(by_draw))
    if (length(unknown) > 0) stop_sbmds(sprintf("there is no object %s", dQuote(unknown[1], FALSE)))
    mean(by_draw[a, ] == by_draw[b, ] & by_draw[a, ] > 0)
  }
}

#' @rdname cluster
#' @export
print.sbmds_clusters <- function(x, ...) {
  summary <- attr(x, "summary")
  if (!is.null(summary)) {
    cat(sprintf(
      "%d clusters, %d objects are noise; in most of %d draws %d clusters\n", max(x$cluster), sum(x$cluster == 0),
      summary$n_draws, summary$mode_clusters
    ))
  }
  print(utils::head(as.data.frame(unclass(x)[colnames(x)]), 20), digits = 3)
  if (nrow(x) > 20) cat(sprintf("... %d more\n", nrow(x) - 20))
  invisible(x)
}
