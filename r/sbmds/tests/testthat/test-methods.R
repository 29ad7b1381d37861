test_that("print and summary say the verdict first", {
  fit <- cities()
  expect_output(print(fit), paste0("^", substr(fit$summary$verdict, 1, 20)))
  summary <- summary(fit)
  expect_s3_class(summary, "summary.sbmds")
  expect_output(print(summary), paste0("^", substr(fit$summary$verdict, 1, 20)))
  expect_output(print(summary), "largest R-hat")
  expect_identical(nrow(summary$objects), 21L)
})

test_that("the map recovers the distances", {
  fit <- cities()
  expect_gt(cor(fitted(fit), eurodist), 0.98)
  expect_equal(c(fitted(fit)) + c(residuals(fit)), c(eurodist))
  expect_equal(fitted(fit, "mean"), fitted(fit), tolerance = 0.1)
  expect_identical(dim(vcov(fit)), c(2L, 2L, 21L))
  # The covariance is that of the aligned draws.
  x <- sbmds:::locations(fit)
  expect_equal(coef(fit)["Rome", ], apply(x[, , 19, ], 3, mean), ignore_attr = TRUE, tolerance = 1e-8)
  expect_equal(vcov(fit)[, , "Rome"], cov(cbind(c(x[, , 19, 1]), c(x[, , 19, 2]))), ignore_attr = TRUE, tolerance = 1e-8)
})

test_that("posterior has the draws", {
  skip_if_not_installed("posterior")
  fit <- cities()
  draws <- posterior::as_draws_array(fit)
  expect_identical(posterior::niterations(draws), 400L)
  expect_identical(posterior::nchains(draws), 2L)
  expect_identical(dim(draws)[3], 3L + 42L)
  expect_identical(posterior::variables(draws)[1:3], c("lp__", "log_likelihood", "sigma"))
  expect_identical(c(draws[, , "x[Rome,2]"]), c(sbmds:::locations(fit)[, , 19, 2]))
  rvars <- posterior::as_draws_rvars(fit)
  expect_identical(dim(rvars$x), c(21L, 2L))
  expect_equal(posterior::E(rvars$x), coef(fit), tolerance = 1e-8, ignore_attr = TRUE)
  expect_identical(rownames(rvars$x), labels(eurodist))
  expect_identical(posterior::nchains(rvars$x), 2L)
  for (other in list(posterior::as_draws_df(fit), posterior::as_draws_matrix(fit), posterior::as_draws_list(fit))) {
    expect_identical(posterior::ndraws(other), 800L)
  }
  expect_s3_class(posterior::summarise_draws(posterior::as_draws(fit, locations = FALSE)), "draws_summary")
  # The diagnostics of the library are those of posterior.
  for (name in c(sigma = "sigma", lp__ = "log density")) {
    values <- posterior::extract_variable_matrix(draws, if (name == "sigma") "sigma" else "lp__")
    ours <- diagnostics(fit)
    ours <- ours[ours$variable == name, ]
    expect_equal(ours$ess_bulk, posterior::ess_bulk(values), tolerance = 1e-6)
    expect_equal(ours$ess_tail, posterior::ess_tail(values), tolerance = 1e-6)
    expect_equal(ours$rhat, posterior::rhat(values), tolerance = 1e-6)
    expect_equal(ours$mcse_mean, posterior::mcse_mean(values), tolerance = 1e-6)
  }
})

test_that("coda has the draws", {
  skip_if_not_installed("coda")
  fit <- cities()
  chains <- coda::as.mcmc.list(fit)
  expect_identical(coda::nchain(chains), 2L)
  expect_identical(coda::niter(chains), 400L)
  expect_identical(as.vector(chains[[2]][, "sigma"]), sbmds:::stored(fit, "sigma")[, 2, 1])
  ours <- diagnostics(fit)
  ess <- coda::effectiveSize(coda::as.mcmc.list(fit, locations = FALSE))
  # coda's estimate is from a spectrum, ours from autocovariances: of the same size, no more.
  expect_lt(abs(log(ess[["sigma"]] / ours$ess_bulk[ours$variable == "sigma"])), log(1.6))
  expect_lt(abs(log(ess[["lp__"]] / ours$ess_bulk[ours$variable == "log density"])), log(1.6))
})

