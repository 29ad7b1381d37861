"""sbmds beside NumPyro's NUTS on the same posterior, and `sbmds.fit` beside the command line.

    python peers.py [--objects 100 320] [--draws 1000] [--warmup 1000]
    python peers.py --overhead [--objects 100 1000 10000]

Needs numpyro (pip install numpyro). Both sample the paper's posterior: x ~ N(0, I), sigma^2 ~ IG(1, 1), dissimilarities normal about
the distances and truncated to positive values; 2 chains; the same pairs are coupled. One effective sample size is compared: the
smallest bulk one of the same 200 distances, by ArviZ, per second of wall time, warm-up included (and compilation left out for NumPyro:
its chains are run twice, and the second run counts).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
import numpy as np

import sbmds

CHAINS = 2


def monitored(n_objects, n_pairs=200):
    """The same pairs for everyone."""
    rng = np.random.default_rng(1)
    rows, columns = np.triu_indices(n_objects, 1)
    chosen = rng.choice(len(rows), size=min(n_pairs, len(rows)), replace=False)
    return rows[chosen], columns[chosen]


def smallest_ess(draws):
    """Of the monitored distances; draws are (chain, draw, object, dim)."""
    import arviz

    a, b = monitored(draws.shape[2])
    distances = np.linalg.norm(draws[:, :, a] - draws[:, :, b], axis=-1)
    return min(float(arviz.ess(distances[:, :, k], method="bulk")) for k in range(distances.shape[2]))


def coupled_pairs(fit):
    pairs = fit._parts.native("pairs").coupled(10**9)
    return pairs[:, 0].astype(int), pairs[:, 1].astype(int), pairs[:, 2]


def by_sbmds(data, couplings, options):
    start = time.perf_counter()
    fit = sbmds.fit(data.distances, couplings=couplings, priors="paper", chains=CHAINS, warmup=options.warmup, draws=options.draws,
                    seed=1, progress=False, if_not_converged="ignore")  # fmt: skip
    return fit, time.perf_counter() - start


def by_numpyro(data, fit, options):
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from jax.scipy.stats import norm
    from numpyro.infer import MCMC, NUTS

    a, b, delta = coupled_pairs(fit)
    n_objects, n_dims = data.truth.shape

    def model():
        x = numpyro.sample("x", dist.Normal(0.0, 1.0).expand([n_objects, n_dims]).to_event(2))
        variance = numpyro.sample("variance", dist.InverseGamma(1.0, 1.0))
        sigma = jnp.sqrt(variance)
        d = jnp.sqrt(jnp.sum((x[a] - x[b]) ** 2, axis=1) + 1e-30)
        numpyro.factor("pairs", jnp.sum(norm.logpdf(delta, d, sigma) - norm.logcdf(d / sigma)))

    start = jnp.broadcast_to(jnp.asarray(fit.raw_draws[:, 0]), (CHAINS, n_objects, n_dims))
    first = {"x": start, "variance": jnp.full(CHAINS, float(fit.sigma.mean()) ** 2)}
    first["variance"] = jnp.log(first["variance"])
    mcmc = MCMC(NUTS(model), num_warmup=options.warmup, num_samples=options.draws, num_chains=CHAINS, progress_bar=False)
    for _ in range(2):
        begin = time.perf_counter()
        mcmc.run(jax.random.PRNGKey(1), init_params=first)
        draws = np.asarray(mcmc.get_samples(group_by_chain=True)["x"])
        seconds = time.perf_counter() - begin
    return draws, seconds


def peers(options):
    print(f"{'N':>6} {'couplings':>14} {'sampler':>10} {'seconds':>9} {'min ESS':>9} {'ESS/s':>9} {'mean sigma':>11}")
    for n_objects, couplings in [(n, c) for n in options.objects for c in (("full",) if n < 200 else ("dispersed:10", "full"))]:
        data = sbmds.simulate(objects=n_objects, seed=1)
        fit, seconds = by_sbmds(data, couplings, options)
        show(n_objects, couplings, "sbmds", seconds, smallest_ess(fit.draws), fit.sigma.mean())
        draws, seconds = by_numpyro(data, fit, options)
        show(n_objects, couplings, "NumPyro", seconds, smallest_ess(draws), float("nan"))


def show(n_objects, couplings, sampler, seconds, ess, sigma):
    print(f"{n_objects:6} {couplings:>14} {sampler:>10} {seconds:9.2f} {ess:9.0f} {ess / seconds:9.1f} {sigma:11.4f}", flush=True)


def overhead(options):
    """Wall time of `sbmds.fit` on an array and of the command line on the same array in a file, in turns."""
    print(f"{'N':>6} {'python s':>9} {'command s':>10} {'ratio':>6} {'peak MB above the array':>24}")
    for n_objects in options.objects:
        data = sbmds.simulate(objects=n_objects, seed=1).distances
        settings = {"chains": CHAINS, "warmup": options.warmup, "draws": options.draws, "seed": 1, "couplings": options.couplings}
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        times = np.array([[python_seconds(data, settings), command_seconds(data, settings)] for _ in range(options.turns)])
        python, command = times.min(axis=0)
        above = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"{n_objects:6} {python:9.2f} {command:10.2f} {python / command:6.3f} {above:24.0f}", flush=True)


def python_seconds(data, settings):
    start = time.perf_counter()
    sbmds.fit(data, progress=False, if_not_converged="ignore", **settings)
    return time.perf_counter() - start


def command_seconds(data, settings):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "data.npy"
        np.save(path, data)
        flags = [f"--{name}={value}" for name, value in settings.items()]
        words = [sys.executable, "-m", "sbmds", "fit", str(path), "--no-report", "--out", str(Path(scratch) / "run"), *flags]
        start = time.perf_counter()
        subprocess.run(words, capture_output=True, check=False)
        return time.perf_counter() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--overhead", action="store_true", help="sbmds.fit beside the command line")
    parser.add_argument("--objects", type=int, nargs="+")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--warmup", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--couplings", default="auto")
    options = parser.parse_args()
    options.objects = options.objects or ([100, 1000, 10_000] if options.overhead else [100, 320])
    warnings.simplefilter("ignore")
    overhead(options) if options.overhead else peers(options)
