#' A Bayesian map of objects from their dissimilarities
#'
#' Samples the posterior of the locations of all objects, and of the noise, given their dissimilarities. The same seed gives the
#' same draws, bit for bit, as the command line program and as any number of cores.
#'
#' @param d The dissimilarities: a [stats::dist] (its labels are kept); a square matrix, where `NA` is a missing pair; a data
#'   frame of pairs (two objects and their dissimilarity) or one that is a square matrix; a sparse matrix of package Matrix, whose stored entries are the
#'   measured pairs; a table of titres with `titers = TRUE`; or the path of a file. With `metric`, a matrix or data frame of features, one row per object.
#' @param dims Dimensions of the map.
#' @param couplings Which pairs enter the likelihood: `"auto"`, `"full"`, `"band:B"`, `"landmark:L"`, `"dispersed:B"`,
#'   `"anchored:B"` or `"graph:FILE"`.
#' @param chains Number of chains.
#' @param iter_warmup Iterations of each chain that adapt and are not kept.
#' @param iter_sampling Draws of each chain after warm-up.
#' @param seed Seed of everything random, a whole number; by default one is drawn from R's own generator, so that [set.seed()]
#'   repeats a fit.
#' @param cores Threads to use; all cores by default. The draws do not depend on it.
#' @param noise How dissimilarities scatter about distances: `"truncated-normal"` (the default), `"normal"`,
#'   `"truncated-student-t"`, `"student-t"` or `"log-normal"`.
#' @param tree A phylogeny along which locations diffuse: an `ape::phylo`, or the path of a Newick or NEXUS file. Tips are
#'   joined to objects by name.
#' @param labels Names of the objects, one string each; or what else is known of them, for colours in plots and in the report: a
#'   data frame whose first column (or whose row names) are the names, or the path of such a table.
#' @param metric For features: `"euclidean"`, `"sqeuclidean"`, `"manhattan"`, `"cosine"`, `"correlation"`, `"braycurtis"`,
#'   `"jaccard"`, `"hamming"` or `"haversine"`.
#' @param out A directory for the run, which every command of the program and [read_sbmds()] can open. By default the fit is in
#'   memory alone.
#' @param resume Whether to go on with the run in `out`, which was interrupted or needs more draws. It goes on with its own data: `d` may
#'   be left out, and other data are refused.
#' @param overwrite Whether to replace the run in `out`.
#' @param time Seconds (or `"10m"`, `"1.5h"`) after which to end with the draws made by then.
#' @param progress Whether to say on the console how far the fit is.
#' @param ... Further settings, by the names of the program's flags with underscores:
#'   of the data `format`, `names`, `no_names`, `value`, `weight`, `error`, `weights`, `errors` (the last two files, matrices or
#'   `dist`s, in the order of the data if they have no names), `known_errors`;
#'   of titres `titers`, `reading`, `potencies`, `avidities`, `drift`;
#'   of the model `order`, `landmarks`, `storage`, `nu`, `priors`, `prior_scale`, `learn_scale`, `shrinkage`, `noise_shape`, `noise_rate`, `sigma`;
#'   of the tree `tree_index`, `prune`, `root_sample_size`, `branch_scaling`, `trait_precision_update`;
#'   of the sampler `sampler`, `leapfrog_steps`, `jitter`, `target_acceptance`, `min_depth`, `max_depth`, `no_mode_jumps`,
#'   `group_moves`, `paper_adaptation`, `arithmetic`;
#'   of the draws `chain`, `thin`, `start`, `keep`, `raw_draws`, `until_ess`, `max_draws`;
#'   of the run `config`, `checkpoint_every`, `no_report`, `force`, `other_instructions`.
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
  check_settings(further)
  if (missing(d) && !isTRUE(resume)) stop_sbmds("d is missing. Remedy: give dissimilarities, features with metric =, or a path")
  if (!is.null(out) && !is_string(out)) stop_sbmds("out: give the path of a directory")
  supplied <- names(match.call())
  scratch <- tempfile("sbmds-")
  on.exit(unlink(paste0(scratch, c("", "-tree.nwk", ".weights.csv", ".errors.csv"))), add = TRUE)
  files <- files_of(out, scratch, isTRUE(resume), isTRUE(overwrite))
  if (is.factor(labels) || is.numeric(labels)) labels <- as.character(labels)
  if (!is.null(labels) && !is.character(labels) && !is.data.frame(labels)) {
    stop_sbmds("labels: give one name per object, a data frame or the path of a table")
  }
  names <- if (is.character(labels) && length(labels) > 1) labels
  table <- if (is.data.frame(labels) || (is.character(labels) && is.null(names))) label_table(labels)
  if (is.null(seed) && !resume) seed <- sample.int(.Machine$integer.max, 1)
  given <- if (missing(d)) list(kind = "path") else given_of(d, names, metric, further, scratch)
  if (!is.null(table) && !is.null(given$names) && !any(given$names %in% as.character(table[[1]]))) {
    stop_sbmds(sprintf("labels: no object is called as in the column %s. Remedy: give names in the first column", dQuote(colnames(table)[1], FALSE)))
  }
  # Its column was chosen here.
  if (given$kind == "pairs") further[["value"]] <- NULL
  own <- list(
    dims = dims, couplings = couplings, chains = chains, iter_warmup = iter_warmup, iter_sampling = iter_sampling, noise = noise
  )
  settings <- c(
    # A run that goes on has settings of its own: only what is asked for is compared with them.
    if (resume) own[names(own) %in% supplied] else own,
    list(
      seed = seed, cores = cores, time = time, resume = isTRUE(resume), overwrite = isTRUE(overwrite),
      out = if (is.null(out)) NULL else path.expand(out), tree = tree_file(tree, files),
      labels = if (!is.null(out)) label_file(labels, table, files), features = !is.null(metric), metric = metric
    ),
    quality_files(further, files, given$names)
  )
  words <- c("sbmds", "fit", given$input[!resume || given$kind == "path"], words_of(settings))
  job <- native(wrap__job_start, words, given, list(in_memory = is.null(out), scratch = scratch))
  pointer <- wait_for(job, progress, out)
  fit <- new_sbmds(pointer, labels = table, tree = if (inherits(tree, "phylo")) tree, call = match.call())
  warn_of(fit)
  fit
}

