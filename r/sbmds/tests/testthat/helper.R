# Small fits, made once, and the program to compare with.

quick <- function(d, ..., chains = 2, iter_warmup = 150, iter_sampling = 100, seed = 7) {
  suppressWarnings(
    sbmds(d, ..., chains = chains, iter_warmup = iter_warmup, iter_sampling = iter_sampling, seed = seed, progress = FALSE),
    classes = "sbmds_warning"
  )
}

cities <- local({
  fit <- NULL
  function() {
    if (is.null(fit)) fit <<- quick(eurodist, iter_sampling = 400)
    fit
  }
})

# A tree of eight tips and two traits along it, made without chance.
eight <- function() {
  tree <- ape::read.tree(text = "((((a:1,b:1):1,(c:1,d:1):1):1,(e:2,f:2):1):1,(g:3,'h h':3):1);")
  at <- cbind(c(1, 1.2, 2, 2.3, -1, -1.4, 0.2, 3), c(0, 0.5, -0.3, -1, 1, 1.6, -2, 2.2))
  rownames(at) <- c(letters[1:7], "h h")
  list(tree = tree, d = round(dist(at), 3))
}

# The command line program, which scripts/test_r names.
program <- function() {
  path <- Sys.getenv("SBMDS_PROGRAM")
  skip_if(path == "", "SBMDS_PROGRAM does not name the program")
  path
}

run_program <- function(...) {
  status <- system2(program(), shQuote(c(...)), stdout = FALSE, stderr = FALSE)
  # 1: drawn, but not converged.
  expect_true(status %in% 0:1)
}

# A NumPy file of doubles.
read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  invisible(readBin(file, "raw", 8))
  header <- rawToChar(readBin(file, "raw", readBin(file, "integer", size = 2, signed = FALSE)))
  shape <- sub(".*'shape': \\(([^)]*)\\).*", "\\1", header)
  shape <- as.integer(regmatches(shape, gregexpr("[0-9]+", shape))[[1]])
  values <- readBin(file, "double", prod(shape))
  # Rows first there, columns first here.
  aperm(array(values, rev(shape)), rev(seq_along(shape)))
}

# Draws of the program, iteration x chain x object x dimension.
program_draws <- function(input, ..., chains = 2, iter_warmup = 150, iter_sampling = 100, seed = 7) {
  directory <- tempfile("program-")
  run <- file.path(directory, "run")
  dir.create(directory)
  run_program(
    "fit", input, "--out", run, "--chains", chains, "--warmup", iter_warmup, "--draws", iter_sampling, "--seed", seed,
    "--no-report", ...
  )
  run_program("export", run, "--format", "npy", "--out", file.path(directory, "npy"))
  x <- read_npy(file.path(directory, "npy", "draws.npy"))
  sigma <- read_npy(file.path(directory, "npy", "sigma.npy"))
  list(run = run, x = aperm(x, c(2, 1, 3, 4)), sigma = t(sigma))
}

expect_same_draws <- function(fit, expected) {
  expect_identical(c(sbmds:::locations(fit)), c(expected$x))
  expect_identical(dim(sbmds:::locations(fit)), dim(expected$x))
  expect_identical(c(sbmds:::stored(fit, "sigma")), c(expected$sigma))
}

# write.csv() keeps 15 digits only.
write_matrix <- function(d) {
  path <- tempfile(fileext = ".csv")
  d <- as.matrix(d)
  cells <- ifelse(is.na(d), "", formatC(d, digits = 17, format = "g"))
  write.csv(array(cells, dim(d), dimnames(d)), path, quote = FALSE)
  path
}