test_that("coda has the draws that the program exports", {
  skip_if_not_installed("coda")
  expected <- program_draws(write_matrix(eurodist), iter_sampling = 400)
  exported <- coda::mcmc.list(lapply(1:2, function(chain) coda::mcmc(expected$sigma[, chain])))
  ess <- coda::effectiveSize(exported)
  expect_equal(ess[[1]], coda::effectiveSize(coda::as.mcmc.list(cities(), locations = FALSE))[["sigma"]])
  table <- read.csv(file.path(expected$run, "diagnostics.csv"))
  ours <- table$ess_bulk[table[[1]] == "sigma"]
  expect_lt(abs(log(ess[[1]] / ours)), log(1.6))
})

test_that("sample statistics are those of the sampler", {
  fit <- cities()
  for (name in names(fit$stats)) expect_identical(dim(sample_stat(fit, name))[1:2], c(400L, 2L))
  rate <- sample_stat(fit, "acceptance_rate")
  expect_true(all(rate >= 0 & rate <= 1) && abs(mean(rate) - 0.8) < 0.15)
  expect_identical(sum(sample_stat(fit, "diverging")), fit$summary$divergences)
  # One step after warm-up, and at least one gradient for each doubling.
  expect_true(all(apply(sample_stat(fit, "step_size"), 2, function(steps) length(unique(steps))) == 1))
  expect_true(all(sample_stat(fit, "n_gradients") >= 2^(sample_stat(fit, "tree_depth") - 1)))
  expect_error(sample_stat(fit, "speed"), "there is no statistic \"speed\". Remedy: give one of", class = "sbmds_error")
})

test_that("another mode is another map", {
  fit <- cities()
  expect_identical(fit$n_modes, 1L)
  expect_identical(coef(in_mode(fit, 1)), coef(fit))
  expect_error(in_mode(fit, 2), "`mode`.*number from 1 to 1", class = "sbmds_error")
  # A hinge: objects 3 to 5 and 6 to 8 know their distances to 1 and 2, not those to each other, and are on one side or on both. Some
  # of these seeds sends chains to either.
  d <- as.matrix(dist(cbind(c(0, 4, 1, 3, 2, 1.2, 3.1, 2.2), c(0, 0, 2, 2.4, 3.5, 2.2, 1.9, 3.1))))
  d[3:5, 6:8] <- d[6:8, 3:5] <- NA
  hinge <- function(seed) quick(round(d, 2), chains = 4, iter_warmup = 300, seed = seed, start = "prior", no_mode_jumps = TRUE)
  two <- Find(function(fit) fit$n_modes == 2, lapply(1:8, hinge))
  expect_s3_class(two, "sbmds")
  other <- in_mode(two, 2)
  expect_identical(c(two$mode, other$mode), 1:2)
  expect_setequal(c(two$shown_chains, other$shown_chains), 1:4)
  expect_match(other$what_is_shown, "mode 2 of 2")
  # The parts keep their shapes and change sides.
  known <- !is.na(as.dist(d))
  expect_equal(c(fitted(other))[known], c(fitted(two))[known], tolerance = 0.01)
  expect_gt(max(abs(fitted(other) - fitted(two))), 1)
})

test_that("a fit is a data frame of its objects", {
  fit <- cities()
  table <- as.data.frame(fit)
  expect_identical(table, embedding(fit))
  expect_identical(table$name, fit$names)
  expect_identical(cbind(table$x1, table$x2), unname(coef(fit)))
  expect_equal(table$sd2^2, unname(vcov(fit)[2, 2, ]))
})

test_that("print says that locations diffuse along a tree", {
  skip_if_not_installed("ape")
  data <- eight()
  path <- tempfile(fileext = ".nwk")
  writeLines(sbmds:::newick(data$tree), path)
  run <- tempfile("run-")
  expect_output(print(quick(data$d, tree = path, out = run)), "dimensions along a tree")
  expect_output(print(read_sbmds(run)), "dimensions along a tree")
  expect_output(print(cities()), "dimensions, 210 pairs")
})

