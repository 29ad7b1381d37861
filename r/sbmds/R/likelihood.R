#' The log-likelihood at given locations
#'
#' @param d The dissimilarities, as for [sbmds()].
#' @param x Locations, objects x dimensions, in the order of `d`.
#' @param sigma Standard deviation of the noise.
#' @param couplings,noise,labels,metric As for [sbmds()].
#' @param gradient Whether to return the gradient with respect to the locations as attribute `"gradient"`.
#' @param ... `order`, `seed`, `landmarks`, `storage`; of files `format`, `value`, `no_names` and `names`.
#' @return The log-likelihood, a number.
#' @examples
#' x <- cmdscale(eurodist)
#' log_likelihood(eurodist, x, sigma = 100)
#' @export
log_likelihood <- function(d, x, sigma, couplings = "auto", noise = NULL, gradient = FALSE, labels = NULL, metric = NULL, ...) {
  further <- list(...)
  check_settings(further)
  given <- given_of(d, labels, metric, list(), tempfile())
  x <- as.matrix(x)
  if (!is.numeric(x)) stop_sbmds("x holds no numbers. Remedy: give locations, objects x dimensions")
  settings <- c(list(couplings = couplings, features = !is.null(metric), metric = metric), further)
  words <- c("sbmds", "fit", given$input, words_of(settings))
  found <- native(
    wrap__log_likelihood_at, words, given, if (is.null(noise)) "truncated-normal" else noise, as.double(x), ncol(x), as.double(sigma)
  )
  value <- found$log_likelihood
  if (gradient) attr(value, "gradient") <- matrix(found$gradient, nrow(x), dimnames = dimnames(x))
  value
}
