#' Sparse Bayesian multidimensional scaling
#'
#' [sbmds()] fits a map to dissimilarities, [read_sbmds()] opens a run of the program; what a fit found reaches R by the generics
#' that are there already: [summary()], [plot()], [coef()], [fitted()], [residuals()], `posterior::as_draws()`, `vegan::scores()`,
#' `ggplot2::autoplot()` and others.
#'
#' @docType package
#' @name sbmds-package
#' @keywords internal
#' @useDynLib sbmds, .registration = TRUE
#' @importFrom stats coef fitted nobs predict residuals vcov
NULL
