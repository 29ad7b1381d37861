test_that("a dist in memory gives the draws of the program, bit for bit", {
  expected <- program_draws(write_matrix(eurodist))
  fit <- quick(eurodist)
  expect_same_draws(fit, expected)
  expect_identical(fit$names, labels(eurodist))
  opened <- read_sbmds(expected$run)
  expect_identical(coef(opened), coef(fit))
  expect_identical(vcov(opened), vcov(fit))
  table <- read.csv(file.path(expected$run, "embedding.csv"), check.names = FALSE)
  expect_identical(names(embedding(fit)), names(table))
  expect_equal(embedding(fit), table, tolerance = 1e-10)
  summary <- fit$summary
  expect_identical(opened$summary$verdict, summary$verdict)
  expect_identical(diagnostics(opened), diagnostics(fit))
})

test_that("so does a run in a directory, on any number of cores", {
  out <- tempfile("run-")
  fit <- quick(eurodist, out = out, cores = 1)
  again <- quick(eurodist, cores = 2)
  expect_identical(sbmds:::locations(fit), sbmds:::locations(again))
  expect_identical(coef(read_sbmds(out)), coef(again))
  expect_identical(residuals(read_sbmds(out)), residuals(again))
  expect_error(quick(eurodist, out = out), "holds a run already", class = "sbmds_error")
  more <- quick(eurodist, out = out, resume = TRUE, iter_sampling = 150)
  expect_identical(more$n_draws, 150L)
  expect_identical(sbmds:::stored(more, "sigma")[1:100, , ], sbmds:::stored(fit, "sigma")[, , ])
})

test_that("a run goes on with its own data only", {
  out <- tempfile("run-")
  quick(eurodist, out = out)
  refused <- function(call, words) expect_error(call, words, class = "sbmds_error")
  refused(quick(2 * eurodist, out = out, resume = TRUE, iter_sampling = 150), "^d: these are not the data.*leave d out")
  expect_identical(read_sbmds(out)$n_draws, 100L)
  expect_identical(suppressWarnings(sbmds(out = out, resume = TRUE, iter_sampling = 150, progress = FALSE))$n_draws, 150L)
  # A run of a file has no copy to compare with.
  path <- write_matrix(eurodist)
  other <- tempfile("run-")
  quick(path, out = other)
  refused(quick(eurodist, out = other, resume = TRUE, iter_sampling = 150), "^d: the run .* was started with a file")
  expect_identical(quick(path, out = other, resume = TRUE, iter_sampling = 150)$n_draws, 150L)
  refused(quick(eurodist, out = tempfile("run-"), resume = TRUE), "holds no run")
  refused(quick(eurodist, resume = TRUE), "which run")
})

test_that("files beside a run stay what they are", {
  weights <- eurodist
  weights[] <- rep_len(1:3, 210)
  out <- file.path(tempfile("deep-"), "er", "run")
  fit <- quick(eurodist, weights = weights, out = out)
  kept <- readLines(paste0(out, ".weights.csv"))
  expect_error(quick(eurodist, weights = 2 * weights, out = out), "holds a run already", class = "sbmds_error")
  expect_error(
    quick(eurodist, weights = 2 * weights, out = out, resume = TRUE, iter_sampling = 150), "^weights: not what the run",
    class = "sbmds_error"
  )
  expect_identical(readLines(paste0(out, ".weights.csv")), kept)
  more <- suppressWarnings(sbmds(eurodist, out = out, resume = TRUE, iter_sampling = 150, progress = FALSE))
  expect_identical(sbmds:::stored(more, "sigma")[1:100, , ], sbmds:::stored(fit, "sigma")[, , ])
  file <- tempfile()
  writeLines("", file)
  expect_error(quick(eurodist, weights = weights, out = file.path(file, "run")), "^out: the directory", class = "sbmds_error")
})

test_that("so do missing pairs, pairs, features and settings", {
  holes <- as.matrix(eurodist)
  holes["Athens", "Rome"] <- holes["Rome", "Athens"] <- NA
  expect_same_draws(quick(holes), program_draws(write_matrix(holes)))

  of_pair <- which(lower.tri(holes) & !is.na(holes), arr.ind = TRUE)
  pairs <- data.frame(from = rownames(holes)[of_pair[, 1]], to = colnames(holes)[of_pair[, 2]], km = holes[of_pair])
  path <- tempfile(fileext = ".csv")
  write.csv(pairs, path, row.names = FALSE)
  fit <- quick(pairs)
  expect_same_draws(fit, program_draws(path))
  expect_same_draws(quick(path), program_draws(path))

  x <- round(as.matrix(iris[seq(1, 150, 8), 1:4]), 1)
  rownames(x) <- paste0("f", seq_len(nrow(x)))
  path <- tempfile(fileext = ".csv")
  write.csv(x, path)
  fit <- quick(x, metric = "manhattan", dims = 3, noise = "normal", priors = "paper", couplings = "dispersed:5")
  flags <- c("--features", "--metric", "manhattan", "--dims", 3, "--noise", "normal", "--priors", "paper")
  expect_same_draws(fit, do.call(program_draws, as.list(c(path, flags, "--couplings", "dispersed:5"))))
})

test_that("so does a tree", {
  skip_if_not_installed("ape")
  data <- eight()
  path <- tempfile(fileext = ".nwk")
  writeLines("((((a:1,b:1):1,(c:1,d:1):1):1,(e:2,f:2):1):1,(g:3,'h h':3):1);", path)
  expected <- program_draws(write_matrix(data$d), "--tree", path)
  expect_same_draws(quick(data$d, tree = data$tree), expected)
  expect_same_draws(quick(data$d, tree = path), expected)
  run <- tempfile("run-")
  expect_same_draws(quick(data$d, tree = data$tree, out = run), expected)
  table <- read.csv(file.path(expected$run, "ancestors.csv"))
  expect_equal(ancestors(quick(data$d, tree = data$tree))$x1, table$x1, tolerance = 1e-12)
})

test_that("the log-likelihood is that of the program", {
  x <- round(cmdscale(eurodist), 1)
  locations <- tempfile(fileext = ".csv")
  write.csv(data.frame(name = rownames(x), x), locations, row.names = FALSE)
  output <- system2(
    program(), c("eval", write_matrix(eurodist), "--positions", locations, "--sigma", 100, "--gradient"),
    stdout = TRUE
  )
  number <- sub('.*"log_likelihood":([^,}]*).*', "\\1", output)
  value <- log_likelihood(eurodist, x, 100, gradient = TRUE)
  expect_equal(as.numeric(value), as.numeric(number), tolerance = 1e-14)
  step <- 1e-3
  moved <- x
  moved["Rome", 2] <- moved["Rome", 2] + step
  slope <- (log_likelihood(eurodist, moved, 100) - as.numeric(value)) / step
  expect_equal(attr(value, "gradient")[["Rome", 2]], slope, tolerance = 1e-3)
})