# What is given, with the word that the command line has for it: a path, or what comes through a pipe. Tables of titres and pairs with
# weights are more than numbers and go by way of a file.
given_of <- function(d, labels, metric, further, scratch) {
  if (is.character(d) && !is.matrix(d)) {
    if (length(d) != 1 || is.na(d)) stop_sbmds("d is a vector of strings. Remedy: give one path")
    if (!is.null(labels)) stop_sbmds("a file has names of its own. Remedy: give labels as a table, or names = FILE")
    return(list(kind = "path", input = path.expand(d)))
  }
  if (isTRUE(further[["titers"]]) || !is.null(further[["weight"]]) || !is.null(further[["error"]])) {
    write_table(d, scratch)
    return(list(kind = "table", input = "-", path = scratch))
  }
  given <- as_given(d, labels = labels, metric = metric, value = further[["value"]])
  formats <- c(dist = "matrix", matrix = "matrix", pairs = "edges", features = "auto")
  c(given, list(input = c("-", paste0("--format=", formats[[given$kind]]))))
}

# A table as it is, with names of rows if it has any.
write_table <- function(d, path) {
  d <- as.data.frame(d, optional = TRUE)
  has_names <- is.character(attr(d, "row.names"))
  is_number <- vapply(d, is.double, NA)
  d[is_number] <- lapply(d[is_number], function(column) ifelse(is.na(column), "", format_exactly(column)))
  utils::write.csv(d, path, row.names = has_names, na = "", quote = which(!is_number) + 0L)
}

# Settings with weights and errors as files: a matrix or a dist is written beside the run. Without names of its own it has those of
# the data, in their order.
quality_files <- function(further, files, names) {
  for (name in intersect(c("weights", "errors"), names(further))) {
    value <- further[[name]]
    if (is.character(value) && length(value) == 1) {
      further[[name]] <- path.expand(value)
    } else if (!is.null(value)) {
      value <- named_quality(value, names, name)
      further[[name]] <- write_beside(files, sprintf(".%s.csv", name), name, function(path) write_table(value, path))
    }
  }
  further
}

