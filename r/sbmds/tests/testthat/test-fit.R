test_that("the seed follows set.seed, and a bad verdict is a warning", {
  set.seed(5)
  one <- quick(eurodist, seed = NULL)
  set.seed(5)
  expect_identical(coef(quick(eurodist, seed = NULL)), coef(one))
  expect_warning(
    sbmds(eurodist, iter_warmup = 3, iter_sampling = 8, chains = 4, seed = 1, progress = FALSE),
    class = "sbmds_not_converged"
  )
})

test_that("progress is said, and time ends a fit", {
  output <- capture.output(
    fit <- suppressWarnings(sbmds(
      eurodist, iter_warmup = 100, iter_sampling = 1e6, chains = 1, seed = 1, time = 0.6, progress = TRUE, keep = "thin:100"
    )),
    type = "message"
  )
  output <- paste(output, collapse = "")
  expect_match(output, "21 objects, 210 pairs")
  expect_match(output, "% of 1 chains")
  expect_lt(fit$n_draws, 1e4)
  expect_silent(suppressWarnings(quick(eurodist)))
})

# Runs the call in another R, which sends itself the signal of Ctrl-C as soon as every chain has gone 200 iterations: while the fit
# is at work, on any machine. Then whatever is `after`.
interrupted <- function(call, after = "") {
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(sbmds)",
    "signal <- quote(if (min(state$iteration) > 200) tools::pskill(Sys.getpid(), tools::SIGINT))",
    "invisible(trace('show_progress', signal, where = asNamespace('sbmds'), print = FALSE))",
    sprintf("outcome <- tryCatch(%s, interrupt = function(condition) 'interrupted')", call),
    "cat('outcome:', outcome, '\\n')",
    after
  ), script)
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE, stderr = TRUE))
  paste(output, collapse = "\n")
}

test_that("an interrupt keeps the draws", {
  skip_on_os("windows")
  call <- "sbmds(dist(matrix(1:10, 5)), iter_warmup = 50, iter_sampling = 1e6, chains = 1, seed = 1, progress = TRUE)"
  output <- interrupted(call, "cat('draws:', last_fit()$n_draws >= 150, class(last_fit()), '\\n')")
  expect_match(output, "interrupted; last_fit\\(\\) has the [0-9]+ draws")
  expect_match(output, "outcome: interrupted")
  expect_match(output, "draws: TRUE sbmds")
})

test_that("a run that was interrupted goes on as if it had not been", {
  skip_on_os("windows")
  d <- dist(cbind(c(1, 5, 2, 9, 4), c(3, 3, 8, 1, 6)))
  out <- tempfile("run-")
  settings <- "iter_warmup = 50, iter_sampling = 20000, chains = 2, seed = 1, keep = 'thin:10'"
  call <- sprintf("sbmds(dist(cbind(c(1, 5, 2, 9, 4), c(3, 3, 8, 1, 6))), %s, out = '%s', progress = TRUE)", settings, out)
  output <- interrupted(call)
  expect_match(output, "outcome: interrupted")
  expect_match(output, "go on with the same call and resume = TRUE")
  expect_error(read_sbmds(out), "is not finished", class = "sbmds_error")
  ended <- suppressWarnings(sbmds(d, out = out, resume = TRUE, progress = FALSE))
  never <- quick(d, iter_warmup = 50, iter_sampling = 20000, seed = 1, keep = "thin:10")
  expect_identical(sbmds:::locations(ended), sbmds:::locations(never))
  expect_identical(sbmds:::stored(ended, "sigma"), sbmds:::stored(never, "sigma"))
})