test_that("the Shepard plot has the pairs of the likelihood", {
  fit <- quick(eurodist, couplings = "dispersed:4")
  # The slow way: arrays of all pairs.
  given <- sbmds:::dissimilarities(fit, coupled = TRUE)
  known <- !is.na(given)
  all <- sbmds:::shepard(fit)
  expect_identical(all$dissimilarity, given[known])
  expect_equal(all$distance, as.vector(dist(coef(fit)))[known])
  some <- sbmds:::shepard(fit, most = 30)
  expect_identical(nrow(some), 30L)
  at <- match(do.call(paste, some), do.call(paste, all))
  expect_true(!anyNA(at) && all(abs(diff(at) - nrow(all) / 30) < 1))
})

test_that("vegan has the scores", {
  skip_if_not_installed("vegan")
  fit <- cities()
  expect_identical(vegan::scores(fit), coef(fit))
  expect_identical(as.matrix(fit), coef(fit))
  expect_identical(vegan::scores(fit, choices = 2), coef(fit)[, 2, drop = FALSE])
  rotation <- vegan::procrustes(cmdscale(eurodist), fit, scale = FALSE)
  expect_lt(sqrt(rotation$ss / 21), 200)
  expect_gt(vegan::protest(cmdscale(eurodist), fit, permutations = 19)$t0, 0.98)
})

test_that("ape has the tree, and ancestors are its nodes", {
  skip_if_not_installed("ape")
  data <- eight()
  fit <- quick(data$d, tree = data$tree)
  table <- ancestors(fit)
  tree <- ape::as.phylo(fit)
  expect_setequal(table$node, 9:15)
  expect_identical(table$node[is.na(table$parent)], 9L)
  parents <- tree$edge[match(table$node, tree$edge[, 2]), 1]
  expect_identical(table$parent, parents)
  expect_equal(table$time_from_root, ape::node.depth.edgelength(tree)[table$node])
  expect_named(table, c("node", "parent", "tips", "tip_a", "tip_b", "time_from_root", "x1", "x2", "sd1", "sd2"))
  # As the run has it: the same numbers by the same names.
  run <- tempfile("run-")
  quick(data$d, tree = data$tree, out = run)
  opened <- ape::as.phylo(read_sbmds(run))
  expect_setequal(opened$tip.label, fit$names)
  tree$tip.label <- sbmds:::unquoted(tree$tip.label)
  expect_true(ape::all.equal.phylo(opened, tree))
  expect_setequal(ancestors(read_sbmds(run))$x1, table$x1)
  expect_error(ancestors(cities()), "without a tree", class = "sbmds_error")
  expect_error(quick(data$d, tree = ape::rcoal(8)), class = "sbmds_error")
})

test_that("a tree is written with all its digits and names", {
  skip_if_not_installed("ape")
  set.seed(3)
  tree <- ape::rcoal(30, tip.label = c("it's", "a b", paste0("t", 3:30)))
  run <- tempfile("run-")
  quick(as.dist(ape::cophenetic.phylo(tree)), tree = tree, out = run, iter_warmup = 20, iter_sampling = 10)
  opened <- ape::as.phylo(read_sbmds(run))
  expect_true(ape::all.equal.phylo(opened, tree, tolerance = 0))
  expect_identical(sort(opened$edge.length), sort(tree$edge.length))
  checked <- capture.output(ape::checkValidPhylo(opened))
  expect_false(any(grepl("FATAL|MODERATE", checked)))
})

