# Settings by the names of the program's flags, with underscores, and the words of its command line that they are.

# Flags of `sbmds fit` that are no arguments of sbmds() by name; a test compares both lists with what `sbmds fit --help` says.
further_settings <- c(
  "format", "names", "no_names", "value", "weight", "error", "weights", "errors", "config", "other_instructions", "order",
  "landmarks", "storage", "nu", "known_errors", "titers", "reading", "potencies", "avidities", "drift", "priors", "prior_scale",
  "learn_scale", "shrinkage", "noise_shape", "noise_rate", "sigma", "tree_index", "prune", "root_sample_size", "branch_scaling",
  "trait_precision_update", "sampler", "leapfrog_steps", "jitter", "target_acceptance", "min_depth", "max_depth", "no_mode_jumps",
  "group_moves", "paper_adaptation", "arithmetic", "chain", "thin", "start", "keep", "raw_draws", "until_ess", "max_draws",
  "checkpoint_every", "no_report", "force"
)

# Flags whose names in R are those that R users know.
renamed <- c(draws = "iter_sampling", warmup = "iter_warmup", threads = "cores")

check_settings <- function(further) {
  if (length(further) > 0 && (is.null(names(further)) || any(names(further) == ""))) {
    stop_sbmds("a setting has no name. Remedy: write NAME = VALUE")
  }
  unknown <- setdiff(names(further), c(further_settings, "standardize"))
  if (length(unknown) == 0) return(invisible())
  close <- meant_by(unknown[1])
  is_meant <- if (is.null(close)) "" else sprintf("; is %s meant?", close)
  stop_sbmds(sprintf("%s is no setting of a fit. Remedy: see ?sbmds%s", unknown[1], is_meant))
}

# The setting that is called so elsewhere, or that differs by few letters.
meant_by <- function(name) {
  elsewhere <- c(k = "dims", ndim = "dims", iter = "iter_sampling", renamed)
  if (name %in% names(elsewhere)) return(elsewhere[[name]])
  known <- setdiff(c(names(formals(sbmds)), further_settings), c("d", "..."))
  apart <- utils::adist(name, known)
  if (min(apart) <= ceiling(nchar(name) / 3)) known[which.min(apart)]
}

# Settings as words: TRUE is a flag alone; NULL and FALSE are none.
words_of <- function(settings) {
  one <- function(name) {
    value <- settings[[name]]
    if (is.null(value) || isFALSE(value)) return(character())
    flag <- paste0("--", gsub("_", "-", flag_of(name), fixed = TRUE))
    if (isTRUE(value)) return(flag)
    if (length(value) != 1 || is.na(value)) stop_sbmds(sprintf("%s: give one number, one string, TRUE or FALSE", name))
    paste0(flag, "=", if (is.numeric(value)) formatC(value, digits = 17, format = "g", width = 1) else as.character(value))
  }
  unlist(lapply(names(settings), one))
}

flag_of <- function(name) if (name %in% renamed) names(renamed)[renamed == name] else name

# Words of the library and of the command line in words of R: `until_ess` and --until-ess are until_ess.
in_words_of_r <- function(message) {
  message <- usage_in_r(message)
  flags <- gregexpr("--[a-z][a-z0-9-]*", message)
  regmatches(message, flags) <- lapply(regmatches(message, flags), function(found) name_of_flag(substring(found, 3)))
  # Entries are counted from 1 here, and a missing one is NA.
  entries <- gregexpr("entry \\[[0-9]+, [0-9]+\\]", message)
  regmatches(message, entries) <- lapply(regmatches(message, entries), function(found) {
    vapply(regmatches(found, gregexpr("[0-9]+", found)), function(at) sprintf("entry [%s]", paste(as.numeric(at) + 1, collapse = ", ")), "")
  })
  message <- gsub("leave the cell empty (NaN in a .npy)", "make it NA", message, fixed = TRUE)
  for (name in names(renamed)) message <- gsub(sprintf("`%s`", name), sprintf("`%s`", renamed[[name]]), message, fixed = TRUE)
  message
}

name_of_flag <- function(flag) {
  name <- gsub("-", "_", flag, fixed = TRUE)
  unname(ifelse(name %in% names(renamed), renamed[name], name))
}

# What the parser of the command line says, in one sentence.
usage_in_r <- function(message) {
  if (!startsWith(message, "error: ")) return(message)
  body <- sub("\n\n(Usage|For more).*", "", sub("^error: ", "", message))
  value <- regmatches(body, regexec("^invalid value '(.*?)' for '--([a-z0-9-]+)[^']*'(: )?(.*)", body, perl = TRUE))[[1]]
  if (length(value) > 0) {
    name <- name_of_flag(value[3])
    choices <- regmatches(body, regexec("\\[possible values: ([^]]*)\\]", body))[[1]]
    why <- if (length(choices) > 0) paste("give one of", choices[2]) else value[5]
    if (why == "invalid digit found in string") why <- "give a whole number, 0 or more"
    return(sprintf("%s = %s: %s", name, value[2], trimws(gsub("[[:space:]]+", " ", why))))
  }
  trimws(gsub("[[:space:]]+", " ", body))
}
