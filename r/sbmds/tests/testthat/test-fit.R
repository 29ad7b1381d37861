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

test_that("an interrupt keeps the draws", {
  skip_on_os("windows")
  interrupted <- function(call, after) {
    script <- tempfile(fileext = ".R")
    writeLines(c(
      sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
      "library(sbmds)",
      "system(sprintf('(sleep 4; kill -INT %d) > /dev/null 2>&1 &', Sys.getpid()))",
      sprintf("outcome <- tryCatch(%s, interrupt = function(condition) 'interrupted')", call),
      "cat('outcome:', outcome, '\\n')",
      after
    ), script)
    paste(suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE, stderr = TRUE)), collapse = "\n")
  }
  long <- "sbmds(dist(matrix(1:10, 5)), iter_warmup = 50, iter_sampling = 1e6, chains = 1, seed = 1%s, progress = FALSE)"
  output <- interrupted(sprintf(long, ""), "cat('draws:', last_fit()$n_draws > 0, class(last_fit()), '\\n')")
  expect_match(output, "interrupted; last_fit\\(\\) has the [0-9]+ draws")
  expect_match(output, "outcome: interrupted")
  expect_match(output, "draws: TRUE sbmds")
  out <- tempfile("run-")
  output <- interrupted(sprintf(long, sprintf(", out = '%s', keep = 'thin:100'", out)), "")
  expect_match(output, "go on with the same call and resume = TRUE")
  expect_error(read_sbmds(out), "is not finished", class = "sbmds_error")
})
