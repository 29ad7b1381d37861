# What may be given as data, made into what the library reads: a list with `kind`, `values` and `names`.

as_given <- function(d, ...) UseMethod("as_given")

#' @noRd
#' @exportS3Method
as_given.default <- function(d, ...) {
  stop_sbmds(paste0(
    "d is of class ", paste(class(d), collapse = "/"), ", which holds no dissimilarities. ",
    "Remedy: give a dist, a square matrix, a data frame of pairs, a sparse matrix, a path, or features with metric ="
  ))
}

#' @noRd
#' @exportS3Method
as_given.dist <- function(d, labels = NULL, ...) {
  n <- attr(d, "Size")
  list(kind = "dist", values = as.double(d), names = object_names(labels, attr(d, "Labels"), n))
}

#' @noRd
#' @exportS3Method
as_given.matrix <- function(d, labels = NULL, metric = NULL, ...) {
  if (!is.numeric(d) && !is.logical(d)) stop_sbmds("the matrix d holds no numbers")
  if (!is.null(metric)) {
    names <- object_names(labels, rownames(d), nrow(d))
    return(list(kind = "features", values = as.double(t(d)), names = names, metric = metric))
  }
  if (nrow(d) != ncol(d)) {
    stop_sbmds(sprintf(
      "the matrix d is %d x %d, not square. Remedy: give a square matrix, or features with metric =", nrow(d), ncol(d)
    ))
  }
  if (!is.null(rownames(d)) && !is.null(colnames(d)) && !identical(rownames(d), colnames(d))) {
    stop_sbmds("row names and column names of d differ. Remedy: bring rows and columns into the same order")
  }
  list(kind = "matrix", values = as.double(d), names = object_names(labels, names_of_square(d), nrow(d)))
}

#' @noRd
#' @exportS3Method
as_given.data.frame <- function(d, labels = NULL, metric = NULL, value = NULL, ...) {
  if (!is.null(metric)) {
    is_feature <- vapply(d, function(column) is.numeric(column) || is.logical(column), NA)
    if (!any(is_feature)) stop_sbmds("the data frame d holds no numbers")
    of_rows <- if (is.character(attr(d, "row.names"))) rownames(d)
    if (is.null(labels)) labels <- first_of(d[!is_feature], of_rows)
    features <- as.matrix(d[is_feature])
    rownames(features) <- NULL
    return(as_given.matrix(features, labels = labels, metric = metric))
  }
  square <- if (is.null(value)) as_square(d)
  if (!is.null(square)) return(as_given.matrix(square, labels = labels))
  if (!is.null(labels)) {
    stop_sbmds("labels: the pairs of d name their objects themselves. Remedy: leave labels out, or give them as a table")
  }
  pair_columns(d, value)
}

# The names of a square table stand in its rows, its columns or both.
names_of_square <- function(d) if (is.null(rownames(d))) colnames(d) else rownames(d)

# The matrix that a data frame is, or NULL: as many rows as columns of numbers, which have the names of the rows, or which are
# symmetric with zeros on the diagonal. No table of pairs can be that, because it would have pairs twice.
as_square <- function(d) {
  named <- ncol(d) == nrow(d) + 1 && !is.numeric(d[[1]])
  own <- if (named) as.character(d[[1]]) else if (is.character(attr(d, "row.names"))) rownames(d)
  table <- if (named) d[-1] else d
  if (nrow(table) < 2 || ncol(table) != nrow(table)) return(NULL)
  if (!all(vapply(table, function(column) is.numeric(column) || is.logical(column), NA))) return(NULL)
  m <- as.matrix(table)
  # read.csv() makes names of columns of them.
  is_named <- !is.null(own) && (identical(colnames(m), own) || identical(colnames(m), make.names(own, unique = TRUE)))
  if (!is_named && (named || !is_distances(unname(m)))) return(NULL)
  if (!is.null(own)) dimnames(m) <- list(own, own)
  m
}

is_distances <- function(m) {
  all(diag(m) == 0, na.rm = TRUE) && identical(is.na(m), t(is.na(m))) && all(m == t(m), na.rm = TRUE)
}

# Names in the first column that is no feature, or those of the rows; what stands there several times is a class, as in iris.
first_of <- function(others, of_rows) {
  if (length(others) > 0 && !anyDuplicated(as.character(others[[1]]))) as.character(others[[1]]) else of_rows
}

pair_columns <- function(d, value) {
  if (ncol(d) < 3) {
    stop_sbmds(sprintf(
      "the data frame d has %d columns. Remedy: give the two objects and their dissimilarity, or features with metric =", ncol(d)
    ))
  }
  column <- if (is.null(value)) 3L else value
  if (is.character(column) && !column %in% colnames(d)) stop_sbmds(sprintf("value: d has no column %s", dQuote(column, FALSE)))
  values <- d[[column]]
  if (!is.numeric(values)) {
    stop_sbmds(sprintf("column %s of d holds no numbers. Remedy: name another one with value =", column))
  }
  is_no_name <- function(column) is.numeric(column) && any(column != round(column), na.rm = TRUE)
  if (is_no_name(d[[1]]) || is_no_name(d[[2]])) {
    stop_sbmds("the first two columns of d name no objects. Remedy: give pairs (two objects and their dissimilarity), or features with metric =")
  }
  ends <- rbind(as.character(d[[1]]), as.character(d[[2]]))
  if (anyNA(ends)) stop_sbmds("a pair of d has no name. Remedy: name both objects in every row")
  # Objects are in the order of their first appearance, as in a file of pairs.
  names <- unique(c(ends))
  list(kind = "pairs", values = as.double(values), names = names, from = match(ends[1, ], names), to = match(ends[2, ], names))
}

#' @noRd
#' @exportS3Method
as_given.Matrix <- function(d, labels = NULL, metric = NULL, ...) {
  if (!is.null(metric)) return(as_given.matrix(as.matrix(d), labels = labels, metric = metric))
  if (nrow(d) != ncol(d)) stop_sbmds(sprintf("the matrix d is %d x %d, not square", nrow(d), ncol(d)))
  if (!methods::is(d, "sparseMatrix")) return(as_given.matrix(as.matrix(d), labels = labels))
  names <- object_names(labels, names_of_square(d), nrow(d))
  # What is stored was measured; a symmetric pair is stored once or twice.
  stored <- methods::as(methods::as(methods::as(d, "dMatrix"), "generalMatrix"), "TsparseMatrix")
  pairs <- data.frame(a = pmin(stored@i, stored@j) + 1L, b = pmax(stored@i, stored@j) + 1L, value = as.double(stored@x))
  pairs <- unique(pairs[pairs$a != pairs$b, ])
  pairs <- pairs[order(pairs$a, pairs$b), ]
  twice <- which(duplicated(pairs[c("a", "b")]))
  if (length(twice) > 0) {
    at <- pairs[twice[1], ]
    stop_sbmds(sprintf(
      "the two readings of %s and %s differ. Remedy: make d symmetric", dQuote(names[at$a], FALSE), dQuote(names[at$b], FALSE)
    ))
  }
  list(kind = "pairs", values = pairs$value, names = names, from = pairs$a, to = pairs$b)
}

# Names that are given, those the data have, or 1, 2, ...
object_names <- function(given, own, n) {
  if (!is.null(given) && length(given) != n) {
    stop_sbmds(sprintf("%d labels are given for %d objects. Remedy: give one label per object", length(given), n))
  }
  names <- if (is.null(given)) own else given
  if (is.null(names)) as.character(seq_len(n)) else as.character(names)
}