named_quality <- function(value, names, setting) {
  if (is.data.frame(value)) return(value)
  has_names <- if (inherits(value, "dist")) !is.null(attr(value, "Labels")) else !is.null(names_of_square(value))
  value <- as.matrix(value)
  if (!is.numeric(value) || nrow(value) != ncol(value)) {
    stop_sbmds(sprintf("%s: give a dist, a square matrix, a data frame of pairs or a path", setting))
  }
  if (!has_names) {
    if (is.null(names)) names <- as.character(seq_len(nrow(value)))
    if (length(names) != nrow(value)) {
      stop_sbmds(sprintf("%s: they are of %d objects, and d has %d. Remedy: give one for every pair", setting, nrow(value), length(names)))
    }
    dimnames(value) <- list(names, names)
  }
  if (is.null(rownames(value))) rownames(value) <- colnames(value)
  value
}

# Where files go that a run must find again: beside it, or what is in memory alone into a scratch file.
files_of <- function(out, scratch, resume, overwrite) {
  if (is.null(out)) return(list(stem = scratch, is_kept = FALSE, resume = FALSE))
  stem <- sub("/+$", "", path.expand(out))
  # This fit will be refused: the files of the run that is there stay what they are.
  if (is_run(stem) && !resume && !overwrite) return(list(stem = scratch, is_kept = FALSE, resume = FALSE))
  list(stem = stem, is_kept = TRUE, resume = resume && is_run(stem))
}

is_string <- function(x) is.character(x) && length(x) == 1 && !is.na(x)

is_run <- function(directory) file.exists(file.path(directory, "config.toml"))

# Writes such a file. A run that goes on has its own; another one must not take its place.
write_beside <- function(files, ending, setting, write) {
  path <- paste0(files$stem, ending)
  if (files$is_kept) make_directory(dirname(path))
  if (!files$resume || !file.exists(path)) {
    write(path)
    return(path)
  }
  fresh <- tempfile()
  on.exit(unlink(fresh))
  write(fresh)
  if (!identical(readLines(fresh, warn = FALSE), readLines(path, warn = FALSE))) {
    stop_sbmds(sprintf("%s: not what the run was started with (%s). Remedy: leave it out, or start anew in another directory", setting, path))
  }
  path
}

make_directory <- function(path) {
  if (dir.exists(path)) return(invisible())
  if (!dir.create(path, showWarnings = FALSE, recursive = TRUE)) {
    stop_sbmds(sprintf("out: the directory %s cannot be made. Remedy: give another one", path))
  }
}

# A table of labels with the names in its first column.
label_table <- function(labels) {
  if (is.character(labels)) {
    if (!file.exists(labels)) {
      stop_sbmds(sprintf("labels: there is no file %s. Remedy: give the path of a table, a data frame, or one name per object", labels))
    }
    separator <- if (grepl("\\.(tsv|txt)$", labels)) "\t" else ","
    return(utils::read.csv(labels, sep = separator, check.names = FALSE))
  }
  has_names <- is.character(attr(labels, "row.names"))
  if (has_names) cbind(name = rownames(labels), labels, stringsAsFactors = FALSE) else labels
}

# The file of labels that a run in a directory knows of.
label_file <- function(labels, table, files) {
  if (is.null(table)) return(NULL)
  if (is.character(labels)) return(normalizePath(labels))
  # Other labels for a run that goes on are welcome: they change no draws.
  files$resume <- FALSE
  path <- write_beside(files, "-labels.csv", "labels", function(path) utils::write.csv(table, path, row.names = FALSE, na = ""))
  normalizePath(path)
}

# Says as R warnings what is wrong.
warn_of <- function(fit) {
  if (!isTRUE(fit$summary$converged)) warn_sbmds(fit$summary$verdict, "sbmds_not_converged")
  map <- fit$summary$map
  if (!is.null(map) && isFALSE(map$describes_data)) warn_sbmds(map$verdict, "sbmds_map_warning")
}
