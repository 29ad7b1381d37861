#!/usr/bin/env python3
"""Opens the draws of a run with xarray and ArviZ and compares them with its NumPy exports.

    check_arviz.py RUN [NPY_DIR [RAW_DIR]]
        NPY_DIR (default RUN/npy) is made by `sbmds export RUN --format npy --out NPY_DIR`,
        RAW_DIR by `sbmds export RUN --format npy --raw --out RAW_DIR`

Scalars must be equal bit for bit. Exported locations are the stored ones after a rigid motion of each map, so that their
distances must be equal up to rounding; stored locations must be aligned to constant_data/reference as well as any motion can;
moved back by x_rotation and x_shift they must be the raw ones; and the mean of the exported draws must be the map in
embedding.csv, unless the run shows another map than the mean. Exits with 1 and a list of what is wrong.
Needs xarray, zarr (3 or later), numpy and arviz (0.23 or later; 1.0 needs Python 3.12).
Tried with Python 3.12, xarray 2026.9.0, zarr 3.4.2, numpy 2.5.4, arviz 1.3.0,
and with Python 3.11, xarray 2026.9.0, zarr 3.1.6, numpy 2.4.6, arviz 0.23.4.
"""

import csv
import json
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
    groups = [name for name in ("posterior", "sample_stats", "constant_data", "progress") if name in tree]
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
        if name == "x":
            check_same_maps(stored[:, :n_draws], values, "draws.npy")
        else:
            check(same(stored[:, :n_draws].astype(float), values), f"{group}/{name} differs from {file}.npy")
        if stored.dtype.kind == "f":
            for chain, done in enumerate(n_done):
                check(np.isnan(stored[chain, done:]).all(), f"{name}: chain {chain} has values after draw {done}")


def distances(x):
    """Distances between the objects of every map."""
    return np.linalg.norm(x[..., :, None, :] - x[..., None, :, :], axis=-1)


def check_same_maps(stored, exported, file):
    """Every exported map is the stored one, moved."""
    if stored.shape != exported.shape:
        return check(False, f"x has shape {stored.shape}, {file} {exported.shape}")
    for chain in range(len(stored)):
        ours, theirs = distances(stored[chain]), distances(exported[chain])
        check(np.allclose(ours, theirs, rtol=0, atol=1e-9 * ours.max()), f"{file}: other distances than x in chain {chain}")


def check_alignment(tree, raw):
    """Stored maps lie on the reference as well as any motion can put them, and can be moved back."""
    x = tree["posterior"]["x"].values[:, : int(tree["progress"]["n_draws"].values.min())]
    if "constant_data" not in tree:
        return check(raw is None or same(x, raw), "x is stored raw and differs from the raw export")
    reference = tree["constant_data"]["reference"].values
    centred = x - x.mean(axis=-2, keepdims=True)
    scale = np.abs(reference).max() ** 2 * len(reference)
    check(np.allclose(x.mean(axis=-2), reference.mean(axis=0), atol=1e-9 * np.abs(reference).max()), "centres of x differ")
    # At the optimum the cross-product with the reference is symmetric, without negative eigenvalues.
    cross = np.einsum("...ni,nj->...ij", centred, reference - reference.mean(axis=0))
    check(np.allclose(cross, np.swapaxes(cross, -1, -2), atol=1e-9 * scale), "x could be turned nearer to the reference")
    check(np.linalg.eigvalsh(cross).min() > -1e-9 * scale, "x could be reflected nearer to the reference")
    stats = tree["sample_stats"]
    rotation, shift = (stats[name].values[:, : x.shape[1]] for name in ("x_rotation", "x_shift"))
    if raw is not None:
        back = np.einsum("...ki,...nk->...ni", rotation, x - shift[..., None, :])
        check(np.allclose(back, raw, atol=1e-9 * np.abs(raw).max()), "x moved back differs from the raw export")
        check(not np.allclose(x, raw, atol=1e-3 * np.abs(raw).max()), "the raw export is aligned")


def check_mean(run, draws):
    """The exported draws of the map shown average to it."""
    shown = json.loads((run / "summary.json").read_text(encoding="utf-8"))["shown"]["maps"][0]
    if "central_draw" in shown or "multimodal" in shown:
        return print("embedding.csv shows another map than the mean: not compared")
    with open(run / "embedding.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shown_map = np.array([[float(row[f"x{k + 1}"]) for k in range(draws.shape[-1])] for row in rows])
    mean = draws[shown["chains"]].mean(axis=(0, 1))
    gap = np.abs(mean - shown_map).max()
    check(gap < 1e-6 * np.abs(shown_map).max(), f"the mean of draws.npy is {gap} off embedding.csv")


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    run = Path(sys.argv[1])
    npy = Path(sys.argv[2]) if len(sys.argv) > 2 else run / "npy"
    raw = np.load(Path(sys.argv[3]) / "draws.npy") if len(sys.argv) > 3 else None
    store = str(run / "draws.zarr")
    names = (npy / "names.txt").read_text(encoding="utf-8").splitlines()
    exported = {path.stem: np.load(path) for path in sorted(npy.glob("*.npy"))}
    check({"sigma", "log_likelihood"} <= exported.keys(), f"{npy} lacks sigma.npy or log_likelihood.npy")
    tree = xr.open_datatree(store, engine="zarr", consolidated=False)
    readers = {"xarray": tree, f"arviz {arviz.__version__}": open_with_arviz(store, tree)}
    for reader, tree in readers.items():
        check_layout(tree, names)
        check_values(tree, exported)
        if "x" in tree["posterior"]:
            check_alignment(tree, raw)
        sizes = dict(tree["posterior"].sizes)
        print(f"{reader}: {sizes}, variables {sorted(tree['posterior'].data_vars)}, exported {sorted(exported)}")
    check_diagnostics(tree["posterior"], run / "diagnostics.csv")
    if "draws" in exported:
        check_mean(run, exported["draws"])
    for problem in problems:
        print(f"wrong: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
