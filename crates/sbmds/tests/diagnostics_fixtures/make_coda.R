# Makes coda.csv: coda's effectiveSize of every chain in chains.csv, and of all chains of a case together.
library(coda)

arguments <- commandArgs(trailingOnly = FALSE)
here <- dirname(sub("--file=", "", grep("--file=", arguments, value = TRUE)))
rows <- read.csv(file.path(here, "chains.csv"), stringsAsFactors = FALSE)
draws <- lapply(strsplit(rows$draws, " "), as.numeric)

out <- file(file.path(here, "coda.csv"), "w")
writeLines("case,chain,value", out)
record <- function(case, chain, value) writeLines(sprintf("%s,%s,%.17g", case, chain, value), out)
for (case in unique(rows$case)) {
  chains <- draws[rows$case == case]
  # R's ar() refuses values that are not finite.
  if (!all(is.finite(unlist(chains)))) next
  for (i in seq_along(chains)) record(case, i - 1, effectiveSize(chains[[i]]))
  record(case, "sum", effectiveSize(mcmc.list(lapply(chains, mcmc))))
}
# A straight line has no residual about its own trend: coda calls its effective size 0.
record("straight_line", 0, effectiveSize(seq(0, 1, length.out = 50)))
close(out)
