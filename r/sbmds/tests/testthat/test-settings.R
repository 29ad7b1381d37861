# Flags of `sbmds fit`, as R spells them.
flags_of_the_program <- function() {
  page <- system2(program(), c("fit", "-h"), stdout = TRUE)
  found <- regmatches(page, regexec("^ +(-[A-Za-z], )?--([a-z-]+)", page))
  flags <- gsub("-", "_", vapply(Filter(length, found), `[`, "", 3), fixed = TRUE)
  in_r <- sbmds:::renamed[flags]
  unname(ifelse(is.na(in_r), flags, in_r))
}

test_that("every flag of the program is a setting, by the same name", {
  flags <- setdiff(flags_of_the_program(), c("help", "features"))
  settings <- c(setdiff(names(formals(sbmds)), c("d", "...")), sbmds:::further_settings)
  expect_setequal(settings, flags)
  expect_identical(anyDuplicated(settings), 0L)
})

test_that("settings become words", {
  words <- sbmds:::words_of(list(iter_warmup = 1e5, prior_scale = 0.1, prune = TRUE, force = FALSE, sigma = NULL, keep = "thin:2"))
  expect_identical(words, c("--warmup=100000", "--prior-scale=0.10000000000000001", "--prune", "--keep=thin:2"))
  expect_error(sbmds:::words_of(list(dims = 1:2)), "dims: give one number", class = "sbmds_error")
})

test_that("they reach the program", {
  path <- write_matrix(eurodist)
  expect_same_draws(quick(eurodist, noise = "student-t", nu = 4), program_draws(path, "--noise=student-t", "--nu=4"))
  flags <- c("--sampler=hmc", "--leapfrog-steps=5", "--jitter=0.2", "--arithmetic=f64", "--no-mode-jumps")
  fit <- quick(eurodist, sampler = "hmc", leapfrog_steps = 5, jitter = 0.2, arithmetic = "f64", no_mode_jumps = TRUE)
  expect_same_draws(fit, do.call(program_draws, as.list(c(path, flags))))
})

test_that("weights and errors are matrices, dists or files", {
  set.seed(4)
  weights <- eurodist
  weights[] <- round(runif(length(eurodist), 0.5, 2), 3)
  file <- write_matrix(weights)
  expected <- program_draws(write_matrix(eurodist), "--weights", file)
  expect_same_draws(quick(eurodist, weights = weights), expected)
  expect_same_draws(quick(eurodist, weights = file), expected)
  run <- tempfile("run-")
  expect_same_draws(quick(eurodist, weights = as.matrix(weights), out = run), expected)
  # Without names they are in the order of the data.
  bare <- unname(as.matrix(weights))
  expect_same_draws(quick(eurodist, weights = bare), expected)
  expect_same_draws(quick(eurodist, weights = as.dist(bare)), expected)
  refused <- function(weights, words) expect_error(quick(eurodist, weights = weights), words, class = "sbmds_error")
  refused(bare[-1, -1], "^weights: they are of 20 objects, and d has 21")
  refused(bare[-1, ], "^weights: give a dist")
})

test_that("titres are a table or a file", {
  set.seed(5)
  level <- round(8 - 2 * as.matrix(dist(matrix(rnorm(30), 15)))[1:9, 10:15])
  titres <- ifelse(level > 0, as.character(10 * 2^level), "<10")
  dimnames(titres) <- list(paste0("v", 1:9), paste0("s", 1:6))
  titres[2, 3] <- "*"
  file <- tempfile(fileext = ".csv")
  write.csv(titres, file, quote = FALSE)
  expected <- program_draws(file, "--titers")
  expect_same_draws(quick(titres, titers = TRUE), expected)
  expect_same_draws(quick(file, titers = TRUE), expected)
})

test_that("dissimilarities may be negative where the noise admits it", {
  d <- as.matrix(eurodist)
  d["Rome", "Athens"] <- d["Athens", "Rome"] <- -1
  expect_error(quick(d), "negative", class = "sbmds_error")
  expect_identical(nrow(coef(quick(d, noise = "normal"))), 21L)
})
