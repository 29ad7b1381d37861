kinds <- function() {
  d <- dist(matrix(c(0, 3, 1, 7, 2, 2, 5, 0, 4, 9, 1, 3), 6))
  attr(d, "Labels") <- c("u", "v", "w", "x", "y y", "z")
  d
}

test_that("a dist keeps its order and its labels", {
  d <- kinds()
  fit <- quick(d)
  expect_identical(sbmds:::dissimilarities(fit), as.vector(d))
  expect_identical(labels(fitted(fit)), labels(d))
  expect_identical(rownames(coef(fit)), labels(d))
  given <- sbmds:::as_given(d)
  expect_identical(given$values[2], as.matrix(d)["u", "w"])
  unlabelled <- dist(matrix(1:8, 4))
  expect_identical(quick(unlabelled)$names, as.character(1:4))
  expect_identical(quick(unlabelled, labels = letters[1:4])$names, letters[1:4])
})

test_that("every kind of data is the same data", {
  d <- kinds()
  m <- as.matrix(d)
  at <- which(upper.tri(m), arr.ind = TRUE)
  at <- at[order(at[, 1], at[, 2]), ]
  pairs <- data.frame(a = rownames(m)[at[, 1]], b = colnames(m)[at[, 2]], delta = m[at], other = 0)
  path <- write_matrix(m)
  of <- function(data) sbmds:::dissimilarities(quick(data))
  expect_identical(of(m), as.vector(d))
  expect_identical(of(pairs), as.vector(d))
  expect_identical(of(path), as.vector(d))
  expect_identical(sbmds:::dissimilarities(quick(pairs[c(1, 2, 4, 3)], value = "delta")), as.vector(d))
  expect_identical(sbmds:::dissimilarities(quick(pairs[c(1, 2, 4, 3)], value = "delta", out = tempfile("run-"))), as.vector(d))
  skip_if_not_installed("Matrix")
  m["u", "z"] <- m["z", "u"] <- 0
  sparse <- of(Matrix::Matrix(m, sparse = TRUE))
  expect_identical(is.na(sparse), as.vector(as.dist(m)) == 0)
  expect_identical(sparse[!is.na(sparse)], as.vector(as.dist(m))[!is.na(sparse)])
  general <- methods::as(Matrix::Matrix(m, sparse = TRUE), "generalMatrix")
  expect_identical(of(general), sparse)
  general["u", "v"] <- 99
  expect_error(of(general), "two readings of \"u\" and \"v\" differ")
})

test_that("a square data frame is a matrix", {
  d <- kinds()
  table <- as.data.frame(as.matrix(d))
  of <- function(table) {
    fit <- quick(table)
    expect_identical(sbmds:::dissimilarities(fit), as.vector(d))
    fit$names
  }
  expect_identical(of(table), labels(d))
  # As it comes back from a file: names in the rows, in a column, or nowhere.
  path <- write_matrix(d)
  expect_identical(of(read.csv(path, row.names = 1)), labels(d))
  expect_identical(of(read.csv(path)), labels(d))
  rownames(table) <- NULL
  expect_identical(of(table), labels(d))
  expect_identical(of(unname(table)), as.character(1:6))
  # Pairs of numbered objects are no matrix, however many there are.
  pairs <- data.frame(a = c(1, 1, 2), b = c(2, 3, 3), delta = c(3, 4, 5))
  expect_identical(sbmds:::dissimilarities(quick(pairs)), c(3, 4, 5))
  expect_error(sbmds(pairs, labels = letters[1:3]), "^labels: the pairs of d name", class = "sbmds_error")
})

test_that("names of columns are names", {
  m <- as.matrix(kinds())
  rownames(m) <- NULL
  expect_identical(quick(m)$names, labels(kinds()))
  expect_identical(quick(m, labels = factor(letters[1:6]))$names, letters[1:6])
  expect_identical(quick(m, labels = 11:16)$names, as.character(11:16))
  x <- matrix(c(1, 5, 3, 8, 2, 9, 2, 2), 4, dimnames = list(NULL, c("u", "v")))
  expect_identical(quick(x, metric = "euclidean")$names, as.character(1:4))
})