test_that("plots are drawn", {
  fit <- cities()
  grDevices::pdf(NULL, width = 6, height = 6)
  on.exit(grDevices::dev.off())
  for (type in c("map", "shepard", "trace", "rank")) expect_identical(plot(fit, type = type), fit)
  plot(fit, labels = FALSE)
  boxes <- sbmds:::write_names(coef(fit), fit$names)
  covered <- function(one) sum(sbmds:::meets(boxes[-one, ], boxes[one, ]))
  expect_identical(vapply(1:21, covered, 0L), integer(21))
  expect_silent(plot(quick(eurodist, dims = 1)))
  expect_identical(graphics::par("mar"), c(5.1, 4.1, 4.1, 2.1))
  known <- data.frame(city = labels(eurodist), km = seq_len(21), sea = rep(c("yes", "no", NA), 7))
  labelled <- quick(eurodist, labels = known)
  for (col in c("km", "sea", "red")) expect_silent(plot(labelled, col = col))
  expect_silent(plot(quick(eurodist, dims = 3), dims = c(1, 3)))
  expect_error(plot(fit, dims = c(1, 3)), "^dims: give two of the 2 dimensions", class = "sbmds_error")
  expect_error(plot(fit, level = 2), "^level: give a probability", class = "sbmds_error")
  expect_error(plot(labelled, col = "nope"), "^col: give a colour.*city, km, sea", class = "sbmds_error")
  expect_error(plot(fit, type = "trace", quantity = "tau"), "there is no quantity", class = "sbmds_error")
  skip_if_not_installed("ggplot2")
})

test_that("autoplot has layers of what it shows", {
  skip_if_not_installed("ggplot2")
  fit <- cities()
  layers <- function(...) {
    built <- ggplot2::ggplot_build(ggplot2::autoplot(fit, ...))
    stats::setNames(built$data, vapply(built$plot$layers, function(layer) class(layer$geom)[1], ""))
  }
  map <- layers()
  expect_named(map, c("GeomPolygon", "GeomPoint", "GeomText"))
  expect_equal(cbind(map$GeomPoint$x, map$GeomPoint$y), unname(coef(fit)))
  expect_identical(map$GeomText$label, fit$names)
  around <- split(map$GeomPolygon[c("x", "y")], map$GeomPolygon$group)
  expect_equal(unname(t(vapply(around, colMeans, c(0, 0), USE.NAMES = FALSE)[, rank(fit$names)])), unname(coef(fit)), tolerance = 0.05)
  expect_named(layers(level = 0, labels = FALSE), "GeomPoint")
  expect_identical(length(unique(layers(colour = substr(fit$names, 1, 1))$GeomPoint$colour)), length(unique(substr(fit$names, 1, 1))))

  shepard <- layers(type = "shepard")
  expect_identical(sort(shepard$GeomPoint$x), sort(as.double(eurodist)))
  expect_equal(c(shepard$GeomAbline$intercept, shepard$GeomAbline$slope), c(0, 1))

  trace <- layers(type = "trace", quantity = "lp")$GeomLine
  lp <- sbmds:::stored(fit, "lp")[, , 1]
  expect_identical(trace$y[trace$group == 2], lp[, 2])

  rank <- layers(type = "rank")$GeomRect
  if (is.null(rank)) rank <- layers(type = "rank")$GeomBar
  expect_identical(c(tapply(rank$count, rank$PANEL, sum)), c(400, 400), ignore_attr = TRUE)
  expect_identical(c(table(rank$PANEL)), c(20L, 20L), ignore_attr = TRUE)
  expect_equal(layers(type = "rank")$GeomHline$yintercept[1], 20)
})

test_that("ellipses hold 95% of the draws", {
  fit <- cities()
  x <- sbmds:::locations(fit)
  inside <- vapply(seq_len(21), function(object) {
    at <- cbind(c(x[, , object, 1]), c(x[, , object, 2]))
    mean(mahalanobis(at, coef(fit)[object, ], vcov(fit)[, , object]) < qchisq(0.95, 2))
  }, 0)
  expect_lt(abs(mean(inside) - 0.95), 0.02)
  around <- sbmds:::outlines(fit)
  one <- around[around$name == "Rome", c("x", "y")]
  expect_equal(mahalanobis(one, coef(fit)["Rome", ], vcov(fit)[, , "Rome"]), rep(qchisq(0.95, 2), 61), ignore_attr = TRUE)
})

