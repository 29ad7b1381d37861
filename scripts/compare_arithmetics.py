#!/usr/bin/env python3
"""Fits the same data in double and in single precision and compares the two posteriors.

    scripts/compare_arithmetics.py SBMDS INPUT [flags of `sbmds fit`]

prints, for sigma and 300 random distances, how far the means and the standard deviations of the two fits are apart, in Monte Carlo
standard errors. Both arithmetics sample the same posterior, so that these are standard normal: a root mean square near 1, and none
much above 3.5. Needs NumPy.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N_DISTANCES = 300
# Draws in a batch: long beside the correlation of successive draws.
BATCHES = 20


def fit(sbmds, arithmetic, arguments, directory):
    """Draws of sigma and of distances: chains, draws, quantities."""
    run, arrays = Path(directory, arithmetic), Path(directory, arithmetic + "-npy")
    command = [sbmds, "fit", *arguments, "--arithmetic", arithmetic, "--out", run, "--no-report"]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, 1):
        sys.exit(ended.stderr)
    subprocess.run([sbmds, "export", run, "--format", "npy", "--out", arrays], check=True, stdout=subprocess.DEVNULL)
    x, sigma = np.load(arrays / "draws.npy"), np.load(arrays / "sigma.npy")
    rng = np.random.default_rng(1)
    a = rng.integers(0, x.shape[2], N_DISTANCES)
    b = (a + rng.integers(1, x.shape[2], N_DISTANCES)) % x.shape[2]
    distances = np.linalg.norm(x[:, :, a] - x[:, :, b], axis=3)
    return np.concatenate([sigma[..., None], distances], axis=2)


def estimates(draws):
    """Means and second moments about them, with Monte Carlo standard errors from batches."""
    mean = draws.mean(axis=(0, 1))
    found = []
    for values in (draws, (draws - mean) ** 2):
        length = values.shape[1] // BATCHES
        batches = values[:, : BATCHES * length].reshape(-1, length, values.shape[2]).mean(axis=1)
        found.append((values.mean(axis=(0, 1)), batches.std(axis=0, ddof=1) / np.sqrt(len(batches))))
    return found


def main():
    sbmds, arguments = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as directory:
        fits = [estimates(fit(sbmds, arithmetic, arguments, directory)) for arithmetic in ("f64", "f32")]
    for what, (double, single) in zip(("means", "variances"), zip(*fits)):
        z = (single[0] - double[0]) / np.hypot(single[1], double[1])
        print(f"{what}: sigma {z[0]:.2f}, distances rms {np.sqrt((z[1:] ** 2).mean()):.2f}, largest {np.abs(z[1:]).max():.2f}")
    (sigma64, sigma32) = (found[0][0][0] for found in fits)
    print(f"sigma: {sigma64:.6g} in f64, {sigma32:.6g} in f32")


if __name__ == "__main__":
    main()