test_that("a missing pair is missing", {
  m <- as.matrix(kinds())
  m["u", "w"] <- m["w", "u"] <- NA
  fit <- quick(m)
  expect_identical(is.na(residuals(fit)), is.na(as.dist(m)), ignore_attr = TRUE)
  expect_false(anyNA(fitted(fit)))
  expect_identical(nobs(fit), 14)
})

test_that("features need a metric, and names are found", {
  x <- data.frame(site = paste0("s", 1:6), a = c(1, 5, 3, 8, 2, 9), b = c(2, 2, 7, 1, 1, 4))
  fit <- quick(x, metric = "euclidean")
  expect_identical(fit$names, x$site)
  expect_equal(sbmds:::dissimilarities(fit), as.vector(dist(x[-1])))
  # A column of classes has no names.
  expect_identical(quick(iris[c(1, 60, 90, 140), ], metric = "euclidean")$names, as.character(1:4))
})

test_that("what cannot be used is refused with a remedy", {
  d <- kinds()
  refused <- function(call, words) expect_error(call, words, class = "sbmds_error")
  refused(sbmds(), "d is missing")
  refused(sbmds(iris[1:4]), "name no objects.*metric =")
  refused(sbmds(d, k = 3), "k is no setting.*is dims meant")
  refused(sbmds(d, xyzzy = 3), "see \\?sbmds$")
  refused(sbmds(d, seed = -1), "seed = -1: give a whole number, 0 or more")
  refused(sbmds(d, out = 5), "^out: give the path")
  refused(sbmds(d, labels = TRUE), "^labels: give one name")
  refused(sbmds(d, labels = data.frame(x = 1:6)), "^labels: no object is called as in the column \"x\"")
  refused(read_sbmds(5), "^run: give the path")
  # Entries are counted from 1.
  refused(sbmds(as.matrix(d) + diag(6)), "entry \\[1, 1\\] \\(u to u\\): 1 stands on the diagonal")
  infinite <- as.matrix(d)
  infinite[1, 3] <- infinite[3, 1] <- Inf
  refused(sbmds(infinite), "entry \\[1, 3\\].*Remedy: make it NA if")
  refused(sbmds(list()), "class list.*Remedy")
  refused(sbmds(matrix(1, 3, 4)), "3 x 4, not square")
  refused(sbmds("no-such-file.csv"), "no-such-file.csv")
  refused(sbmds(-d), "negative")
  refused(sbmds(d, labels = "no-such-table.csv"), "^labels: there is no file")
  refused(sbmds(d, labels = c("a", "b")), "2 labels are given for 6 objects")
  refused(sbmds(d, labels = rep("a", 6)), "is given to objects 1 and 2.*make.unique")
  refused(sbmds(d, chains = 0), "chains")
  refused(sbmds(d, iter_sampling = 0), "iter_sampling")
  refused(sbmds(d, cores = 0), "cores")
  refused(sbmds(d, couplings = "bands:3"), "couplings")
  refused(sbmds(d, nosie = "normal"), "nosie is no setting.*is noise meant")
  refused(sbmds(d, dims = "two"), "dims")
  refused(sbmds(d, tree = "no-tree.nwk"), "no-tree.nwk")
  refused(sbmds(d, prune = TRUE), "tree")
  refused(sbmds(data.frame(a = 1, b = 2)), "2 columns")
  refused(sbmds(data.frame(a = "u", b = "v", c = "w")), "holds no numbers")
  refused(sbmds(data.frame(a = c("u", "v", "v"), b = c("v", "u", "w"), c = 1:3)), "given twice")
  lopsided <- as.matrix(d)
  lopsided["u", "v"] <- 50
  refused(sbmds(lopsided), "u.*v|v.*u")
  refused(read_sbmds(tempdir()), "holds no run")
  refused(log_likelihood(d, matrix(0, 5, 2), 1), "5 locations are given for 6 objects")
})