test_that("labels colour the map", {
  known <- data.frame(city = rev(labels(eurodist)), coast = rev(labels(eurodist)) %in% c("Athens", "Barcelona", "Lisbon"))
  known$coast <- ifelse(known$coast, "sea", "land")
  run <- tempfile("run-")
  fit <- quick(eurodist, labels = known, out = run)
  expect_identical(fit$labels$city, fit$names)
  expect_identical(read_sbmds(run)$labels$coast, fit$labels$coast)
  expect_identical(length(unique(sbmds:::colours_of(fit, "coast"))), 2L)
  page <- report(fit, tempfile(fileext = ".html"))
  expect_true(any(grepl("coast", readLines(page, warn = FALSE), fixed = TRUE)))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit, colour = "coast"), "ggplot")
  expect_error(ggplot2::autoplot(fit, colour = "river"), "there is no label", class = "sbmds_error")
})

test_that("clusters are found", {
  set.seed(2)
  x <- rbind(matrix(rnorm(24, sd = 0.3), 12), matrix(rnorm(24, 5, sd = 0.3), 12))
  clusters <- cluster(quick(dist(x)), min_points = 5, draws = 50)
  expect_identical(max(clusters$cluster), 2L)
  expect_identical(dim(attr(clusters, "draws")), c(24L, 50L))
  expect_gt(attr(clusters, "together")("1", "2"), 0.9)
  expect_identical(attr(clusters, "together")("1", "20"), 0)
  expect_output(print(clusters), "^2 clusters")
})

test_that("clusters are those of the program", {
  set.seed(2)
  x <- rbind(matrix(rnorm(24, sd = 0.3), 12), matrix(rnorm(24, 3, sd = 0.8), 12))
  d <- dist(x)
  expected <- program_draws(write_matrix(d))
  for (flags in list(character(), c("--min-points", 4, "--min-samples", 3, "--selection", "leaf", "--seed", 2))) {
    out <- tempfile("clusters-")
    run_program("cluster", expected$run, "--draws", 40, "--out", out, flags)
    theirs <- read.csv(file.path(out, "clusters.csv"))
    fit <- quick(d)
    ours <- if (length(flags) == 0) cluster(fit, draws = 40) else cluster(fit, 4, 3, "leaf", draws = 40, seed = 2)
    expect_identical(as.character(theirs$name), ours$name)
    # Counted from 0 there, with -1 for noise.
    expect_identical(theirs$cluster + 1L, ours$cluster)
    expect_gt(max(ours$cluster), 1)
    for (column in c("confidence", "membership", "noise")) expect_equal(theirs[[column]], ours[[column]], tolerance = 1e-9)
  }
})

test_that("the fewest objects of a cluster are those of the program", {
  # Half the square root, and halves away from zero: 6.5 of 169 objects is 7, 8.5 of 289 is 9.
  expect_equal(vapply(c(3, 8, 60, 121, 169, 289, 10000), sbmds:::default_min_points, 0), c(2, 4, 5, 6, 7, 9, 50))
})

test_that("tidy and glance are data frames", {
  skip_if_not_installed("generics")
  fit <- cities()
  expect_identical(dim(generics::tidy(fit)), c(42L, 4L))
  expect_identical(generics::glance(fit)$n_objects, 21)
})

test_that("a saved fit is opened again if its run is in a directory", {
  file <- tempfile(fileext = ".rds")
  run <- tempfile("run-")
  saveRDS(quick(eurodist, out = run), file)
  opened <- readRDS(file)
  expect_identical(sbmds:::locations(opened), sbmds:::locations(quick(eurodist)))
  saveRDS(cities(), file)
  expect_identical(coef(readRDS(file)), coef(cities()))
  expect_error(sbmds:::locations(readRDS(file)), "memory of another session", class = "sbmds_error")
})

test_that("a summary without draws says what it cannot", {
  fit <- quick(eurodist, keep = "summary")
  expect_false(fit$has_x)
  expect_error(sbmds:::locations(fit), "kept no draws", class = "sbmds_error")
  expect_identical(dim(sbmds:::plain_draws(fit)), c(100L, 2L, 3L))
  expect_false(anyNA(vcov(fit)))
})
