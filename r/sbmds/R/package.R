#' @keywords internal
#' @useDynLib sbmds, .registration = TRUE
#' @importFrom stats coef fitted residuals vcov nobs
"_PACKAGE"
