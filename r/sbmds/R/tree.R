# The phylogeny along which locations diffuse.

# A file of the tree.
tree_file <- function(tree, files) {
  if (is.null(tree)) return(NULL)
  if (is.character(tree) && length(tree) == 1) return(path.expand(tree))
  if (inherits(tree, "multiPhylo")) stop_sbmds("tree holds several trees. Remedy: give one of them, tree[[1]]")
  if (!inherits(tree, "phylo")) stop_sbmds("tree is neither a phylo object nor a path")
  if (is.null(tree$edge.length)) stop_sbmds("tree has no branch lengths. Remedy: give a tree with edge.length")
  write_beside(files, "-tree.nwk", "tree", function(path) writeLines(newick(tree), path))
}

# Newick with quoted names and all digits: ape's own writer changes blanks in names and rounds.
newick <- function(tree) {
  n_tips <- length(tree$tip.label)
  quoted <- paste0("'", gsub("'", "''", unquoted(tree$tip.label), fixed = TRUE), "'")
  below <- split(seq_len(nrow(tree$edge)), tree$edge[, 1])
  lengths <- format_exactly(tree$edge.length)
  text <- c(quoted, character(tree$Nnode))
  for (node in post_order(tree$edge, n_tips)) {
    rows <- below[[as.character(node)]]
    text[node] <- paste0("(", paste0(text[tree$edge[rows, 2]], ":", lengths[rows], collapse = ","), ")")
  }
  paste0(text[n_tips + 1], ";")
}

# Inner nodes, children before parents.
post_order <- function(edge, n_tips) {
  children <- split(edge[, 2], edge[, 1])
  order <- integer()
  open <- n_tips + 1L
  while (length(open) > 0) {
    order <- c(open, order)
    open <- unlist(children[as.character(open)], use.names = FALSE)
    open <- open[open > n_tips]
  }
  order
}

format_exactly <- function(x) formatC(x, digits = 17, format = "g")

#' Where ancestors were
#'
#' The locations of the inner nodes of the tree that a fit was made along, drawn given the tips and the diffusion.
#'
#' @param fit,x A fit with a tree.
#' @param ... Ignored.
#' @return `ancestors()`: a data frame with one row per inner node: `node` (its number in `as.phylo(fit)`, if ape is there, so
#'   that the table joins trees of ape and treeio), `parent`, `tips` (how many are below it), two of them (`tip_a`, `tip_b`)
#'   whose last common ancestor it is, `time_from_root`, and mean and standard deviation of its location. `as.phylo()`: the tree.
#' @examples
#' if (requireNamespace("ape", quietly = TRUE)) {
#'   set.seed(1)
#'   tree <- ape::rcoal(8)
#'   d <- dist(cbind(ape::rTraitCont(tree), ape::rTraitCont(tree)))
#'   fit <- sbmds(d, tree = tree, iter_warmup = 200, iter_sampling = 200, chains = 2, seed = 1, progress = FALSE)
#'   ancestors(fit)
#' }
#' @export
ancestors <- function(fit) {
  directory <- tempfile("ancestors-")
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  has_tree <- native(wrap__fitted_ancestors, pointer_of(fit), directory)
  if (!has_tree) stop_sbmds("the fit was made without a tree. Remedy: fit with tree =")
  path <- file.path(directory, "ancestors.csv")
  if (!file.exists(path)) stop_sbmds("the fit kept no draws of the locations, and ancestors follow from them")
  table <- utils::read.csv(path, colClasses = c(tip_a = "character", tip_b = "character"), na.strings = "")
  if (requireNamespace("ape", quietly = TRUE)) in_ape(table, as.phylo.sbmds(fit)) else table
}

# Numbers of nodes as ape counts them.
in_ape <- function(table, tree) {
  own <- table$node
  tip <- function(name) match(name, unquoted(tree$tip.label))
  common <- function(a, b) if (a == b) NA_integer_ else ape::getMRCA(tree, c(tip(a), tip(b)))
  table$node <- mapply(common, table$tip_a, table$tip_b, USE.NAMES = FALSE)
  table$parent <- table$node[match(table$parent, own)]
  table
}

# ape keeps the quotes of a name that needs them.
unquoted <- function(names) {
  is_quoted <- grepl("^'.*'$", names)
  names[is_quoted] <- gsub("''", "'", substr(names[is_quoted], 2, nchar(names[is_quoted]) - 1), fixed = TRUE)
  names
}

#' @rdname ancestors
#' @exportS3Method ape::as.phylo
as.phylo.sbmds <- function(x, ...) {
  if (setequal(unquoted(x$tree$tip.label), x$names)) return(x$tree)
  tree <- native(wrap__fitted_tree, pointer_of(x))
  if (is.null(tree)) stop_sbmds("the fit was made without a tree. Remedy: fit with tree =")
  # Tips come first for ape, then the root; parents come last in `tree`.
  number <- integer(length(tree$parent))
  number[tree$is_tip] <- seq_len(sum(tree$is_tip))
  number[!tree$is_tip] <- rev(seq_len(sum(!tree$is_tip))) + sum(tree$is_tip)
  below <- rev(which(tree$parent > 0))
  phylo <- list(
    edge = cbind(number[tree$parent[below]], number[below]), edge.length = tree$length[below],
    tip.label = tree$label[tree$is_tip], Nnode = sum(!tree$is_tip)
  )
  ape::reorder.phylo(structure(phylo, class = "phylo"))
}
