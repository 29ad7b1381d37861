#' A Bayesian map of objects from their dissimilarities
#'
#' Samples the posterior of the locations of all objects, and of the noise, given their dissimilarities. The same seed gives the
#' same draws, bit for bit, as the command line program and as any number of cores.
#'
#' @param d The dissimilarities: a [stats::dist] (its labels are kept); a square matrix, where `NA` is a missing pair; a data
#'   frame of pairs (two objects and their dissimilarity); a sparse matrix of package Matrix, whose stored entries are the
#'   measured pairs; or the path of a file. With `metric`, a matrix or data frame of features, one row per object.
#' @param dims Dimensions of the map.
#' @param couplings Which pairs enter the likelihood: `"auto"`, `"full"`, `"band:B"`, `"landmark:L"`, `"dispersed:B"` or
#'   `"graph:FILE"`.
#' @param chains Number of chains.
#' @param iter_warmup Iterations of each chain that adapt and are not kept.
#' @param iter_sampling Draws of each chain after warm-up.
#' @param seed Seed of everything random, a whole number; by default one is drawn from R's own generator, so that [set.seed()]
#'   repeats a fit.
#' @param cores Threads to use; all cores by default. The draws do not depend on it.
#' @param noise How dissimilarities scatter about distances: `"truncated-normal"` or `"normal"`.
#' @param tree A phylogeny along which locations diffuse: an `ape::phylo`, or the path of a Newick or NEXUS file. Tips are
#'   joined to objects by name.
#' @param labels Names of the objects, one string each; or what else is known of them, for colours in plots and in the report: a
#'   data frame whose first column (or whose row names) are the names, or the path of such a table.
#' @param metric For features: `"euclidean"`, `"sqeuclidean"`, `"manhattan"`, `"cosine"`, `"correlation"`, `"braycurtis"`,
#'   `"jaccard"`, `"hamming"` or `"haversine"`.
#' @param out A directory for the run, which every command of the program and [read_sbmds()] can open. By default the fit is in
#'   memory alone.
#' @param resume Whether to go on with the run in `out`, which was interrupted or needs more draws.
#' @param overwrite Whether to replace the run in `out`.
#' @param time Seconds after which to end with the draws made by then.
#' @param progress Whether to say on the console how far the fit is.
#' @param ... Further settings, by the names of the program's flags with underscores: `priors`, `sampler`, `thin`, `keep`,
#'   `until_ess`, `target_acceptance`, `max_depth`, `prune` and so on; of files `format`, `value`, `no_names` and `names`.
#' @return An object of class `sbmds`. A warning of class `sbmds_not_converged` says that the chains do not agree, one of class
#'   `sbmds_map_warning` that the map does not describe the data.
#' @details An interrupt (Ctrl-C) ends the fit soon and keeps what there is: with `out` the run can be resumed, without it
#'   [last_fit()] returns a fit of the draws made so far, if every chain had one.
#' @seealso [summary.sbmds()], [plot.sbmds()], [as_draws_array.sbmds()], [read_sbmds()]
#' @examples
#' fit <- sbmds(eurodist, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#' fit
#' head(coef(fit))
#' plot(fit)
#' @export
sbmds <- function(d, dims = 2, couplings = "auto", chains = 4, iter_warmup = 1000, iter_sampling = 1000, seed = NULL,
                  cores = NULL, noise = NULL, tree = NULL, labels = NULL, metric = NULL, out = NULL, resume = FALSE,
                  overwrite = FALSE, time = NULL, progress = interactive(), ...) {
  further <- list(...)
  check_named(further)
  if (!is.null(cores) && !isTRUE(cores >= 1)) stop_sbmds("cores: give a whole number of 1 or more")
  of_data <- names(further) %in% c("format", "value", "no_names", "names")
  names <- if (is.character(labels) && length(labels) > 1) labels
  is_table <- is.data.frame(labels) || (is.character(labels) && is.null(names))
  scratch <- tempfile("sbmds-")
  on.exit(unlink(paste0(scratch, c("", ".nwk", ".labels.csv"))), add = TRUE)
  table <- if (is_table) label_table(labels)
  given <- do.call(as_given, c(list(d, labels = names, metric = metric), further[of_data]))
  settings <- c(
    list(
      dims = dims, couplings = couplings, chains = chains, iter_warmup = iter_warmup, iter_sampling = iter_sampling,
      seed = if (is.null(seed)) sample.int(.Machine$integer.max, 1) else seed, noise = noise
    ),
    further[!of_data]
  )
  options <- list(
    cores = cores, time = time, resume = isTRUE(resume), overwrite = isTRUE(overwrite), scratch = scratch,
    out = if (!is.null(out)) path.expand(out), tree = tree_file(tree, paste0(scratch, ".nwk")),
    labels = label_file(labels, table, out)
  )
  job <- native(wrap__job_start, given, settings, options)
  pointer <- wait_for(job, progress, out)
  fit <- new_sbmds(pointer, labels = table, tree = if (inherits(tree, "phylo")) tree, call = match.call())
  warn_of(fit)
  fit
}

check_named <- function(further) {
  if (length(further) > 0 && (is.null(names(further)) || any(names(further) == ""))) {
    stop_sbmds("a setting has no name. Remedy: write NAME = VALUE")
  }
}

# A table of labels with the names in its first column.
label_table <- function(labels) {
  if (is.character(labels)) {
    separator <- if (grepl("\\.(tsv|txt)$", labels)) "\t" else ","
    return(utils::read.csv(labels, sep = separator, check.names = FALSE))
  }
  has_names <- is.character(attr(labels, "row.names"))
  if (has_names) cbind(name = rownames(labels), labels, stringsAsFactors = FALSE) else labels
}

# The file of labels that a run in a directory knows of.
label_file <- function(labels, table, out) {
  if (is.null(table) || is.null(out)) return(NULL)
  if (is.character(labels)) return(normalizePath(labels))
  # Beside the run, which may not exist yet and must find them again.
  path <- paste0(sub("/+$", "", path.expand(out)), "-labels.csv")
  utils::write.csv(table, path, row.names = FALSE, na = "")
  normalizePath(path)
}

# Says as R warnings what is wrong.
warn_of <- function(fit) {
  if (!isTRUE(fit$summary$converged)) warn_sbmds(fit$summary$verdict, "sbmds_not_converged")
  map <- fit$summary$map
  if (!is.null(map) && isFALSE(map$describes_data)) warn_sbmds(map$verdict, "sbmds_map_warning")
}
