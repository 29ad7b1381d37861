library(testthat)
library(sbmds)

test_check("sbmds")
