#!/usr/bin/env python3
"""Opens the draws of a run with xarray and ArviZ and compares them with its NumPy export.

    check_arviz.py RUN [NPY_DIR]      NPY_DIR (default RUN/npy) is made by `sbmds export RUN --format npy --out NPY_DIR`

Exits with 1 and a list of what is wrong if dimensions, coordinates, values or the diagnostics of sigma differ.
Needs xarray, zarr (3 or later), numpy and arviz (0.23 or later; 1.0 needs Python 3.12).
Tried with Python 3.12, xarray 2026.9.0, zarr 3.4.2, numpy 2.5.4, arviz 1.3.0,
and with Python 3.11, xarray 2026.9.0, zarr 3.1.6, numpy 2.4.6, arviz 0.23.4.
"""

import csv
import sys
from pathlib import Path

import arviz
import numpy as np
import xarray as xr

X_DIMS = ("chain", "draw", "object", "dim")
problems = []


def check(right, message):
    if not right:
        problems.append(message)


def same(left, right):
    """Equal bit for bit, NaN included."""
    return left.shape == right.shape and np.array_equal(left, right, equal_nan=True)


def open_with_arviz(store, tree):
    """The store as ArviZ sees it: opened by ArviZ 1 itself; ArviZ 0 cannot open zarr 3, but takes its groups."""
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_zarr(store, consolidated=False)
    groups = ("posterior", "sample_stats", "progress")
    return arviz.InferenceData(**{name: tree[name].to_dataset() for name in groups})


def check_diagnostics(posterior, table):
    """R-hat, effective sample sizes and MCSE of sigma, recomputed by ArviZ."""
    with open(table, encoding="utf-8", newline="") as file:
        ours = next(row for row in csv.DictReader(file) if row["quantity"] == "sigma")
    sigma = posterior["sigma"].values
    theirs = {
        "rhat": arviz.rhat(sigma),
        "ess_bulk": arviz.ess(sigma, method="bulk"),
        "ess_tail": arviz.ess(sigma, method="tail", prob=(0.05, 0.95)),
        "mcse_mean": arviz.mcse(sigma, method="mean"),
    }
    for name, value in theirs.items():
        close = abs(float(ours[name]) - float(value)) <= 1e-6 * abs(float(value))
        check(close, f"{name} of sigma: {ours[name]} in {table.name}, {value} by ArviZ")


def check_layout(tree, names):
    posterior, stats = tree["posterior"], tree["sample_stats"]
    for path, group in (("posterior", posterior), ("sample_stats", stats)):
        check(group.attrs.get("inference_library") == "sbmds", f"{path}: no inference_library")
        for axis in ("chain", "draw"):
            counted = np.arange(group.sizes[axis])
            check(np.array_equal(group[axis].values, counted), f"{path}: {axis} does not count from 0")
        for name, variable in group.data_vars.items():
            check(variable.dims[:2] == ("chain", "draw"), f"{path}/{name} has dims {variable.dims}")
    check(posterior.sizes["draw"] == stats.sizes["draw"], "posterior and sample_stats have different draws")
    check([str(name) for name in posterior["object"].values] == names, "object names differ from names.txt")
    if "x" in posterior:
        check(posterior["x"].dims == X_DIMS, f"x has dims {posterior['x'].dims}")
    for name, kind in (("diverging", "b"), ("n_gradients", "i"), ("tree_depth", "i")):
        if name in stats:
            check(stats[name].dtype.kind == kind, f"{name} has type {stats[name].dtype}")


def check_values(tree, exported):
    n_done = tree["progress"]["n_draws"].values
    n_draws = int(n_done.min())
    for file, values in exported.items():
        name = {"draws": "x", "trace_sigma": "trait_trace", "logdet_sigma": "trait_logdet"}.get(file, file)
        group = next((g for g in ("posterior", "sample_stats") if name in tree[g]), None)
        if group is None:
            check(False, f"{file}.npy: the store has no {name}")
            continue
        stored = tree[group][name].values
        check(same(stored[:, :n_draws].astype(float), values), f"{group}/{name} differs from {file}.npy")
        if stored.dtype.kind == "f":
            for chain, done in enumerate(n_done):
                check(np.isnan(stored[chain, done:]).all(), f"{name}: chain {chain} has values after draw {done}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    run = Path(sys.argv[1])
    npy = Path(sys.argv[2]) if len(sys.argv) == 3 else run / "npy"
    store = str(run / "draws.zarr")
    names = (npy / "names.txt").read_text(encoding="utf-8").splitlines()
    exported = {path.stem: np.load(path) for path in sorted(npy.glob("*.npy"))}
    check({"sigma", "log_likelihood"} <= exported.keys(), f"{npy} lacks sigma.npy or log_likelihood.npy")
    tree = xr.open_datatree(store, engine="zarr", consolidated=False)
    readers = {"xarray": tree, f"arviz {arviz.__version__}": open_with_arviz(store, tree)}
    for reader, tree in readers.items():
        check_layout(tree, names)
        check_values(tree, exported)
        sizes = dict(tree["posterior"].sizes)
        print(f"{reader}: {sizes}, variables {sorted(tree['posterior'].data_vars)}, exported {sorted(exported)}")
    check_diagnostics(tree["posterior"], run / "diagnostics.csv")
    for problem in problems:
        print(f"wrong: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
